import Glibc

/// The folder of an operator's own templates: those of all tenants in it, and in a folder of a tenant's name its own.
public enum TemplateFolder {
    /// Why a folder cannot be used; one line for an operator.
    public enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        case unreadable(path: String, code: Int32)
        case tooMany(path: String, limit: Int)
        case template(TemplateError)

        public var description: String {
            switch self {
            case .unreadable(let path, let code):
                "\(path) cannot be read: \(unsafe String(cString: strerror(code)).lowercased())."
            case .tooMany(let path, let limit): "\(path) has more than \(limit) templates."
            case .template(let error): error.description
            }
        }
    }

    /// Files at most, over all tenants.
    static let fileLimit = 4096

    /// Reads every `.txt` and `.html` there; names that begin with a dot are passed over.
    ///
    /// - Parameter path: the folder; `nil`: the built-in templates alone.
    /// - Returns: the built-in templates, with those of the folder above them.
    /// - Throws: ``Fault``.
    public static func read(_ path: String?) throws(Fault) -> MailTemplates {
        var files: [MailTemplates.File] = []
        if let path {
            for name in try names(in: path) {
                if isText(name) {
                    files.append(try file(name, in: path, of: nil))
                } else if let inner = try? names(in: "\(path)/\(name)") {
                    for file in inner where isText(file) {
                        files.append(try self.file(file, in: "\(path)/\(name)", of: name))
                    }
                }
                guard files.count <= fileLimit else { throw .tooMany(path: path, limit: fileLimit) }
            }
        }
        do throws(TemplateError) {
            return try MailTemplates(files)
        } catch { throw .template(error) }
    }

    private static func isText(_ name: String) -> Bool { name.hasSuffix(".txt") || name.hasSuffix(".html") }

    private static func names(in folder: String) throws(Fault) -> [String] {
        guard let directory = unsafe opendir(folder) else { throw .unreadable(path: folder, code: errno) }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private static func file(_ name: String, in folder: String, of tenant: String?) throws(Fault) -> MailTemplates.File
    {
        let path = "\(folder)/\(name)"
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable(path: path, code: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        // One that is too large is read so far that it is found to be.
        while bytes.count <= MailTemplates.fileLimit {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(path: path, code: errno) }
            if count == 0 { break }
            bytes += buffer.prefix(count)
        }
        return MailTemplates.File(tenant: tenant, name: name, path: path, bytes: bytes)
    }
}
