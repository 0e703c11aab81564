import Foundation
import Testing

/// Which store the servers under test use: `LATCHKEY_E2E_STORE` says `sqlite` or `postgres`.
enum StoreChoice: String {
    case sqlite, postgres

    static let current: StoreChoice = {
        let word = ProcessInfo.processInfo.environment["LATCHKEY_E2E_STORE"] ?? ""
        guard !word.isEmpty else { return .sqlite }
        guard let choice = StoreChoice(rawValue: word) else {
            preconditionFailure("LATCHKEY_E2E_STORE is \(word). Use sqlite or postgres.")
        }
        return choice
    }()

    /// The store of the server in `folder`: made when it is the folder's first.
    func url(in folder: TemporaryFolder) async throws -> String {
        switch self {
        case .sqlite:
            return "sqlite:" + folder.file("latchkey.db")
        case .postgres:
            let known = contents(folder.file("store.url"))
            guard known.isEmpty else { return known }
            let url = try await PostgreSQL.shared.freshURL()
            try folder.write(url, to: "store.url")
            return url
        }
    }
}

/// The PostgreSQL server of this test run: started when the first test needs it, gone with the process.
final class PostgreSQL: Sendable {
    static let shared = PostgreSQL()
    static let script = Paths.repository + "/.ci/postgres"

    private let folder = "/tmp/latchkey-e2e-postgres-\(ProcessInfo.processInfo.processIdentifier)"
    private let start: Task<Void, any Error>

    private init() {
        let folder = folder
        start = Task {
            let made = try await run(Self.script, ["start", folder, "0", "max_connections = 800"])
            try #require(made.exit == 0, "\(made)")
            _ = try await run(Self.script, ["guard", folder, "\(ProcessInfo.processInfo.processIdentifier)"])
        }
    }

    /// The URL of a new, empty database.
    func freshURL() async throws -> String {
        try await start.value
        let name = "t\(UInt32.random(in: 0 ... .max))"
        let made = try await sql("CREATE DATABASE \(name) OWNER latchkey TEMPLATE template0", in: "postgres")
        try #require(made.exit == 0, "\(made)")
        return "postgres://latchkey@/\(name)?host=\(folder)"
    }

    /// Runs SQL as the superuser.
    func sql(_ text: String, in database: String) async throws -> CommandResult {
        try await run(
            Self.script,
            ["run", folder, "psql", "-qXAt", "-h", folder, "-U", "postgres", "-d", database, "-c", text]
        )
    }
}
