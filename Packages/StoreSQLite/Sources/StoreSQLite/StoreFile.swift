import CSQLite

/// The file of a store, its folder, and the lock that openers take.
struct StoreFile {
    let path: String

    /// Makes the folder (mode 0700) and the file (mode 0600) where they are missing, and takes the file away from
    /// everyone else where it is not.
    ///
    /// The file is never opened here: closing it again would drop the locks that SQLite holds on it in this process.
    func make() throws(SQLiteOpenError) {
        try Self.makeFolder(folder)
        let mode = unsafe latchkey_mode(path)
        if mode == -ENOENT {
            let code = unsafe latchkey_create_file(path)
            guard code == 0 || code == EEXIST else { throw fault(path, code) }
        } else if mode < 0 {
            throw fault(path, -mode)
        } else {
            guard mode & S_IFMT == S_IFREG else { throw .foreign(path: path) }
            if mode & 0o077 != 0 { unsafe chmod(path, 0o600) }  // Not ours to change: then it stays as it is.
        }
    }

    /// Whether there is a file; it is not opened.
    func isThere() throws(SQLiteOpenError) -> Bool {
        let mode = unsafe latchkey_mode(path)
        guard mode < 0 else { return true }
        guard mode == -ENOENT || mode == -ENOTDIR else { throw fault(path, -mode) }
        return false
    }

    /// Runs `body` while no other opener, in this process or another, is in its own.
    ///
    /// - Throws: ``SQLiteOpenError/beingOpened(path:)`` when the others have not finished after `patience`.
    func whileLocked<Value: ~Copyable>(
        patience: Duration = .seconds(10),
        _ body: () throws(SQLiteOpenError) -> Value
    ) throws(SQLiteOpenError) -> Value {
        let lock = unsafe latchkey_open_lock(path + "-lock")
        guard lock >= 0 else { throw fault(path + "-lock", -lock) }
        defer { CSQLite.close(lock) }
        let end = ContinuousClock.now + patience
        while true {
            let code = latchkey_try_lock(lock)
            if code == 0 { return try body() }
            guard code == EWOULDBLOCK || code == EINTR else { throw fault(path, code) }
            guard ContinuousClock.now < end else { throw .beingOpened(path: path) }
            Pause.sleep(milliseconds: 10)
        }
    }

    /// Everything before the last slash; `.` when there is none.
    var folder: String {
        let bytes = Array(path.utf8)
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == 0 ? "/" : String(decoding: bytes[..<slash], as: UTF8.self)
    }

    private static func makeFolder(_ folder: String) throws(SQLiteOpenError) {
        guard unsafe latchkey_mode(folder) == -ENOENT else { return }
        if StoreFile(path: folder).folder != folder { try makeFolder(StoreFile(path: folder).folder) }
        let code = unsafe latchkey_make_folder(folder)
        guard code == 0 || code == EEXIST else { throw .file(path: folder, reason: text(of: code)) }
    }

    private func fault(_ path: String, _ code: Int32) -> SQLiteOpenError {
        .file(path: path, reason: Self.text(of: code))
    }

    static func text(of code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        unsafe latchkey_error_text(code, &buffer, 128)
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
