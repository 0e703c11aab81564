import CSQLite
import Identity

/// What SQLite's result codes mean to whoever asked.
enum SQLiteFault {
    /// Maps an extended code. `message` is SQLite's own; it names tables and columns, never their contents.
    static func error(_ code: Int32, message: String?, conflict: StoreError.Conflict) -> StoreError {
        switch code {
        case SQLITE_CONSTRAINT_UNIQUE_CODE, SQLITE_CONSTRAINT_PRIMARYKEY_CODE, SQLITE_CONSTRAINT_ROWID_CODE:
            return .unique(conflict)
        default:
            break
        }
        let reason = reason(code, message)
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL, SQLITE_INTERRUPT: return .busy(reason: reason)
        case SQLITE_FULL: return .full(reason: reason)
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: return .readOnly(reason: reason)
        case SQLITE_IOERR: return .io(reason: reason)
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt(reason: reason)
        case SQLITE_CANTOPEN, SQLITE_NOMEM, SQLITE_NOLFS: return .unavailable(reason: reason)
        // A constraint of the schema, or a statement that is wrong: a fault of this program.
        default: return .constraint(reason: reason)
        }
    }

    /// One line, at most 200 characters.
    private static func reason(_ code: Int32, _ message: String?) -> String {
        let text = unsafe message ?? String(cString: sqlite3_errstr(code))
        return "SQLite: \(text.prefix(160)) (\(code))"
    }

    // The extended codes are macros that Swift cannot import.
    private static let SQLITE_CONSTRAINT_PRIMARYKEY_CODE: Int32 = 1555
    private static let SQLITE_CONSTRAINT_UNIQUE_CODE: Int32 = 2067
    private static let SQLITE_CONSTRAINT_ROWID_CODE: Int32 = 2579
}
