import CSQLite
import Identity
import StoreSQL

/// One open SQLite database with its prepared statements. No C pointer leaves this type; all close with it.
@safe struct SQLiteConnection: ~Copyable {
    private let handle: OpaquePointer
    /// By the number of their text.
    private var statements: [OpaquePointer?] = unsafe []
    /// When statements give up, on the clock that the shim reads; never, unless somebody says so.
    private let end: UnsafeMutablePointer<Int64>

    enum Mode {
        case readWrite, readOnly
    }

    /// Opens the file, which exists.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - mode: whether it may be written.
    ///   - patience: milliseconds to wait for another connection's lock.
    /// - Throws: when it cannot be opened.
    init(path: String, _ mode: Mode, patience: Int32) throws(StoreError) {
        _ = Self.configured
        let flags = (mode == .readWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            unsafe sqlite3_close_v2(opened)  // SQLite hands out a handle even when it fails to open.
            throw SQLiteFault.error(code, message: nil, conflict: .other)
        }
        unsafe self.handle = handle
        unsafe end = .allocate(capacity: 1)
        unsafe end.initialize(to: .max)
        unsafe sqlite3_extended_result_codes(handle, 1)
        unsafe sqlite3_busy_timeout(handle, patience)
    }

    deinit {
        // Statements that are finalized and a connection that closes run nothing that would look at it.
        defer { unsafe end.deallocate() }
        unsafe statements.forEach { statement in unsafe sqlite3_finalize(statement) }
        unsafe sqlite3_close_v2(handle)
    }

    /// Once in a process, before the first connection.
    private static let configured: Void = latchkey_configure_sqlite()

    /// Runs one prepared statement to its end; the rows count only then.
    mutating func run(_ statement: SQLStatement) throws(StoreError) -> SQLResult {
        let isKept = statement.sql.isKept
        let prepared = unsafe try isKept ? prepared(statement.sql) : prepare(statement.sql.text, flags: 0)
        defer {
            if isKept {
                unsafe sqlite3_reset(prepared)
                unsafe sqlite3_clear_bindings(prepared)
            } else {
                unsafe sqlite3_finalize(prepared)
            }
        }
        var position: Int32 = 0
        for value in statement.values {
            position += 1
            let code = unsafe bind(value, at: position, to: prepared)
            guard code == SQLITE_OK else { throw fault(code, statement.conflict) }
        }
        let width = unsafe sqlite3_column_count(prepared)
        var values: [SQLValue] = []
        stepping: while true {
            let code = unsafe sqlite3_step(prepared)
            switch code {
            case SQLITE_ROW:
                for column in 0..<width { values.append(unsafe Self.value(column, of: prepared)) }
            case SQLITE_DONE:
                break stepping
            default:
                throw fault(code, statement.conflict)
            }
        }
        let changes = unsafe sqlite3_stmt_readonly(prepared) != 0 ? 0 : Int(sqlite3_changes64(handle))
        if let otherwise = statement.otherwise, changes == 0, values.isEmpty { throw otherwise }
        return SQLResult(changes: changes, width: Int(width), values: values)
    }

    /// Runs a statement without values that is not kept: a pragma or a definition.
    ///
    /// - Returns: the first column of the first row.
    @discardableResult
    func execute(_ text: String) throws(StoreError) -> SQLValue {
        let prepared = unsafe try prepare(text, flags: 0)
        defer { unsafe sqlite3_finalize(prepared) }
        var first: SQLValue?
        while true {
            let code = unsafe sqlite3_step(prepared)
            switch code {
            case SQLITE_ROW: first = first ?? (unsafe Self.value(0, of: prepared))
            case SQLITE_DONE: return first ?? .null
            default: throw fault(code, .other)
            }
        }
    }

    /// How long to wait for another connection's lock, to the millisecond.
    func setPatience(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        let milliseconds = min(max(seconds, 0), 60) * 1000 + max(attoseconds, 0) / 1_000_000_000_000_000
        unsafe sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
    }

    /// Makes what computes for longer than `time` from now on fail with `busy`.
    func setDeadline(in time: Duration) {
        let (seconds, attoseconds) = time.components
        let nanoseconds = min(max(seconds, 0), 86_400) * 1_000_000_000 + max(attoseconds, 0) / 1_000_000_000
        unsafe end.pointee = latchkey_clock() + nanoseconds
        unsafe latchkey_watch(handle, end)
    }

    /// Lets what follows take its time: what was begun has to be ended.
    func clearDeadline() {
        unsafe end.pointee = .max
    }

    /// Rows that this connection has changed since it was opened.
    var totalChanges: Int64 { unsafe sqlite3_total_changes64(handle) }

    /// Whether a transaction is open; some errors end it by themselves.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Copies what the write-ahead log holds into the database file, without waiting for anyone.
    ///
    /// - Returns: the pages in the log, and those of them that were copied.
    func checkpoint() throws(StoreError) -> (logged: Int, copied: Int) {
        var logged: Int32 = 0
        var copied: Int32 = 0
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &logged, &copied)
        guard code == SQLITE_OK else { throw fault(code, .other) }
        return (Int(logged), Int(copied))
    }

    private mutating func prepared(_ sql: SQL) throws(StoreError) -> OpaquePointer {
        if unsafe sql.number < statements.count, let found = unsafe statements[sql.number] { return unsafe found }
        let prepared = unsafe try prepare(sql.text, flags: UInt32(SQLITE_PREPARE_PERSISTENT))
        while unsafe statements.count <= sql.number { unsafe statements.append(nil) }
        unsafe statements[sql.number] = prepared
        return unsafe prepared
    }

    private func prepare(_ text: String, flags: UInt32) throws(StoreError) -> OpaquePointer {
        var text = text
        var prepared: OpaquePointer?
        let code = text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                unsafe sqlite3_prepare_v3(
                    handle,
                    characters.baseAddress,
                    Int32(clamping: characters.count),
                    flags,
                    &prepared,
                    nil
                )
            }
        }
        guard code == SQLITE_OK, let prepared = unsafe prepared else { throw fault(code, .other) }
        return unsafe prepared
    }

    private func bind(_ value: SQLValue, at position: Int32, to prepared: OpaquePointer) -> Int32 {
        switch value {
        case .null:
            return unsafe sqlite3_bind_null(prepared, position)
        case .integer(let number):
            return unsafe sqlite3_bind_int64(prepared, position, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                    unsafe latchkey_bind_text(
                        prepared,
                        position,
                        characters.baseAddress,
                        Int32(clamping: characters.count)
                    )
                }
            }
        case .bytes(let bytes):
            return unsafe bytes.withUnsafeBytes { buffer in
                unsafe latchkey_bind_bytes(prepared, position, buffer.baseAddress, Int32(clamping: buffer.count))
            }
        }
    }

    private static func value(_ column: Int32, of prepared: OpaquePointer) -> SQLValue {
        switch unsafe sqlite3_column_type(prepared, column) {
        case SQLITE_INTEGER:
            return .integer(unsafe sqlite3_column_int64(prepared, column))
        case SQLITE_TEXT:
            let text = unsafe sqlite3_column_text(prepared, column)
            let count = unsafe Int(sqlite3_column_bytes(prepared, column))
            return .text(unsafe String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            let bytes = unsafe sqlite3_column_blob(prepared, column)
            let count = unsafe Int(sqlite3_column_bytes(prepared, column))
            return .bytes(unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count)))
        default:
            return .null  // No column of ours is a fraction.
        }
    }

    private func fault(_ code: Int32, _ conflict: StoreError.Conflict) -> StoreError {
        unsafe SQLiteFault.error(code, message: String(cString: sqlite3_errmsg(handle)), conflict: conflict)
    }
}
