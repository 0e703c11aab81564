extension Migration {
    /// What is known of a custom domain beside its names, and when it was last changed. From here on a domain's own name
    /// is claimed as RP IDs are, so that no other tenant can take it for one.
    static let customDomains = Migration(number: 2, oldestServer: 1) { dialect in
        let integer = dialect.integer
        let name =
            dialect == .sqlite
            ? "substr(host, 1, instr(host || ':', ':') - 1)" : "split_part(host, ':', 1)"
        return [
            "ALTER TABLE domain ADD COLUMN is_default \(integer) NOT NULL DEFAULT 0",
            "ALTER TABLE domain ADD COLUMN details TEXT",
            "ALTER TABLE domain ADD COLUMN updated_at \(integer) NOT NULL DEFAULT 0",
            """
            INSERT INTO relying_party (rp_id, tenant_id) SELECT \(name), MIN(tenant_id) FROM domain
            WHERE status = 'ready' GROUP BY 1 ON CONFLICT (rp_id) DO NOTHING
            """,
        ]
    }
}
