import Encodings

extension ConnectionAttributes {
    /// Reads the member `attributes` of a connection's options (HTTP contract 11.5). An attribute that is absent is no
    /// identifier; one that is an identifier is `required` at sign-up unless it says otherwise.
    init(_ reader: consuming DocumentReader) throws(DocumentError) {
        var usernameLength = 1...15
        self.init(
            email: try Self.attribute("email", of: &reader, usernameLength: &usernameLength),
            phoneNumber: try Self.attribute("phone_number", of: &reader, usernameLength: &usernameLength),
            username: try Self.attribute("username", of: &reader, usernameLength: &usernameLength)
        )
        self.usernameLength = usernameLength
        guard email.isIdentifier || phoneNumber.isIdentifier || username.isIdentifier else {
            throw .conflict(path: reader.path, message: "At least one of \(reader.path) must be an active identifier")
        }
        try reader.end()
    }

    var document: JSONObject {
        var username = Self.document(username)
        var validation = username["validation"]?.object ?? JSONObject()
        validation.set("min_length", .integer(Int64(usernameLength.lowerBound)))
        validation.set("max_length", .integer(Int64(usernameLength.upperBound)))
        username.set("validation", .object(validation))
        return [
            "email": .object(Self.document(email)), "phone_number": .object(Self.document(phoneNumber)),
            "username": .object(username),
        ]
    }

    private static func document(_ attribute: Attribute) -> JSONObject {
        var document: JSONObject = [
            "identifier": ["active": .bool(attribute.isIdentifier)],
            "profile_required": .bool(attribute.profileRequired),
        ]
        var signup: JSONObject = ["status": .string(attribute.signup.rawValue)]
        for member in attribute.stored.members {
            if member.name == "verification" {
                signup.set("verification", member.value)
            } else {
                document.set(member.name, member.value)
            }
        }
        document.set("signup", .object(signup))
        return document
    }

    private static func attribute(
        _ name: String,
        of reader: inout DocumentReader,
        usernameLength: inout ClosedRange<Int>
    ) throws(DocumentError) -> Attribute {
        guard var reader = try reader.object(name) else { return Attribute(isIdentifier: false, signup: .inactive) }
        var isIdentifier = false
        if var identifier = try reader.object("identifier") {
            isIdentifier = try identifier.bool("active") ?? false
            try identifier.end()
        }
        var attribute = Attribute(
            isIdentifier: isIdentifier,
            signup: isIdentifier ? .required : .inactive,
            profileRequired: try reader.bool("profile_required") ?? false
        )
        var verification: JSONValue?
        if var signup = try reader.object("signup") {
            attribute.signup = try signup.word("status", SignupStatus.self) ?? attribute.signup
            if var options = try signup.object("verification") {
                if let active = try options.bool("active") { verification = ["active": .bool(active)] }
                try options.end()
            }
            try signup.end()
        }
        var validation = JSONObject()
        if name == "username", var options = try reader.object("validation") {
            validation = try options.keep([KeptMember("allowed_types", .object)])
            usernameLength = try length(options, minimum: "min_length", maximum: "max_length")
        }
        attribute.stored = try reader.keep([
            KeptMember("unique", .bool), KeptMember("verification_method", .words(["link", "code"])),
        ])
        if let verification { attribute.stored.set("verification", verification) }
        if !validation.isEmpty { attribute.stored.set("validation", .object(validation)) }
        try reader.end()
        return attribute
    }

    /// Reads the bounds of a user name's length, and nothing else, from `reader`.
    static func length(
        _ reader: consuming DocumentReader,
        minimum: String,
        maximum: String
    ) throws(DocumentError) -> ClosedRange<Int> {
        let lower = try reader.integer(minimum, 1...128) ?? 1
        let upper = try reader.integer(maximum, 1...128) ?? max(15, lower)
        guard lower <= upper else {
            throw reader.invalid(minimum, .integer(lower), mustBe: "at most \(maximum), \(upper)")
        }
        try reader.end()
        return Int(lower)...Int(upper)
    }
}
