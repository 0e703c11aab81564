import Cryptography
import Encodings
import HTTPServer
import Identity
import Testing
import WebAuthn

@testable import HTTPAPI

@Suite("11.10, 11.11: authentication methods, sessions and tokens of a user")
struct ManagementAccessTests {
    private func user(_ manager: Administrator, _ email: String) async throws -> String {
        let made = try await manager.post(
            "users",
            ["connection": .string(Connection.defaultName), "email": .string(email)]
        )
        return try #require(made.string("user_id"), "\(made)")
    }

    private static func key() throws -> String {
        try Base64.encode(SigningKey.generate(.p256).publicKey.subjectPublicKeyInfo)
    }

    private static func passkey(_ id: String = Base64URL.encode(Random.bytes(16))) throws -> JSONObject {
        [
            "type": "passkey", "key_id": .string(id), "public_key": .string(try key()),
            "relying_party_identifier": "example.com",
        ]
    }

    @Test("A passkey is brought, listed, named and taken away")
    func life() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let id = try await user(manager, "ana@example.com")
            let path = "users/\(id)/authentication-methods"
            var body = try Self.passkey("AAECAwQFBgcICQoLDA0ODw")
            let handle = Base64URL.encode(Random.bytes(20))
            body["user_handle"] = .string(handle)
            body["transports"] = ["internal", "hybrid"]
            body["credential_device_type"] = "multi_device"
            body["credential_backed_up"] = true
            body["aaguid"] = "08987058-cadc-4b81-b6e1-30de50dcbe96"
            body["name"] = "Phone"
            body["user_agent"] = "Old/1"
            body["identity_user_id"] = .string(String(id.dropFirst(6)))
            body["sign_count"] = 7
            let made = try await manager.post(path, .object(body))
            #expect(made.status == 201, "\(made)")
            for name in [
                "key_id", "user_handle", "transports", "credential_device_type", "credential_backed_up", "aaguid",
                "name",
                "user_agent", "identity_user_id", "relying_party_identifier",
            ] {
                #expect(made[name] == body[name], "\(name): \(made)")
            }
            #expect(made["confirmed"] == true && made["type"] == "passkey")
            let method = try #require(made.string("id"))
            #expect(method.hasPrefix("passkey|dev_"))
            let second = try await manager.post(path, .object(try Self.passkey()))
            #expect(second.status == 201, "\(second)")
            #expect(second["credential_device_type"] == nil && second["user_handle"] != body["user_handle"])
            let list = try await manager.get(path + "?include_totals=true")
            #expect(list.names("id", in: "authenticators").count == 2 && list["total"] == 2)
            #expect(try await manager.get(path + "?per_page=1").list.count == 1)
            for name in [
                method, method.replacing("passkey|", with: "passkey%7C"), method.replacing("passkey|", with: ""),
            ] {
                #expect(try await manager.get("\(path)/\(name)").json == made.json)
            }
            let named = try await manager.patch("\(path)/\(method)", ["name": "Old phone"])
            #expect(named.status == 200 && named.string("name") == "Old phone")
            #expect(try await manager.patch("\(path)/\(method)", ["key_id": "x"]).status == 400)
            #expect(try await manager.send("PUT", path, []).status == 400)

            let ana = try #require(UserID(id))
            let kept = try await house.store.passkeys(of: ana, relyingPartyID: nil, tenant: house.app.tenant)
            let stored = try #require(kept.first { $0.record.id == (0..<16).map { UInt8($0) } })
            #expect(stored.enrolledBy == .import && !stored.record.uvInitialized && stored.record.signCount == 7)
            #expect(stored.record.backupEligible == true && !stored.record.attestationTrusted)

            let other = try await user(manager, "bob@example.com")
            let foreign = "users/\(other)/authentication-methods"
            #expect(try await manager.get("\(foreign)/\(method)").status == 404)
            expect(
                try await manager.delete("\(foreign)/\(method)"),
                404,
                "authentication_method_not_found",
                "The authentication method does not exist."
            )
            #expect(try await manager.delete("\(path)/\(method)").status == 204)
            #expect(try await manager.get(path).list.count == 1)
            #expect(try await manager.delete(path).status == 204)
            #expect(try await manager.get(path).list.isEmpty)
            #expect(try await manager.delete(path).status == 204)
        }
    }

    @Test("Each hostile passkey is refused by name, and nothing is changed")
    func hostile() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            _ = try await person.signUp("eve@example.com")
            let manager = try await Administrator(house)
            let eve = try #require(try await manager.get("users").list.first?["user_id"]?.string)
            let hers = try #require(try await manager.get("users/\(eve)/authentication-methods").list.first)
            let id = try await user(manager, "ana@example.com")
            let path = "users/\(id)/authentication-methods"
            // A modulus of 2048 bits with the exponent 1, and points that are on no curve.
            let modulus = [UInt8](repeating: 0xC1, count: 255) + [0xC1]
            let exponentOne: [UInt8] =
                [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59, 0x01, 0x00] + modulus + [0x21, 0x41, 0x01]
            let offCurve: [UInt8] =
                [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + [UInt8](repeating: 1, count: 32)
                + [0x22, 0x58, 0x20] + [UInt8](repeating: 2, count: 32)
            let cases: [(JSONObject, Int, String)] = [
                (["public_key": .string(Base64.encode(exponentOne))], 400, "RSA exponent"),
                (["public_key": .string(Base64.encode(offCurve))], 400, "bad key"),
                (["public_key": "AAAA"], 400, "neither a COSE_Key nor"), (["public_key": "x"], 400, "base64"),
                (["public_key": nil], 400, "Missing required property: public_key"),
                (["user_handle": hers["user_handle"] ?? .null], 409, "user_handle"),
                (["key_id": hers["key_id"] ?? .null], 409, "key_id"),
                (["relying_party_identifier": "evil.example"], 400, "relying_party_identifier"),
                (["identity_user_id": .string(String(eve.dropFirst(6)))], 400, "another user"),
                (["type": "webauthn-roaming"], 400, "type"), (["key_id": ""], 400, "key_id"),
                (["key_id": .string(Base64URL.encode(Random.bytes(1024)))], 400, "key_id"),
                (["user_handle": .string(Base64URL.encode(Random.bytes(65)))], 400, "user_handle"),
                (["credential_device_type": "some"], 400, "credential_device_type"),
                (["credential_device_type": "single_device", "credential_backed_up": true], 400, "backed up"),
                (["sign_count": -1], 400, "sign_count"), (["sign_count": 4_294_967_296], 400, "sign_count"),
                (["aaguid": "x"], 400, "aaguid"), (["magic": 1], 400, "magic"), (["attested": true], 400, "attested"),
            ]
            for (members, status, word) in cases {
                var body = try Self.passkey()
                for member in members.members { body.set(member.name, member.value) }
                let answer = try await manager.post(path, .object(body))
                #expect(answer.status == status, "\(members): \(answer)")
                #expect(answer.string("message")?.contains(word) == true, "\(members): \(answer)")
            }
            #expect(try await manager.get(path).list.isEmpty)
            #expect(try await manager.get("users/\(eve)/authentication-methods").list == [hers])
            #expect(try await person.signIn().status == 200)
        }
    }

    @Test("A brought passkey signs in, by the handle that it was made with")
    func signsIn() async throws {
        try await House.with { (house) async throws in
            // Made by somebody who is then deleted: the authenticator keeps its half.
            var person = Person(house)
            _ = try await person.signUp("old@example.com")
            let manager = try await Administrator(house)
            let old = try #require(try await manager.get("users").list.first?["user_id"]?.string)
            let key = try #require(try await manager.get("users/\(old)/authentication-methods").list.first)
            #expect(try await manager.delete("users/\(old)").status == 204)
            #expect(try await person.signIn().status != 200)
            let id = try await user(manager, "new@example.com")
            var body: JSONObject = ["type": "passkey"]
            for name in [
                "key_id", "public_key", "user_handle", "relying_party_identifier", "credential_device_type",
                "credential_backed_up", "transports",
            ] {
                body[name] = key[name]
            }
            let brought = try await manager.post("users/\(id)/authentication-methods", .object(body))
            #expect(brought.status == 201, "\(brought)")
            let signedIn = try await person.signIn()
            #expect(signedIn.status == 200, "\(signedIn)")
            #expect(try await manager.get("users/\(id)")["logins_count"] == 1)
        }
    }

    @Test("Sessions and tokens are listed part by part, found, and ended")
    func access() async throws {
        try await House.with { (house) async throws in
            var person = Person(house)
            _ = try await person.signUp("eve@example.com")
            var refresh: [JSONValue] = []
            for _ in 0..<2 {
                house.pass(seconds: 1)
                let (session, answer) = try await person.begin()
                let tokens = try await person.send(
                    .json("/oauth/token", person.redemption(session, answer, scope: "openid offline_access"))
                )
                refresh.append(try #require(tokens["refresh_token"], "\(tokens)"))
            }
            house.pass(seconds: 1)
            #expect(try await person.signIn().status == 200)
            let manager = try await Administrator(house)
            let id = try #require(try await manager.get("users").list.first?["user_id"]?.string)
            let first = try await manager.get("users/\(id)/sessions?take=3")
            let next = try #require(first.string("next"))
            let rest = try await manager.get("users/\(id)/sessions?take=3&from=\(next)")
            #expect(rest["next"] == nil)
            let sessions = first.names("id", in: "sessions") + rest.names("id", in: "sessions")
            #expect(sessions.count == 4 && Set(sessions).count == 4)
            #expect(try await manager.get("users/\(id)/sessions?from=x").string("errorCode") == "invalid_paging")
            let session = try await manager.get("sessions/\(sessions[0])")
            #expect(session.string("user_id") == id)
            #expect(
                session["authentication"]?.object?["methods"]?.array?.first?.object?["name"] == "passkey",
                "\(session)"
            )
            let tokens = try await manager.get("users/\(id)/refresh-tokens")
            let families = tokens.names("id", in: "tokens")
            #expect(families.count == 3, "\(tokens)")
            let listed = try await manager.get("refresh-tokens?user_id=\(id)&take=2")
            #expect(listed.names("id", in: "refresh_tokens") == Array(families.prefix(2)))
            #expect(listed.string("next") == families[1])
            let family = try await manager.get("refresh-tokens/\(families[1])")
            #expect(family["rotating"] == true && family["idle_expires_at"] != nil, "\(family)")
            #expect(family.json.members.allSatisfy { $0.value != refresh[0] })
            let devices = try await manager.get("device-credentials?user_id=\(id)&include_totals=true")
            #expect(devices.names("id", in: "device_credentials") == families && devices["total"] == 3)
            #expect(try await manager.get("device-credentials?user_id=\(id)&type=refresh_token").list.isEmpty)
            #expect(try await manager.get("device-credentials").status == 400)

            func works(_ token: JSONValue) async throws -> Bool {
                let answer = try await house.send(
                    .json(
                        "/oauth/token",
                        ["grant_type": "refresh_token", "client_id": person.clientID, "refresh_token": token]
                    )
                )
                return answer.status == 200
            }
            #expect(try await manager.delete("refresh-tokens/\(families[1])").status == 204)
            #expect(try await !works(refresh[0]))
            #expect(try await manager.get("refresh-tokens/\(families[1])").status == 404)
            #expect(try await manager.delete("device-credentials/\(families[1])").status == 404)
            let last = try #require(try await manager.get("refresh-tokens/\(families[2])").string("session_id"))
            let deleted = try await manager.delete("sessions/\(last)")
            #expect(deleted.status == 202 && deleted.response.body.isEmpty)
            #expect(try await manager.get("sessions/\(last)").status == 404)
            // The tokens of a session that was deleted live on by themselves, until all access is taken back.
            #expect(try await manager.get("refresh-tokens/\(families[2])").status == 200)
            #expect(
                try await manager.post("users/\(id)/revoke-access", ["preserve_refresh_tokens": true]).status == 204
            )
            #expect(try await manager.get("users/\(id)/sessions")["sessions"] == [])
            #expect(try await manager.get("users/\(id)/refresh-tokens").names("id", in: "tokens").count == 2)
            #expect(
                try await manager.post("refresh-tokens/revoke", ["user_id": .string(id), "client_id": "x"]).status
                    == 202
            )
            #expect(try await manager.get("users/\(id)/refresh-tokens").names("id", in: "tokens").count == 2)
            #expect(try await manager.post("refresh-tokens/revoke", ["ids": [.string(families[0])]]).status == 202)
            #expect(try await manager.get("users/\(id)/refresh-tokens").names("id", in: "tokens").count == 1)
            #expect(try await manager.delete("users/\(id)/refresh-tokens").status == 202)
            #expect(try await manager.get("users/\(id)/refresh-tokens")["tokens"] == [])
            #expect(try await person.signIn().status == 200)
            let again = try await manager.get("users/\(id)/sessions").names("id", in: "sessions")
            #expect(try await manager.post("sessions/\(again[0])/revoke").status == 202)
            #expect(try await manager.delete("users/\(id)/sessions").status == 202)
            for (method, path) in [
                ("GET", "refresh-tokens"), ("POST", "refresh-tokens/revoke"),
            ] {
                #expect(try await manager.send(method, path, method == "POST" ? [:] : nil).status == 400)
            }
            let foreign = try await manager.post("users/\(id)/revoke-access", ["session_id": "ses_x"])
            #expect(foreign.status == 400, "\(foreign)")
        }
    }
}
