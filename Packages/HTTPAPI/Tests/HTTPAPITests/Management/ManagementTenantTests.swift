import Cryptography
import Encodings
import Identity
import Tenancy
import Testing

@testable import HTTPAPI

@Suite("11.12, 11.13: signing keys and the tenant's settings")
struct ManagementTenantTests {
    private func published(_ house: House) async throws -> [String] {
        try await house.send(.get("/.well-known/jwks.json"))["keys"]?.array?
            .compactMap { $0.object?["kid"]?.string } ?? []
    }

    @Test("Keys are listed with their certificates, moved on, and revoked once they sign no more")
    func keys() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            // The Management token is signed by one of ES256.
            let path = "keys/signing"
            let keys = try await manager.get(path + "?alg=ES256")
            #expect(keys.status == 200 && keys.list.count == 2, "\(keys)")
            let first = try #require(keys.list.first)
            #expect(first["current"] == true && first["next"] == false && first["revoked"] == false)
            #expect(keys.list.last?["next"] == true && keys.list.last?["current_since"] == nil)
            let blocks = try PEM.decode(first["cert"]?.string ?? "")
            let certificate = try #require(blocks.first?.der)
            #expect(first["thumbprint"]?.string == Base64URL.encode(SHA1.hash(certificate)))
            let fingerprint = Hex.encode(SHA1.hash(certificate)).uppercased()
            #expect(first["fingerprint"]?.string?.filter { $0 != ":" } == fingerprint)
            let bundle = try #require(try PEM.decode(first["pkcs7"]?.string ?? "").first)
            // The certificate, and behind it the empty set of signers.
            #expect(bundle.label == "PKCS7")
            #expect(Array(bundle.der.suffix(certificate.count + 2)) == certificate + [0x31, 0])

            let rotated = try await manager.post(path + "/rotate?alg=ES256")
            #expect(rotated.status == 201, "\(rotated)")
            #expect(rotated["kid"] == keys.list.last?["kid"] && rotated["cert"] == keys.list.last?["cert"])
            let kid = try #require(first["kid"]?.string)
            let old = try await manager.get(path + "/\(kid)")
            #expect(old["previous"] == true && old["current"] == false && old.string("current_until") != nil, "\(old)")
            // The new next key was published this moment.
            expect409(try await manager.post(path + "/rotate?alg=ES256"))

            let current = try #require(rotated.string("kid"))
            expect(
                try await manager.send("PUT", path + "/\(current)/revoke"),
                400,
                "invalid_uri",
                "Only the previous key can be revoked"
            )
            #expect(try await published(house).contains(kid))
            let revoked = try await manager.send("PUT", path + "/\(kid)/revoke")
            #expect(revoked.status == 200 && revoked.string("kid") == kid, "\(revoked)")
            #expect(try await !published(house).contains(kid))
            // It signed the token that all this was asked with.
            expect(try await manager.get(path), 401, nil, "Invalid token")
        }
    }

    private func expect409(_ answer: Answer) {
        #expect(answer.status == 409 && answer.string("errorCode") == "conflict", "\(answer)")
    }

    @Test("Unknown keys and algorithms, and keys of another tenant")
    func unknownKeys() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            #expect(try await manager.get("keys/signing/nobody").status == 404)
            #expect(try await manager.send("PUT", "keys/signing/nobody/revoke").status == 404)
            let wrong = try await manager.get("keys/signing?alg=HS256")
            #expect(wrong.status == 400 && wrong.string("errorCode") == "invalid_query_string")
            let few = try await Administrator(house, scope: "create:signing_keys")
            #expect(try await few.post("keys/signing/rotate").status == 403)
            #expect(try await few.get("keys/signing").status == 403)
        }
    }

    @Test("Settings are read and merged at their top level; what they name has to be there")
    func settings() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let read = try await manager.get("tenants/settings")
            #expect(read.status == 200 && read["session_lifetime"] == 168, "\(read)")
            #expect(read["rp_name_source"] == "rp_id")
            #expect(read.string("default_directory") == Connection.defaultName)
            let changed = try await manager.patch(
                "tenants/settings",
                ["friendly_name": "Acme", "session_lifetime": 0.5, "universal_login": ["colors": ["primary": "#000"]]]
            )
            #expect(changed.status == 200, "\(changed)")
            #expect(changed.string("friendly_name") == "Acme" && changed["session_lifetime"] == 0.5)
            #expect(changed["universal_login"] == ["colors": ["primary": "#000"]])
            let again = try await manager.get("tenants/settings?fields=friendly_name,idle_session_lifetime")
            #expect(again.json == ["friendly_name": "Acme", "idle_session_lifetime": 72], "\(again)")
            let removed = try await manager.patch("tenants/settings", ["friendly_name": nil])
            #expect(removed["friendly_name"] == nil)
            for (body, word) in [
                (["nope": 1], "nope"), (["session_lifetime": "long"], "session_lifetime"),
                (["default_directory": "nobody"], "nobody"), (["default_audience": "https://x.example/"], "x.example"),
                (["totp": true], "totp"), (["default_browser_client": "nobody"], "nobody"),
            ] as [(JSONValue, String)] {
                let answer = try await manager.patch("tenants/settings", body)
                #expect(answer.status == 400 && answer.string("message")?.contains(word) == true, "\(answer)")
            }
        }
    }
}
