extension Migration {
    /// Authorization codes, and for a day what became of each.
    static let codes = Migration(number: 7, oldestServer: 1) { dialect in
        let (integer, bytes) = (dialect.integer, dialect.bytes)
        return [
            """
            CREATE TABLE authorization_code (
                tenant_id \(integer) NOT NULL,
                hash \(bytes) NOT NULL,
                client_id TEXT NOT NULL,
                user_id \(bytes) NOT NULL,
                session_id \(bytes) NOT NULL,
                redirect_uri TEXT NOT NULL,
                challenge TEXT,
                nonce TEXT,
                scope TEXT NOT NULL,
                audience TEXT,
                created_at \(integer) NOT NULL,
                expires_at \(integer) NOT NULL,
                used_at \(integer),
                family_id \(bytes),
                replayed_at \(integer),
                PRIMARY KEY (tenant_id, hash)
            ) \(dialect.clustered)
            """,
            "CREATE INDEX authorization_code_expiry ON authorization_code (expires_at)",
        ]
    }
}
