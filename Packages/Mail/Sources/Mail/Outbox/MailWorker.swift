public import Identity

/// Sends what lies in the outbox, one mail at a time. Any number of servers may run one each.
///
/// Each mail is sent at least once: it is removed after the relay has taken it, and a worker that dies in between leaves it
/// to be sent again, with the same Message-ID.
public struct MailWorker: Sendable {
    private let store: any OutboxStore
    private let mailroom: Mailroom
    private let templates: MailTemplates
    private let sender: any MailSender
    private let schedule: RetrySchedule
    /// How often a worker says that it still has its mail.
    private let renewal: Duration
    private let clock: @Sendable () -> UnixTime
    private let random: RandomSource

    /// Seconds for which a mail is one worker's, from the last time that it said so.
    public static let leaseLife: Int64 = 20

    public init(
        store: any OutboxStore,
        mailroom: Mailroom,
        templates: MailTemplates,
        sender: any MailSender,
        schedule: RetrySchedule = RetrySchedule(),
        renewal: Duration = .seconds(5),
        clock: @escaping @Sendable () -> UnixTime,
        random: @escaping RandomSource
    ) {
        self.store = store
        self.mailroom = mailroom
        self.templates = templates
        self.sender = sender
        self.schedule = schedule
        self.renewal = renewal
        self.clock = clock
        self.random = random
    }

    /// What one step did.
    public enum Step: Hashable, Sendable {
        /// Nothing is due.
        case idle
        case sent(MailID, reply: String)
        /// It is tried again; `isRelayAway` when it is not about this mail, and the next will fare no better.
        case postponed(MailID, reason: String, isRelayAway: Bool)
        /// It is given up.
        case gaveUp(MailID, reason: String)
    }

    /// Sends the mail that has been due longest, if there is one.
    ///
    /// - Throws: what the store throws. A mail that was sent and could not be removed is sent again.
    public func step() async throws(StoreError) -> Step {
        let now = clock()
        let lease = MailLease(random: random(16))
        guard let queued = try await store.leaseMail(lease, now: now, until: now.adding(seconds: Self.leaseLife)) else {
            return .idle
        }
        let mail = queued.mail
        let finished: FinishedMail
        do throws(MailFault) {
            finished = try mailroom.finish(mail, templates)
        } catch {
            return try await giveUp(mail, lease, reason: error.description)
        }
        switch await send(finished, mail, lease) {
        case .success(let reply):
            try await removeSent(mail)
            return .sent(mail.id, reply: reply)
        case .failure(.permanent(let reason)):
            return try await giveUp(mail, lease, reason: reason)
        case .failure(let error):
            let now = clock()
            let next = schedule.next(
                after: queued.tries + 1,
                createdAt: mail.createdAt,
                now: now,
                chance: random(1).first ?? 0
            )
            guard let next else { return try await giveUp(mail, lease, reason: error.description) }
            _ = try await store.giveBack(mail, lease, dueAt: next, failure: error.description, now: now)
            let isAway = if case .unavailable = error { true } else { false }
            return .postponed(mail.id, reason: error.description, isRelayAway: isAway)
        }
    }

    /// Hands a mail over, and keeps the lease meanwhile. That a server is stopped cancels neither: a mail whose lease
    /// ended while the relay still has it would be sent by another.
    private func send(
        _ finished: FinishedMail,
        _ mail: OutboxMail,
        _ lease: MailLease
    ) async -> Result<String, MailSendingError> {
        await Task { await sendHolding(finished, mail, lease) }.value
    }

    private func sendHolding(
        _ finished: FinishedMail,
        _ mail: OutboxMail,
        _ lease: MailLease
    ) async -> Result<String, MailSendingError> {
        await withTaskGroup(of: Result<String, MailSendingError>?.self) { group in
            group.addTask {
                do throws(MailSendingError) {
                    return .success(try await sender.send(finished))
                } catch { return .failure(error) }
            }
            group.addTask {
                while (try? await Task.sleep(for: renewal)) != nil {
                    _ = try? await store.extend(lease, of: mail, until: clock().adding(seconds: Self.leaseLife))
                }
                return nil
            }
            for await result in group {
                guard let result else { continue }
                group.cancelAll()
                return result
            }
            return .failure(.unavailable(reason: "it was not tried"))
        }
    }

    /// Whatever the store cannot remember now is sent once more, so it is asked several times.
    private func removeSent(_ mail: OutboxMail) async throws(StoreError) {
        for _ in 0..<4 {
            if (try? await store.removeSent(mail)) != nil { return }
            try? await Task.sleep(for: .seconds(1))
        }
        try await store.removeSent(mail)
    }

    private func giveUp(_ mail: OutboxMail, _ lease: MailLease, reason: String) async throws(StoreError) -> Step {
        _ = try await store.giveBack(mail, lease, dueAt: nil, failure: reason, now: clock())
        return .gaveUp(mail.id, reason: reason)
    }
}
