import Glibc

/// A folder of one test.
enum Scratch {
    /// Removes the folder with what SQLite leaves in one.
    static func remove(_ folder: String) {
        for suffix in ["", "-wal", "-shm", "-lock"] { unsafe unlink("\(folder)/latchkey.db\(suffix)") }
        unsafe rmdir(folder)
    }
}
