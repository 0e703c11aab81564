extension Migration {
    /// Tickets, and jobs with what they work on and give.
    static let jobs = Migration(number: 4, oldestServer: 1) { dialect in
        let (integer, bytes) = (dialect.integer, dialect.bytes)
        return [
            """
            CREATE TABLE ticket (
                tenant_id \(integer) NOT NULL,
                hash \(bytes) NOT NULL,
                purpose TEXT NOT NULL,
                user_id \(bytes) NOT NULL,
                parameters TEXT,
                created_at \(integer) NOT NULL,
                expires_at \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, hash)
            ) \(dialect.clustered)
            """,
            "CREATE INDEX ticket_expiry ON ticket (expires_at)",
            """
            CREATE TABLE job (
                tenant_id \(integer) NOT NULL,
                id TEXT NOT NULL,
                kind TEXT NOT NULL,
                connection_id TEXT,
                client_id TEXT,
                parameters TEXT NOT NULL,
                status TEXT NOT NULL,
                percent \(integer) NOT NULL,
                total \(integer) NOT NULL,
                inserted \(integer) NOT NULL,
                updated \(integer) NOT NULL,
                failed \(integer) NOT NULL,
                reason TEXT,
                worker TEXT,
                seen_at \(integer) NOT NULL,
                link_hash \(bytes),
                link_expires_at \(integer),
                created_at \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, id)
            ) \(dialect.clustered)
            """,
            "CREATE INDEX job_open ON job (status, created_at) WHERE status IN ('receiving', 'pending', 'processing')",
            "CREATE INDEX job_age ON job (created_at)",
            """
            CREATE TABLE job_part (
                tenant_id \(integer) NOT NULL,
                job_id TEXT NOT NULL,
                number \(integer) NOT NULL,
                content \(bytes) NOT NULL,
                PRIMARY KEY (tenant_id, job_id, number)
            ) \(dialect.strict)
            """,
            """
            CREATE TABLE job_error (
                tenant_id \(integer) NOT NULL,
                job_id TEXT NOT NULL,
                number \(integer) NOT NULL,
                error TEXT NOT NULL,
                PRIMARY KEY (tenant_id, job_id, number)
            ) \(dialect.clustered)
            """,
        ]
    }
}
