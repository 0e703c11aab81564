import Encodings
import Glibc

/// A server of our own in a folder of its own, with one tenant and one client.
struct StartedServer {
    let pid: Int32
    let port: UInt16
    let clientID: String
    private let folder: String

    init(_ options: Options, server: String, admin: String) throws {
        folder = try Self.makeFolder()
        do {
            let port = try Self.freePort()
            let store = "sqlite:\(folder)/store.db"
            let key = "\(folder)/master.key"
            _ = try Self.run([admin, "master-key", "create", key], folder)
            let common = [admin, "--store", store, "--master-key-file", key]
            _ = try Self.run(
                common + ["tenant", "create", "load", "--domain", "localhost:\(port)", "--passkey-only", "-o", "json"],
                folder
            )
            let created = try Self.run(
                common + [
                    "client", "create", "--tenant", "load", "--name", "Load", "--type", "native", "--grant",
                    "passkey", "--grant", "refresh", "--id-token-alg", options.idTokenAlgorithm, "-o", "json",
                ],
                folder
            )
            guard let client = try JSON.parse(created[...]).object?["client_id"]?.string else {
                throw LoadError.failed("no client: \(String(decoding: created, as: UTF8.self))")
            }
            self.port = port
            clientID = client
            pid = try Self.spawn(
                [server],
                environment: (options.preload.map { ["LD_PRELOAD=\($0)"] } ?? []) + [
                    "LATCHKEY_LISTEN=127.0.0.1:\(port)", "LATCHKEY_STORE=\(store)?synchronous=\(options.synchronous)",
                    "LATCHKEY_CHALLENGES=memory:", "LATCHKEY_MASTER_KEY_FILE=\(key)", "LATCHKEY_RATE_LIMITS=off",
                    "PATH=/usr/bin:/bin",
                ],
                output: "\(folder)/server.log"
            )
        } catch {
            Self.remove(folder)
            throw error
        }
        do {
            try waitUntilReady()
        } catch {
            stop()
            throw error
        }
    }

    /// Lets it drain, and removes its folder.
    func stop() {
        kill(pid, SIGTERM)
        var status: Int32 = 0
        unsafe waitpid(pid, &status, 0)
        Self.remove(folder)
    }

    private func waitUntilReady() throws {
        for _ in 0..<200 {
            if let connection = try? LoadConnection(port: port) { return connection.close() }
            usleep(50_000)
        }
        throw LoadError.failed("the server does not listen: \(ProcessUse.text("\(folder)/server.log"))")
    }

    private static func makeFolder() throws -> String {
        var template = Array("/tmp/latchkey-load-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw LoadError.failed("no folder (\(errno))") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func remove(_ folder: String) {
        _ = try? run(["/bin/rm", "-rf", folder], nil)
    }

    /// A port that is free now.
    private static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, length) == 0 ? getsockname(descriptor, address, &length) : -1
            }
        }
        guard code == 0 else { throw LoadError.failed("no free port (\(errno))") }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Runs a program to its end.
    ///
    /// - Returns: what it wrote; with no folder, nothing is kept.
    private static func run(_ words: [String], _ folder: String?) throws -> [UInt8] {
        let output = folder.map { "\($0)/output" } ?? "/dev/null"
        let pid = try spawn(words, environment: ["PATH=/usr/bin:/bin"], output: output)
        var status: Int32 = 0
        guard unsafe waitpid(pid, &status, 0) == pid, status == 0 else {
            throw LoadError.failed("\(words.joined(separator: " ")): \(ProcessUse.text(output))")
        }
        return folder == nil ? [] : Array(ProcessUse.text(output).utf8)
    }

    private static func spawn(_ words: [String], environment: [String], output: String) throws -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        unsafe posix_spawn_file_actions_addopen(&actions, 2, output + ".err", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
        defer {
            unsafe arguments.forEach { word in unsafe free(word) }
            unsafe variables.forEach { word in unsafe free(word) }
        }
        var pid: Int32 = 0
        let code = unsafe posix_spawn(&pid, words[0], &actions, nil, &arguments, &variables)
        guard code == 0 else { throw LoadError.failed("\(words[0]) does not start (\(code))") }
        return pid
    }
}
