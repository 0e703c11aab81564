import Foundation
import Programs
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

    /// Where it is, its socket too. What lies in it belongs to the user that the database runs as.
    let folder: String
    private let start: Task<Void, any Error>

    private convenience init() {
        let folder = "/tmp/latchkey-e2e-postgres-\(ProcessInfo.processInfo.processIdentifier)"
        self.init(folder, ["max_connections = 800"])
    }

    /// One beside it, for a test that looks into its files or stops it.
    convenience init(named name: String, _ settings: [String]) {
        self.init("/tmp/latchkey-e2e-\(name)-\(ProcessInfo.processInfo.processIdentifier)", settings)
    }

    private init(_ folder: String, _ settings: [String]) {
        self.folder = folder
        start = Task {
            let made = try await run(Self.script, ["start", folder, "0"] + settings)
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
        return url(of: name)
    }

    /// The name of the database that such a URL leads to.
    static func database(of url: String) -> String {
        String(url.split(separator: "/").dropFirst(2).first?.prefix { $0 != "?" } ?? "")
    }

    /// Stops it at once, as a machine that fails.
    func stop() async throws {
        let stopped = try await run(Self.script, ["stop", folder, "immediate"])
        try #require(stopped.exit == 0, "\(stopped)")
    }

    /// Starts it again after it was stopped; on other data, when they lie in `data`.
    func resume(on data: String? = nil) async throws {
        let resumed = try await run(Self.script, ["resume", folder] + (data.map { [$0] } ?? []), seconds: 90)
        try #require(resumed.exit == 0, "\(resumed)")
    }

    func url(of database: String) -> String { "postgres://latchkey@/\(database)?host=\(folder)" }

    /// Runs one of PostgreSQL's own programs as the database's user, who is its superuser, too.
    @discardableResult
    func tool(_ words: String...) async throws -> CommandResult {
        try await start.value
        let result = try await run(
            Self.script,
            ["run", folder, "env", "PGHOST=\(folder)", "PGUSER=postgres"] + words
        )
        try #require(result.exit == 0, "\(words)\n\(result)")
        return result
    }

    /// Runs SQL as the superuser.
    func sql(_ text: String, in database: String) async throws -> CommandResult {
        try await run(
            Self.script,
            ["run", folder, "psql", "-qXAt", "-h", folder, "-U", "postgres", "-d", database, "-c", text]
        )
    }
}
