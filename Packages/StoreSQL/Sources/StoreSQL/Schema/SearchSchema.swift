extension Migration {
    /// What searches need: users by their names and by what their metadata hold, and the events of a user.
    ///
    /// An older server would not keep the members, so that it must not run beside them.
    static let search = Migration(number: 6, oldestServer: 6) { dialect in
        let (integer, bytes) = (dialect.integer, dialect.bytes)
        return [
            "CREATE INDEX user_account_name ON user_account (tenant_id, lower(name)) WHERE name IS NOT NULL",
            """
            CREATE TABLE user_member (
                tenant_id \(integer) NOT NULL,
                member TEXT NOT NULL,
                value TEXT NOT NULL,
                created_at \(integer) NOT NULL,
                user_id \(bytes) NOT NULL,
                at_least \(integer),
                at_most \(integer),
                PRIMARY KEY (tenant_id, member, value, created_at, user_id)
            ) \(dialect.clustered)
            """,
            "CREATE INDEX user_member_user ON user_member (tenant_id, user_id)",
            """
            CREATE INDEX user_member_number ON user_member (tenant_id, member, at_least, at_most, user_id)
            WHERE at_least IS NOT NULL
            """,
            dialect.insertMembers(where: dialect == .sqlite ? "1 = 1" : "TRUE"),
            "CREATE INDEX audit_event_user ON audit_event (tenant_id, user_id, id) WHERE user_id IS NOT NULL",
        ]
            + (dialect == .sqlite
                ? [
                    """
                    INSERT INTO sqlite_stat1 (tbl, idx, stat)
                    VALUES ('user_account', 'user_account_name', '1000000 1000000 2 1'),
                        ('user_member', 'user_member', '3000000 3000000 500000 10 2 1'),
                        ('user_member', 'user_member_user', '3000000 3000000 3 3 3 3'),
                        ('user_member', 'user_member_number', '1000000 1000000 500000 10 10 1 1 1'),
                        ('audit_event', 'audit_event_user', '50000000 50000000 50 1')
                    """,
                    "ANALYZE sqlite_schema",
                ] : [])
    }
}
