internal import Cryptography
public import Identity

/// What is done with a deployment's seals: another master key, a look at all of them, a new beginning.
public struct MasterKeyRotation: Sendable {
    private let store: any SigningKeyStore & KeyRotationStore & TenantStore
    private let random: RandomSource

    public init(store: any SigningKeyStore & KeyRotationStore & TenantStore, random: @escaping RandomSource) {
        self.store = store
        self.random = random
    }

    /// Seals the data key under the newest key of the file. Servers that run go on: they have the data key, and what it
    /// seals stays as it is. One that starts later needs the new key.
    ///
    /// - Returns: which keys: that of before, which is needed no more, and that of now.
    /// - Throws: `.alreadyNewest`, `.nothingSealed`, `.changedMeanwhile`, and what opening the data key throws.
    public func rotate(_ keys: MasterKeys, now: UnixTime) async throws(MasterKeyError) -> (old: String, new: String) {
        guard let old = try await DeploymentKeys.stored(in: store) else { throw .nothingSealed }
        var dataKey = try DeploymentKeys.dataKey(old, keys)
        defer { erase(&dataKey) }
        let new = try DeploymentKeys.seal(dataKey, keys, now: now, random: random)
        guard new.masterKeyID != old.masterKeyID else { throw .alreadyNewest(id: old.masterKeyID) }
        guard try await stored({ () async throws(StoreError) in try await store.reseal(old, as: new) }) else {
            throw .changedMeanwhile
        }
        return (old.masterKeyID, new.masterKeyID)
    }

    /// Looks at every sealed row of the store.
    ///
    /// - Throws: `.damagedSigningKey` for the first that is not as it was sealed; `.store`.
    public func verifySeals(_ deployment: DeploymentKeys) async throws(MasterKeyError) {
        let sealingKey = deployment.key(for: .signingKeys)
        var last: SigningKeyPlace?
        while true {
            let after = last
            let page = try await stored { () async throws(StoreError) in
                try await store.signingKeys(after: after, limit: 500)
            }
            for key in page {
                // The private half of a key that signs no more may be gone; its public half has no secret.
                if key.state == .retiring, key.sealedPrivateKey.isEmpty { continue }
                guard NewSigningKey.isAuthentic(key, sealingKey: sealingKey) else {
                    throw .damagedSigningKey(id: key.id.text, tenant: await name(of: key.tenant))
                }
            }
            guard let end = page.last else { return }
            last = SigningKeyPlace(tenant: end.tenant, key: end.id)
        }
    }

    /// What a new beginning takes away.
    ///
    /// - Throws: `.notLost` when `keys` open the store; `.nothingSealed`, `.store`.
    public func losses(_ keys: MasterKeys) async throws(MasterKeyError) -> SealedThings {
        _ = try await lostSecret(keys)
        return try await stored { () async throws(StoreError) in try await store.sealedThings() }
    }

    /// Begins anew under the newest key of the file: with a new data key, without any private signing key, with nobody
    /// signed in. Users, passkeys, password hashes and configuration stay.
    ///
    /// Servers that run still have the old data key: they have to be stopped before.
    ///
    /// - Returns: the keys of the new beginning, to make signing keys with.
    /// - Throws: as ``losses(_:)``; `.changedMeanwhile`.
    public func replaceLost(_ keys: MasterKeys, now: UnixTime) async throws(MasterKeyError) -> DeploymentKeys {
        let old = try await lostSecret(keys)
        let new = try DeploymentKeys.newSecret(keys, now: now, random: random)
        let isDone = try await stored { () async throws(StoreError) in
            try await store.replaceLost(old, with: new, at: now)
        }
        guard isDone else { throw .changedMeanwhile }
        return try await DeploymentKeys.open(keys, store: store, now: now, random: random)
    }

    private func lostSecret(_ keys: MasterKeys) async throws(MasterKeyError) -> DeploymentSecret {
        guard let secret = try await DeploymentKeys.stored(in: store) else { throw .nothingSealed }
        if let key = keys.key(secret.masterKeyID), constantTimeEqual(key.check, secret.masterKeyCheck) {
            throw .notLost(id: key.id)
        }
        return secret
    }

    private func name(of tenant: TenantID) async -> String {
        let tenants = try? await store.tenants()
        return tenants?.first { $0.id == tenant }?.name ?? "number \(tenant.number)"
    }

    private func stored<Value: Sendable>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(MasterKeyError) -> Value {
        do throws(StoreError) {
            return try await body()
        } catch {
            throw .store(error)
        }
    }
}
