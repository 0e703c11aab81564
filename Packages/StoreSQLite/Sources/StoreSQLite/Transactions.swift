import Identity
import StoreSQL

extension SQLiteConnection {
    /// Runs the steps of a transaction that the caller has begun and will end.
    ///
    /// - Returns: the value, and whether what was done is to stay.
    mutating func follow<Value>(_ first: SQLStep<Value>) throws(StoreError) -> (value: Value, stays: Bool) {
        var step = first
        while true {
            switch step {
            case .run(let statements, let next):
                step = try next(try run(statements))
            case .query(let statements, let value):
                return (try value(try run(statements)), true)
            case .commit(let statements, let value):
                for statement in statements { _ = try run(statement) }
                return (value, true)
            case .commitIfChanged(let first, let statements, let value, let otherwise):
                guard try run(first).changes > 0 else { return (otherwise, false) }
                for statement in statements { _ = try run(statement) }
                return (value, true)
            case .rollBack(let value):
                return (value, false)
            }
        }
    }

    private mutating func run(_ statements: [SQLStatement]) throws(StoreError) -> SQLResults {
        var results: [SQLResult] = []
        results.reserveCapacity(statements.count)
        for statement in statements { results.append(try run(statement)) }
        return SQLResults(results)
    }

    /// Runs `step` as one consistent read.
    mutating func read<Value>(_ step: SQLStep<Value>) throws(StoreError) -> Value {
        try run(Self.begin)
        defer { end(Self.rollBack) }
        return try follow(step).value
    }

    /// Runs `step` as a transaction of its own.
    mutating func write<Value>(_ step: SQLStep<Value>) throws(StoreError) -> Value {
        try run(Self.beginImmediate)
        do throws(StoreError) {
            let (value, stays) = try follow(step)
            try run(stays ? Self.commit : Self.rollBack)
            return value
        } catch {
            end(Self.rollBack)
            throw error
        }
    }

    /// Ends the transaction, or a part of it, if one is still open.
    mutating func end(_ ending: SQL) {
        guard isInTransaction else { return }
        clearDeadline()
        try? run(ending)
    }

    /// Runs a statement without values or rows.
    mutating func run(_ control: SQL) throws(StoreError) {
        _ = try run(SQLStatement(control, []))
    }

    static let begin = SQL("BEGIN")
    static let beginImmediate = SQL("BEGIN IMMEDIATE")
    static let commit = SQL("COMMIT")
    static let rollBack = SQL("ROLLBACK")
    static let savepoint = SQL("SAVEPOINT member")
    static let release = SQL("RELEASE member")
    static let rollBackToSavepoint = SQL("ROLLBACK TO member")
}
