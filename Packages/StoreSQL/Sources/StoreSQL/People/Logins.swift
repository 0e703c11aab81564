public import Identity

extension SQLStore {
    public func finishLogin(_ use: PasskeyUse, login: LoginEffect) async throws(StoreError) -> Bool {
        let number = SQLValue.number(use.passkey)
        let update = Self.update(use, of: login.session.user)
        var effects = Self.statements(of: login, passkey: use.passkey)
        if let userAgent = use.userAgent {
            effects.append(
                SQLStatement(Self.updateUserAgent, [.text(userAgent), number, .tenant(use.tenant), .text(userAgent)])
            )
        }
        return try await database.write(.commitIfChanged(update, effects, true, otherwise: false))
    }

    public func record(
        _ use: PasskeyUse,
        of user: UserID,
        ceremony: CeremonyRecord,
        audit: AuditEvent
    ) async throws(StoreError) -> Bool {
        try await database.write(
            .commitIfChanged(
                Self.update(use, of: user),
                [Self.insert(ceremony), Self.insert(audit)],
                true,
                otherwise: false
            )
        )
    }

    private static func update(_ use: PasskeyUse, of user: UserID) -> SQLStatement {
        let signCount = SQLValue.integer(Int64(use.signCount))
        return SQLStatement(
            usePasskey,
            [
                signCount, .bool(use.backupEligible), .bool(use.backupState), .bool(use.userVerificationInitialized),
                .time(use.at), .tenant(use.tenant), .user(user), .number(use.passkey), signCount, signCount,
                .bool(use.acceptsAnySignCount), .tenant(use.tenant), .user(user),
            ]
        )
    }

    /// What a login writes beside the passkey; `passkey` is the one that the session was authenticated by.
    static func statements(of login: LoginEffect, passkey: PasskeyNumber?) -> [SQLStatement] {
        var statements: [SQLStatement] = []
        statements.reserveCapacity(6)
        if let replaced = login.replacedCookieHash {
            statements.append(SQLStatement(forgetCookie, [.tenant(login.session.tenant), .bytes(replaced)]))
        }
        statements.append(
            insert(login.session, passkey: passkey, cookieHash: login.cookieHash, family: login.refresh?.family)
        )
        if let refresh = login.refresh {
            statements.append(insert(refresh, passkey: passkey))
            statements.append(insertActivity(of: refresh.family, passkey: passkey))
        } else {
            statements.append(insertActivity(of: login.session))
        }
        if let ceremony = login.ceremony { statements.append(insert(ceremony)) }
        statements.append(insert(login.audit))
        return statements
    }

    /// Compare and set (WebAuthn L3 §7.2 steps 22 and 27): of two uses of one counter value, one changes no row. UV
    /// once initialized stays so, also when two logins cross. Who was blocked since the passkey was read does not get in.
    private static let usePasskey = SQL(
        """
        UPDATE user_activity SET
            sign_count = ?, backup_eligible = ?, backup_state = ?,
            uv_initialized = CASE WHEN uv_initialized = 1 THEN 1 ELSE ? END, last_used_at = ?, use_count = use_count + 1
        WHERE tenant_id = ? AND user_id = ? AND family_id = x'' AND passkey_number = ? AND suspended_at IS NULL
            AND (sign_count < ? OR (sign_count = 0 AND ? = 0) OR ? = 1)
            AND NOT EXISTS (SELECT 1 FROM user_account u WHERE u.tenant_id = ? AND u.id = ? AND u.blocked_at IS NOT NULL)
        """
    )
    private static let updateUserAgent = SQL(
        "UPDATE passkey SET user_agent = ? WHERE number = ? AND tenant_id = ? AND user_agent IS DISTINCT FROM ?"
    )
    private static let forgetCookie = SQL(
        "UPDATE session SET cookie_hash = NULL WHERE tenant_id = ? AND cookie_hash = ?"
    )
}
