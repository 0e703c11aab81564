extension Migration {
    /// Recoveries under way, and the recovery codes of users. The code that is spent has no row any more.
    static let recoveries = Migration(number: 8, oldestServer: 1) { dialect in
        let (integer, bytes) = (dialect.integer, dialect.bytes)
        return [
            """
            CREATE TABLE recovery (
                tenant_id \(integer) NOT NULL,
                hash \(bytes) NOT NULL,
                client_id TEXT NOT NULL,
                connection_id TEXT NOT NULL,
                user_id \(bytes) NOT NULL,
                name TEXT NOT NULL,
                code_hash \(bytes) NOT NULL,
                tries \(integer) NOT NULL,
                created_at \(integer) NOT NULL,
                expires_at \(integer) NOT NULL,
                kept_until \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, hash)
            ) \(dialect.clustered)
            """,
            "CREATE INDEX recovery_user ON recovery (tenant_id, user_id)",
            "CREATE INDEX recovery_expiry ON recovery (kept_until)",
            """
            CREATE TABLE recovery_code_set (
                tenant_id \(integer) NOT NULL,
                user_id \(bytes) NOT NULL,
                id TEXT NOT NULL,
                session_hash \(bytes) NOT NULL,
                created_at \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, user_id)
            ) \(dialect.clustered)
            """,
            """
            CREATE TABLE recovery_code (
                tenant_id \(integer) NOT NULL,
                user_id \(bytes) NOT NULL,
                hash \(bytes) NOT NULL,
                PRIMARY KEY (tenant_id, user_id, hash)
            ) \(dialect.clustered)
            """,
        ]
    }
}
