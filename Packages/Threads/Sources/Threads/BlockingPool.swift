/// A fixed number of threads for calls that wait or compute for long: password hashing, RSA signing, name look-up.
///
/// Swift's own pool has as many threads as the machine has cores, and must never be made to wait.
public final class BlockingPool: Sendable {
    private let jobs: Mailbox<@Sendable () -> Void>
    private let threads: [WorkerThread]

    /// Starts the threads.
    ///
    /// - Parameters:
    ///   - name: the threads' name, to which a number is added.
    ///   - threadCount: how many calls run at once.
    ///   - queueLimit: how many more may wait for a thread; further ones are refused at once.
    ///   - stackSize: of each thread, in bytes.
    ///   - isBackground: whether the threads have the lowest priority: they get what others leave.
    /// - Throws: when the system has not so many threads left; those that had started have ended by then.
    public init(
        name: String,
        threadCount: Int,
        queueLimit: Int = 1_024,
        stackSize: Int = 2 << 20,
        isBackground: Bool = false
    ) throws(ThreadError) {
        let jobs = Mailbox<@Sendable () -> Void>(capacity: queueLimit)
        var threads: [WorkerThread] = []
        for number in 0..<max(1, threadCount) {
            do throws(ThreadError) {
                let thread = try WorkerThread(name: "\(name)-\(number)", stackSize: stackSize) {
                    if isBackground { WorkerThread.lowerPriority() }
                    while let job = jobs.waitForOne() { job() }
                }
                threads.append(thread)
            } catch {
                jobs.close()
                for thread in threads { thread.join() }
                throw error
            }
        }
        self.jobs = jobs
        self.threads = threads
    }

    deinit { jobs.close() }

    /// Runs `body` on one of the threads and comes back on the caller's executor.
    ///
    /// - Parameters:
    ///   - refused: turns "too many are waiting" and "stopped" into the caller's error.
    ///   - body: what may block.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws, or `refused`.
    public func run<Value: Sendable, Failure: Error>(
        refused: (Refusal) -> Failure,
        _ body: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await jobs.ask(refused: refused) { (reply: Reply<Value, Failure>) in
            { reply.send(Result { () throws(Failure) in try body() }) }
        }
    }

    /// The same for a body that throws nothing.
    ///
    /// - Parameters:
    ///   - refused: turns "too many are waiting" and "stopped" into the caller's error.
    ///   - body: what may block.
    /// - Returns: what `body` returns.
    /// - Throws: `refused`.
    public func run<Value: Sendable, Failure: Error>(
        refused: (Refusal) -> Failure,
        _ body: @escaping @Sendable () -> Value
    ) async throws(Failure) -> Value {
        try await jobs.ask(refused: refused) { (reply: Reply<Value, Failure>) in
            { reply.send(.success(body())) }
        }
    }

    /// How many calls wait for a thread.
    public var waitingCount: Int { jobs.count }

    /// Takes no new call, finishes those that wait, and ends the threads. Blocks the caller.
    public func stop() {
        jobs.close()
        for thread in threads { thread.join() }
    }
}
