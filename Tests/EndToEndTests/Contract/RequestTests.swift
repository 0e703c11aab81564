import Encodings
import SoftwareAuthenticator
import Testing

extension ContractTests {
    @Suite("1.2 and 1.3: bodies in, headers out")
    struct Requests {
        let world: ContractWorld

        init() throws { world = try .current }

        private func send(_ text: String, to path: String = "/oauth/token", type: String? = "application/json")
            async throws
            -> Response
        {
            try await world.acme.send(.raw(path, Array(text.utf8), type: type))
        }

        @Test(
            "A body that is not one JSON object is invalid_json",
            arguments: [
                "", "{", "[]", "null", "\"x\"", "{} {}", "{\"a\":1,}", "{\"a\":\"\u{1}\"}", "{\"a\":\"\\u0000\"}",
                "{\"a\":\"\\ud800\"}", "{\"client_id\":\"a\",\"client_id\":\"a\"}", "{\"a\":[{\"b\":1,\"b\":2}]}",
                String(repeating: "[", count: 100),
                "{\"a\":" + String(repeating: "[", count: 64)
                    + String(repeating: "]", count: 64) + "}",
            ]
        )
        func notJSON(_ text: String) async throws {
            for path in ["/oauth/token", "/oauth/revoke", "/passkey/register", "/login/options", "/register/verify"] {
                expect(
                    try await send(text, to: path),
                    is: .invalidJSON,
                    extra: path.hasSuffix("verify") ? ["verified"] : []
                )
            }
        }

        @Test("Bytes that are not UTF-8 are invalid_json")
        func notUTF8() async throws {
            let body = Array("{\"client_id\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)
            expect(try await world.acme.send(.raw("/oauth/token", body, type: "application/json")), is: .invalidJSON)
        }

        @Test(
            "Parameters of the content type are allowed",
            arguments: ["application/json; charset=utf-8", "Application/JSON"]
        )
        func typeParameters(_ type: String) async throws {
            expect(try await send("{}", type: type), is: .missing("client_id"))
        }

        @Test("The OAuth endpoints take forms as well, the others JSON alone")
        func contentTypes() async throws {
            let form = "application/x-www-form-urlencoded; charset=UTF-8"
            for path in ["/oauth/token", "/oauth/revoke"] {
                expect(try await send("a=b", to: path, type: form), is: .missing("client_id"))
            }
            for path in ["/passkey/register", "/passkey/challenge", "/register/options", "/login/options"] {
                expect(try await send("a=b", to: path, type: form), is: .mediaType)
            }
            for type in ["text/plain", "application/jsonx", "multipart/form-data", nil] {
                expect(try await send("{}", type: type), is: .mediaType)
            }
        }

        @Test("A GET with a JSON content type and no body is fine")
        func getWithContentType() async throws {
            let request = Request.get("/.well-known/jwks.json").with("Content-Type", "application/json")
            #expect(try await world.acme.send(request).status == 200)
        }

        @Test("null counts as absent, an empty string does at the OAuth endpoints, and unknown members are ignored")
        func absent() async throws {
            let id = JSONValue.string(world.app.id)
            for value in [JSONValue.null, ""] {
                expect(
                    try await world.acme.send(.json("/oauth/token", ["client_id": id, "grant_type": value])),
                    is: .missing("grant_type")
                )
            }
            let request = Request.json(
                "/passkey/challenge",
                ["client_id": id, "client_secret": nil, "realm": nil, "organization": nil, "extra": [1, 2]]
            )
            #expect(try await world.acme.send(request).status == 200)
            expect(
                try await world.acme.send(.form("/oauth/token", [("client_id", ""), ("grant_type", "x")])),
                is: .missing("client_id")
            )
        }

        @Test("A parameter of another type is invalid_parameter")
        func wrongTypes() async throws {
            let id = JSONValue.string(world.app.id)
            let wrong: [(String, JSONObject, String)] = [
                ("/oauth/token", ["client_id": 7], "client_id"),
                ("/oauth/token", ["client_id": id, "grant_type": ["x"]], "grant_type"),
                ("/passkey/challenge", ["client_id": id, "realm": true], "realm"),
                ("/passkey/register", ["client_id": id, "user_profile": "x"], "user_profile"),
                ("/login/options", ["client_id": id, "username": 1], "username"),
                ("/login/options", ["client_id": id, "mediation": "silent"], "mediation"),
            ]
            for (path, body, name) in wrong {
                expect(try await world.acme.send(.json(path, body)), is: .invalid(name))
            }
        }

        @Test("A form parameter twice is repeated_parameter, before the client is looked at")
        func repeated() async throws {
            let request = Request.form("/oauth/token", [("client_id", "x"), ("grant_type", "a"), ("grant_type", "a")])
            expect(try await world.acme.send(request), is: .repeated("grant_type"))
        }

        @Test(
            "A form with broken escapes, NUL or bytes that are not UTF-8 is 400",
            arguments: ["%", "%zz", "%00", "%ff"]
        )
        func brokenForm(_ value: String) async throws {
            let response = try await send("client_id=\(value)", type: "application/x-www-form-urlencoded")
            #expect(response.status == 400)
            #expect(response.string("error") == "invalid_request")
        }

        @Test("Over 64 KiB is 413, in the shape of the API")
        func tooLarge() async throws {
            let fits = "{\"x\":\"\(String(repeating: "a", count: 60_000))\"}"
            expect(try await send(fits), is: .missing("client_id"))
            let large = "{\"x\":\"\(String(repeating: "a", count: 70_000))\"}"
            expect(try await send(large), is: .tooLarge)
            var chunked = Request.raw("/oauth/token", [], type: "application/json")
            chunked.body = nil
            chunked = chunked.with("Transfer-Encoding", "chunked")
            let chunk = "11170\r\n" + String(repeating: "a", count: 0x11170) + "\r\n0\r\n\r\n"
            let bytes = chunked.bytes(host: world.acme.host) + Array(chunk.utf8)
            let response = try await Wire.exchange([(bytes, "127.0.0.1")], port: world.server.port)
            expect(try #require(response.first), is: .tooLarge)
            var huge = Request.raw(
                "/passkey/register",
                Array(repeating: 0x20, count: 5 << 20),
                type: "application/json"
            )
            huge.source = "127.0.0.1"
            expect(try await world.acme.send(huge), is: .tooLarge)
        }

        @Test(
            "Every answer has the common headers",
            arguments: [
                Request.get("/.well-known/jwks.json"), .get("/nothing"), .get("/healthz"), .json("/oauth/token", [:]),
                .raw("/oauth/token", [], type: "text/plain"), .get("/oauth/token"),
            ]
        )
        func commonHeaders(_ request: Request) async throws {
            let response = try await world.acme.send(request)
            #expect(response.values(of: "x-content-type-options") == ["nosniff"])
            #expect(response.values(of: "referrer-policy") == ["no-referrer"])
            #expect(response.values(of: "x-request-id").count == 1)
            #expect(response.values(of: "date").count == 1)
            #expect(response.header("server") == nil)
            let echoed = try await world.acme.send(request.with("X-Request-Id", "abc.DEF_1-2"))
            #expect(echoed.header("x-request-id") == "abc.DEF_1-2")
            for bad in ["a b", String(repeating: "a", count: 65), "\"x\"", ""] {
                let new = try await world.acme.send(request.with("X-Request-Id", bad))
                let id = try #require(new.header("x-request-id"))
                #expect(id != bad && !id.isEmpty)
            }
        }

        @Test(
            "What is about a user or a request is never stored",
            arguments: [
                "/oauth/token", "/oauth/revoke", "/passkey/register", "/passkey/challenge", "/userinfo", "/api/me",
                "/register/options", "/register/verify", "/login/options", "/login/verify",
            ]
        )
        func noStore(_ path: String) async throws {
            var request = Request.json(path, [:])
            if path == "/api/me" { request = .get(path) }
            let response = try await world.acme.send(request)
            #expect(response.values(of: "cache-control") == ["no-store"])
            #expect(response.values(of: "pragma") == ["no-cache"])
        }

        @Test("A known path with another method is 405 with Allow, an unknown path 404; HEAD works where GET does")
        func methods() async throws {
            let wrong = try await world.acme.send(.get("/oauth/token"))
            #expect(wrong.status == 405)
            #expect(wrong.header("allow")?.contains("POST") == true)
            for method in ["PUT", "DELETE", "PATCH", "BREW"] {
                let response = try await world.acme.send(Request(method: method, target: "/api/me"))
                #expect(response.status == 405 || response.status == 501, "\(method)")
                #expect(response.header("allow")?.contains("GET") == true, "\(method)")
            }
            #expect(try await world.acme.send(.get("/api/logout")).status == 405)
            #expect(try await world.acme.send(.get("/oauth/tokens")).status == 404)
            for path in ["/.well-known/jwks.json", "/.well-known/openid-configuration", "/healthz"] {
                let get = try await world.acme.send(.get(path))
                let head = try await world.acme.send(Request(method: "HEAD", target: path))
                #expect(head.status == 200 && head.body.isEmpty)
                #expect(head.header("content-length") == get.header("content-length"))
                #expect(head.header("content-type") == get.header("content-type"))
            }
            let options = try await world.acme.send(Request(method: "OPTIONS", target: "/api/me"))
            #expect(options.status == 204)
            #expect(options.header("allow")?.contains("GET") == true)
        }

        @Test(
            "Auth0-Client is optional and never judged",
            arguments: ["eyJuYW1lIjoieCJ9", "not base64 {}", String(repeating: "x", count: 4000)]
        )
        func auth0Client(_ value: String) async throws {
            let request = Request.json("/passkey/challenge", world.app.credentials).with("Auth0-Client", value)
            #expect(try await world.acme.send(request).status == 200)
        }
    }

    @Suite("1.5: CORS")
    struct CrossOrigin {
        let world: ContractWorld

        init() throws { world = try .current }

        private func preflight(_ path: String, _ origin: String) async throws -> Response {
            try await world.acme.send(
                Request(method: "OPTIONS", target: path).with("Origin", origin)
                    .with("Access-Control-Request-Method", "POST")
            )
        }

        @Test(
            "A preflight is answered for an origin of any client of the tenant",
            arguments: [
                "https://app.acme.example", "https://a.wild.acme.example", "https://back.acme.example",
            ]
        )
        func preflight(_ origin: String) async throws {
            for path in ["/oauth/token", "/oauth/revoke", "/userinfo", "/passkey/register", "/login/options"] {
                let response = try await preflight(path, origin)
                #expect(response.status == 204)
                #expect(response.header("access-control-allow-origin") == origin)
                #expect(response.header("vary") == "Origin")
                #expect(response.header("access-control-allow-methods") == "GET, POST, PATCH, DELETE, OPTIONS")
                #expect(
                    response.header("access-control-allow-headers")
                        == "authorization, content-type, auth0-client, dpop, x-csrf-token, x-auth-session"
                )
                #expect(response.header("access-control-max-age") == "600")
                let mayHaveCookies = path == "/login/options" && origin == "https://app.acme.example"
                #expect(response.header("access-control-allow-credentials") == (mayHaveCookies ? "true" : nil))
            }
        }

        @Test(
            "Other origins get no CORS headers",
            arguments: [
                "https://evil.example", "https://app.acme.example.evil.example", "https://a.b.wild.acme.example",
                "https://wild.acme.example", "http://app.acme.example", "https://app.acme.example:8443", "null",
            ]
        )
        func otherOrigins(_ origin: String) async throws {
            let response = try await preflight("/oauth/token", origin)
            #expect(response.status == 204)
            #expect(response.header("access-control-allow-origin") == nil)
            let body = world.web.credentials
            let processed = try await world.acme.send(.json("/passkey/challenge", body).with("Origin", origin))
            #expect(processed.status == 200, "without a cookie it is processed all the same")
            #expect(processed.header("access-control-allow-origin") == nil)
        }

        @Test("A request of a known client is read by that client's origins alone")
        func knownClient() async throws {
            let origin = "https://app.acme.example"
            let own = try await world.acme.send(
                .json("/passkey/challenge", world.web.credentials).with("Origin", origin)
            )
            #expect(own.header("access-control-allow-origin") == origin)
            let exposed = try #require(own.header("access-control-expose-headers"))
            for name in [
                "Location", "WWW-Authenticate", "Retry-After", "X-Auth-Session", "X-Request-Id", "x-ratelimit-reset",
            ] {
                #expect(exposed.contains(name))
            }
            let foreign = try await world.acme.send(
                .json("/passkey/challenge", world.app.credentials).with("Origin", origin)
            )
            #expect(foreign.status == 200)
            #expect(foreign.header("access-control-allow-origin") == nil)
        }

        @Test("Errors can be read too")
        func errors() async throws {
            let body = world.web.credentials.merging(["grant_type": "refresh_token", "refresh_token": "v1.x"])
            let response = try await world.acme.send(
                .json("/oauth/token", body).with("Origin", "https://app.acme.example")
            )
            #expect(response.status == 403)
            #expect(response.header("access-control-allow-origin") == "https://app.acme.example")
        }

        @Test("Well-known files are for everybody")
        func wellKnown() async throws {
            let response = try await world.acme.send(
                Request.get("/.well-known/jwks.json").with("Origin", "https://evil.example")
            )
            #expect(response.header("access-control-allow-origin") == "*")
            #expect(response.header("access-control-allow-credentials") == nil)
        }
    }
}
