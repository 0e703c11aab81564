extension Migration {
    /// Where pending ceremonies lie when the credential store keeps them. The share of an address goes over all tenants.
    static func challenges(_ dialect: SQLDialect) -> [String] {
        let (integer, bytes) = (dialect.integer, dialect.bytes)
        return [
            """
            CREATE TABLE challenge (
                tenant_id \(integer) NOT NULL,
                client_id TEXT NOT NULL,
                id \(bytes) NOT NULL,
                expires_at \(integer) NOT NULL,
                address TEXT NOT NULL,
                payload \(bytes) NOT NULL,
                PRIMARY KEY (tenant_id, client_id, id)
            ) \(dialect.clustered)
            """,
            "CREATE INDEX challenge_expiry ON challenge (expires_at)",
            "CREATE INDEX challenge_address ON challenge (address, expires_at)",
        ]
    }
}
