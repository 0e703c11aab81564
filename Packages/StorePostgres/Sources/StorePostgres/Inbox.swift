import CPostgres
import Threads

/// What other threads hand to the one that speaks with the database, and the descriptor that wakes it.
final class Inbox: Sendable {
    enum Message: Sendable {
        case run(any QueuedTransaction)
        case connected(PostgresConnection)
        case notConnected(ConnectFault)
    }

    /// Becomes readable when something has come while the thread slept.
    let descriptor: Int32
    private let capacity: Int
    private let state = Lock(State())

    private struct State: Sendable {
        var messages: [Message] = []
        var isAsleep = false
        var isClosed = false
    }

    /// - Returns: `nil` when the system has no descriptor left.
    init?(capacity: Int) {
        descriptor = latchkey_event()
        self.capacity = capacity
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { CPostgres.close(descriptor) }
    }

    /// Hands a transaction over.
    ///
    /// - Throws: when too many wait, or no more are taken.
    func post(_ transaction: any QueuedTransaction) throws(Refusal) {
        let (refusal, wakes) = state.withLock { state -> (Refusal?, Bool) in
            guard !state.isClosed else { return (.closed, false) }
            guard state.messages.count < capacity else { return (.full, false) }
            return (nil, Self.append(.run(transaction), &state))
        }
        if let refusal { throw refusal }
        if wakes { latchkey_signal(descriptor) }
    }

    /// Hands over what a connecting thread has done; always taken.
    func post(_ message: Message) {
        if state.withLock({ Self.append(message, &$0) }) { latchkey_signal(descriptor) }
    }

    /// Takes no new transaction from now on, and wakes the thread.
    func close() {
        state.withLock { $0.isClosed = true }
        latchkey_signal(descriptor)
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Takes everything there is, oldest first.
    func takeAll() -> [Message] {
        state.withLock { state in
            state.isAsleep = false
            var taken: [Message] = []
            swap(&taken, &state.messages)
            return taken
        }
    }

    /// Tells that the thread is about to sleep on ``descriptor``.
    ///
    /// - Returns: false when it must not, for something has come.
    func fallAsleep() -> Bool {
        state.withLock { state in
            state.isAsleep = state.messages.isEmpty
            return state.isAsleep
        }
    }

    private static func append(_ message: Message, _ state: inout State) -> Bool {
        state.messages.append(message)
        defer { state.isAsleep = false }
        return state.isAsleep
    }
}
