public import Identity
import Threads

/// A Redis server as this process uses it: one connection, on a thread of its own. All commands that wait go out
/// together; their callers wait without holding a thread.
///
/// It connects by itself, again and again; until it has, and while the breaker is open, callers are refused at once.
public final class RedisServer: Sendable {
    private let thread: MailboxThread<Request>
    private let breaker: StoreBreaker
    private let asker: Asker

    private let deadline: Duration
    /// Commands that may wait.
    private static let capacity = 8192

    /// Begins to connect. With TLS, SIGPIPE is ignored in the whole process from now on.
    ///
    /// - Parameters:
    ///   - location: which server.
    ///   - deadline: what a caller waits for an answer at most. A probe waits twice as long.
    ///   - report: told, once each, what the operator should know of the server: that it keeps snapshots, that it
    ///     evicts, that it could not be used at the start, that it refuses us.
    /// - Throws: when its roots are not there or the system has no thread left.
    public init(
        _ location: RedisLocation,
        deadline: Duration = .milliseconds(200),
        report: @escaping @Sendable (String) -> Void
    ) throws(RedisOpenError) {
        self.deadline = deadline
        var context: RedisTLSContext?
        if location.isTLS {
            guard let made = RedisTLSContext(authorities: location.authorities) else {
                throw .noAuthorities(path: location.authorities)
            }
            context = made
        }
        let worker = RedisWorker(location, context, report: report)
        do throws(ThreadError) {
            thread = try MailboxThread(name: "redis", capacity: Self.capacity) { mailbox in worker.work(mailbox) }
        } catch {
            throw .noThread(code: error.code)
        }
        let asker = Asker(mailbox: thread.mailbox, name: location.description)
        self.asker = asker
        breaker = StoreBreaker(of: location.description) { () throws(StoreError) in
            try await asker.ping(within: deadline * 2)
        }
        // The first connection is there before the first request.
        Task { try? await asker.ping(within: deadline * 2) }
    }

    /// Whether it answers. It is asked also while the breaker is open.
    public func check() async throws(StoreError) {
        try await asker.ping(within: deadline * 2)
    }

    /// Whether it takes a value at `key`, which ends after a second. It is asked also while the breaker is open.
    func checkWriting(to key: [UInt8]) async throws(StoreError) {
        let set = RedisCommand([Array("SET".utf8), key] + ["1", "PX", "1000"].map { Array($0.utf8) })
        _ = try await asker.ask(.command(set), within: deadline * 2)
    }

    /// Whether callers are refused because it has not answered for a while.
    public var isGivenUp: Bool { breaker.isOpen }

    /// How it does, without asking it.
    public var vitals: StoreVitals { breaker.vitals }

    /// Answers what waits, and closes the connection. Blocks the caller.
    public func stop() {
        thread.stop()
    }

    /// Runs the script, and gives its reply unless that is an error.
    func run(_ script: RedisScript, keys: [[UInt8]], _ arguments: [[UInt8]]) async throws(StoreError) -> RedisReply {
        try await breaker.call { () throws(StoreError) in
            try await asker.ask(
                .script(script, keys + arguments, keyCount: keys.count),
                within: StoreBudget.allowance(atMost: deadline)
            )
        }
    }

    /// Puts commands into the mailbox.
    private struct Asker: Sendable {
        let mailbox: Mailbox<Request>
        let name: String

        func ping(within allowance: Duration) async throws(StoreError) {
            _ = try await ask(.command(RedisCommand("PING")), within: allowance)
        }

        func ask(_ what: Request.What, within allowance: Duration) async throws(StoreError) -> RedisReply {
            let deadline = ContinuousClock.now + allowance
            let reply = try await mailbox.ask(refused: refusal) { (reply: Reply<RedisReply, StoreError>) in
                Request(what: what, deadline: deadline, reply: reply)
            }
            if case .error(let text) = reply { throw StoreError(redis: text) }
            return reply
        }

        private func refusal(_ refusal: Refusal) -> StoreError {
            switch refusal {
            case .full: .unavailable(reason: "\(name): \(capacity) commands are waiting")
            case .closed: .unavailable(reason: "\(name): it was closed")
            }
        }
    }
}

/// Why a Redis server cannot be used at all, in words for the operator.
public enum RedisOpenError: Error, Hashable, Sendable {
    /// The file of roots is not there or holds none; `nil`: the system's own.
    case noAuthorities(path: String?)
    case noThread(code: Int32)
}

extension RedisOpenError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noAuthorities(let path?): "\(path) holds no certificate in PEM that Redis's own could lead to."
        case .noAuthorities(nil):
            "The system has no root certificates. Install ca-certificates, or name a file: ?ca=FILE."
        case .noThread(let code): "The system has no thread left for Redis: error \(code)."
        }
    }
}

/// A command that somebody waits for.
struct Request: Sendable {
    enum What: Sendable {
        case command(RedisCommand)
        /// The script's keys, then its arguments.
        case script(RedisScript, [[UInt8]], keyCount: Int)
    }

    let what: What
    let deadline: ContinuousClock.Instant
    let reply: Reply<RedisReply, StoreError>
}
