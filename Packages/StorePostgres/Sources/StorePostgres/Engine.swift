import CPostgres
import Identity
import StoreSQL
import Synchronization
import Threads

/// The thread that speaks with the database: it takes what waits, sends it over the connections that are free, and
/// answers. It waits for nothing but its descriptors, and never longer than somebody's deadline.
final class Engine: Sendable {
    private let inbox: Inbox
    private let thread: WorkerThread
    private let connector: Connector
    private let faultBox: Lock<StoreError?>
    /// What is known of its connections.
    let pool = PoolState()

    /// - Parameters:
    ///   - inbox: an open one, of this engine's own.
    ///   - first: a connection that is there already, and the host it leads to.
    ///   - string: where further ones lead to.
    ///   - options: the limits.
    /// - Throws: when the system has no thread left.
    init(
        _ inbox: Inbox,
        _ first: (connection: PostgresConnection, host: Int),
        _ string: ConnectionString,
        _ options: PostgresOptions
    ) throws(ThreadError) {
        let connector = try Connector(string, options, host: first.host, to: inbox)
        let faultBox = Lock<StoreError?>(nil)
        self.inbox = inbox
        self.connector = connector
        self.faultBox = faultBox
        inbox.post(.connected(first.connection))
        let pool = pool
        thread = try WorkerThread(name: "postgres") {
            Conversation(inbox: inbox, connector: connector, options: options, fault: faultBox, pool: pool).run()
        }
    }

    /// Runs `step` as a transaction.
    func run<Value: Sendable>(
        _ step: SQLStep<Value>,
        isWrite: Bool,
        poolWait: Duration,
        deadline: Duration
    ) async throws(StoreError) -> Value {
        try await Reply<Value, StoreError>.wait { reply in
            let transaction = Transaction(
                step,
                isWrite: isWrite,
                poolWait: poolWait,
                deadline: deadline,
                reply: reply
            )
            do throws(Refusal) {
                try inbox.post(transaction)
            } catch {
                reply.send(.failure(Self.refusal(error)))
            }
        }
    }

    /// Why writing failed, as long as no later write succeeded.
    var fault: StoreError? { faultBox.withLock { $0 } }

    /// Takes no new transaction, works off those that wait, and closes every connection. Blocks the caller.
    func stop() {
        inbox.close()
        thread.join()
        connector.stop()
    }

    private static func refusal(_ refusal: Refusal) -> StoreError {
        switch refusal {
        case .full: .busy(reason: "PostgreSQL: too many transactions are waiting")
        case .closed: .unavailable(reason: "PostgreSQL: the store was closed")
        }
    }
}

/// What the thread knows. Nothing else touches it.
private final class Conversation {
    private let inbox: Inbox
    private let connector: Connector
    private let options: PostgresOptions
    private let fault: Lock<StoreError?>
    private let pool: PoolState
    /// What begins a transaction that writes, where the session's own limits are not ours to set.
    private let limits: SQL?

    private var channels: [Channel] = []
    private var waiting = Waiting()
    /// Transactions that are tried again, when their time has come.
    private var delayed: [(at: ContinuousClock.Instant, transaction: any QueuedTransaction)] = []
    private var connecting = 0
    private var connectFailures = 0
    private var connectAgainAt: ContinuousClock.Instant
    private var lastConnectFault: ConnectFault?
    /// When connections that can only read give way to those that are tried for a writer.
    private var lookAgainAt: ContinuousClock.Instant

    init(
        inbox: Inbox,
        connector: Connector,
        options: PostgresOptions,
        fault: Lock<StoreError?>,
        pool: PoolState
    ) {
        self.pool = pool
        self.inbox = inbox
        self.connector = connector
        self.options = options
        self.fault = fault
        limits = options.prepares ? nil : SQL("SELECT \(SessionLimits(options).text(isLocal: true))")
        connectAgainAt = .now
        lookAgainAt = .now
    }

    /// Groups of writes under way at once: with more, each would be smaller, and each costs a commit.
    private static let commitGroups = 3
    /// Connections that are being made at once.
    private static let connectingLimit = Connector.threadCount
    /// How long a connection that can only read is good enough for whoever wants to write.
    private static let readingTime = Duration.milliseconds(500)
    /// How often a transaction begins again that was rolled back for another one's sake.
    private static let retries = 2

    func run() {
        while true {
            for message in inbox.takeAll() { take(message) }
            var now = ContinuousClock.now
            giveUpLate(now)
            resumeDelayed(now)
            dispatch(now)
            keepReady(now)
            pool.note(
                open: channels.count,
                busy: channels.count { $0.group != nil },
                waiting: waiting.count + delayed.count
            )
            if inbox.isClosed, isDone { return }
            let events = wait(now)
            now = .now
            for (channel, event) in events { serve(channel, event, now) }
        }
    }

    private var isDone: Bool {
        waiting.count == 0 && delayed.isEmpty && channels.allSatisfy { $0.group == nil }
    }

    private func take(_ message: Inbox.Message) {
        switch message {
        case .run(let transaction):
            waiting.append(transaction)
        case .connected(let connection):
            connecting = max(0, connecting - 1)
            connectFailures = 0
            lastConnectFault = nil
            channels.append(Channel(connection))
            if let reason = connection.readOnlyReason {
                note(Self.readOnly(reason))
                lookAgainAt = .now + Self.readingTime
            } else {
                // What a standby has may be old: it served only while there was nobody else.
                for channel in channels where channel.group == nil && isSuperseded(channel) { drop(channel) }
            }
        case .notConnected(let fault):
            connecting = max(0, connecting - 1)
            connectFailures += 1
            lastConnectFault = fault
            // 50 ms, 100, 200, then 400, each with up to half as much taken off, so that servers do not come in step.
            let longest = 50 << min(connectFailures - 1, 3)
            connectAgainAt = .now + .milliseconds(Int.random(in: longest / 2...longest))
        }
    }

    // MARK: Sending

    /// Gives the free connections what waits.
    private func dispatch(_ now: ContinuousClock.Instant) {
        while waiting.count > 0 {
            let writing = channels.count { $0.group?.isWrite == true && ($0.group?.members.count ?? 0) > 0 }
            let kinds: [Waiting.Kind] = writing < Self.commitGroups ? [.reads, .commits, .alone] : [.reads, .alone]
            guard let kind = waiting.oldest(of: kinds) else { return }
            if kind != .reads, isRefused(kind, now) { continue }
            let free = channels.last { $0.group == nil && (kind == .reads || $0.connection.readOnlyReason == nil) }
            guard let channel = free else { return wantConnection(now) }
            let members = waiting.take(kind)
            for member in members where member.retries == 0 { pool.note(wait: now - member.queuedAt) }
            let group = Group(members, isWrite: kind != .reads)
            channel.group = group
            if group.sendRound(on: channel.connection, limits: limits) { flush(channel) } else { lose(channel, now) }
        }
    }

    /// Refuses whoever wants to write while no server takes writes. Now and then it is looked for one that does: then the
    /// connections that can only read give way, and who waits gets the answer of the new one.
    private func isRefused(_ kind: Waiting.Kind, _ now: ContinuousClock.Instant) -> Bool {
        guard !channels.isEmpty, channels.allSatisfy({ $0.connection.readOnlyReason != nil }),
            let reason = channels.last?.connection.readOnlyReason
        else { return false }
        if now >= lookAgainAt {
            for channel in channels where channel.group == nil { drop(channel) }
            return false
        }
        for member in waiting.take(kind) { member.fail(Self.readOnly(reason)) }
        return true
    }

    private static func readOnly(_ reason: String) -> StoreError { .readOnly(reason: "PostgreSQL: \(reason)") }

    private func wantConnection(_ now: ContinuousClock.Instant) {
        guard channels.count + connecting < options.connections, connecting < Self.connectingLimit,
            now >= connectAgainAt, connector.connect()
        else { return }
        connecting += 1
    }

    /// Whether there are fewer connections, made or being made, than are kept ready.
    private var lacksReadyOnes: Bool {
        !inbox.isClosed && channels.count + connecting < min(options.readyConnections, options.connections)
    }

    private func keepReady(_ now: ContinuousClock.Instant) {
        while lacksReadyOnes {
            let before = connecting
            wantConnection(now)
            guard connecting > before else { return }
        }
    }

    private func flush(_ channel: Channel) {
        // A loss shows when the socket is read.
        channel.hasUnsent = channel.connection.flush() ?? false
    }

    // MARK: Waiting

    /// Sleeps until a descriptor is ready or a deadline has come.
    private func wait(_ now: ContinuousClock.Instant) -> [(Channel, Int16)] {
        var pollers = [pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0)]
        for channel in channels {
            let events = channel.hasUnsent ? Int16(POLLIN | POLLOUT) : Int16(POLLIN)
            pollers.append(pollfd(fd: channel.connection.descriptor, events: events, revents: 0))
        }
        let timeout = inbox.fallAsleep() ? nextDeadline(now).map { max(0, ($0 - now).milliseconds) } ?? -1 : 0
        guard unsafe latchkey_poll(&pollers, UInt(pollers.count), timeout) > 0 else { return [] }
        if pollers[0].revents != 0 { latchkey_clear(inbox.descriptor) }
        return zip(channels, pollers.dropFirst()).compactMap { $1.revents == 0 ? nil : ($0, $1.revents) }
    }

    private func nextDeadline(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        var all = channels.compactMap { $0.group?.end } + delayed.map(\.at)
        if let next = waiting.nextEnd { all.append(next) }
        // Before that, it is of no use to ask for a connection; after it, that was done.
        if waiting.count > 0 || lacksReadyOnes, connectAgainAt > now { all.append(connectAgainAt) }
        return all.min()
    }

    private func giveUpLate(_ now: ContinuousClock.Instant) {
        for late in waiting.takeLate(now) {
            if let fault = lastConnectFault, fault.isReadOnly, channels.isEmpty {
                late.fail(Self.readOnly(fault.reason))
            } else if let fault = lastConnectFault, channels.isEmpty {
                late.fail(.unavailable(reason: "PostgreSQL: there is no connection: \(fault.reason)"))
            } else {
                late.fail(.busy(reason: "PostgreSQL: no connection was free within \(options.poolWait)"))
            }
        }
        for channel in channels where channel.group.map({ $0.end <= now }) ?? false { lose(channel, now) }
    }

    private func resumeDelayed(_ now: ContinuousClock.Instant) {
        guard !delayed.isEmpty else { return }
        for due in delayed where due.at <= now { requeue(due.transaction, now) }
        delayed.removeAll { $0.at <= now }
    }

    private func requeue(_ transaction: any QueuedTransaction, _ now: ContinuousClock.Instant, alone: Bool = false) {
        transaction.restart()
        transaction.poolEnd = min(transaction.end, now + options.poolWait)
        waiting.prepend(transaction, alone: alone)
    }

    // MARK: Receiving

    private func serve(_ channel: Channel, _ events: Int16, _ now: ContinuousClock.Instant) {
        guard let group = channel.group else {
            // Nobody asked for anything: the server says goodbye.
            return drop(channel)
        }
        if channel.hasUnsent, events & Int16(POLLOUT) != 0 { flush(channel) }
        let isThere = events & ~Int16(POLLOUT) == 0 || channel.connection.receive()
        while channel.group === group, let event = channel.connection.next() {
            if group.take(event) { endRound(group, on: channel, now) }
        }
        if !isThere || channel.connection.isBroken { lose(channel, now) }
    }

    private func endRound(_ group: Group, on channel: Channel, _ now: ContinuousClock.Instant) {
        if group.isEnding { return free(channel) }
        if let (fault, slot) = group.fault {
            if fault.spoilsConnection {
                note(fault.error(.other))
                return lose(channel, now)
            }
            retryOrAnswer(group, fault, slot, now)
            return end(group, on: channel, now)
        }
        if group.isWrite, group.isCommitted {
            note(nil)
            return free(channel)
        }
        guard group.decide() else { return end(group, on: channel, now) }
        if group.sendRound(on: channel.connection, limits: limits) { flush(channel) } else { lose(channel, now) }
    }

    /// Ends the transaction in the database, if one is open, and frees the connection.
    private func end(_ group: Group, on channel: Channel, _ now: ContinuousClock.Instant) {
        guard group.isOpen else { return free(channel) }
        if group.sendEnd(on: channel.connection) { flush(channel) } else { lose(channel, now) }
    }

    private func free(_ channel: Channel) {
        channel.group = nil
        if isSuperseded(channel) { drop(channel) }
    }

    /// Whether it can only read, and another takes writes.
    private func isSuperseded(_ channel: Channel) -> Bool {
        channel.connection.readOnlyReason != nil && channels.contains { $0.connection.readOnlyReason == nil }
    }

    /// The members of a failed group are tried one by one; one by itself is tried again when the fault may pass.
    private func retryOrAnswer(
        _ group: Group,
        _ fault: PostgresFault,
        _ slot: Group.Slot,
        _ now: ContinuousClock.Instant
    ) {
        let members = group.members.filter { !$0.isAnswered }
        guard group.members.count == 1, let member = members.first else {
            for member in members.reversed() { requeue(member, now, alone: true) }
            return
        }
        let pause = Duration.milliseconds(Int.random(in: 5...25))
        guard fault.isPassing, member.retries < Self.retries, now + pause < member.end else {
            group.answerFault(fault, slot)
            return note(fault.error(.other))
        }
        member.retries += 1
        delayed.append((now + pause, member))
    }

    // MARK: Losing

    /// Drops a connection, and answers or tries again what was under way on it.
    private func lose(_ channel: Channel, _ now: ContinuousClock.Instant) {
        guard let group = channel.group else { return drop(channel) }
        let isUndone = group.isSurelyUndone
        let reason = lossReason(group, channel, now)
        for member in group.members.reversed() where !member.isAnswered {
            if !isUndone {
                member.fail(.unknownOutcome(reason: reason))
            } else if member.retries == 0, now < member.end {
                member.retries += 1
                requeue(member, now)
            } else {
                member.fail(group.fault?.fault.error(.other) ?? .unavailable(reason: reason))
            }
        }
        drop(channel)
    }

    private func lossReason(_ group: Group, _ channel: Channel, _ now: ContinuousClock.Instant) -> String {
        if let fault = group.fault?.fault { return fault.reason }
        if channel.connection.isBroken { return channel.connection.brokenReason }
        return "PostgreSQL: no answer within \(options.deadline)"
    }

    private func drop(_ channel: Channel) {
        channel.group = nil
        channels.removeAll { $0 === channel }
    }

    /// Remembers a failure of writing that will not pass by itself.
    private func note(_ failure: StoreError?) {
        switch failure {
        case .full, .readOnly, .io, .corrupt: fault.withLock { $0 = failure }
        case nil: fault.withLock { $0 = nil }
        default: break
        }
    }
}
