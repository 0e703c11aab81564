public import Identity

extension SQLStore {
    public func signingKeys(after last: SigningKeyPlace?, limit: Int) async throws(StoreError) -> [SigningKeyRecord] {
        let select = SQLStatement(
            Self.selectKeysAfter,
            [
                .integer(last?.tenant.number ?? .min), .integer(last?.tenant.number ?? .min),
                .text(last?.key.text ?? ""), .integer(Int64(limit)),
            ]
        )
        return try await database.read(
            .query(select) { (results) throws(StoreError) in try results.first.map(Self.signingKey) }
        )
    }

    public func rotate(_ change: SigningKeyChange, audit: AuditEvent) async throws(StoreError) -> Bool {
        var statements: [SQLStatement] = []
        if let current = change.current {
            statements.append(
                SQLStatement(Self.retireFromActive, [.time(change.at), .tenant(change.tenant), .text(current.text)])
            )
        }
        statements.append(
            SQLStatement(Self.activate, [.time(change.at), .tenant(change.tenant), .text(change.next.text)])
        )
        let count = statements.count
        let rest = [Self.insert(change.new), Self.insert(audit), Self.raiseVersion]
        return try await database.write(
            SQLStep<Bool>.run(statements) { (results) throws(StoreError) in
                let isWhole = (0..<count).allSatisfy { results[$0].changes == 1 }
                return isWhole ? .commit(rest, true) : .rollBack(false)
            }
        )
    }

    public func revoke(
        _ key: KeyID,
        of tenant: TenantID,
        at now: UnixTime,
        audit: AuditEvent
    ) async throws(StoreError) -> Bool {
        try await database.write(
            .commitIfChanged(
                SQLStatement(Self.revokeKey, [.time(now), .tenant(tenant), .text(key.text)]),
                [Self.insert(audit), Self.raiseVersion],
                true,
                otherwise: false
            )
        )
    }

    public func retire(_ keys: [SigningKeyPlace]) async throws(StoreError) {
        guard !keys.isEmpty else { return }
        let retirements = keys.map { SQLStatement(Self.retire, [.tenant($0.tenant), .text($0.key.text)]) }
        try await database.write(.commit(retirements + [Self.raiseVersion], ()))
    }

    public func lengthen(_ key: SigningKeyPlace, tokenLifetime seconds: Int64) async throws(StoreError) {
        let lengthen = SQLStatement(
            Self.lengthen,
            [.integer(seconds), .tenant(key.tenant), .text(key.key.text), .integer(seconds)]
        )
        try await database.write(.commitIfChanged(lengthen, [Self.raiseVersion], (), otherwise: ()))
    }

    public func reseal(_ old: DeploymentSecret, as new: DeploymentSecret) async throws(StoreError) -> Bool {
        try await database.write(.commitIfChanged(Self.replace(old, with: new), [], true, otherwise: false))
    }

    public func sealedThings() async throws(StoreError) -> SealedThings {
        try await database.read(
            .query(SQLStatement(Self.countSealed, [])) { (results) throws(StoreError) in
                let counts = try results.first.first { (row) throws(StoreError) in
                    SealedThings(
                        signingKeys: Int(clamping: try row.integer()),
                        sessions: Int(clamping: try row.integer()),
                        refreshFamilies: Int(clamping: try row.integer())
                    )
                }
                return counts ?? SealedThings(signingKeys: 0, sessions: 0, refreshFamilies: 0)
            }
        )
    }

    public func replaceLost(
        _ old: DeploymentSecret,
        with new: DeploymentSecret,
        at now: UnixTime
    ) async throws(StoreError) -> Bool {
        let time = SQLValue.time(now)
        return try await database.write(
            .commitIfChanged(
                Self.replace(old, with: new),
                [
                    SQLStatement(Self.retirePublished, []), SQLStatement(Self.retireAllActive, [time]),
                    SQLStatement(Self.emptyPrivateKeys, []), SQLStatement(Self.endAllSessions, [time]),
                    SQLStatement(Self.revokeAllFamilies, [time]), Self.raiseVersion,
                ],
                true,
                otherwise: false
            )
        )
    }

    private static func replace(_ old: DeploymentSecret, with new: DeploymentSecret) -> SQLStatement {
        SQLStatement(
            replaceSecret,
            [
                .text(new.masterKeyID), .bytes(new.sealedDataKey), .bytes(new.masterKeyCheck), .time(new.createdAt),
                .text(old.masterKeyID), .bytes(old.sealedDataKey),
            ]
        )
    }

    private static let selectKeysAfter = SQL(
        """
        SELECT \(keyColumns) FROM signing_key
        WHERE (tenant_id > ? OR (tenant_id = ? AND id > ?)) AND state <> 'retired' ORDER BY tenant_id, id LIMIT ?
        """
    )
    private static let retireFromActive = SQL(
        """
        UPDATE signing_key SET state = 'retiring', retiring_at = ? WHERE tenant_id = ? AND id = ? AND state = 'active'
        """
    )
    private static let activate = SQL(
        "UPDATE signing_key SET state = 'active', activated_at = ? WHERE tenant_id = ? AND id = ? AND state = 'published'"
    )
    private static let revokeKey = SQL(
        """
        UPDATE signing_key SET state = 'retired', revoked_at = ?
        WHERE tenant_id = ? AND id = ? AND state IN ('published', 'retiring') AND revoked_at IS NULL
        """
    )
    private static let retire = SQL(
        "UPDATE signing_key SET state = 'retired' WHERE tenant_id = ? AND id = ? AND state = 'retiring'"
    )
    private static let lengthen = SQL(
        "UPDATE signing_key SET token_lifetime = ? WHERE tenant_id = ? AND id = ? AND token_lifetime < ?"
    )
    private static let replaceSecret = SQL(
        """
        UPDATE deployment SET master_key_id = ?, sealed_data_key = ?, master_key_check = ?, sealed_at = ?
        WHERE id = 1 AND master_key_id = ? AND sealed_data_key = ?
        """
    )
    private static let countSealed = SQL(
        """
        SELECT (SELECT count(*) FROM signing_key WHERE state <> 'retired'),
            (SELECT count(*) FROM session WHERE revoked_at IS NULL),
            (SELECT count(*) FROM refresh_family WHERE revoked_at IS NULL)
        """
    )
    private static let retirePublished = SQL("UPDATE signing_key SET state = 'retired' WHERE state = 'published'")
    private static let retireAllActive = SQL(
        "UPDATE signing_key SET state = 'retiring', retiring_at = ? WHERE state = 'active'"
    )
    private static let emptyPrivateKeys = SQL("UPDATE signing_key SET sealed_private_key = x''")
    private static let endAllSessions = SQL("UPDATE session SET revoked_at = ? WHERE revoked_at IS NULL")
    private static let revokeAllFamilies = SQL("UPDATE refresh_family SET revoked_at = ? WHERE revoked_at IS NULL")
}
