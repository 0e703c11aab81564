import Glibc
import StorePostgres
import Testing
import Threads

/// The PostgreSQL server of this test run: started when the first test needs it, gone with the process.
final class TestServer: Sendable {
    /// The one server; `nil` when PostgreSQL is not installed.
    static let shared: TestServer? = try? TestServer()

    static let isThere = Command.succeeds([script, "run", "/tmp", "initdb", "--version"])
    static let isMissing: Comment = "needs PostgreSQL: .ci/setup test"

    let folder: String

    private init() throws {
        folder = "/tmp/latchkey-postgres-\(UInt32.random(in: 0 ... .max))"
        guard Command.succeeds([Self.script, "start", folder]) else { throw Failure() }
        _ = Command.succeeds([Self.script, "guard", folder, "\(getpid())"])
    }

    struct Failure: Error {}

    /// The URL of a fresh, empty database.
    static func freshURL() throws -> String {
        guard let shared else { throw Failure() }
        let name = "t\(UInt32.random(in: 0 ... .max))"
        guard shared.psql("CREATE DATABASE \(name) OWNER latchkey TEMPLATE template0") else { throw Failure() }
        return shared.url(name)
    }

    func url(_ database: String) -> String { "postgres://latchkey@/\(database)?host=\(folder)" }

    /// The database of a URL that ``url(_:)`` made.
    static func database(_ url: String) -> String {
        url.split(separator: "/").dropFirst(2).first?.split(separator: "?").first.map(String.init) ?? "none"
    }

    /// Runs SQL as the superuser.
    func psql(_ text: String, in database: String = "postgres") -> Bool {
        Command.succeeds(
            [Self.script, "run", folder, "psql", "-qXAt", "-h", folder, "-U", "postgres", "-d", database, "-c", text]
        )
    }

    static let script: String = {
        let parts = "\(#filePath)".split(separator: "/")
        return "/" + parts.dropLast(5).joined(separator: "/") + "/.ci/postgres"
    }()
}

/// Runs a program to its end. Blocks the caller for as long as that takes.
enum Command {
    static func succeeds(_ words: [String]) -> Bool {
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var id = pid_t()
        guard unsafe posix_spawnp(&id, words[0], &actions, nil, &arguments, environ) == 0 else { return false }
        var status: Int32 = 0
        while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
        return status == 0
    }
}

extension PostgresOptions {
    /// For tests of what is done, however long the machine takes.
    static func patient(prepares: Bool = true) -> PostgresOptions {
        var options = PostgresOptions(prepares: prepares)
        options.poolWait = .seconds(60)
        options.deadline = .seconds(60)
        options.connectTimeout = .seconds(30)
        options.statementTimeout = 50_000
        options.lockTimeout = 40_000
        return options
    }
}
