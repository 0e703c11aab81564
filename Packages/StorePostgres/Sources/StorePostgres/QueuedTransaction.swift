import Identity
import StoreSQL
import Threads

/// A transaction that waits for its turn or is under way, whatever its value. It belongs to the thread that speaks with
/// the database from the moment that thread has it.
protocol QueuedTransaction: AnyObject, Sendable {
    var isWrite: Bool { get }
    var queuedAt: ContinuousClock.Instant { get }
    /// When it gives up waiting for a connection; later when it is tried again.
    var poolEnd: ContinuousClock.Instant { get set }
    /// When it gives up.
    var end: ContinuousClock.Instant { get }
    /// Whether it was answered: nothing that happens to it afterwards matters.
    var isAnswered: Bool { get }
    /// How often it has been begun again.
    var retries: Int { get set }
    /// What goes out next.
    var round: Round { get }
    /// Puts it back to its beginning.
    func restart()
    /// Takes what a round gave, and decides.
    ///
    /// - Throws: what undoes it.
    func take(_ results: [SQLResult]) throws(StoreError)
    /// Answers with the value of its last step. Once the database has confirmed that step.
    func succeed()
    /// Answers with the other value of ``SQLStep/commitIfChanged(_:_:_:otherwise:)``.
    func succeedOtherwise()
    func fail(_ error: StoreError)
}

/// Statements that go out together, and what follows them.
struct Round {
    var statements: [SQLStatement]
    var ending: Ending

    enum Ending {
        /// A decision about what they give.
        case decision
        /// The commit; the value is made of what they give.
        case value
        /// The commit.
        case commit
        /// The commit, unless the first changed no row.
        case commitIfChanged
        /// Nothing: what was done is undone.
        case rollBack
    }
}

final class Transaction<Value: Sendable>: QueuedTransaction, @unchecked Sendable {
    // Sendable: what changes is touched by one thread alone, the one that has taken it out of the inbox.
    let isWrite: Bool
    let queuedAt: ContinuousClock.Instant
    var poolEnd: ContinuousClock.Instant
    let end: ContinuousClock.Instant
    private(set) var isAnswered = false
    var retries = 0
    private let first: SQLStep<Value>
    private var step: SQLStep<Value>
    private let reply: Reply<Value, StoreError>

    init(
        _ step: SQLStep<Value>,
        isWrite: Bool,
        poolWait: Duration,
        deadline: Duration,
        reply: Reply<Value, StoreError>
    ) {
        self.isWrite = isWrite
        queuedAt = .now
        end = queuedAt + deadline
        poolEnd = min(end, queuedAt + poolWait)
        self.reply = reply
        first = step
        self.step = step
    }

    var round: Round {
        switch step {
        case .run(let statements, _): Round(statements: statements, ending: .decision)
        case .query(let statements, _):
            Round(
                statements: statements,
                ending: isWrite && statements.contains { $0.otherwise != nil } ? .decision : .value
            )
        case .commit(let statements, _): Round(statements: statements, ending: .commit)
        case .commitIfChanged(let first, let statements, _, _):
            Round(statements: [first] + statements, ending: .commitIfChanged)
        case .rollBack: Round(statements: [], ending: .rollBack)
        }
    }

    func restart() {
        step = first
    }

    func take(_ results: [SQLResult]) throws(StoreError) {
        switch step {
        case .run(_, let next): step = try next(SQLResults(results))
        case .query(_, let value): step = .commit([], try value(SQLResults(results)))
        case .commit, .commitIfChanged, .rollBack: break
        }
    }

    func succeed() {
        switch step {
        case .commit(_, let value), .commitIfChanged(_, _, let value, _), .rollBack(let value): answer(.success(value))
        case .run, .query: fail(.constraint(reason: "PostgreSQL: a transaction was answered before its end"))
        }
    }

    func succeedOtherwise() {
        guard case .commitIfChanged(_, _, _, let otherwise) = step else { return succeed() }
        answer(.success(otherwise))
    }

    func fail(_ error: StoreError) {
        answer(.failure(error))
    }

    private func answer(_ result: Result<Value, StoreError>) {
        guard !isAnswered else { return }
        isAnswered = true
        reply.send(result)
    }
}
