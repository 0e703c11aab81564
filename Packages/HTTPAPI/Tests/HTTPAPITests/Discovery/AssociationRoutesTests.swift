import Cryptography
import Encodings
import Identity
import SoftwareAuthenticator
import Tenancy
import Testing

@testable import HTTPAPI

@Suite("14: association files, and the origins that come from the same settings")
struct AssociationRoutesTests {
    private static let paths = [
        "/.well-known/apple-app-site-association", "/apple-app-site-association", "/.well-known/assetlinks.json",
    ]
    private static let fingerprint = (1...32).map { Hex.encode([UInt8($0 * 7)]) }.joined(separator: ":")

    /// Gives a client its device settings, over the Management API.
    private func equip(_ house: House, _ client: Client, _ fingerprint: String) async throws {
        let manager = try await Administrator(house)
        let answer = try await manager.patch(
            "clients/\(client.id.text)",
            [
                "mobile": [
                    "ios": ["team_id": "ABCDE12345", "app_bundle_identifier": "com.acme.app"],
                    "android": [
                        "app_package_name": "com.acme.app", "sha256_cert_fingerprints": [.string(fingerprint)],
                    ],
                ]
            ]
        )
        try #require(answer.status == 200, "\(answer)")
    }

    @Test("Each file is served on the domain and on the RP ID's host, and the empty ones before there are apps")
    func files() async throws {
        try await House.with { (house) async throws in
            house.change { $0.isClear = true }
            for host in [House.host, "example.com"] {
                let bodies = [
                    #"{"applinks":{"apps":[],"details":[]},"webcredentials":{"apps":[]}}"#,
                    #"{"applinks":{"apps":[],"details":[]},"webcredentials":{"apps":[]}}"#, "[]",
                ]
                for (path, body) in zip(Self.paths, bodies) {
                    let answer = try await house.send(Ask.get(path).set(\.host, host))
                    #expect(answer.status == 200 && answer.body == Array(body.utf8), "\(host) \(path) \(answer)")
                }
            }
            try await equip(house, house.app, Self.fingerprint)
            let upper = Self.fingerprint.uppercased()
            for host in [House.host, "example.com"] {
                for path in Self.paths {
                    let answer = try await house.send(Ask.get(path).set(\.host, host))
                    #expect(answer.status == 200, "\(answer)")
                    #expect(answer.header("content-type") == "application/json")
                    #expect(answer.header("cache-control") == "public, max-age=300")
                    #expect(answer.header("access-control-allow-origin") == "*")
                    let tag = try #require(answer.header("etag"))
                    let again = try await house.send(Ask.get(path).set(\.host, host).with("If-None-Match", tag))
                    #expect(again.status == 304 && again.body.isEmpty)
                    let head = try await house.send(Ask.get(path).set(\.host, host).set(\.method, "HEAD"))
                    #expect(head.status == 200 && head.header("content-type") == "application/json")
                }
                let apple = try await house.send(Ask.get(Self.paths[0]).set(\.host, host))
                #expect(apple["webcredentials"] == ["apps": ["ABCDE12345.com.acme.app"]])
                let android = try await house.send(Ask.get(Self.paths[2]).set(\.host, host))
                #expect(
                    android.list.map { $0["target"] } == [
                        [
                            "namespace": "android_app", "package_name": "com.acme.app",
                            "sha256_cert_fingerprints": [.string(upper)],
                        ],
                        ["namespace": "web", "site": "https://app.example.com"],
                        ["namespace": "web", "site": "https://login.example.com"],
                    ]
                )
            }
        }
    }

    @Test("A host that is only an RP ID serves these files and nothing else, and one that is neither nothing")
    func onlyPublished() async throws {
        try await House.with({ $0.relatedOrigins = ["https://shop.example"] }) { (house) async throws in
            let list = try await house.send(Ask.get("/.well-known/webauthn").set(\.host, "example.com"))
            #expect(list.status == 200 && list.body == Array(#"{"origins":["https://shop.example"]}"#.utf8), "\(list)")
            for path in [
                "/.well-known/jwks.json", "/.well-known/openid-configuration", "/passkey/challenge", "/api/v2/clients",
                "/nothing",
            ] {
                let answer = try await house.send(Ask.get(path).set(\.host, "example.com"))
                #expect(
                    answer.status == 404 && answer.string("error_description") == "Unknown host",
                    "\(path) \(answer)"
                )
            }
            for host in ["other.example.com", "com", "a.login.example.com"] {
                let answer = try await house.send(Ask.get(Self.paths[0]).set(\.host, host))
                #expect(answer.status == 404 && answer.string("error_description") == "Unknown host", "\(host)")
            }
            let plain = try await house.send(Ask.get(Self.paths[0]).set(\.host, "example.com").set(\.isTLS, false))
            #expect(plain.reason == "https_required")
            house.change { $0.status = .pendingVerification }
            #expect(try await house.send(Ask.get(Self.paths[0]).set(\.host, "example.com")).status == 404)
        }
    }

    @Test(
        "No page is promised that is not there",
        arguments: ["resource-that-should-not-exist-whose-status-code-should-not-be-200", "x"]
    )
    func noPages(_ file: String) async throws {
        try await House.with { (house) async throws in
            #expect(try await house.send(.get("/.well-known/" + file)).status == 404)
        }
    }

    @Test(
        "An app signs in with the origin of its own signing key, in whichever case it was entered, and with no other",
        arguments: [true, false]
    )
    func androidOrigins(isUpperCase: Bool) async throws {
        try await House.with { (house) async throws in
            try await equip(house, house.app, isUpperCase ? Self.fingerprint.uppercased() : Self.fingerprint)
            let neighbour = (1...32).map { Hex.encode([UInt8($0 * 5)]) }.joined(separator: ":")
            try await equip(house, house.backend, neighbour)
            func origin(_ fingerprint: String) throws -> String {
                let bytes = try Hex.decode(fingerprint.split(separator: ":").joined())
                return "android:apk-key-hash:" + Base64URL.encode(bytes)
            }
            var ana = Person(house)
            func signUp(_ email: String, _ origin: String) async throws -> Answer {
                let begun = try await ana.post("/passkey/register", ["user_profile": ["email": .string(email)]])
                let options = try #require(begun["authn_params_public_key"]?.object, "\(begun)")
                let answer = try ana.authenticator.create(options, origin: origin)
                let session = try #require(begun.string("auth_session"))
                return try await ana.send(.json("/oauth/token", ana.redemption(session, answer)))
            }
            func signIn(_ origin: String) async throws -> Answer {
                let begun = try await ana.post("/passkey/challenge", [:])
                let options = try #require(begun["authn_params_public_key"]?.object, "\(begun)")
                let answer = try ana.authenticator.get(options, origin: origin)
                let session = try #require(begun.string("auth_session"))
                return try await ana.send(.json("/oauth/token", ana.redemption(session, answer)))
            }
            #expect(try await signUp("ana@example.com", try origin(Self.fingerprint)).status == 200)
            #expect(try await signIn(try origin(Self.fingerprint)).status == 200)
            // iOS says the RP ID.
            #expect(try await signIn("https://example.com").status == 200)
            #expect(try await signIn("https://other.example").reason == "origin_mismatch")
            // The neighbour's app, one byte off, padded, in hexadecimal, and the app's name itself.
            let own = try origin(Self.fingerprint)
            for other in [
                try origin(neighbour), try origin(Self.fingerprint.replacingFirstByte()), own + "=", own.lowercased(),
                "android:apk-key-hash:" + Self.fingerprint.uppercased(), "android:com.acme.app",
            ] {
                let answer = try await signIn(other)
                #expect(answer.status == 403 && answer.reason == "origin_mismatch", "\(other) \(answer)")
                let made = try await signUp("bo@example.com", other)
                #expect(made.status == 403 && made.reason == "origin_mismatch", "\(other) \(made)")
            }
        }
    }
}

extension String {
    fileprivate func replacingFirstByte() -> String { "ff" + dropFirst(2) }
}
