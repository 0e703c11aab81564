import CPostgres
import Identity

/// An error that PostgreSQL answered with.
struct PostgresFault: Error, Hashable, Sendable {
    /// SQLSTATE: five characters.
    let code: String
    /// One line, at most 200 characters, without row contents.
    let reason: String
    /// Whether the server has ended the connection by it.
    let isFatal: Bool

    init(_ result: OpaquePointer?) {
        // Without a code it is libpq that speaks: the connection was lost.
        code = unsafe Self.text(latchkey_error_code(result)) ?? "08006"
        let severity = unsafe Self.text(latchkey_error_severity(result)) ?? ""
        isFatal = severity == "FATAL" || severity == "PANIC"
        // A value that cannot be read is quoted in the message of class 22.
        let message = code.hasPrefix("22") ? nil : unsafe Self.text(latchkey_error_message(result))
        reason = Self.line(message ?? "error", code)
    }

    init(code: String, message: String) {
        self.code = code
        isFatal = false
        reason = Self.line(message, code)
    }

    private static func line(_ message: String, _ code: String) -> String {
        let hint = code == "26000" || code == "42P05" ? "; behind PgBouncer set store_prepare: off" : ""
        return "PostgreSQL: \(printable(message.prefix(150))) (\(code))\(hint)"
    }

    static func printable(_ text: some StringProtocol) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }))
    }

    private static func text(_ field: UnsafePointer<CChar>?) -> String? {
        guard let field = unsafe field else { return nil }
        return unsafe String(cString: field)
    }

    /// Whether the transaction was rolled back for another one's sake, and may be tried again from its beginning.
    var isPassing: Bool { ["40001", "40P01", "55P03"].contains(code) }

    /// Whether the connection is of no use any more: the server ends it, or takes no writes there.
    var spoilsConnection: Bool {
        isFatal || code.hasPrefix("08") || code.hasPrefix("57P")
            || ["25006", "26000", "42P05", "0A000", "25P03"].contains(code)
    }

    /// What it means to whoever asked (design: failure rules); `conflict` is the unique key of the statement.
    func error(_ conflict: StoreError.Conflict) -> StoreError {
        switch code {
        case "23505": return .unique(conflict)
        case "25006": return .readOnly(reason: reason)
        // A transaction that writes, on a standby.
        case "0A000" where reason.contains("recovery"): return .readOnly(reason: reason)
        case "40001", "40P01", "55P03", "57014": return .busy(reason: reason)
        case "53100": return .full(reason: reason)
        case "XX001", "XX002": return .corrupt(reason: reason)
        case "26000", "42P05": return .unavailable(reason: reason)
        default: break
        }
        switch code.prefix(2) {
        // No connection, no resources, an operator who stops the server, or the wrong credentials of ours.
        case "08", "53", "57", "28", "3D", "25": return .unavailable(reason: reason)
        case "58": return .io(reason: reason)
        // A constraint of the schema, or a statement that is wrong: a fault of this program.
        default: return .constraint(reason: reason)
        }
    }
}
