import Encodings
import Identity
import Tenancy
import Testing

@testable import HTTPAPI

@Suite("11.4: clients")
struct ManagementClientTests {
    private static let fingerprint = (0..<32).map { _ in "d8" }.joined(separator: ":")

    private func id(_ answer: Answer) throws -> String { try #require(answer.string("client_id"), "\(answer)") }

    @Test("A client is made with its kind's defaults, and its secret is shown then and at its rotation alone")
    func secrets() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let made = try await manager.post("clients", ["name": "Backend", "app_type": "non_interactive"])
            #expect(made.status == 201, "\(made)")
            let id = try id(made)
            #expect(made.string("tenant") == "acme" && made["global"] == false)
            #expect(made.string("token_endpoint_auth_method") == "client_secret_post")
            #expect(made["grant_types"] == ["client_credentials"])
            #expect(made["is_first_party"] == true && made["oidc_conformant"] == true)
            let secret = try #require(made.string("client_secret"))
            #expect(secret.utf8.count == 64)
            let read = try await manager.get("clients/\(id)")
            #expect(read.status == 200 && read["client_secret"] == nil)
            // The certificates of ID tokens' keys are for those who may see secrets.
            #expect(made["signing_keys"]?.array != nil && read["signing_keys"]?.array != nil)
            let few = try await Administrator(house, scope: "read:clients")
            #expect(try await few.get("clients/\(id)")["signing_keys"] == nil)

            func token(_ secret: String) async throws -> String? {
                let form = "grant_type=client_credentials&client_id=\(id)&client_secret=\(secret)&audience=x"
                return try await house.send(.form("/oauth/token", form)).reason
            }
            #expect(try await token(secret) == "unknown_audience")
            let rotated = try await manager.post("clients/\(id)/rotate-secret")
            #expect(rotated.status == 200, "\(rotated)")
            let new = try #require(rotated.string("client_secret"))
            #expect(new != secret)
            #expect(try await token(secret) == "client_authentication_failed")
            #expect(try await token(new) == "unknown_audience")
            // A public client has none.
            let app = try await manager.post("clients", ["name": "App", "app_type": "native"])
            #expect(app.string("token_endpoint_auth_method") == "none" && app["client_secret"] == nil)
            let none = try await manager.post("clients/\(try self.id(app))/rotate-secret")
            #expect(none.status == 400 && none.string("errorCode") == "invalid_body")
        }
    }

    @Test("The device settings of an application are checked and kept")
    func mobile() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let made = try await manager.post(
                "clients",
                [
                    "name": "App", "app_type": "native",
                    "grant_types": ["refresh_token", "urn:okta:params:oauth:grant-type:webauthn"],
                    "mobile": [
                        "ios": ["team_id": "ABCDE12345", "app_bundle_identifier": "com.acme.app"],
                        "android": [
                            "app_package_name": "com.acme.app",
                            "sha256_cert_fingerprints": [.string(Self.fingerprint)],
                        ],
                    ],
                ]
            )
            #expect(made.status == 201, "\(made)")
            let android = made["mobile"]?.object?["android"]?.object
            #expect(android?["sha256_cert_fingerprints"] == [.string(Self.fingerprint.uppercased())])
            let id = try id(made)
            for (mobile, message) in [
                (["ios": ["team_id": "short"]], "ios.team_id"),
                (
                    [
                        "android": ["app_package_name": "com.acme.app", "sha256_cert_fingerprints": ["D8"]]
                    ], "android.sha256_cert_fingerprints[0]"
                ),
                (["ios": ["team_id": "ABCDE12345", "x": 1]], "ios."),
            ] as [(JSONValue, String)] {
                let refused = try await manager.patch("clients/\(id)", ["mobile": mobile])
                #expect(refused.status == 400 && refused.string("errorCode") == "invalid_body", "\(refused)")
                #expect(refused.string("message")?.contains("mobile.\(message)") == true, "\(refused)")
            }
            // Replaced whole, then removed.
            let ios = ["team_id": "ABCDE12345", "app_bundle_identifier": "com.acme.other"] as JSONValue
            let changed = try await manager.patch("clients/\(id)", ["mobile": ["ios": ios]])
            #expect(changed["mobile"] == ["ios": ios], "\(changed)")
            let removed = try await manager.patch("clients/\(id)", ["mobile": nil])
            #expect(removed.status == 200 && removed["mobile"] == nil)
        }
    }

    @Test("What is wrong in a body is named")
    func refusals() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let created = try await manager.post("clients", ["name": "App", "app_type": "spa"])
            let id = try id(created)
            func refused(_ body: JSONValue, _ message: String) async throws {
                let answer = try await manager.patch("clients/\(id)", body)
                expect(answer, 400, "invalid_body", message)
            }
            expect(
                try await manager.post("clients", ["app_type": "spa"]),
                400,
                "invalid_body",
                "Payload validation error: 'Missing required property: name'."
            )
            try await refused(["nope": 1], "Payload validation error: 'Additional properties not allowed: nope'.")
            try await refused(
                ["client_id": "x"],
                "Payload validation error: 'Additional properties not allowed: client_id'."
            )
            let word = try await manager.patch("clients/\(id)", ["grant_types": ["magic"]])
            #expect(word.string("message")?.contains("'Invalid value \"magic\"' on property grant_types[0].") == true)
            let refresh = try await manager.patch(
                "clients/\(id)",
                ["refresh_token": ["rotation_type": "rotating", "expiration_type": "non-expiring"]]
            )
            #expect(refresh.status == 400 && refresh.string("errorCode") == "invalid_body", "\(refresh)")
            let idle = try await manager.patch(
                "clients/\(id)",
                [
                    "refresh_token": [
                        "rotation_type": "rotating", "expiration_type": "expiring", "token_lifetime": 60,
                        "idle_token_lifetime": 61,
                    ]
                ]
            )
            #expect(idle.status == 400, "\(idle)")
            let machine = try await manager.patch("clients/\(id)", ["grant_types": ["client_credentials"]])
            #expect(machine.status == 400 && machine.string("message")?.contains("keeps a secret") == true)
        }
    }

    @Test("Members that mean nothing here come back unchanged")
    func stored() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let body: JSONValue = [
                "name": "App", "addons": ["samlp": ["x": 1]], "client_metadata": ["a": "b"],
                "organization_usage": "allow", "native_social_login": ["apple": ["enabled": true]],
            ]
            let made = try await manager.post("clients", body)
            #expect(made.status == 201, "\(made)")
            let read = try await manager.get("clients/\(try id(made))")
            for member in body.object?.members ?? [] { #expect(read[member.name] == member.value, "\(member.name)") }
        }
    }

    @Test("Lists come in pages, in both ways, filtered, with the members that are asked for")
    func lists() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            for number in 0..<4 {
                house.pass(seconds: 1)
                let kind = number % 2 == 0 ? "spa" : "native"
                _ = try await manager.post("clients", ["name": .string("c\(number)"), "app_type": .string(kind)])
            }
            let all = try await manager.get("clients")
            let names = all.names("name")
            #expect(names.count == 7 && Array(names.suffix(4)) == ["c0", "c1", "c2", "c3"])
            #expect(try await manager.get("clients?page=1&per_page=3").names("name") == Array(names[3..<6]))
            #expect(try await manager.get("clients?page=9").list.isEmpty)
            let totals = try await manager.get("clients?per_page=2&page=3&include_totals=true")
            #expect(totals["start"] == 6 && totals["limit"] == 2 && totals["total"] == 7)
            #expect(totals.names("name", in: "clients") == ["c3"])
            // From checkpoint to checkpoint; `from` and `take` win.
            var (read, from, steps) = ([String](), String?.none, 0)
            repeat {
                let next = from.map { "&from=" + $0 } ?? ""
                let page = try await manager.get("clients?take=3&include_totals=true" + next)
                read += page.names("name", in: "clients")
                from = page.string("next")
                steps += 1
                if steps == 1 {
                    // What was made meanwhile disturbs nothing that was read.
                    house.pass(seconds: 1)
                    _ = try await manager.post("clients", ["name": "late"])
                }
            } while from != nil && steps < 9
            #expect(read == names + ["late"] && steps == 3)

            #expect(try await manager.get("clients?app_type=spa").names("name") == ["c0", "c2"])
            #expect(try await manager.get("clients?app_type=native,spa").list.count == 5)
            #expect(try await manager.get("clients?is_global=true").list.isEmpty)
            #expect(try await manager.get("clients?is_first_party=false").list.isEmpty)
            let some = try await manager.get("clients?fields=name,app_type&include_fields=true&per_page=1")
            #expect(some.list.first?.members.map(\.name).sorted() == ["app_type", "name"])
            let without = try await manager.get("clients?fields=name&include_fields=false&per_page=1").list.first
            #expect(without?["name"] == nil && without?["client_id"] != nil)

            for (query, property) in [
                ("per_page=0", "per_page"), ("per_page=101", "per_page"), ("page=-1", "page"), ("page=x", "page"),
                ("take=0", "take"), ("take=101", "take"), ("include_totals=yes", "include_totals"),
                ("page=99999999999999999999", "page"), ("is_global=1", "is_global"),
            ] {
                let answer = try await manager.get("clients?" + query)
                #expect(answer.status == 400 && answer.string("errorCode") == "invalid_query_string", "\(query)")
                #expect(answer.string("message")?.hasSuffix("on property \(property)'.") == true, "\(answer)")
            }
            for from in ["x", "AAAA", "%00"] {
                let answer = try await manager.get("clients?from=" + from)
                #expect(answer.status == 400, "\(answer)")
            }
            #expect(try await manager.get("clients?from=AAAA").string("errorCode") == "invalid_paging")
            let unknown = try await manager.get("clients?q=x")
            expect(
                unknown,
                400,
                "invalid_query_string",
                "Query validation error: 'Additional properties not allowed: q'."
            )
        }
    }

    @Test("A client that is deleted is gone with its grants, and its tokens with it")
    func deletes() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            var person = Person(house)
            let tokens = try await person.signUp("ana@example.com", scope: "openid offline_access")
            let refresh = try #require(tokens.string("refresh_token"))
            let answer = try await manager.delete("clients/\(house.app.id.text)")
            #expect(answer.status == 204 && answer.body.isEmpty, "\(answer)")
            expect(
                try await manager.get("clients/\(house.app.id.text)"),
                404,
                "inexistent_client",
                "The client does not exist"
            )
            let again = try await manager.delete("clients/\(house.app.id.text)")
            expect(again, 404, "inexistent_client", "The client does not exist")
            let form = "grant_type=refresh_token&client_id=\(house.app.id.text)&refresh_token=\(refresh)"
            #expect(try await house.send(.form("/oauth/token", form)).reason == "unknown_client")
        }
    }

    @Test("Ids of another tenant answer like ids that do not exist")
    func wall() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let other = try await house.otherTenant()
            for method in ["GET", "PATCH", "DELETE"] {
                for id in [other.managementClient.id.text, "nobody"] {
                    let body: JSONValue? = method == "PATCH" ? ["name": "x"] : nil
                    let answer = try await manager.send(method, "clients/\(id)", body)
                    expect(answer, 404, "inexistent_client", "The client does not exist")
                }
            }
            #expect(try await manager.post("clients/\(other.managementClient.id.text)/rotate-secret").status == 404)
            // Its token is good for its own tenant alone.
            let form =
                "grant_type=client_credentials&client_id=\(other.managementClient.id.text)"
                + "&client_secret=\(other.managementSecret)&audience=https://login.other.example/api/v2/"
            let answer = try await house.send(Ask.form("/oauth/token", form).set(\.host, "login.other.example"))
            let token = try #require(answer.string("access_token"), "\(answer)")
            let asked = Ask.get("/api/v2/clients").with("Authorization", "Bearer " + token)
            expect(try await house.send(asked), 401, nil, "Invalid token")
            #expect(try await house.send(asked.set(\.host, "login.other.example")).status == 200)
        }
    }
}
