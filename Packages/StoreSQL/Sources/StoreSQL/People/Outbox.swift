public import Identity

extension SQLStore {
    public func enqueue(_ mails: [OutboxMail], events: [AuditEvent]) async throws(StoreError) {
        let statements = mails.map(Self.insert) + events.map(Self.insert)
        guard !statements.isEmpty else { return }
        try await database.write(.commit(statements, ()))
    }

    /// A mail, for the transaction of what causes it.
    static func insert(_ mail: OutboxMail) -> SQLStatement {
        SQLStatement(
            insertMail,
            [
                .tenant(mail.tenant), .id(mail.id.id), .text(mail.kind.rawValue), .text(mail.messageID),
                .bytes(mail.sealed), .time(mail.createdAt), .time(mail.createdAt),
            ]
        )
    }

    static func delete(_ mail: OutboxMail) -> SQLStatement { SQLStatement(deleteMail, key(mail)) }

    public func leaseMail(
        _ lease: MailLease,
        now: UnixTime,
        until end: UnixTime
    ) async throws(StoreError) -> QueuedMail? {
        // Several, for others may take the first ones meanwhile. An outbox with nothing due is only read.
        let due = try await queued(Self.selectDue, [.time(now), .integer(8)])
        for queued in due {
            guard let dueAt = queued.dueAt else { continue }
            let update = SQLStatement(
                Self.takeMail,
                [.time(end), .bytes(lease.bytes)] + Self.key(queued.mail) + [.time(dueAt)]
            )
            if try await database.write(.commitIfChanged(update, [], true, otherwise: false)) {
                return QueuedMail(
                    mail: queued.mail,
                    tries: queued.tries,
                    dueAt: end,
                    failure: queued.failure,
                    diedAt: nil
                )
            }
        }
        return nil
    }

    public func extend(
        _ lease: MailLease,
        of mail: OutboxMail,
        until end: UnixTime
    ) async throws(StoreError) -> Bool {
        let update = SQLStatement(Self.extendLease, [.time(end)] + Self.key(mail) + [.bytes(lease.bytes)])
        return try await database.write(.commitIfChanged(update, [], true, otherwise: false))
    }

    public func removeSent(_ mail: OutboxMail) async throws(StoreError) {
        try await database.write(.commit([Self.delete(mail)], ()))
    }

    public func giveBack(
        _ mail: OutboxMail,
        _ lease: MailLease,
        dueAt time: UnixTime?,
        failure: String,
        now: UnixTime
    ) async throws(StoreError) -> Bool {
        let update = SQLStatement(
            Self.giveBackMail,
            [.time(time), .text(failure), .time(time == nil ? now : nil)] + Self.key(mail) + [.bytes(lease.bytes)]
        )
        return try await database.write(.commitIfChanged(update, [], true, otherwise: false))
    }

    public func mailCount() async throws(StoreError) -> MailCount {
        try await database.read(
            .query(
                SQLStatement(Self.countWaiting, []),
                SQLStatement(Self.countDead, [])
            ) { (results) throws(StoreError) in
                MailCount(
                    waiting: try results[0].first { (row) throws(StoreError) in try row.integer() } ?? 0,
                    dead: try results[1].first { (row) throws(StoreError) in try row.integer() } ?? 0
                )
            }
        )
    }

    public func mails(dead: Bool, of tenant: TenantID?, limit: Int) async throws(StoreError) -> [QueuedMail] {
        let count = SQLValue.integer(Int64(max(0, limit)))
        guard let tenant else { return try await queued(dead ? Self.selectDead : Self.selectWaiting, [count]) }
        let select = dead ? Self.selectDeadOfTenant : Self.selectWaitingOfTenant
        return try await queued(select, [.tenant(tenant), count])
    }

    public func revive(_ mail: OutboxMail, now: UnixTime) async throws(StoreError) -> Bool {
        let update = SQLStatement(Self.reviveMail, [.time(now)] + Self.key(mail))
        return try await database.write(.commitIfChanged(update, [], true, otherwise: false))
    }

    private static func key(_ mail: OutboxMail) -> [SQLValue] { [.tenant(mail.tenant), .id(mail.id.id)] }

    private func queued(_ select: SQL, _ values: [SQLValue]) async throws(StoreError) -> [QueuedMail] {
        try await database.read(
            .query(SQLStatement(select, values)) { (results) throws(StoreError) in
                try results.first.map { (row) throws(StoreError) in
                    let mail = OutboxMail(
                        id: MailID(try row.id()),
                        tenant: try row.tenant(),
                        kind: try row.word(),
                        messageID: try row.text(),
                        sealed: try row.bytes(),
                        createdAt: try row.time()
                    )
                    return QueuedMail(
                        mail: mail,
                        tries: Int(clamping: try row.integer()),
                        dueAt: try row.timeIfAny(),
                        failure: try row.textIfAny(),
                        diedAt: try row.timeIfAny()
                    )
                }
            }
        )
    }

    private static let insertMail = SQL(
        """
        INSERT INTO outbox (tenant_id, id, kind, message_id, sealed, created_at, tries, due_at)
        VALUES (?, ?, ?, ?, ?, ?, 0, ?)
        """
    )
    private static let columns = """
        SELECT id, tenant_id, kind, message_id, sealed, created_at, tries, due_at, failure, died_at FROM outbox
        """
    /// A mail of a kind that only a newer version writes is left to it.
    private static let isKnown =
        "kind IN (\(MailKind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")))"
    private static let selectDue = SQL("\(columns) WHERE due_at <= ? AND \(isKnown) ORDER BY due_at, id LIMIT ?")
    private static let selectWaiting = SQL(
        "\(columns) WHERE due_at IS NOT NULL AND \(isKnown) ORDER BY id, tenant_id LIMIT ?"
    )
    private static let selectDead = SQL(
        "\(columns) WHERE died_at IS NOT NULL AND \(isKnown) ORDER BY id, tenant_id LIMIT ?"
    )
    private static let selectWaitingOfTenant = SQL(
        "\(columns) WHERE tenant_id = ? AND due_at IS NOT NULL AND \(isKnown) ORDER BY id LIMIT ?"
    )
    private static let selectDeadOfTenant = SQL(
        "\(columns) WHERE tenant_id = ? AND died_at IS NOT NULL AND \(isKnown) ORDER BY id LIMIT ?"
    )
    /// Held to the moment that was read: of several who read it, one changes it.
    private static let takeMail = SQL(
        "UPDATE outbox SET due_at = ?, lease = ? WHERE tenant_id = ? AND id = ? AND due_at = ?"
    )
    private static let extendLease = SQL(
        "UPDATE outbox SET due_at = ? WHERE tenant_id = ? AND id = ? AND lease = ? AND due_at IS NOT NULL"
    )
    private static let deleteMail = SQL("DELETE FROM outbox WHERE tenant_id = ? AND id = ?")
    private static let giveBackMail = SQL(
        """
        UPDATE outbox SET tries = tries + 1, lease = NULL, due_at = ?, failure = ?, died_at = ?
        WHERE tenant_id = ? AND id = ? AND lease = ?
        """
    )
    private static let countWaiting = SQL("SELECT COUNT(*) FROM outbox WHERE due_at IS NOT NULL")
    private static let countDead = SQL("SELECT COUNT(*) FROM outbox WHERE died_at IS NOT NULL")
    private static let reviveMail = SQL(
        """
        UPDATE outbox SET tries = 0, died_at = NULL, due_at = ?
        WHERE tenant_id = ? AND id = ? AND died_at IS NOT NULL
        """
    )
    static let findDeadMails = SQL("SELECT tenant_id, id FROM outbox WHERE died_at <= ? LIMIT ?")
    static let deleteDeadMail = SQL("DELETE FROM outbox WHERE tenant_id = ? AND id = ? AND died_at <= ?")
    static let deleteAllMails = SQL("DELETE FROM outbox")
}
