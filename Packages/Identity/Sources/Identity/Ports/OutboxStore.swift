/// Keeps mails from the moment they are written until they are sent or given up.
public protocol OutboxStore: Sendable {
    /// Writes mails and the events that tell why, in one transaction: all of it, or nothing.
    func enqueue(_ mails: [OutboxMail], events: [AuditEvent]) async throws(StoreError)
    /// Takes the mail that has been due longest, atomically: nobody else gets it until `end`. Whoever dies with it leaves
    /// it to the next one then.
    ///
    /// - Returns: `nil` when none is due.
    func leaseMail(_ lease: MailLease, now: UnixTime, until end: UnixTime) async throws(StoreError) -> QueuedMail?
    /// Moves the end of a lease.
    ///
    /// - Returns: false when it is another's by now.
    func extend(_ lease: MailLease, of mail: OutboxMail, until end: UnixTime) async throws(StoreError) -> Bool
    /// Removes a mail that was sent, whoever has its lease. Removing one twice is no error.
    func removeSent(_ mail: OutboxMail) async throws(StoreError)
    /// Gives a mail back after a try in vain: it is due again at `time`, or given up when that is `nil`.
    ///
    /// - Returns: false when the lease is another's by now; then nothing was changed.
    func giveBack(
        _ mail: OutboxMail,
        _ lease: MailLease,
        dueAt time: UnixTime?,
        failure: String,
        now: UnixTime
    ) async throws(StoreError) -> Bool
}

/// Lets an operator look at the outbox.
public protocol OutboxAdministration: Sendable {
    func mailCount() async throws(StoreError) -> MailCount
    /// Mails of one tenant or of all, oldest first: those that wait, or those that were given up.
    func mails(dead: Bool, of tenant: TenantID?, limit: Int) async throws(StoreError) -> [QueuedMail]
    /// Makes a mail that was given up due at `now`, with its tries forgotten.
    ///
    /// - Returns: false when there is no such mail among those that were given up.
    func revive(_ mail: OutboxMail, now: UnixTime) async throws(StoreError) -> Bool
}
