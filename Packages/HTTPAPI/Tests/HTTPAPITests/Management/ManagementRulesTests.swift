import Encodings
import HTTPServer
import Identity
import Passkeys
import Testing

@testable import HTTPAPI

@Suite("11.1 to 11.3: what every call of the Management API obeys")
struct ManagementRulesTests {
    @Test("Who calls is asked first, then the rate, then the scope, then everything else")
    func order() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house, scope: "read:clients")
            let realm = "Bearer realm=\"https://login.example.com\""
            let none = try await house.send(.get("/api/v2/clients?x=1"))
            expect(none, 401, nil, "Missing authentication")
            #expect(none.header("www-authenticate") == realm)
            let wrong = try await house.send(Ask.get("/api/v2/clients").with("Authorization", "Bearer no"))
            expect(wrong, 401, nil, "Invalid token")
            let challenge = try #require(wrong.header("www-authenticate"))
            #expect(challenge.hasPrefix(realm + ", error=\"invalid_token\""))
            // A token in the query is none.
            let query = try await house.send(.get("/api/v2/clients?access_token=" + manager.token))
            expect(query, 401, nil, "Missing authentication")

            house.limit(RateLimits(management: RateLimit(limit: 0, seconds: 60)))
            let limited = try await manager.post("clients", ["nothing": 1])
            expect(limited, 429, "too_many_requests", "Global limit has been reached")
            #expect(limited.header("retry-after") == "60" && limited.header("x-ratelimit-remaining") == "0")
            house.limit(.off)

            let scope = try await manager.post("clients", ["nothing": 1])
            expect(scope, 403, "insufficient_scope", "Insufficient scope, expected any of: create:clients")
            #expect(
                scope.header("www-authenticate") == realm + ", error=\"insufficient_scope\", scope=\"create:clients\""
            )
            #expect(try await manager.get("clients").status == 200)

            house.pass(seconds: 86405)
            let over = try await manager.get("clients")
            expect(over, 401, nil, "Expired token received for JSON Web Token validation")
        }
    }

    @Test("Bodies are JSON objects of a bounded size, and every refusal has the API's shape")
    func bodies() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            let post = Ask.raw("/api/v2/clients", Array("{}".utf8), type: nil)
                .with("Authorization", "Bearer " + manager.token)
            expect(try await house.send(post), 415, "unsupported_media_type", "Unsupported content type")
            expect(
                try await house.send(post.set(\.body, Array("{".utf8)).with("Content-Type", "application/json")),
                400,
                "invalid_body",
                "The request body is not valid JSON"
            )
            expect(try await manager.post("clients", []), 400, "invalid_body", "The request body is not valid JSON")
            var many = JSONObject()
            for number in 0...500 { many.set("m\(number)", 1) }
            let refused = try await manager.post("clients", .object(many))
            expect(refused, 400, "invalid_body", "Payload validation error: more than 500 members.")
            expect(try await manager.get("nothing"), 404, "not_found", "Not Found")
            let method = try await manager.send("PUT", "clients")
            expect(method, 405, "method_not_allowed", "Method not allowed")
            #expect(method.header("allow") == "GET, POST, HEAD, OPTIONS")
            let domain = try await house.send(
                Ask.get("/api/v2/clients").with("Authorization", "Bearer " + manager.token)
                    .with("Auth0-Custom-Domain", "nobody.example")
            )
            #expect(domain.status == 400 && domain.string("errorCode") == "inexistent_custom_domain")
            #expect(house.api.limits(for: try post.request().head).body == 1 << 20)
            #expect(house.api.limits(for: try Ask.get("/oauth/token").request().head).body == 64 << 10)
        }
    }

    @Test("Too large a body is refused in the API's shape by the engine as well")
    func faults() throws {
        let head = try Ask.get("/api/v2/clients").request().head
        let answer = Answer(response: API.faultResponse(.bodyTooLarge, head))
        expect(answer, 413, "body_too_large", "The request body is too large")
        let other = Answer(response: API.faultResponse(.bodyTooLarge, try Ask.get("/oauth/token").request().head))
        #expect(other.reason == "body_too_large")
    }

    @Test("A change is written down in its own transaction, a refusal beside it, and reading is not")
    func audit() async throws {
        try await House.with { (house) async throws in
            let manager = try await Administrator(house)
            _ = try await manager.get("clients")
            #expect(house.refusals.waitingCount == 0)
            let created = try await manager.post("clients", ["name": "New"])
            #expect(created.status == 201, "\(created)")
            _ = try await manager.post("clients", ["name": 1])
            #expect(house.refusals.waitingCount == 1)
            // Nothing is changed by a call that is refused for its query.
            let query = try await manager.send("DELETE", "clients/\(created.string("client_id") ?? "")?x=1")
            expect(
                query,
                400,
                "invalid_query_string",
                "Query validation error: 'Additional properties not allowed: x'."
            )
            #expect(try await manager.get("clients/\(created.string("client_id") ?? "")").status == 200)
        }
    }
}
