import Identity
import StoreSQL
import Threads

/// A write that waits for its turn, whatever its value.
protocol QueuedWrite: AnyObject, Sendable {
    /// When its caller gives up waiting for its turn.
    var deadline: ContinuousClock.Instant { get }
    /// Runs it inside the group's transaction, and keeps what it gave.
    ///
    /// - Returns: false when it failed or is to be undone, and had changed something: then the transaction holds half
    ///   of it.
    func run(on connection: inout SQLiteConnection) -> Bool
    /// The same in a savepoint of its own, so that nothing of it stays when it fails.
    func runInSavepoint(on connection: inout SQLiteConnection)
    /// Answers: with what was kept, or with the failure that took the whole group.
    func answer(_ failure: StoreError?)
    /// What it failed with, when it was run.
    var failure: StoreError? { get }
}

final class Write<Value: Sendable>: QueuedWrite, @unchecked Sendable {
    // Sendable: `result` is touched by the writer's thread alone, and everything else never changes.
    let deadline: ContinuousClock.Instant
    private let step: SQLStep<Value>
    private let reply: Reply<Value, StoreError>
    private var result: Result<Value, StoreError>?

    init(_ step: SQLStep<Value>, deadline: ContinuousClock.Instant, reply: Reply<Value, StoreError>) {
        self.step = step
        self.deadline = deadline
        self.reply = reply
    }

    func run(on connection: inout SQLiteConnection) -> Bool {
        let changesBefore = connection.totalChanges
        do throws(StoreError) {
            let (value, stays) = try connection.follow(step)
            result = .success(value)
            return stays || connection.totalChanges == changesBefore
        } catch {
            result = .failure(error)
            return connection.totalChanges == changesBefore
        }
    }

    func runInSavepoint(on connection: inout SQLiteConnection) {
        do throws(StoreError) {
            try connection.run(SQLiteConnection.savepoint)
            let (value, stays) = try connection.follow(step)
            if !stays { try connection.run(SQLiteConnection.rollBackToSavepoint) }
            try connection.run(SQLiteConnection.release)
            result = .success(value)
        } catch {
            result = .failure(error)
            connection.end(SQLiteConnection.rollBackToSavepoint)
            connection.end(SQLiteConnection.release)
        }
    }

    var failure: StoreError? {
        guard case .failure(let failure) = result else { return nil }
        return failure
    }

    func answer(_ failure: StoreError?) {
        if let failure {
            reply.send(.failure(failure))
        } else {
            reply.send(result ?? .failure(.unavailable(reason: "SQLite: the write was never begun")))
        }
    }
}
