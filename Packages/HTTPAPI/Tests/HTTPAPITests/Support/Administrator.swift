import Encodings
import HTTPServer
import Identity
import Tenancy
import Testing

@testable import HTTPAPI

/// Somebody who manages the tenant of a house over the Management API.
struct Administrator {
    let house: House
    let token: String

    /// With a token of the tenant's Management client, for all its scopes or some.
    init(_ house: House, scope: String = "", host: String = House.host) async throws {
        house.change { $0.isClear = true }
        let client = house.management.managementClient.id.text
        let answer = try await house.send(
            .form(
                "/oauth/token",
                "grant_type=client_credentials&client_id=\(client)&client_secret=\(house.management.managementSecret)"
                    + "&audience=https://\(host)/api/v2/&scope=\(scope)"
            ).set(\.host, host)
        )
        try #require(answer.status == 200, "\(answer)")
        self.house = house
        token = try #require(answer.string("access_token"))
    }

    func send(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> Answer {
        var ask = Ask(method: method, target: "/api/v2/" + path, fields: [], body: body?.serialized() ?? [])
        if body != nil { ask = ask.with("Content-Type", "application/json") }
        return try await house.send(ask.with("Authorization", "Bearer " + token))
    }

    func get(_ path: String) async throws -> Answer { try await send("GET", path) }
    func post(_ path: String, _ body: JSONValue? = nil) async throws -> Answer { try await send("POST", path, body) }
    func patch(_ path: String, _ body: JSONValue) async throws -> Answer { try await send("PATCH", path, body) }
    func delete(_ path: String) async throws -> Answer { try await send("DELETE", path) }
}

extension Answer {
    /// The body as an array.
    var list: [JSONObject] { (try? JSON.parse(response.body))?.array?.compactMap(\.object) ?? [] }
    /// The texts of `name` in each thing of a list, be it bare or in the member `list`.
    func names(_ name: String, in list: String? = nil) -> [String] {
        let things = list.map { self[$0]?.array?.compactMap(\.object) ?? [] } ?? self.list
        return things.compactMap { $0[name]?.string }
    }
}

/// The refusal of contract 11.2 that an answer must be.
func expect(
    _ answer: Answer,
    _ status: Int,
    _ code: String?,
    _ message: String,
    at location: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == status, "\(answer)", sourceLocation: location)
    #expect(answer["statusCode"] == .integer(Int64(status)), "\(answer)", sourceLocation: location)
    #expect(answer.string("error") == HTTPResponse.reason(for: status), "\(answer)", sourceLocation: location)
    #expect(answer.string("errorCode") == code, "\(answer)", sourceLocation: location)
    #expect(answer.string("message") == message, "\(answer)", sourceLocation: location)
    #expect(answer.header("content-type") == "application/json; charset=utf-8", sourceLocation: location)
    #expect(answer.header("cache-control") == "no-store", sourceLocation: location)
}
