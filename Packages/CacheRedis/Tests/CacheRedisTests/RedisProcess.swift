import CacheRedis
import Glibc
import Identity
import Threads

/// A real `redis-server` of one test, on a socket (and, when asked, a port) of its own, without persistence.
final class RedisProcess: Sendable {
    let folder: String
    let port: UInt16?
    private let process: Lock<pid_t>
    private let arguments: [String]

    static let isInstalled = unsafe access("/usr/bin/redis-server", X_OK) == 0
    static let missing = "redis-server is not installed: apt install redis-server"

    /// Starts it and waits until it answers.
    ///
    /// - Parameters:
    ///   - settings: each a name and its values.
    ///   - listens: whether it has a port, too.
    ///   - names: of the certificate with which the port speaks TLS, as `DNS:localhost`.
    /// - Returns: the server, which ends when nobody holds it any more.
    /// - Throws: ``Failure``.
    static func start(
        _ settings: [[String]] = [],
        listens: Bool = false,
        tls names: String? = nil
    ) async throws -> RedisProcess {
        let folder = "/tmp/latchkey-redis-\(UInt64.random(in: 0 ... .max))"
        guard unsafe mkdir(folder, 0o700) == 0 else { throw Failure(errno: errno) }
        if let names { try await TestAuthority.make(in: folder, names: names) }
        // Between asking for a free port and listening on it another test may have taken it.
        for _ in 0..<5 {
            let port = listens ? try freePort() : nil
            let redis = RedisProcess(folder: folder, port: port, settings: settings, tls: names != nil)
            try redis.start()
            if try await redis.isReady() { return redis }
            redis.kill()
        }
        throw Failure(errno: ETIMEDOUT)
    }

    struct Failure: Error {
        let errno: Int32
    }

    private init(folder: String, port: UInt16?, settings: [[String]], tls: Bool) {
        self.folder = folder
        self.port = port
        process = Lock(0)
        var words = ["/usr/bin/redis-server", "--unixsocket", folder + "/socket", "--dir", folder]
        words += ["--bind", "127.0.0.1", tls ? "--tls-port" : "--port", "\(port ?? 0)"]
        if tls { words += ["--port", "0"] + TestAuthority.settings(folder) }
        if !settings.contains(where: { $0.first == "save" }) { words += ["--save", ""] }
        for setting in settings { words += ["--\(setting.first ?? "")"] + setting.dropFirst() }
        arguments = words
    }

    deinit {
        kill()
        for name in ["socket", "dump.rdb", "log"] + TestAuthority.files { unsafe unlink("\(folder)/\(name)") }
        unsafe rmdir(folder)
    }

    /// `redis+unix://` of its socket; `credentials` end with `@`.
    func url(_ credentials: String = "", _ query: String = "") -> String {
        "redis+unix://\(credentials)\(folder)/socket\(query)"
    }

    func start() throws {
        var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        var id = pid_t()
        let code = unsafe posix_spawn(&id, "/usr/bin/redis-server", &actions, nil, &words, environ)
        guard code == 0 else { throw Failure(errno: code) }
        process.withLock { $0 = id }
    }

    /// Ends it as a crash does, and waits for its end.
    func kill() {
        process.withLock { id in
            guard id > 0 else { return }
            _ = Glibc.kill(id, SIGKILL)
            waitpid(id, nil, 0)
            id = 0
        }
    }

    /// Stops or continues it.
    func send(_ signal: Int32) {
        process.withLock { _ = Glibc.kill($0, signal) }
    }

    /// Whether it answers within some seconds, in whatever words.
    func isReady() async throws -> Bool {
        for _ in 0..<1500 {
            if try await command(["PING"]) != nil { return true }
            if process.withLock({ waitpid($0, nil, WNOHANG) }) != 0 {
                process.withLock { $0 = 0 }
                return false
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return false
    }

    /// The first line of the answer to an inline command on its socket; `nil` when it cannot be reached.
    func command(_ words: [String]) async throws -> String? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
            unsafe path.copyBytes(from: Array((folder + "/socket").utf8))
        }
        let connected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else { return nil }
        let line = Array((words.joined(separator: " ") + "\r\n").utf8)
        guard unsafe write(descriptor, line, line.count) == line.count else { return nil }
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = unsafe read(descriptor, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }

    static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var count = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, count) == 0 ? getsockname(descriptor, $0, &count) : -1
            }
        }
        guard code == 0 else { throw Failure(errno: errno) }
        return UInt16(bigEndian: address.sin_port)
    }
}

/// An authority and a server's certificate, made by the `openssl` command.
enum TestAuthority {
    static let files = [
        "ca.key", "ca.pem", "redis.key", "redis.csr", "redis.pem", "redis.ext", "other.key", "other.pem",
    ]

    static func settings(_ folder: String) -> [String] {
        [
            "--tls-cert-file", folder + "/redis.pem", "--tls-key-file", folder + "/redis.key", "--tls-ca-cert-file",
            folder + "/ca.pem", "--tls-auth-clients", "no",
        ]
    }

    static func make(in folder: String, names: String) async throws {
        let curve = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        let script = """
            set -e; cd \(folder)
            openssl req -x509 \(curve) -keyout ca.key -out ca.pem -days 2 -subj /CN=test-ca
            openssl req -x509 \(curve) -keyout other.key -out other.pem -days 2 -subj /CN=other-ca
            openssl req \(curve) -keyout redis.key -out redis.csr -subj /CN=redis
            echo 'subjectAltName=\(names)' > redis.ext
            openssl x509 -req -in redis.csr -CA ca.pem -CAkey ca.key -days 2 -extfile redis.ext -out redis.pem
            """
        let pool = try BlockingPool(name: "openssl", threadCount: 1)
        let code = try await pool.run(refused: { $0 }) { unsafe system("( \(script) ) >/dev/null 2>&1") }
        pool.stop()
        guard code == 0 else { throw RedisProcess.Failure(errno: code) }
    }
}
