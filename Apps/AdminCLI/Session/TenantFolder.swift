import Audit
import Encodings
import Glibc
import Identity
import Tenancy
import Terminal

/// A tenant written out before it goes: `tenant.json` in the form of the tenant file (JSON is YAML), `users.json` in the
/// form of an import, password hashes with them, and `audit.jsonl`, which `audit verify` reads.
enum TenantFolder {
    static func write(_ tenant: TenantConfiguration, to folder: String, _ deployment: Deployment) async throws {
        try PrivateFile.makeFolders(folder)
        let export = try TenantExport(tenant)
        let file = JSONValue.object(export.file).serialized(pretty: true)
        try PrivateFile.write("\(folder)/tenant.json", String(decoding: file, as: UTF8.self) + "\n")
        let users = try NewFile("\(folder)/users.json")
        _ = try await UserExport.write(
            tenant.tenant.id,
            withHashes: true,
            deployment,
            to: { try users.write($0) }
        )
        try users.finish()
        let audit = try NewFile("\(folder)/audit.jsonl")
        try await AuditExport(store: deployment.store)
            .write(tenant.tenant.id, named: tenant.tenant.name, now: deployment.now) { line in
                try audit.write(line + "\n")
            }
        try audit.finish()
    }
}

/// A file of mode 0600 that is written piece by piece, and is not there before.
final class NewFile {
    private let path: String
    private let descriptor: Int32
    private var waiting: [UInt8] = []

    /// - Throws: `failed`, with the reason.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit { close(descriptor) }

    func write(_ text: String) throws(CommandFailure) {
        waiting += text.utf8
        if waiting.count >= 1 << 16 { try flush() }
    }

    /// Makes what was written durable.
    func finish() throws(CommandFailure) {
        try flush()
        guard fsync(descriptor) == 0 else { throw Self.failure(path) }
    }

    private func flush() throws(CommandFailure) {
        var rest = waiting[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(path) }
            rest = rest.dropFirst(count)
        }
        waiting.removeAll(keepingCapacity: true)
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure(.failed, "\(printable(path)) cannot be written: \(unsafe String(cString: strerror(errno))).")
    }
}
