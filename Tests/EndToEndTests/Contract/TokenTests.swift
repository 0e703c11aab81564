import Cryptography
import Encodings
import Foundation
import JOSE
import SoftwareAuthenticator
import Testing

extension ContractTests {
    @Suite("6: tokens, discovery, keys, userinfo")
    struct TokensAndKeys {
        let world: ContractWorld

        init() throws { world = try .current }

        private func now() -> Int64 { Int64(Date().timeIntervalSince1970) }

        @Test("ID tokens: RS256 unless the client says otherwise, with the claims of the contract")
        func idTokens() async throws {
            for (app, algorithm) in [(world.web, "RS256"), (world.app, "ES256")] {
                let email = uniqueEmail()
                var authenticator = Authenticator()
                let response = try await app.signUp(email, with: &authenticator)
                let claims = try await Claims.verified(try response.token("id_token"), by: world.acme)
                #expect(claims.header.names == ["alg", "typ", "kid"])
                #expect(claims.header["alg"] == .string(algorithm))
                #expect(claims.header["typ"] == "JWT")
                #expect(
                    claims.object.names
                        == [
                            "iss", "sub", "aud", "iat", "exp", "auth_time", "sid", "amr", "acr", "email",
                            "email_verified",
                            "name", "nickname", "updated_at",
                        ]
                        || claims.object.names.isSuperset(of: [
                            "iss", "sub", "aud", "iat", "exp", "auth_time", "sid", "amr", "acr", "email",
                            "email_verified",
                            "updated_at",
                        ])
                )
                #expect(claims["iss"] == "https://login.acme.example/")
                #expect(claims["aud"] == .string(app.id))
                #expect(claims.subject?.hasPrefix("auth0|") == true)
                #expect(claims["azp"] == nil && claims["nonce"] == nil)
                let issued = try #require(claims["iat"]?.integer)
                #expect(abs(issued - now()) < 10)
                #expect(claims["exp"]?.integer == issued + 36000)
                #expect(claims["auth_time"]?.integer.map { abs($0 - issued) <= 1 } == true)
                #expect(claims["sid"]?.string?.wholeMatch(of: /ses_[0-9A-Za-z]{22}/) != nil)
                #expect(claims["email"] == .string(email))
                #expect(claims["email_verified"] == false)
                #expect(
                    claims["updated_at"]?.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil
                )
            }
        }

        @Test("amr and acr tell what the passkey proved")
        func methods() async throws {
            for (profile, expected) in [
                (AuthenticatorProfile(), ["phr", "pop", "user", "mfa"]),
                (AuthenticatorProfile(canVerifyUser: false), ["phr", "pop", "user"]),
            ] {
                var authenticator = Authenticator(profile)
                try await world.app.signUp(with: &authenticator)
                let claims = try Claims(try await world.app.signIn(with: &authenticator).token("id_token"))
                #expect(claims["amr"]?.array?.compactMap(\.string) == expected)
                #expect(claims["acr"] == "phr")
            }
            // UV that was not there at registration is not counted when it comes later.
            var late = Authenticator(AuthenticatorProfile(canVerifyUser: false))
            try await world.app.signUp(with: &late)
            late.profile.canVerifyUser = true
            for _ in 0..<2 {
                let claims = try Claims(try await world.app.signIn(with: &late).token("id_token"))
                #expect(claims["amr"]?.array?.compactMap(\.string) == ["phr", "pop", "user"])
            }
        }

        @Test("An access token without audience is for userinfo alone, ES256, in the form of RFC 9068")
        func userInfoToken() async throws {
            var authenticator = Authenticator()
            let response = try await world.web.signUp(with: &authenticator)
            let claims = try await Claims.verified(try response.token("access_token"), by: world.acme)
            #expect(claims.header["typ"] == "at+jwt")
            #expect(claims.header["alg"] == "ES256")
            #expect(claims["aud"] == "https://login.acme.example/userinfo")
            #expect(claims["client_id"] == .string(world.web.id))
            #expect(claims["azp"] == nil)
            #expect(claims["jti"]?.string?.isEmpty == false)
            #expect(claims["scope"] == "openid profile email offline_access")
            #expect(claims["sid"]?.string?.hasPrefix("ses_") == true)
            #expect(claims["acr"] == "phr")
            #expect(claims["iat"]?.integer.map { claims["exp"]?.integer == $0 + 86400 } == true)
        }

        @Test("userinfo gives the claims of the scopes, by GET and POST")
        func userInfo() async throws {
            let email = uniqueEmail()
            var authenticator = Authenticator()
            let begun = try await world.app.register([
                "email": .string(email), "name": "Ana A", "given_name": "Ana", "family_name": "A",
                "picture": "https://example.com/a.png",
            ])
            let answer = try authenticator.create(begun.options, origin: world.acme.origin)
            let all = try await world.app.redeem(begun, answer)
            let bearer = "Bearer \(try all.token("access_token"))"
            let get = try await world.acme.send(Request.get("/userinfo").with("Authorization", bearer))
            #expect(get.status == 200, "\(get)")
            #expect(get.string("name") == "Ana A")
            #expect(get.string("given_name") == "Ana")
            #expect(get.string("family_name") == "A")
            #expect(get.string("picture") == "https://example.com/a.png")
            #expect(get.string("email") == email)
            #expect(get["email_verified"] == false)
            #expect(get.string("updated_at")?.hasSuffix("Z") == true)
            #expect(get.string("sub") == (try Claims(try all.token("id_token")).subject))
            let post = Request.raw("/userinfo", [], type: "application/x-www-form-urlencoded")
            #expect(try await world.acme.send(post.with("Authorization", bearer)).json == get.json)
            let narrow = try await world.app.signIn(with: &authenticator, scope: "openid")
            let little = try await world.acme.send(
                Request.get("/userinfo").with("Authorization", "Bearer \(try narrow.token("access_token"))")
            )
            #expect(little.json.names == ["sub"])
        }

        @Test("A token that is missing, forged, foreign or of another kind is refused, and never read from the query")
        func forgeries() async throws {
            var authenticator = Authenticator()
            let response = try await world.app.signUp(with: &authenticator)
            let good = try response.token("access_token")
            let parts = good.split(separator: ".").map(String.init)
            func head(_ header: String) -> String { Base64URL.encode(Array(header.utf8)) }
            let kid = try #require(try Claims(good).header["kid"]?.string)
            let jwks = try await world.acme.send(.get("/.well-known/jwks.json"))
            let hmacSigner = try JWTSigner(secret: jwks.body)
            let attacker = try JWTSigner(keyID: kid, algorithm: .es256, key: try SigningKey.generate(.p256))
            let payload = try Base64URL.decode(parts[1])
            let hmac = try hmacSigner.sign(claims: payload, type: "at+jwt")
            var other = Authenticator()
            let foreign = try await world.other.signUp(with: &other).token("access_token")
            var tokens = [
                "x", "..", parts[0] + "." + parts[1], good + ".x", parts[0] + "." + parts[1] + ".",
                good + "=", head("{\"alg\":\"none\",\"typ\":\"at+jwt\",\"kid\":\"\(kid)\"}") + "." + parts[1] + ".",
                head("{\"alg\":\"ES256\",\"typ\":\"at+jwt\",\"kid\":\"../../etc/passwd\"}")
                    + ".\(parts[1]).\(parts[2])",
                head("{\"alg\":\"ES256\",\"typ\":\"at+jwt\",\"kid\":\"\(kid)\",\"crit\":[\"x\"],\"x\":1}")
                    + ".\(parts[1]).\(parts[2])",
                head("{\"alg\":\"RS256\",\"typ\":\"at+jwt\",\"kid\":\"\(kid)\"}") + ".\(parts[1]).\(parts[2])",
                hmac, try attacker.sign(claims: payload, type: "at+jwt"), foreign, try response.token("id_token"),
                try response.token("refresh_token"),
            ]
            for index in [0, 1, 2] {
                var changed = parts
                changed[index] = (changed[index].first == "A" ? "B" : "A") + changed[index].dropFirst()
                tokens.append(changed.joined(separator: "."))
            }
            for token in tokens {
                let answer = try await world.acme.send(
                    Request.get("/userinfo").with("Authorization", "Bearer \(token)")
                )
                #expect(answer.status == 401, "\(token)")
                #expect(answer.string("error") == "invalid_token")
                #expect(
                    answer.header("www-authenticate")
                        == "Bearer realm=\"https://login.acme.example\", error=\"invalid_token\","
                        + " error_description=\"The access token is invalid or has expired\""
                )
                let me = try await world.acme.send(Request.get("/api/me").with("Authorization", "Bearer \(token)"))
                #expect(me.status == 401)
                #expect(me.string("reason") == "no_session")
            }
            for request in [Request.get("/userinfo"), .get("/userinfo?access_token=\(good)")] {
                let answer = try await world.acme.send(request)
                #expect(answer.status == 401)
                #expect(answer.header("www-authenticate") == "Bearer realm=\"https://login.acme.example\"")
            }
        }

        @Test("Discovery lists what is served, and nothing else, under both names")
        func discovery() async throws {
            let document = try await world.acme.send(.get("/.well-known/openid-configuration"))
            let oauth = try await world.acme.send(.get("/.well-known/oauth-authorization-server"))
            #expect(document.json == oauth.json)
            let base = "https://login.acme.example"
            #expect(document.string("issuer") == base + "/")
            for (name, path) in [
                ("authorization_endpoint", "/authorize"), ("end_session_endpoint", "/oidc/logout"),
                ("token_endpoint", "/oauth/token"), ("userinfo_endpoint", "/userinfo"),
                ("jwks_uri", "/.well-known/jwks.json"), ("revocation_endpoint", "/oauth/revoke"),
            ] {
                #expect(document.string(name) == base + path)
            }
            #expect(document["code_challenge_methods_supported"] == ["S256"])
            #expect(document["response_types_supported"] == ["code"])
            #expect(
                document["grant_types_supported"] == [
                    .string(App.passkeyGrant), "refresh_token", "client_credentials", "password",
                    "http://auth0.com/oauth/grant-type/password-realm", "authorization_code",
                ]
            )
            #expect(
                document["token_endpoint_auth_methods_supported"]
                    == ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]
            )
            for case .string(let algorithm) in document["id_token_signing_alg_values_supported"]?.array ?? [] {
                #expect(["RS256", "PS256", "ES256", "EdDSA"].contains(algorithm))
            }
        }

        @Test("The key set has public keys alone, is cacheable, and gives certificates with RSA keys")
        func keySet() async throws {
            var authenticator = Authenticator()
            try await world.web.signUp(with: &authenticator)
            let response = try await world.acme.send(.get("/.well-known/jwks.json"))
            #expect(response.header("cache-control") == "public, max-age=300, stale-while-revalidate=60")
            let list = response["keys"]?.array ?? []
            let keys = list.compactMap(\.object)
            let algorithms = Set(keys.compactMap { $0["alg"]?.string })
            #expect(algorithms.isSuperset(of: ["RS256", "ES256"]))
            for key in keys {
                #expect(key["use"] == "sig")
                #expect(try Base64URL.decode(try #require(key["kid"]?.string)).count == 16)
                #expect(key.names.isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "k"]))
                switch key["kty"]?.string {
                case "RSA":
                    #expect(key["e"] == "AQAB")
                    #expect(try Base64URL.decode(try #require(key["n"]?.string)).count >= 256)
                    let der = try Base64.decode(try #require(key["x5c"]?.array?.first?.string))
                    #expect(try Base64URL.decode(try #require(key["x5t"]?.string)) == SHA1.hash(der))
                case "EC": #expect(key["crv"] == "P-256")
                case "OKP": #expect(key["crv"] == "Ed25519")
                default: Issue.record("an unknown kind of key: \(key)")
                }
            }
        }

        @Test("Related origins are served where there are some")
        func relatedOrigins() async throws {
            let some = try await world.acme.send(.get("/.well-known/webauthn"))
            #expect(some.json == ["origins": ["https://shop.example"]])
            #expect(some.header("content-type") == "application/json")
            #expect(try await world.other.site.send(.get("/.well-known/webauthn")).status == 404)
            let none = "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200"
            #expect(try await world.acme.send(.get(none)).status == 404)
        }
    }

    @Suite("5.5: revocation")
    struct Revocation {
        let world: ContractWorld

        init() throws { world = try .current }

        private func revoke(_ token: String, by app: App) async throws -> Response {
            try await app.post("/oauth/revoke", ["token": .string(token), "token_type_hint": "refresh_token"])
        }

        @Test("Answers 200 and nothing else, and the whole family is over")
        func revokes() async throws {
            var authenticator = Authenticator()
            let first = try await world.app.signUp(with: &authenticator).token("refresh_token")
            let second = try await world.app.refresh(first).token("refresh_token")
            let response = try await revoke(first, by: world.app)
            #expect(response.status == 200 && response.body.isEmpty)
            #expect(response.header("content-length") == "0")
            expect(try await world.app.refresh(second), is: .refreshToken)
            expect(try await world.app.refresh(first), is: .refreshToken)
            #expect(try await revoke(second, by: world.app).status == 200, "again")
        }

        @Test("An unknown token is 200, a foreign one 400, an access token unsupported, none missing")
        func others() async throws {
            for token in ["x", "v1.x", "v1." + Base64URL.encode(Array(repeating: 1, count: 48))] {
                let response = try await revoke(token, by: world.app)
                #expect(response.status == 200 && response.body.isEmpty, "\(token)")
            }
            expect(try await world.app.post("/oauth/revoke", [:]), is: .missing("token"))
            expect(try await world.app.post("/oauth/revoke", ["token": ""]), is: .missing("token"))
            var authenticator = Authenticator()
            let response = try await world.app.signUp(with: &authenticator)
            let foreign = try await revoke(try response.token("refresh_token"), by: world.web)
            #expect(foreign.status == 400)
            #expect(foreign.string("error") == "invalid_grant")
            let access = try await revoke(try response.token("access_token"), by: world.app)
            #expect(access.status == 400)
            #expect(access.string("error") == "unsupported_token_type")
            #expect(try await world.app.refresh(try response.token("refresh_token")).status == 200)
            let form = Request.form(
                "/oauth/revoke",
                [("client_id", world.backend.id), ("client_secret", "wrong"), ("token", "x")]
            )
            expect(try await world.acme.send(form), is: .clientAuthentication)
        }
    }
}
