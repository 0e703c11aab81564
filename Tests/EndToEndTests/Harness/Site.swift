import Encodings
import Foundation
import Programs
import SoftwareAuthenticator
import Testing

/// A tenant as its clients see it.
struct Site: Sendable {
    let server: LatchkeyServer
    let tenant: String
    /// What goes into `Host`.
    let host: String
    let relyingPartyID: String
    /// The origin of its own pages.
    let origin: String
    /// A port that requests go to instead of the server's own: a proxy's.
    var entrance: Int?

    var base: String { origin }
    var issuer: String { origin + "/" }

    func send(_ request: Request) async throws -> Response {
        guard let entrance else { return try await server.send(request, host: host) }
        let all = try await Wire.exchange([(request.bytes(host: host), request.source)], port: entrance)
        return try #require(all.first)
    }

    func send(_ requests: [Request]) async throws -> [Response] { try await server.send(requests, host: host) }

    /// Makes a tenant.
    static func make(
        _ tenant: String,
        on server: LatchkeyServer,
        domain: String,
        rpID: String? = nil,
        origins: [String] = []
    ) async throws -> Site {
        var words = ["tenant", "create", tenant, "--domain", domain, "--passkey-only"]
        if let rpID { words += ["--rp-id", rpID] }
        for origin in origins { words += ["--origin", origin] }
        let made = try await server.adminJSON(words)
        let isLoopback = domain.hasPrefix("localhost")
        return Site(
            server: server,
            tenant: tenant,
            host: domain,
            relyingPartyID: try #require(made["rp_id"]?.string),
            origin: "\(isLoopback ? "http" : "https")://\(domain)"
        )
    }

    /// The same tenant on another server of the same store.
    func on(_ server: LatchkeyServer) -> Site {
        Site(server: server, tenant: tenant, host: host, relyingPartyID: relyingPartyID, origin: origin)
    }

    /// The same tenant behind a proxy that listens on `port`.
    func behind(_ port: Int) -> Site {
        var site = self
        site.entrance = port
        return site
    }

    /// Changes the tenant's settings.
    func set(_ members: [String: JSONValue]) async throws { try await set(["tenant", "set", tenant], members) }

    /// Changes the tenant's default connection.
    func setConnection(_ members: [String: JSONValue]) async throws {
        try await set(["connection", "set", "--tenant", tenant, "Username-Password-Authentication"], members)
    }

    func setClient(_ name: String, _ members: [String: JSONValue]) async throws {
        try await set(["client", "set", "--tenant", tenant, name], members)
    }

    private func set(_ words: [String], _ members: [String: JSONValue]) async throws {
        _ = try await server.adminJSON(words + Self.words(members))
    }

    private static func words(_ members: [String: JSONValue]) -> [String] {
        members.map { "\($0.key)=\(String(decoding: $0.value.serialized(), as: UTF8.self))" }.sorted()
    }

    /// Makes a client with these grants and other members.
    func client(
        _ name: String,
        type: String = "native",
        grants: [String] = [App.passkeyGrant, "refresh_token"],
        idTokenAlgorithm: String? = "ES256",
        webOrigins: [String] = [],
        members: [String: JSONValue] = [:]
    ) async throws -> App {
        var words = ["client", "create", "--tenant", tenant, "--name", name, "--type", type]
        for grant in grants { words += ["--grant", grant] }
        if let idTokenAlgorithm { words += ["--id-token-alg", idTokenAlgorithm] }
        for origin in webOrigins { words += ["--web-origin", origin] }
        let made = try await server.adminJSON(words + Self.words(members))
        return App(
            site: self,
            id: try #require(made["client_id"]?.string),
            secret: made["client_secret"]?.string
        )
    }
}

/// A server with its tenants, made before a suite's tests and ended after them.
struct ServedSuite<World: Sendable>: SuiteTrait, TestScoping {
    let local: TaskLocal<World?>
    let make: @Sendable () async throws -> (World, [LatchkeyServer])

    var isRecursive: Bool { false }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        guard Paths.hasProducts else { return try await function() }
        let (world, servers) = try await make()
        do {
            try await local.withValue(world) { try await function() }
        } catch {
            for server in servers { try await server.stop() }
            throw error
        }
        for server in servers {
            let errors = server.log.split(separator: "\n").filter { $0.contains("\"level\":\"error\"") }
            #expect(errors.isEmpty, "The server logged errors")
            try await server.stop()
            #expect(server.filesLeft.isEmpty, "Nothing is created in the working directory")
        }
    }
}
