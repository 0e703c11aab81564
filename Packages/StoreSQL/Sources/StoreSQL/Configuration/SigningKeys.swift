public import Identity

extension SQLStore {
    public func deploymentSecret(orStoring new: DeploymentSecret) async throws(StoreError) -> DeploymentSecret {
        let store = SQLStatement(
            Self.storeSecret,
            [.text(new.masterKeyID), .bytes(new.sealedDataKey), .bytes(new.masterKeyCheck), .time(new.createdAt)]
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
        try await database.write(.commit(keys.map(Self.insert) + [Self.raiseVersion], ()))
    }

    static func insert(_ key: SigningKeyRecord) -> SQLStatement {
        SQLStatement(
            insertKey,
            [
                .tenant(key.tenant), .text(key.id.text), .text(key.algorithm.rawValue), .text(key.state.rawValue),
                .bytes(key.publicKey), .bytes(key.certificate), .bytes(key.sealedPrivateKey),
                .time(key.createdAt), .time(key.activatedAt), .time(key.retiringAt), .time(key.revokedAt),
                .integer(key.tokenLifetime),
            ],
            conflict: .signingKey
        )
    }

    static func secret(_ row: inout SQLRow) throws(StoreError) -> DeploymentSecret {
        DeploymentSecret(
            masterKeyID: try row.text(),
            sealedDataKey: try row.bytes(),
            masterKeyCheck: try row.bytesIfAny() ?? [],
            createdAt: try row.time()
        )
    }

    static func signingKey(_ row: inout SQLRow) throws(StoreError) -> SigningKeyRecord {
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
            revokedAt: try row.timeIfAny(),
            tokenLifetime: try row.integer()
        )
    }

    /// The first caller's secret stays.
    private static let storeSecret = SQL(
        """
        UPDATE deployment SET master_key_id = ?, sealed_data_key = ?, master_key_check = ?, sealed_at = ?
        WHERE id = 1 AND sealed_data_key IS NULL
        """
    )
    static let selectSecret = SQL(
        """
        SELECT master_key_id, sealed_data_key, master_key_check, sealed_at FROM deployment
        WHERE id = 1 AND sealed_data_key IS NOT NULL
        """
    )
    /// The columns of ``signingKey(_:)`` in its order.
    static let keyColumns = """
        tenant_id, id, algorithm, state, public_key, certificate, sealed_private_key, created_at, activated_at,
        retiring_at, revoked_at, token_lifetime
        """
    private static let selectKeys = SQL(
        """
        SELECT \(keyColumns) FROM signing_key WHERE tenant_id = ? AND state <> 'retired' ORDER BY created_at, id
        """
    )
    private static let insertKey = SQL(
        """
        INSERT INTO signing_key (\(keyColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
    )
}
