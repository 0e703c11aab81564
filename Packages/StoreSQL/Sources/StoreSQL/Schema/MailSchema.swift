extension Migration {
    /// Mails until they are sent. What is due has an index, and so has what was given up: both are few.
    static let mail = Migration(number: 5, oldestServer: 1) { dialect in
        let (integer, bytes) = (dialect.integer, dialect.bytes)
        return [
            """
            CREATE TABLE outbox (
                tenant_id \(integer) NOT NULL,
                id \(bytes) NOT NULL,
                kind TEXT NOT NULL,
                message_id TEXT NOT NULL,
                sealed \(bytes) NOT NULL,
                created_at \(integer) NOT NULL,
                tries \(integer) NOT NULL,
                due_at \(integer),
                lease \(bytes),
                failure TEXT,
                died_at \(integer),
                PRIMARY KEY (tenant_id, id)
            ) \(dialect.clustered)
            """,
            "CREATE INDEX outbox_due ON outbox (due_at) WHERE due_at IS NOT NULL",
            "CREATE INDEX outbox_dead ON outbox (died_at) WHERE died_at IS NOT NULL",
        ]
    }
}
