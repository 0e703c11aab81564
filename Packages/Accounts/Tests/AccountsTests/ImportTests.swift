import Encodings
import Identity
import Testing

@testable import Accounts

@Suite("HTTP contract 11.17: what an import reads")
struct ImportTests {
    private static func elements(_ text: String, partsOf size: Int = 1, upTo maximum: Int = 100) throws -> [String] {
        var reader = JSONArrayReader(elementsUpTo: maximum)
        var elements: [String] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            elements += try reader.read(Array(rest.prefix(size))).map { String(decoding: $0, as: UTF8.self) }
            rest = rest.dropFirst(size)
        }
        try reader.end()
        return elements
    }

    @Test("The objects of an array come out one by one, however the bytes are cut")
    func splits() throws {
        let text = " [ {\"a\":\"]}\\\"{[,\"} ,{\"b\":[{},{\"c\":\"\\\\\"}]}\n, {} ]\n"
        let expected = ["{\"a\":\"]}\\\"{[,\"}", "{\"b\":[{},{\"c\":\"\\\\\"}]}", "{}"]
        for size in 1...text.utf8.count {
            #expect(try Self.elements(text, partsOf: size) == expected)
        }
        #expect(try Self.elements("[]").isEmpty)
        #expect(try Self.elements("[ \n ]").isEmpty)
    }

    @Test(
        "What is no array of bounded objects is refused",
        arguments: [
            ("{}", JSONArrayReader.Fault.notAnArray), ("[1]", .notAnArray), ("[{},]", .notAnArray),
            ("[{}{}]", .notAnArray), ("[,{}]", .notAnArray), ("[] x", .notAnArray), ("[\"a\"]", .notAnArray),
            ("[[{}]]", .notAnArray), ("\u{FEFF}[]", .notAnArray), ("", .truncated), ("[", .truncated),
            ("[{}", .truncated), ("[{\"a\":\"", .truncated), ("[{\"a\":1}", .truncated),
            ("[{\"a\":\"" + String(repeating: "x", count: 100) + "\"}]", .elementTooLong),
        ]
    )
    func refuses(_ text: String, _ fault: JSONArrayReader.Fault) {
        #expect(throws: fault) { try Self.elements(text) }
    }

    private static func read(_ members: JSONObject) throws -> String? {
        var document: JSONObject = ["email": "ana@example.com"]
        for member in members.members { document.set(member.name, member.value) }
        let user = try UserDocument(document, for: .import(relyingPartyIDs: []), in: ConnectionOptions())
        return try ImportedHash.read(user)
    }

    private static let bcrypt = "$2b$10$abcdefghijklmnopqrstuuK6wS1kVv0mW1sJbRr5vG1M1Vb1a7y2W"

    @Test("A hash is kept as it was made, whatever Auth0 calls its parts")
    func hashes() throws {
        #expect(try Self.read([:]) == nil)
        #expect(try Self.read(["password_hash": .string(Self.bcrypt)]) == Self.bcrypt)
        let wrapped: JSONValue = [
            "algorithm": "bcrypt", "hash": ["value": .string(Self.bcrypt), "encoding": "utf8"],
        ]
        #expect(try Self.read(["custom_password_hash": wrapped]) == Self.bcrypt)
        let pbkdf2 = "$pbkdf2-sha256$i=100000,l=32$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        #expect(
            try Self.read([
                "custom_password_hash": [
                    "algorithm": "pbkdf2", "hash": ["value": .string(pbkdf2), "encoding": "utf8"],
                ]
            ]) == pbkdf2
        )
        let scrypt: JSONValue = [
            "algorithm": "scrypt", "hash": ["value": .string(String(repeating: "ab", count: 32)), "encoding": "hex"],
            "salt": ["value": "c2FsdHNhbHQ=", "encoding": "base64"], "cost": 16384, "blockSize": 8,
            "parallelization": 1,
            "keylen": 32,
        ]
        let kept = try #require(try Self.read(["custom_password_hash": scrypt]))
        #expect(kept.hasPrefix("$scrypt$ln=14,r=8,p=1$c2FsdHNhbHQ$"), "\(kept)")
    }

    @Test(
        "A hash that costs too much or is of another kind is refused by name",
        arguments: [
            (["password_hash": "$2b$31$abcdefghijklmnopqrstuuK6wS1kVv0mW1sJbRr5vG1M1Vb1a7y2W"], "cost"),
            (["password_hash": "$2b$15$abcdefghijklmnopqrstuuK6wS1kVv0mW1sJbRr5vG1M1Vb1a7y2W"], "cost"),
            (["password_hash": "$2b$10$short"], "malformed"),
            (["password_hash": "5f4dcc3b5aa765d61d8327deb882cf99"], "bcrypt"),
            (
                [
                    "custom_password_hash": [
                        "algorithm": "argon2",
                        "hash": [
                            "value":
                                "$argon2id$v=19$m=4194304,t=3,p=1$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                            "encoding": "utf8",
                        ],
                    ]
                ], "memory"
            ),
            (["custom_password_hash": ["algorithm": "md5", "hash": ["value": "x", "encoding": "hex"]]], "md5"),
            (["custom_password_hash": ["algorithm": "sha256", "hash": ["value": "x", "encoding": "hex"]]], "sha256"),
            (["custom_password_hash": ["algorithm": "argon2"]], "hash.value"),
            (
                [
                    "custom_password_hash": [
                        "algorithm": "pbkdf2",
                        "hash": [
                            "value": "$pbkdf2-sha256$i=3000000$c2FsdHNhbHQ$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                            "encoding": "utf8",
                        ],
                    ]
                ], "rounds"
            ),
            (
                [
                    "custom_password_hash": [
                        "algorithm": "scrypt", "hash": ["value": "abab", "encoding": "hex"],
                        "salt": ["value": "abab", "encoding": "hex"], "cost": 1000, "blockSize": 8,
                        "parallelization": 1,
                    ]
                ], "power of two"
            ),
        ] as [(JSONObject, String)]
    )
    func refusedHashes(_ members: JSONObject, _ word: String) throws {
        let fault = #expect(throws: ImportFault.self) { try Self.read(members) }
        #expect(fault?.message.contains(word) == true, "\(String(describing: fault))")
    }

    @Test("An export has one user a line, and no cell of a CSV is a formula")
    func export() throws {
        let tenant = Tenant(
            id: TenantID(number: 1),
            name: "t",
            settings: TenantSettings(),
            createdAt: UnixTime(seconds: 0),
            updatedAt: UnixTime(seconds: 0)
        )
        let configuration = TenantConfiguration(
            tenant: tenant,
            domains: [],
            clients: [:],
            connections: [],
            resourceServers: [],
            grants: [],
            version: 1
        )
        let user = User(
            id: UserID(now: UnixTime(seconds: 1), random: [1]),
            tenant: tenant.id,
            connection: ConnectionID("con_x"),
            identifiers: [
                UserIdentifier(kind: .email, canonical: "a@b.example", entered: "a@b.example", isVerified: true),
                UserIdentifier(kind: .phoneNumber, canonical: "+4670", entered: "+4670", isVerified: false),
            ],
            profile: UserProfile(name: "=1+1, \"x\"", userMetadata: ["plan": ["a": 1]]),
            createdAt: UnixTime(seconds: 1),
            updatedAt: UnixTime(seconds: 1)
        )
        let fields: JSONValue = [
            ["name": "name"], ["name": "user_metadata.plan", "export_as": "plan"], ["name": "phone_number"],
            ["name": "none"],
        ]
        let csv = UserExport(["format": "csv", "fields": fields], configuration)
        #expect(String(decoding: csv.head, as: UTF8.self) == "name,plan,phone_number,none\r\n")
        #expect(
            String(decoding: csv.line(user), as: UTF8.self) == "\"'=1+1, \"\"x\"\"\",\"{\"\"a\"\":1}\",+4670,\r\n"
        )
        let json = UserExport(["format": "json", "fields": fields], configuration)
        #expect(
            String(decoding: json.line(user), as: UTF8.self)
                == "{\"name\":\"=1+1, \\\"x\\\"\",\"plan\":{\"a\":1},\"phone_number\":\"+4670\"}\n"
        )
        let all = try JSON.parse(UserExport(["format": "json"], configuration).line(user)).object
        #expect(all?["email"] == "a@b.example" && all?["password_hash"] == nil)
    }
}
