import Glibc

/// A folder of one test.
enum Scratch {
    /// Makes an empty folder, and removes it with the files in it.
    static func withFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        let folder = "/tmp/latchkey-api-\(UInt64.random(in: 0 ... .max))"
        guard unsafe mkdir(folder, 0o700) == 0 else { throw Failure(errno: errno) }
        defer {
            for suffix in ["", "-wal", "-shm", "-lock"] { unsafe unlink("\(folder)/latchkey.db\(suffix)") }
            unsafe rmdir(folder)
        }
        return try await body(folder)
    }

    struct Failure: Error {
        let errno: Int32
    }
}
