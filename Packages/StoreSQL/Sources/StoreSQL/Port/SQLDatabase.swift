public import Identity

/// An SQL engine: it runs transactions that are described as values.
///
/// A transaction is a ``SQLStep``: statements that go out together, then a decision, then more statements. So an
/// engine with a network in between sends each batch in one round trip, and one without simply runs it; the
/// statements and decisions are written once.
public protocol SQLDatabase: Sendable {
    /// How the engine spells what engines spell in their own way.
    var dialect: SQLDialect { get }

    /// Runs `step` as one consistent read.
    ///
    /// - Throws: what the statements or the decisions throw.
    func read<Value: Sendable>(_ step: SQLStep<Value>) async throws(StoreError) -> Value

    /// Runs `step` as one transaction, durable when this returns, and undone when it throws.
    ///
    /// An engine may run it again from its beginning when the database was busy, so decisions have no effects.
    ///
    /// - Throws: what the statements or the decisions throw.
    func write<Value: Sendable>(_ step: SQLStep<Value>) async throws(StoreError) -> Value

    /// Whether it answers, and takes writes again if the last one failed.
    ///
    /// - Parameter probe: a small write, for the engine to try when it has to.
    /// - Throws: why it does not.
    func check(probe: SQLStep<Void>) async throws(StoreError)

    /// What it can say of its connections and of who waits for one.
    var vitals: StoreVitals { get }

    /// Finishes what is under way and closes every connection.
    func close() async
}

extension SQLDatabase {
    public var vitals: StoreVitals { StoreVitals() }
}

/// What a transaction does next.
public indirect enum SQLStep<Value: Sendable>: Sendable {
    /// Runs the statements in order, then asks for the next step.
    case run([SQLStatement], then: @Sendable (SQLResults) throws(StoreError) -> SQLStep<Value>)
    /// Runs the statements in order and is done: the value is made of what they give, and nothing is asked after it. It
    /// throws for a row that cannot be read; what was written then may stay.
    case query([SQLStatement], value: @Sendable (SQLResults) throws(StoreError) -> Value)
    /// Runs the statements in order, commits, and is done.
    case commit([SQLStatement], Value)
    /// Runs the first statement, which returns no rows. When it changes none either, undoes everything, and
    /// `otherwise` is the answer; else runs the rest in order, commits, and is done. An engine can have the database
    /// itself decide, so that all of it is one round trip.
    case commitIfChanged(SQLStatement, [SQLStatement], Value, otherwise: Value)
    /// Undoes everything and is done; the value is an answer, not an error.
    case rollBack(Value)
}

extension SQLStep {
    /// Runs one statement, then asks for the next step.
    static func run(
        _ statement: SQLStatement,
        then next: @escaping @Sendable (SQLResults) throws(StoreError) -> SQLStep<Value>
    ) -> SQLStep<Value> {
        .run([statement], then: next)
    }

    /// Runs the statements and makes the value of what they give.
    static func query(
        _ statements: SQLStatement...,
        value: @escaping @Sendable (SQLResults) throws(StoreError) -> Value
    ) -> SQLStep<Value> {
        .query(statements, value: value)
    }
}
