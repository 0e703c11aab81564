import Identity
import Threads

/// What the thread does: takes all that waits, sends it at once, answers each as its reply comes.
final class RedisWorker: @unchecked Sendable {
    // Sendable: everything that changes belongs to the one thread that runs `work`.
    private let location: RedisLocation
    private let context: RedisTLSContext?
    private let addresses: RedisAddresses
    private let report: @Sendable (String) -> Void
    private var connection: RedisConnection?
    /// The names under which the connection's server has the scripts.
    private var scripts: [RedisScript: [UInt8]] = [:]
    private var reported: Set<String> = []
    /// After a failure nobody connects before this.
    private var nextAttempt = ContinuousClock.now
    private var lastFailure = "it has not been reached yet"
    private var attemptsFailed = 0
    private var wasReached = false

    /// Commands that go out at once.
    private static let groupLimit = 256

    init(_ location: RedisLocation, _ context: RedisTLSContext?, report: @escaping @Sendable (String) -> Void) {
        self.location = location
        self.context = context
        self.report = report
        addresses = RedisAddresses(location.endpoint)
    }

    func work(_ mailbox: Mailbox<Request>) {
        while let first = mailbox.waitForOne() {
            serve([first] + mailbox.takeWaiting(atMost: Self.groupLimit - 1))
        }
        connection = nil
    }

    private func serve(_ taken: [Request]) {
        let now = ContinuousClock.now
        var group: [Request] = []
        for request in taken {
            if request.deadline > now {
                group.append(request)
            } else {
                refuse(request, "a command waited too long for its turn")
            }
        }
        guard let deadline = group.map(\.deadline).min() else { return }
        let connection: RedisConnection
        do throws(RedisFault) {
            connection = try connected(until: deadline)
        } catch {
            for request in group { refuse(request, error.reason) }
            return
        }
        let forgotten = exchange(group.map { ($0, command($0.what)) }, on: connection, until: deadline)
        guard !forgotten.isEmpty else { return }
        // The server has forgotten the scripts, and has surely run none of these: with their text it learns them again.
        _ = exchange(
            forgotten.map { ($0, command($0.what, byName: false)) },
            on: connection,
            until: deadline
        )
    }

    /// Sends commands, and answers their requests.
    ///
    /// - Returns: those that were not answered, for the server does not know their scripts.
    private func exchange(
        _ group: [(request: Request, command: RedisCommand)],
        on connection: RedisConnection,
        until deadline: ContinuousClock.Instant
    ) -> [Request] {
        var forgotten: [Request] = []
        var answered = 0
        let failure = connection.exchange(group.map(\.command), until: deadline) { index, reply in
            if case .error(let text) = reply, text.hasPrefix("NOSCRIPT") {
                forgotten.append(group[index].request)
            } else {
                group[index].request.reply.send(.success(reply))
            }
            answered = index + 1
        }
        guard let failure else { return forgotten }
        self.connection = nil
        for (index, (request, _)) in group.enumerated().dropFirst(answered) {
            if index >= group.count - failure.unsent {
                refuse(request, failure.reason)
            } else {
                request.reply.send(.failure(.unknownOutcome(reason: "\(location): \(failure.reason)")))
            }
        }
        for request in forgotten { refuse(request, failure.reason) }
        return []
    }

    private func refuse(_ request: Request, _ reason: String) {
        request.reply.send(.failure(.unavailable(reason: "\(location): \(reason)")))
    }

    /// A script is sent by the name that the server knows it by, or whole.
    private func command(_ what: Request.What, byName: Bool = true) -> RedisCommand {
        switch what {
        case .command(let command):
            return command
        case .script(let script, let words, let keyCount):
            let beginning =
                byName
                ? [Array("EVALSHA".utf8), scripts[script] ?? []] : [Array("EVAL".utf8), Array(script.text.utf8)]
            return RedisCommand(beginning + [Array("\(keyCount)".utf8)] + words)
        }
    }

    /// The connection, opened anew when there is none or when the server hung up while nothing was under way.
    private func connected(until deadline: ContinuousClock.Instant) throws(RedisFault) -> RedisConnection {
        if let connection, !connection.isStale { return connection }
        connection = nil
        guard ContinuousClock.now >= nextAttempt else { throw .notSent(lastFailure) }
        do throws(RedisFault) {
            let places = try places(until: deadline)
            let opened = try RedisConnection(RedisSocket(places, location, context, until: deadline))
            try greet(opened, until: deadline)
            connection = opened
            attemptsFailed = 0
            wasReached = true
            return opened
        } catch {
            attemptsFailed = min(attemptsFailed + 1, 5)
            lastFailure = error.reason
            nextAttempt = ContinuousClock.now + .milliseconds(Int.random(in: 5...10) << attemptsFailed)
            tell(error)
            addresses.lookUp()
            throw error
        }
    }

    /// Says once each why the server was not reached at the start, or at any time why it does not want us: that does not
    /// pass by itself, and what should be known of the server could not be asked.
    private func tell(_ fault: RedisFault) {
        let warning: String
        switch fault {
        case .refused(let reason):
            warning =
                "\(location) refuses us: \(reason). Look at user, password and database in the setting challenges, and at "
                + "the server's access list. Sign-ins with passkeys are refused, and whether it keeps snapshots is not known"
        case .notSent(let reason) where !wasReached, .lost(let reason) where !wasReached:
            warning =
                "\(location) cannot be used yet: \(reason). Sign-ins with passkeys are refused until it can, and whether it "
                + "keeps snapshots is not known"
        case .notSent, .lost:
            return
        case .notFound:
            // It is still being looked up.
            return
        }
        if reported.insert(warning).inserted { report(warning) }
    }

    /// Where the server is. A look-up that is under way is waited for, within the deadline.
    private func places(until deadline: ContinuousClock.Instant) throws(RedisFault) -> [RedisAddresses.Place] {
        while true {
            switch addresses.current {
            case .places(let places): return places
            case .failure(let reason): throw .notSent(reason)
            case .pending:
                guard ContinuousClock.now + .milliseconds(5) < deadline else {
                    throw .notFound
                }
                Pause.sleep(milliseconds: 2)
            }
        }
    }

    /// Says who we are, brings the scripts, and asks for what the operator should know.
    private func greet(_ connection: RedisConnection, until deadline: ContinuousClock.Instant) throws(RedisFault) {
        var commands: [RedisCommand] = []
        if let password = location.password {
            commands.append(
                location.user.map { RedisCommand("AUTH", $0, password) } ?? RedisCommand("AUTH", password)
            )
        }
        if location.database != 0 { commands.append(RedisCommand("SELECT", "\(location.database)")) }
        let firstScript = commands.count
        commands += RedisScript.allCases.map { RedisCommand("SCRIPT", "LOAD", $0.text) }
        let firstQuestion = commands.count
        commands += RedisKeeping.questions
        var replies: [RedisReply] = []
        if let failure = connection.exchange(commands, until: deadline, { replies.append($1) }) {
            throw .notSent(failure.reason)
        }
        for reply in replies[..<firstQuestion] {
            guard case .error(let text) = reply else { continue }
            // What passes by itself is no refusal.
            let isLasting = ["ERR", "NOAUTH", "WRONGPASS", "NOPERM"].contains(text.prefix { $0 != " " })
            throw isLasting ? .refused(text) : .notSent("it does not take us yet: \(text)")
        }
        for (script, reply) in zip(RedisScript.allCases, replies[firstScript...]) {
            guard case .text(let name) = reply else { throw .notSent("it does not keep our scripts") }
            scripts[script] = name
        }
        for warning in RedisKeeping.warnings(Array(replies[firstQuestion...]), location)
        where reported.insert(warning).inserted {
            report(warning)
        }
    }
}
