/// A thread of its own with the mailbox that feeds it.
///
///     let writer = try MailboxThread(name: "sqlite-writer", capacity: 4_096) { mailbox in
///         while true {
///             let group = mailbox.waitForAll()
///             if group.isEmpty { return }
///             // begin, run the group, take what came meanwhile, commit, then send every reply
///         }
///     }
public final class MailboxThread<Message: Sendable>: Sendable {
    /// Where messages go in.
    public let mailbox: Mailbox<Message>
    private let thread: WorkerThread

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: the thread's name; the first 15 bytes count.
    ///   - capacity: how many messages may wait.
    ///   - stackSize: in bytes.
    ///   - consume: runs on the thread. It takes messages until the mailbox gives none, then returns; every reply in
    ///     what it took must be sent.
    /// - Throws: when the system has no thread left.
    public init(
        name: String,
        capacity: Int = .max,
        stackSize: Int = 2 << 20,
        consume: @escaping @Sendable (Mailbox<Message>) -> Void
    ) throws(ThreadError) {
        let mailbox = Mailbox<Message>(capacity: capacity)
        self.mailbox = mailbox
        thread = try WorkerThread(name: name, stackSize: stackSize) { consume(mailbox) }
    }

    deinit { mailbox.close() }

    /// Closes the mailbox and waits until the thread has worked off what is in it and ended.
    ///
    /// Blocks the caller; never call it on the thread itself.
    public func stop() {
        mailbox.close()
        thread.join()
    }
}
