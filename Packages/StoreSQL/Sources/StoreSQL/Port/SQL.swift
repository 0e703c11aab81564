public import Identity
import Synchronization

/// The text of one statement, with `?` for each value and `x''` for no bytes.
///
/// Each is made once, as a static constant, so that an engine finds what it has prepared by ``number``. Only searches,
/// whose text depends on what is looked for, are made for one use (``init(once:)``).
public final class SQL: Sendable {
    public let text: String
    /// Whether the rows it selects stay locked until the transaction ends. An engine whose writing transactions
    /// exclude each other need do nothing; another adds `FOR UPDATE`.
    public let locksRows: Bool
    /// Small, and unique in this process.
    public let number: Int
    /// Whether it comes again, so that an engine keeps what it has prepared.
    public let isKept: Bool

    public init(_ text: String, locksRows: Bool = false) {
        self.text = text
        self.locksRows = locksRows
        self.number = Self.count.add(1, ordering: .relaxed).oldValue
        isKept = true
    }

    /// A statement that is run once: engines prepare it, run it and forget it.
    public init(once text: String) {
        self.text = text
        locksRows = false
        number = -1
        isKept = false
    }

    private static let count = Atomic<Int>(0)
}

/// A value that goes into a statement or comes out of a row.
public enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
}

/// A statement with its values, and what it means when it does nothing.
public struct SQLStatement: Sendable {
    public let sql: SQL
    public let values: [SQLValue]
    /// Which unique key is taken, when the engine finds one taken.
    public let conflict: StoreError.Conflict
    /// The error that undoes the transaction when the statement changes (or inserts, deletes) no row; `nil`: that is
    /// as good as another outcome.
    public let otherwise: StoreError?

    public init(
        _ sql: SQL,
        _ values: [SQLValue],
        conflict: StoreError.Conflict = .other,
        otherwise: StoreError? = nil
    ) {
        self.sql = sql
        self.values = values
        self.conflict = conflict
        self.otherwise = otherwise
    }
}
