import Encodings
import Foundation
import Programs
import Testing

/// `latchkey-tenant` for a tenant of a running server, with a home of its own.
struct TenantTool: Sendable {
    let server: LatchkeyServer
    let tenant: String
    let home: TemporaryFolder
    let environment: [String: String]

    /// Makes a tenant that answers on the server's own port of the loopback.
    init(_ tenant: String = "acme", on server: LatchkeyServer) async throws {
        let made = try await server.adminJSON(["tenant", "create", tenant, "--domain", "localhost:\(server.port)"])
        let client = try #require(made["management_client"]?.object)
        self.server = server
        self.tenant = tenant
        home = try TemporaryFolder()
        environment = [
            "PATH": "/usr/bin:/bin", "HOME": home.path, "LATCHKEY_URL": "http://localhost:\(server.port)",
            "LATCHKEY_CLIENT_ID": client["client_id"]?.string ?? "",
            "LATCHKEY_CLIENT_SECRET": client["client_secret"]?.string ?? "",
        ]
    }

    func run(_ words: [String], _ more: [String: String] = [:], input: String = "") async throws -> CommandResult {
        try await EndToEndTests.run(
            Paths.tenant,
            words,
            environment: environment.merging(more) { $1 }.filter { $0.value != "" },
            folder: home.path,
            input: input
        )
    }

    /// Runs it, expects it to do its work, and reads its JSON.
    func json(_ words: [String]) async throws -> JSONValue {
        let result = try await run(words + ["-o", "json"])
        try #require(result.exit == 0, "latchkey-tenant \(words.joined(separator: " "))\n\(result)")
        return try JSON.parse(Array(result.output.utf8))
    }
}
