public import Identity

extension SQLStore {
    public func metadataRevision() async throws(StoreError) -> Int64 {
        try await database.read(
            .query(SQLStatement(Self.selectMetadataRevision, [])) { (results) throws(StoreError) in
                try results.first.first { (row) throws(StoreError) in try row.integer() } ?? 0
            }
        )
    }

    public func metadata() async throws(StoreError) -> StoredMetadata? {
        try await database.read(
            .query(SQLStatement(Self.selectMetadata, [])) { (results) throws(StoreError) in
                try results.first.first { (row) throws(StoreError) in
                    StoredMetadata(
                        number: try row.integer(),
                        nextUpdate: try row.text(),
                        payload: try row.bytes(),
                        signer: try row.text(),
                        importedAt: try row.time()
                    )
                }
            }
        )
    }

    public func keep(_ metadata: StoredMetadata, inPlaceOf number: Int64?) async throws(StoreError) -> Bool {
        let keep = SQLStatement(
            Self.keepMetadata,
            [
                .integer(metadata.number), .text(metadata.nextUpdate), .bytes(metadata.payload),
                .text(metadata.signer), .time(metadata.importedAt), .integer(number ?? .min),
            ]
        )
        return try await database.write(.query(keep) { (results) in results.first.changes > 0 })
    }

    public func passkeys(
        of tenant: TenantID,
        after cursor: PasskeyNumber?,
        limit: Int
    ) async throws(StoreError) -> [Passkey] {
        let select = SQLStatement(
            Self.selectPasskeys,
            [.integer(cursor?.number ?? 0), .tenant(tenant), .integer(Int64(limit))]
        )
        return try await database.read(
            .query(select) { (results) throws(StoreError) in try results.first.map(Self.passkey) }
        )
    }

    public func attestationObject(
        of passkey: PasskeyNumber,
        tenant: TenantID
    ) async throws(StoreError) -> [UInt8]? {
        let select = SQLStatement(Self.selectAttestation, [.number(passkey), .tenant(tenant)])
        return try await database.read(
            .query(select) { (results) throws(StoreError) in
                try results.first.first { (row) throws(StoreError) in try row.bytesIfAny() } ?? nil
            }
        )
    }

    private static let selectMetadataRevision = SQL("SELECT revision FROM authenticator_metadata WHERE id = 1")
    private static let selectMetadata = SQL(
        "SELECT number, next_update, payload, signer, imported_at FROM authenticator_metadata WHERE id = 1"
    )
    private static let keepMetadata = SQL(
        """
        INSERT INTO authenticator_metadata (id, revision, number, next_update, payload, signer, imported_at)
        VALUES (1, 1, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO UPDATE SET
            revision = authenticator_metadata.revision + 1, number = excluded.number,
            next_update = excluded.next_update, payload = excluded.payload, signer = excluded.signer,
            imported_at = excluded.imported_at
        WHERE authenticator_metadata.number <= excluded.number OR authenticator_metadata.number = ?
        """
    )
    /// By number: the sign before the tenant keeps SQLite from an index that would have to be sorted.
    private static let selectPasskeys = SQL(
        """
        SELECT \(passkeyColumns) FROM \(passkeyTables)
        WHERE p.number > ? AND +p.tenant_id = ? ORDER BY p.number LIMIT ?
        """
    )
    private static let selectAttestation = SQL(
        "SELECT attestation_object FROM passkey_attestation WHERE number = ? AND tenant_id = ?"
    )
}
