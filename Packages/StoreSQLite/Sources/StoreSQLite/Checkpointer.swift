import CSQLite
import Identity
import Synchronization
import Threads

/// Copies the write-ahead log into the database file, on a thread and a connection of its own, so that no write waits
/// for it.
///
/// It sleeps while nothing is written. Under steady writing it never quite reaches the end of the log, which would
/// then grow for ever; so when the log is long, the writer copies the short rest itself between two groups, and begins
/// the log anew.
final class Checkpointer: Sendable {
    private let thread: MailboxThread<Void>
    private let state: State

    init(_ connection: consuming SQLiteConnection) throws(ThreadError) {
        let state = State(connection)
        self.state = state
        thread = try MailboxThread(name: "sqlite-ckpt") { mailbox in
            while mailbox.waitForOne() != nil { state.checkpointSoon() }
        }
    }

    /// Tells that a group was committed. On the writer's thread, with the writer's connection.
    func wrote(on writer: borrowing SQLiteConnection) {
        if state.isLogLong.exchange(false, ordering: .relaxed), let copied = try? writer.checkpoint() {
            state.loggedPages.store(copied.logged, ordering: .relaxed)
        }
        if !state.isAwake.exchange(true, ordering: .acquiringAndReleasing) { try? thread.mailbox.post(()) }
    }

    /// Pages in the log when it was last looked at.
    var loggedPages: Int { state.loggedPages.load(ordering: .relaxed) }

    /// Ends the thread and closes its connection. Blocks the caller.
    func stop() {
        state.stop()
        thread.stop()
        state.close()
    }

    /// How long the writes of one burst are left to gather.
    private static let interval: Int32 = 200
    /// Pages after which the log is long: 32 MiB.
    private static let longLog = 8192

    private final class State: @unchecked Sendable {
        // Sendable: `connection` belongs to the thread until it has ended, then to whoever closes.
        private var connection: SQLiteConnection?
        private let stopping = latchkey_event()
        let isAwake = Atomic(false)
        let isLogLong = Atomic(false)
        let loggedPages = Atomic(0)

        init(_ connection: consuming SQLiteConnection) {
            self.connection = consume connection
        }

        deinit {
            if stopping >= 0 { CSQLite.close(stopping) }
        }

        func stop() {
            latchkey_signal(stopping)
        }

        func close() {
            connection = nil
        }

        func checkpointSoon() {
            _ = latchkey_wait(stopping, interval)
            isAwake.store(false, ordering: .releasing)
            // Busy means that another process does the same; what is left is copied after the next write.
            guard let copied = try? connection?.checkpoint() else { return }
            loggedPages.store(copied.logged, ordering: .relaxed)
            if copied.logged > longLog { isLogLong.store(true, ordering: .relaxed) }
        }
    }
}
