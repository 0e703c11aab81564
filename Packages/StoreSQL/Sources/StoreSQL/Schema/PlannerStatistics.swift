/// What SQLite's planner is told about the tables that grow.
///
/// Every key begins with the tenant, of which a store may have only one. The planner does not know that this column
/// chooses nothing, and takes the primary key for `tenant_id = ? AND user_id = ?` although an index by user is there:
/// then each sign-in reads all users. So the schema brings the numbers that `ANALYZE` would find in a large store.
enum PlannerStatistics {
    /// Statements that put the numbers in place, for the schema that has these tables.
    static let statements =
        ["ANALYZE"]
        + indexes.map { table, index, numbers in
            "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('\(table)', '\(index)', '\(numbers)')"
        }
        + ["ANALYZE sqlite_schema"]  // This connection, too, looks at them from now on.

    /// Of each index the number of rows, then for each column how many rows share its value and those before it. The
    /// primary key of a clustered table goes by the table's name.
    private static let indexes = [
        ("user_account", "user_account", "1000000 1000000 1"),
        ("identifier", "identifier", "1000000 1000000 1000000 500000 1"),
        ("user_handle", "user_handle", "1000000 1000000 1"),
        ("passkey", "sqlite_autoindex_passkey_1", "2000000 2000000 1000000 1"),
        ("passkey", "sqlite_autoindex_passkey_2", "2000000 2000000 1"),
        ("passkey", "passkey_user", "2000000 2000000 2"),
        ("session", "session", "5000000 5000000 1"),
        ("session", "session_cookie", "1000000 1000000 1"),
        ("user_activity", "user_activity", "7000000 7000000 7 4 1"),
        ("refresh_family", "refresh_family", "5000000 5000000 1"),
        ("refresh_token", "refresh_token", "20000000 20000000 1"),
        ("ceremony", "ceremony", "5000000 5000000 1"),
        ("audit_event", "audit_event", "50000000 50000000 1"),
        ("assertion_replay", "assertion_replay", "100000 100000 1"),
        ("assertion_replay", "assertion_replay_expiry", "100000 2"),
        ("challenge", "challenge", "100000 100000 20000 1"),
        ("challenge", "challenge_expiry", "100000 2"),
        ("challenge", "challenge_address", "100000 20 2"),
    ]
}
