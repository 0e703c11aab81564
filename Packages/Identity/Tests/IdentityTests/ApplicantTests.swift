import Encodings
import Identity
import Testing

@Suite("HTTP contract 5.1: what a sign-up may say")
struct ApplicantTests {
    private func read(
        _ profile: JSONObject,
        metadata: JSONValue? = nil,
        _ change: (inout ConnectionOptions) -> Void = { _ in }
    ) throws -> (identifiers: [UserIdentifier], profile: UserProfile) {
        var options = ConnectionOptions()
        change(&options)
        return try Applicant.profile(profile, metadata: metadata).read(SignupRules(options))
    }

    private static let everything = ConnectionAttributes(
        email: .init(isIdentifier: true, signup: .required),
        phoneNumber: .init(isIdentifier: true, signup: .optional),
        username: .init(isIdentifier: true, signup: .optional)
    )

    @Test("Without attributes the address is required, and the user name by its own setting")
    func olderRule() throws {
        #expect(try read(["email": "ana@example.com"]).identifiers.map(\.kind) == [.email])
        #expect(throws: ApplicantError.missing("email")) { try read([:]) }
        #expect(throws: ApplicantError.missing("email")) { try read(["email": nil]) }
        #expect(throws: ApplicantError.missing("username")) {
            try read(["email": "ana@example.com"]) { $0.requiresUsername = true }
        }
        #expect(throws: ApplicantError.unknown("username")) {
            try read(["email": "ana@example.com", "username": "ana"])
        }
    }

    @Test("Attributes say which identifiers are required, optional and unknown")
    func attributes() throws {
        let all: JSONObject = ["username": "Ana", "phone_number": "+46701234567", "email": "ana@example.com"]
        let read = try read(all) { $0.attributes = Self.everything }
        #expect(read.identifiers.map(\.canonical) == ["ana@example.com", "+46701234567", "ana"])
        #expect(throws: ApplicantError.unknown("phone_number")) {
            try self.read(all) { options in
                options.attributes = Self.everything
                options.attributes?.phoneNumber.signup = .inactive
            }
        }
        // When all are optional, one must be there all the same.
        #expect(throws: ApplicantError.missing("email")) {
            try self.read(["name": "Ana"]) { options in
                options.attributes = Self.everything
                options.attributes?.email.signup = .optional
            }
        }
    }

    @Test(
        "Each value has its form",
        arguments: [
            ("email", "no address"), ("email", ""), ("phone_number", "0701234567"), ("phone_number", "+0701"),
            ("username", "with space"), ("username", "a@b"), ("username", String(repeating: "a", count: 16)),
            ("name", ""), ("name", String(repeating: "a", count: 301)), ("nickname", ""),
            ("given_name", String(repeating: "a", count: 151)), ("family_name", ""),
            ("picture", "ftp://example.com/a"), ("picture", "https://"), ("picture", "/a.png"),
            ("picture", "https://example.com/a b"),
        ]
    )
    func refusesForms(_ name: String, _ value: String) {
        var profile: JSONObject = ["email": "ana@example.com"]
        profile[name] = .string(value)
        #expect(throws: ApplicantError.invalid(name)) {
            try read(profile) { $0.attributes = Self.everything }
        }
    }

    @Test("A value of another type is not valid")
    func refusesTypes() {
        #expect(throws: ApplicantError.invalid("email")) { try read(["email": 1]) }
        #expect(throws: ApplicantError.invalid("name")) { try read(["email": "ana@example.com", "name": []]) }
    }

    @Test("What is missing comes before what is not valid, and that before what is unknown")
    func order() {
        #expect(throws: ApplicantError.missing("email")) { try read(["name": "", "shoe": 1]) }
        #expect(throws: ApplicantError.invalid("name")) {
            try read(["shoe": 1, "name": "", "email": "ana@example.com"])
        }
        #expect(throws: ApplicantError.unknown("shoe")) {
            try read(["shoe": 1, "email": "ana@example.com"], metadata: 1)
        }
    }

    @Test("Metadata is at most ten texts of 500 characters, with names of 100")
    func metadata() throws {
        let good: JSONObject = ["email": "ana@example.com"]
        #expect(try read(good, metadata: ["plan": "free"]).profile.userMetadata == ["plan": "free"])
        #expect(try read(good, metadata: .null).profile.userMetadata.isEmpty)
        var eleven = JSONObject()
        for number in 0..<11 { eleven["k\(number)"] = "v" }
        let long = String(repeating: "é", count: 500)
        #expect(try read(good, metadata: ["a": .string(long)]).profile.userMetadata["a"]?.string == long)
        let name = String(repeating: "n", count: 101)
        for bad: JSONValue in [
            "text", [1], ["a": 1], ["a": nil], .object(eleven), ["a": .string(long + "x")], .object([name: "v"]),
        ] {
            #expect(throws: ApplicantError.invalidUserMetadata) { try read(good, metadata: bad) }
        }
    }

    @Test("A user name of section 12 is what its form says")
    func username() throws {
        func read(_ text: String, _ displayName: String? = nil) throws -> (
            identifiers: [UserIdentifier], profile: UserProfile
        ) {
            var options = ConnectionOptions()
            options.attributes = Self.everything
            options.attributes?.email.signup = .optional
            return try Applicant.username(text, displayName: displayName).read(SignupRules(options))
        }
        #expect(try read("ana@example.com").identifiers.first?.kind == .email)
        #expect(try read("+46701234567").identifiers.first?.kind == .phoneNumber)
        #expect(try read("ana", "Ana").identifiers.first?.kind == .username)
        #expect(try read("ana", "Ana").profile.name == "Ana")
        #expect(try read("ana", "").profile.name == nil)
        #expect(throws: ApplicantError.invalid("username")) { try read("an a") }
    }
}
