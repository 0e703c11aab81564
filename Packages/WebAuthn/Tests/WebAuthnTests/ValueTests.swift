import COSE
import Encodings
import Testing

@testable import WebAuthn

@Suite("AAGUID")
struct AAGUIDTests {
    @Test("It goes to its text and its bytes and back")
    func roundTrip() throws {
        let bytes = (0..<16).map { UInt8($0 * 17) }
        let aaguid = try #require(AAGUID(bytes[...]))
        #expect(aaguid.bytes == bytes)
        #expect(aaguid.description == "00112233-4455-6677-8899-aabbccddeeff")
        #expect(AAGUID(aaguid.description) == aaguid)
        #expect(AAGUID(aaguid.description.uppercased()) == aaguid)
        #expect(AAGUID.zero.description == "00000000-0000-0000-0000-000000000000")
    }

    @Test(
        "Another text is none",
        arguments: [
            "", "00112233-4455-6677-8899-aabbccddeef", "00112233-4455-6677-8899-aabbccddeeff0",
            "001122334455-6677-8899-aabbccddeeff-", "g0112233-4455-6677-8899-aabbccddeeff",
            "00112233445566778899aabbccddeeff", "{0112233-4455-6677-8899-aabbccddeef}",
        ]
    )
    func refused(_ text: String) {
        #expect(AAGUID(text) == nil)
    }

    @Test("Other counts of bytes are none", arguments: [0, 15, 17])
    func refused(_ count: Int) {
        #expect(AAGUID([UInt8](repeating: 1, count: count)[...]) == nil)
    }
}

@Suite("Evidence")
struct EvidenceTests {
    @Test("What came from outside is bounded and escaped")
    func escaped() {
        let error = CeremonyError(
            .originMismatch,
            step: "7.1 step 9",
            expected: "https://example.com",
            got: "a\n\u{1b}[2J\u{202e}\\é" + String(repeating: "x", count: 1000)
        )
        let got = error.got ?? ""
        #expect(got.hasPrefix(#"a\u{a}\u{1b}[2J\u{202e}\\\u{e9}xxx"#))
        #expect(got.hasSuffix("..."))
        #expect(got.utf8.count < 300)
        #expect(got.utf8.allSatisfy { (0x20...0x7e).contains($0) })
        #expect(error.description.hasPrefix("origin_mismatch at 7.1 step 9: expected https://example.com, got a"))
    }

    @Test("Each reason has its steps, but for those that only this server has")
    func steps() {
        for reason in CeremonyReason.allCases {
            #expect(reason.steps.isEmpty == [.userBlocked, .userVerificationUnproven].contains(reason))
            #expect(reason.steps.allSatisfy { $0.hasPrefix("7.1 step ") || $0.hasPrefix("7.2 step ") })
        }
    }
}

@Suite("Options")
struct OptionsTests {
    private func object(_ write: (inout JSONWriter) -> Void) throws -> JSONObject {
        var json = JSONWriter()
        write(&json)
        return try #require(try JSON.parse(json.bytes).object)
    }

    private var creation: CreationOptions {
        CreationOptions(
            rpID: "login.example.com",
            rpName: "login.example.com",
            userID: [1, 2, 3],
            userName: "ana@example.com",
            userDisplayName: "Ana",
            challenge: [0xff, 0xfe],
            algorithms: [.edDSA, .es256, .rs256],
            timeout: 60000
        )
    }

    @Test("Creation options have what they must, and nothing that was not given")
    func plainCreation() throws {
        let options = try object(creation.write)
        #expect(
            .object(options) == [
                "rp": ["id": "login.example.com", "name": "login.example.com"],
                "user": ["id": "AQID", "name": "ana@example.com", "displayName": "Ana"],
                "challenge": "__4",
                "pubKeyCredParams": [
                    ["type": "public-key", "alg": -8], ["type": "public-key", "alg": -7],
                    ["type": "public-key", "alg": -257],
                ],
                "timeout": 60000,
                "authenticatorSelection": ["residentKey": "required", "userVerification": "preferred"],
            ]
        )
    }

    @Test("Every optional member is written when it is given, also when it is empty")
    func fullCreation() throws {
        var full = creation
        full.attestation = .direct
        full.excludeCredentials = [
            CredentialDescriptor(id: [9], transports: ["usb"]), CredentialDescriptor(id: [8]),
        ]
        full.hints = []
        full.extensions = ["credProps": true]
        full.authenticatorSelection = CreationOptions.AuthenticatorSelection(
            authenticatorAttachment: .crossPlatform,
            residentKey: .preferred,
            requireResidentKey: true,
            userVerification: .required
        )
        let options = try object(full.write)
        #expect(options["attestation"] == "direct")
        #expect(
            options["excludeCredentials"] == [
                ["type": "public-key", "id": "CQ", "transports": ["usb"]], ["type": "public-key", "id": "CA"],
            ]
        )
        #expect(options["hints"] == [])
        #expect(options["extensions"] == ["credProps": true])
        #expect(
            options["authenticatorSelection"] == [
                "authenticatorAttachment": "cross-platform", "residentKey": "preferred", "requireResidentKey": true,
                "userVerification": "required",
            ]
        )
    }

    @Test("Names are cut to 64 bytes between characters")
    func names() throws {
        var long = creation
        long.userName = String(repeating: "é", count: 40)
        long.userDisplayName = String(repeating: "a", count: 63) + "é"
        let user = try #require(try object(long.write)["user"]?.object)
        #expect(user["name"]?.string == String(repeating: "é", count: 32))
        #expect(user["displayName"]?.string == String(repeating: "a", count: 63))
    }

    @Test("Request options have what they must, and nothing that was not given")
    func requests() throws {
        var request = RequestOptions(challenge: [0], timeout: 60000, rpID: "example.com")
        #expect(
            .object(try object(request.write)) == [
                "challenge": "AA", "timeout": 60000, "rpId": "example.com", "userVerification": "preferred",
            ]
        )
        request.allowCredentials = []
        request.hints = ["hybrid"]
        request.extensions = JSONObject()
        let options = try object(request.write)
        #expect(options["allowCredentials"] == [])
        #expect(options["hints"] == ["hybrid"])
        #expect(options["extensions"] == .object(JSONObject()))
    }
}

@Suite("Calendar times")
struct CalendarTimeTests {
    @Test(
        "A time goes to its text and back",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2000-02-29T23:59:59Z", 951_868_799), ("2026-06-01T00:00:00Z", 1_780_272_000),
            ("1969-12-31T23:59:59Z", -1), ("9999-12-31T23:59:59Z", 253_402_300_799),
            ("0000-03-01T00:00:00Z", -62_162_035_200),
            ("2100-03-01T12:34:56Z", 4_107_587_696),
        ] as [(String, Int64)]
    )
    func roundTrip(_ text: String, _ seconds: Int64) {
        #expect(CalendarTime.seconds(text) == seconds)
        #expect(CalendarTime.text(seconds) == text)
    }

    @Test(
        "Another text is none",
        arguments: [
            "", "2026-06-01", "2026-13-01T00:00:00Z", "2026-06-01T00:00:00+", "x026-06-01T00:00:00Z",
            "2027-02-30T00:00:00Z", "2027-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
        ]
    )
    func refused(_ text: String) {
        #expect(CalendarTime.seconds(text) == nil)
    }

    @Test(
        "Times out of range are written as numbers",
        arguments: [Int64.min, Int64.max, -62_162_035_201, 253_402_300_800]
    )
    func outOfRange(_ seconds: Int64) {
        #expect(CalendarTime.text(seconds) == "\(seconds)")
    }
}
