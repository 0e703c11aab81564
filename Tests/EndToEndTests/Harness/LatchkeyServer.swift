import Encodings
import Foundation
import Glibc
import Programs
import Testing

/// A `latchkey-server` of the release build, on a port and a store of its own, set up by its environment alone.
final class LatchkeyServer: Sendable {
    let port: Int
    let adminPort: Int
    let store: String
    let masterKey: String
    private let folder: TemporaryFolder
    private let process: ChildProcess

    private init(
        port: Int,
        adminPort: Int,
        store: String,
        folder: TemporaryFolder,
        challenges: String,
        settings: [String: String],
        runner: [String]
    ) throws {
        self.port = port
        self.adminPort = adminPort
        self.folder = folder
        self.store = settings["LATCHKEY_STORE"] ?? store
        masterKey = folder.file("master.key")
        var environment = [
            "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
            "LATCHKEY_LISTEN": "127.0.0.1:\(port)", "LATCHKEY_ADMIN_LISTEN": "127.0.0.1:\(adminPort)",
            "LATCHKEY_STORE": store, "LATCHKEY_CHALLENGES": challenges, "LATCHKEY_MASTER_KEY_FILE": masterKey,
            "LATCHKEY_RATE_LIMITS": "off", "LATCHKEY_LOG_LEVEL": "debug",
            // Passwords are hashed at the lowest priority: where everything is tested at once, that takes its time.
            "LATCHKEY_DEADLINES_HANDLING": "50s",
        ]
        if settings["LATCHKEY_STORE"] == nil, settings["LATCHKEY_CHALLENGES"] == nil {
            // So does a store that many tests share; who brings one of their own may look at how long it takes.
            environment["LATCHKEY_DEADLINES_STORE"] = "20s"
            environment["LATCHKEY_DEADLINES_POOL"] = "20s"
            environment["LATCHKEY_DEADLINES_CHALLENGES"] = "10s"
        }
        environment.merge(settings) { $1 }
        if environment["LATCHKEY_RATE_LIMITS"] == "" { environment["LATCHKEY_RATE_LIMITS"] = nil }
        let words = runner + [Paths.server]
        process = try ChildProcess(words[0], Array(words.dropFirst()), environment: environment)
    }

    /// Starts a server and waits until it is ready.
    ///
    /// - Parameters:
    ///   - settings: `LATCHKEY_…` variables beside the standard ones; an empty value takes a standard one away.
    ///   - folder: of an earlier server whose store goes on being used.
    ///   - runner: a command that runs the server as its last words, when it is not run directly.
    /// - Returns: the server, which answers.
    /// - Throws: ``ServerNotStarted``, with its log recorded.
    static func start(
        _ settings: [String: String] = [:],
        in folder: TemporaryFolder? = nil,
        runner: [String] = []
    ) async throws -> LatchkeyServer {
        let folder = try folder ?? TemporaryFolder()
        let key = folder.file("master.key")
        if !FileManager.default.fileExists(atPath: key) {
            let made = try await run(Paths.admin, ["master-key", "create", key])
            try #require(made.exit == 0, "\(made)")
        }
        let store = try await StoreChoice.current.url(in: folder)
        // Between asking for a free port and listening on it another test may have taken it.
        for _ in 0..<5 {
            let server = try LatchkeyServer(
                port: freePort(),
                adminPort: freePort(),
                store: store,
                folder: folder,
                challenges: try await Backends.challengesURL(),
                settings: settings,
                runner: runner
            )
            let isListening = try await eventually(seconds: 90) {
                !server.process.isRunning || server.log.contains("listening on ")
            }
            if isListening, server.process.isRunning {
                // The challenge cache may be connected to only now.
                var ready = try await server.send(.get("/readyz"))
                _ = try await eventually(seconds: 90) {
                    ready = try await server.send(.get("/readyz"))
                    return ready.status == 200
                }
                try #require(ready.status == 200, "\(ready)")
                return server
            }
            guard server.log.contains("Cannot listen") else {
                Issue.record("The server did not start:\n\(server.log)")
                break
            }
        }
        throw ServerNotStarted()
    }

    struct ServerNotStarted: Error {}

    /// Everything it has logged.
    var log: String { process.output + process.errors }
    var isRunning: Bool { process.isRunning }
    var processID: Int32 { process.processID }
    var filesLeft: [String] { process.filesLeft }

    /// Ends it as an operator does, and expects a clean end.
    func stop() async throws {
        process.send(SIGTERM)
        let exit = try await process.wait(seconds: 120)
        #expect(exit == 0, "SIGTERM drains and exits 0\n\(log.suffix(4000))")
    }

    /// Ends it as a crash does.
    func kill() async throws {
        process.send(SIGKILL)
        try await process.wait()
    }

    /// A second server on the same store, beside this one.
    func joined(_ settings: [String: String] = [:]) async throws -> LatchkeyServer {
        try await LatchkeyServer.start(settings, in: folder)
    }

    /// A count of `/metrics`, over all rows of `name` whose labels begin so.
    func count(_ name: String, _ labels: String = "") async throws -> Int {
        let text = try await sendToAdmin(.get("/metrics")).text
        let start = name + (labels.isEmpty ? "" : "{" + labels)
        return text.split(separator: "\n").filter { $0.hasPrefix(start) }
            .reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
    }

    /// A server with other settings on the same store, after this one has ended.
    func restarted(_ settings: [String: String] = [:]) async throws -> LatchkeyServer {
        try await LatchkeyServer.start(settings, in: folder)
    }

    func send(_ request: Request, host: String = "localhost") async throws -> Response {
        let all = try await Wire.exchange([(request.bytes(host: host), request.source)], port: port)
        return try #require(all.first)
    }

    /// Sends all of them at once.
    func send(_ requests: [Request], host: String) async throws -> [Response] {
        try await Wire.exchange(requests.map { ($0.bytes(host: host), $0.source) }, port: port)
    }

    func sendToAdmin(_ request: Request) async throws -> Response {
        let all = try await Wire.exchange([(request.bytes(host: "localhost"), request.source)], port: adminPort)
        return try #require(all.first)
    }

    /// Runs `latchkey-admin` on this server's store.
    func admin(_ words: [String], input: String = "") async throws -> CommandResult {
        try await run(
            Paths.admin,
            ["--store", store, "--master-key-file", masterKey] + words,
            environment: ["LATCHKEY_DATA_DIR": folder.path],
            input: input
        )
    }

    /// Runs it, expects it to do its work, and reads its JSON.
    func adminJSON(_ words: [String]) async throws -> JSONObject {
        let result = try await admin(words + ["-o", "json"])
        try #require(result.exit == 0, "latchkey-admin \(words.joined(separator: " "))\n\(result)")
        return try #require(try JSON.parse(Array(result.output.utf8)).object, "\(result)")
    }
}
