import Glibc
import Identity
import Storage

/// A folder of one test.
enum Scratch {
    /// Opens an empty store, and removes it afterwards.
    static func withStore(_ body: (any CredentialDatabase) async throws -> Void) async throws {
        let folder = "/tmp/latchkey-storage-\(UInt64.random(in: 0 ... .max))"
        defer { remove(folder) }
        let store = try await openStore("sqlite:\(folder)/latchkey.db")
        do {
            try await body(store)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    /// Removes the folder with what SQLite leaves in one.
    static func remove(_ folder: String) {
        for suffix in ["", "-wal", "-shm", "-lock"] { unsafe unlink("\(folder)/latchkey.db\(suffix)") }
        unsafe rmdir(folder)
    }
}
