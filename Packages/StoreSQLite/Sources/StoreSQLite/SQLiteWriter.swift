import Identity
import StoreSQL
import Synchronization
import Threads

/// The one connection that writes, on a thread of its own, with group commit.
///
/// All writes that wait go into one transaction, those that came meanwhile too; one `fsync` covers them, then all are
/// answered. Nothing waits to make a group bigger: the `fsync` under way is wait enough.
final class SQLiteWriter: Sendable {
    private let thread: MailboxThread<any QueuedWrite>
    private let state: State

    /// Takes the connection over; it closes with ``close()``. A group waits for the lock that another process holds for
    /// `lockWait` at most.
    init(
        _ connection: consuming SQLiteConnection,
        checkpointer: Checkpointer,
        lockWait: Duration = .milliseconds(750)
    ) throws(ThreadError) {
        let state = State(connection, checkpointer, lockWait)
        self.state = state
        thread = try MailboxThread(name: "sqlite-writer", capacity: Self.capacity) { mailbox in
            state.work(mailbox)
        }
    }

    /// Runs `step` in the next group; durable when this returns.
    func write<Value: Sendable>(_ step: SQLStep<Value>) async throws(StoreError) -> Value {
        let deadline = ContinuousClock.now + StoreBudget.allowance(atMost: Self.deadline)
        return try await thread.mailbox.ask(refused: Self.refusal) { (reply: Reply<Value, StoreError>) in
            Write(step, deadline: deadline, reply: reply)
        }
    }

    /// Why the last group failed, as long as no later one succeeded.
    var fault: StoreError? { state.fault.withLock { $0 } }

    /// Takes no new write, works off those that wait, and closes the connection. Blocks the caller.
    func stop() {
        thread.stop()
    }

    /// Closes the connection, once ``stop()`` has returned.
    func close() {
        state.close()
    }

    private static func refusal(_ refusal: Refusal) -> StoreError {
        switch refusal {
        case .full: .busy(reason: "SQLite: \(capacity) writes are waiting")
        case .closed: .unavailable(reason: "SQLite: the store was closed")
        }
    }

    /// Writes that may wait.
    private static let capacity = 4096
    /// Writes of one transaction.
    private static let groupLimit = 128
    /// How long a write may wait for its turn, unless its request has less time left.
    private static let deadline = Duration.seconds(1)

    private final class State: @unchecked Sendable {
        // Sendable: `connection` belongs to the writer's thread until it has ended, then to whoever closes.
        private var connection: SQLiteConnection?
        private let checkpointer: Checkpointer
        private let lockWait: Duration
        let fault = Lock<StoreError?>(nil)

        init(_ connection: consuming SQLiteConnection, _ checkpointer: Checkpointer, _ lockWait: Duration) {
            self.connection = consume connection
            self.checkpointer = checkpointer
            self.lockWait = lockWait
        }

        func close() {
            connection = nil
        }

        func work(_ mailbox: Mailbox<any QueuedWrite>) {
            guard var connection = connection.take() else { return }
            while let first = mailbox.waitForOne() {
                commit([first] + mailbox.takeWaiting(atMost: groupLimit - 1), mailbox, on: &connection)
            }
            self.connection = consume connection
        }

        /// Runs a group to its end and answers every member.
        private func commit(
            _ taken: [any QueuedWrite],
            _ mailbox: Mailbox<any QueuedWrite>,
            on connection: inout SQLiteConnection
        ) {
            var group = dropLate(taken)
            guard !group.isEmpty else { return }
            var failure: StoreError?
            do throws(StoreError) {
                try begin(&group, on: &connection)
                var areWhole = try run(group, on: &connection)
                let late = dropLate(mailbox.takeWaiting(atMost: max(0, groupLimit - group.count)))
                group += late
                if areWhole { areWhole = try run(late, on: &connection) }
                if !areWhole { try runApart(&group, on: &connection) }
                try connection.run(SQLiteConnection.commit)
            } catch {
                connection.end(SQLiteConnection.rollBack)
                failure = error
            }
            note(failure)
            // An answer may rest on what another member did, so that a failed commit takes back all of them.
            for member in group { member.answer(failure) }
            if failure == nil { checkpointer.wrote(on: connection) }
        }

        /// Waits for the lock that another process holds, and begins; whoever's time is over meanwhile is answered, and
        /// leaves the group.
        private func begin(
            _ group: inout [any QueuedWrite],
            on connection: inout SQLiteConnection
        ) throws(StoreError) {
            let end = ContinuousClock.now + lockWait
            while true {
                let first = group.reduce(end) { min($0, $1.deadline) }
                connection.setPatience(first - .now)
                do throws(StoreError) {
                    return try connection.run(SQLiteConnection.beginImmediate)
                } catch {
                    group = dropLate(group)
                    guard case .busy = error, !group.isEmpty, .now < end else { throw error }
                    Pause.sleep(milliseconds: Int32.random(in: 1...5))
                }
            }
        }

        /// Runs the members one after another, without savepoints: these cost as much as a statement each, and what
        /// fails has nearly always changed nothing.
        ///
        /// - Returns: false when a member left half of its work.
        private func run(
            _ members: [any QueuedWrite],
            on connection: inout SQLiteConnection
        ) throws(StoreError) -> Bool {
            for member in members {
                guard member.run(on: &connection) else { return false }
                try requireTransaction(connection, member)
            }
            return true
        }

        /// Begins the group anew, each member in a savepoint of its own, so that one's failure is its own.
        private func runApart(
            _ group: inout [any QueuedWrite],
            on connection: inout SQLiteConnection
        ) throws(StoreError) {
            connection.end(SQLiteConnection.rollBack)
            try begin(&group, on: &connection)
            for member in group {
                member.runInSavepoint(on: &connection)
                try requireTransaction(connection, member)
            }
        }

        /// Some errors (a full disk, a failing one) end the transaction, and with it the group.
        private func requireTransaction(
            _ connection: borrowing SQLiteConnection,
            _ member: any QueuedWrite
        ) throws(StoreError) {
            guard !connection.isInTransaction else { return }
            throw member.failure ?? .io(reason: "SQLite: the transaction ended by itself")
        }

        /// Answers those that have waited too long already; their callers have given up.
        private func dropLate(_ members: [any QueuedWrite]) -> [any QueuedWrite] {
            let now = ContinuousClock.now
            guard members.contains(where: { now > $0.deadline }) else { return members }
            return members.filter { member in
                guard now > member.deadline else { return true }
                member.answer(.busy(reason: "SQLite: a write waited too long for its turn"))
                return false
            }
        }

        /// Remembers a failure that will not pass by itself.
        private func note(_ failure: StoreError?) {
            switch failure {
            case .full, .readOnly, .io, .corrupt: fault.withLock { $0 = failure }
            case nil: fault.withLock { $0 = nil }
            default: break
            }
        }
    }
}
