import Identity
import StoreSQL
import Threads

/// A write that waits for its turn, whatever its value.
protocol QueuedWrite: AnyObject, Sendable {
    var queuedAt: ContinuousClock.Instant { get }
    /// Runs it inside the group's transaction. A failure undoes this write alone, unless the connection is no longer
    /// in a transaction afterwards.
    func run(on connection: inout SQLiteConnection)
    /// Answers: with what ``run(on:)`` gave, or with the failure that took the whole group.
    func answer(_ failure: StoreError?)
    /// What ``run(on:)`` failed with.
    var failure: StoreError? { get }
}

final class Write<Value: Sendable>: QueuedWrite, @unchecked Sendable {
    // Sendable: `result` is touched by the writer's thread alone, and everything else never changes.
    let queuedAt: ContinuousClock.Instant
    private let step: SQLStep<Value>
    private let reply: Reply<Value, StoreError>
    private var result: Result<Value, StoreError>?

    init(_ step: SQLStep<Value>, queuedAt: ContinuousClock.Instant, reply: Reply<Value, StoreError>) {
        self.step = step
        self.queuedAt = queuedAt
        self.reply = reply
    }

    func run(on connection: inout SQLiteConnection) {
        do throws(StoreError) {
            result = .success(try runInSavepoint(&connection))
        } catch {
            result = .failure(error)
        }
    }

    private func runInSavepoint(_ connection: inout SQLiteConnection) throws(StoreError) -> Value {
        _ = try connection.run(SQLStatement(SQLiteConnection.savepoint, []))
        do throws(StoreError) {
            let (value, stays) = try connection.follow(step)
            if !stays { _ = try connection.run(SQLStatement(SQLiteConnection.rollBackToSavepoint, [])) }
            _ = try connection.run(SQLStatement(SQLiteConnection.release, []))
            return value
        } catch {
            connection.end(SQLiteConnection.rollBackToSavepoint)
            connection.end(SQLiteConnection.release)
            throw error
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
