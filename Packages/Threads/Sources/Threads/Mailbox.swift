/// Why a mailbox or a pool did not take a message.
public enum Refusal: Error, Hashable, Sendable {
    /// As many as it may hold are waiting.
    case full
    /// It was closed, and takes nothing any more.
    case closed
}

/// The one answer to one message. Send it exactly once: a second time is undefined, and never is a task that hangs.
@safe public struct Reply<Value: Sendable, Failure: Error>: Sendable {
    private let continuation: UnsafeContinuation<Result<Value, Failure>, Never>

    fileprivate init(_ continuation: UnsafeContinuation<Result<Value, Failure>, Never>) {
        unsafe self.continuation = unsafe continuation
    }

    /// Resumes the task that asked, on its own executor.
    public func send(_ result: Result<Value, Failure>) {
        unsafe continuation.resume(returning: result)
    }

    /// Gives `ask` a reply to pass on, and waits for it without holding a thread.
    ///
    /// For a thread that waits on descriptors and has a queue of its own; one that waits on a ``Mailbox`` is asked by
    /// it.
    ///
    /// - Parameter ask: passes the reply on. Whoever gets it sends it exactly once.
    /// - Returns: what the reply brings.
    /// - Throws: the error that the reply brings.
    public static func wait(_ ask: (Reply<Value, Failure>) -> Void) async throws(Failure) -> Value {
        // All of it happens inside the closure: before it, the task may have been moved to its executor.
        let result: Result<Value, Failure> = unsafe await withUnsafeContinuation { continuation in
            ask(unsafe Reply(continuation))
        }
        return try result.get()
    }
}

/// Messages from any thread or task, in order, to a thread that waits for them.
///
/// The consumer takes all that waits in one go (`waitForAll`), works, and may take what came meanwhile (`takeWaiting`)
/// before it answers: that is what a group commit needs. A message that wants an answer carries a ``Reply`` (`ask`).
public final class Mailbox<Message: Sendable>: @unchecked Sendable {
    // Sendable: everything below `monitor` is read and written with it locked.
    private let monitor = Monitor()
    private let capacity: Int
    private var arrived: [Message] = []
    private var next: [Message] = []  // Older than `arrived`, newest first.
    private var waiting = 0
    private var closed = false

    /// Makes an open mailbox that holds at most `capacity` messages which nobody has taken yet.
    public init(capacity: Int = .max) {
        self.capacity = capacity
    }

    /// Puts a message in.
    ///
    /// - Throws: when the mailbox is full or closed; the message is then not kept.
    public func post(_ message: Message) throws(Refusal) {
        monitor.lock()
        guard !closed, arrived.count + next.count < capacity else {
            let refusal: Refusal = closed ? .closed : .full
            monitor.unlock()
            throw refusal
        }
        arrived.append(message)
        let wake = waiting > 0
        monitor.unlock()
        if wake { monitor.signal() }
    }

    /// Posts the message that `message` makes around a reply, and waits for that reply without holding a thread.
    ///
    /// - Parameters:
    ///   - refused: turns "full" and "closed" into the caller's error.
    ///   - message: makes the message. Whoever takes it sends the reply exactly once.
    /// - Returns: what the reply brings.
    /// - Throws: the error that the reply brings, or `refused`.
    public func ask<Value: Sendable, Failure: Error>(
        refused: (Refusal) -> Failure,
        _ message: (Reply<Value, Failure>) -> Message
    ) async throws(Failure) -> Value {
        // All of it happens inside the closure: before it, the task may have been moved to its executor.
        let result: Result<Value, Failure> = unsafe await withUnsafeContinuation { continuation in
            let reply = unsafe Reply(continuation)
            do throws(Refusal) {
                try post(message(reply))
            } catch {
                reply.send(.failure(refused(error)))
            }
        }
        return try result.get()
    }

    /// Takes every message there is, oldest first, and sleeps until there is one.
    ///
    /// - Returns: at least one message; none when the mailbox is closed and empty.
    public func waitForAll() -> [Message] {
        monitor.lock()
        defer { monitor.unlock() }
        sleepUntilMessage()
        return takeAll()
    }

    /// Takes the oldest message, and sleeps until there is one. Several threads may call it.
    ///
    /// - Returns: `nil` when the mailbox is closed and empty.
    public func waitForOne() -> Message? {
        monitor.lock()
        defer { monitor.unlock() }
        sleepUntilMessage()
        return takeOne()
    }

    /// Takes what is there, at most `limit` messages, oldest first, without sleeping.
    public func takeWaiting(atMost limit: Int = .max) -> [Message] {
        monitor.lock()
        defer { monitor.unlock() }
        if arrived.count + next.count <= limit { return takeAll() }
        var taken: [Message] = []
        while taken.count < limit, let message = takeOne() { taken.append(message) }
        return taken
    }

    /// Takes no new message from now on. What is in it can still be taken, and sleepers wake.
    public func close() {
        monitor.lock()
        closed = true
        monitor.unlock()
        monitor.broadcast()
    }

    /// Whether ``close()`` was called.
    public var isClosed: Bool {
        monitor.lock()
        defer { monitor.unlock() }
        return closed
    }

    /// How many messages nobody has taken yet.
    public var count: Int {
        monitor.lock()
        defer { monitor.unlock() }
        return arrived.count + next.count
    }

    private func sleepUntilMessage() {
        while arrived.isEmpty, next.isEmpty, !closed {
            waiting += 1
            monitor.wait()
            waiting -= 1
        }
    }

    private func takeAll() -> [Message] {
        var taken: [Message] = []
        if next.isEmpty {
            swap(&taken, &arrived)
            return taken
        }
        taken = next.reversed() + arrived
        next.removeAll()
        arrived.removeAll()
        return taken
    }

    private func takeOne() -> Message? {
        if next.isEmpty {
            next = arrived.reversed()
            arrived.removeAll(keepingCapacity: true)
        }
        return next.popLast()
    }
}
