extension Migration {
    /// What those need who administer people: users by the time they were made, and every session of a user.
    ///
    /// A session with which no refresh token began gets a row in `user_activity` under its own id; those that are there
    /// already are entered.
    static let people = Migration(number: 3, oldestServer: 1) { dialect in
        [
            "CREATE INDEX user_account_made ON user_account (tenant_id, created_at, id, connection_id)",
            """
            CREATE INDEX user_account_blocked ON user_account (tenant_id, created_at, id)
            WHERE blocked_at IS NOT NULL
            """,
            """
            INSERT INTO user_activity (tenant_id, user_id, family_id, passkey_number)
            SELECT s.tenant_id, s.user_id, s.id, 0 FROM session s
            WHERE (s.tenant_id, s.id) NOT IN (SELECT f.tenant_id, f.session_id FROM refresh_family f)
            """,
        ]
            + (dialect == .sqlite
                ? [
                    """
                    INSERT INTO sqlite_stat1 (tbl, idx, stat)
                    VALUES ('user_account', 'user_account_made', '1000000 1000000 2 1 1'),
                        ('user_account', 'user_account_blocked', '10000 10000 2 1')
                    """,
                    "ANALYZE sqlite_schema",
                ] : [])
    }
}
