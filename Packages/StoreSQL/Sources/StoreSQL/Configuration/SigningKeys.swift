public import Identity

extension SQLStore {
    public func deploymentSecret(orStoring new: DeploymentSecret) async throws(StoreError) -> DeploymentSecret {
        let store = SQLStatement(
            Self.storeSecret,
            [.text(new.masterKeyID), .bytes(new.sealedDataKey), .time(new.createdAt)]
        )
        return try await database.write(
            .query(store, SQLStatement(Self.selectSecret, [])) { (results) throws(StoreError) in
                guard let secret = try results[1].first(Self.secret) else {
                    throw .corrupt(reason: "the row of the deployment is missing")
                }
                return secret
            }
        )
    }

    public func deploymentSecret() async throws(StoreError) -> DeploymentSecret? {
        try await database.read(
            .query(SQLStatement(Self.selectSecret, [])) { (results) throws(StoreError) in
                try results.first.first(Self.secret)
            }
        )
    }

    public func signingKeys(of tenant: TenantID) async throws(StoreError) -> [SigningKeyRecord] {
        try await database.read(
            .query(SQLStatement(Self.selectKeys, [.tenant(tenant)])) { (results) throws(StoreError) in
                try results.first.map(Self.signingKey)
            }
        )
    }

    public func add(_ keys: [SigningKeyRecord]) async throws(StoreError) {
        let inserts = keys.map { key in
            SQLStatement(
                Self.insertKey,
                [
                    .tenant(key.tenant), .text(key.id.text), .text(key.algorithm.rawValue), .text(key.state.rawValue),
                    .bytes(key.publicKey), .bytes(key.certificate), .bytes(key.sealedPrivateKey),
                    .time(key.createdAt), .time(key.activatedAt), .time(key.retiringAt), .time(key.revokedAt),
                ],
                conflict: .signingKey
            )
        }
        try await database.write(.commit(inserts + [Self.raiseVersion], ()))
    }

    private static func secret(_ row: inout SQLRow) throws(StoreError) -> DeploymentSecret {
        DeploymentSecret(masterKeyID: try row.text(), sealedDataKey: try row.bytes(), createdAt: try row.time())
    }

    private static func signingKey(_ row: inout SQLRow) throws(StoreError) -> SigningKeyRecord {
        let (tenant, id) = (try row.tenant(), KeyID(try row.text()))
        return SigningKeyRecord(
            id: id,
            tenant: tenant,
            algorithm: try row.word(),
            state: try row.word(),
            publicKey: try row.bytes(),
            certificate: try row.bytes(),
            sealedPrivateKey: try row.bytes(),
            createdAt: try row.time(),
            activatedAt: try row.timeIfAny(),
            retiringAt: try row.timeIfAny(),
            revokedAt: try row.timeIfAny()
        )
    }

    /// The first caller's secret stays.
    private static let storeSecret = SQL(
        """
        UPDATE deployment SET master_key_id = ?, sealed_data_key = ?, sealed_at = ?
        WHERE id = 1 AND sealed_data_key IS NULL
        """
    )
    private static let selectSecret = SQL(
        """
        SELECT master_key_id, sealed_data_key, sealed_at FROM deployment
        WHERE id = 1 AND sealed_data_key IS NOT NULL
        """
    )
    private static let selectKeys = SQL(
        """
        SELECT tenant_id, id, algorithm, state, public_key, certificate, sealed_private_key, created_at, activated_at,
            retiring_at, revoked_at
        FROM signing_key WHERE tenant_id = ? AND state <> 'retired' ORDER BY created_at, id
        """
    )
    private static let insertKey = SQL(
        """
        INSERT INTO signing_key
            (tenant_id, id, algorithm, state, public_key, certificate, sealed_private_key, created_at, activated_at,
            retiring_at, revoked_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
}
