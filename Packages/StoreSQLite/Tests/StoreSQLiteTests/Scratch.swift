import Glibc

/// A folder of one test.
enum Scratch {
    /// Makes an empty folder, and removes it with the files in it.
    static func withFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        let folder = "/tmp/latchkey-sqlite-\(UInt64.random(in: 0 ... .max))"
        guard unsafe mkdir(folder, 0o700) == 0 else { throw Failure(errno: errno) }
        do {
            let value = try await body(folder)
            remove(folder)
            return value
        } catch {
            remove(folder)
            throw error
        }
    }

    struct Failure: Error {
        let errno: Int32
    }

    /// The names in a folder.
    static func names(in folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func remove(_ folder: String) {
        for name in names(in: folder) {
            let path = "\(folder)/\(name)"
            if unsafe unlink(path) != 0 { remove(path) }
        }
        unsafe rmdir(folder)
    }
}
