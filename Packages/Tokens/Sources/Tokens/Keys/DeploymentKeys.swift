internal import Cryptography
internal import Encodings
public import Identity

/// The keys of a deployment, all derived from its one data key, which lies in the store under a master key's seal.
public struct DeploymentKeys: Sendable {
    private let derived: [KeyPurpose: [UInt8]]

    /// Opens the store's data key, or makes one when the store has none yet.
    ///
    /// - Throws: `.unknownMasterKey` or `.wrongMasterKey` when the keys are not those that belong to the store; then
    ///   nothing was changed. `.store`, `.cryptography`.
    public static func open(
        _ masterKeys: MasterKeys,
        store: any SigningKeyStore,
        now: UnixTime,
        random: RandomSource
    ) async throws(MasterKeyError) -> DeploymentKeys {
        if let stored = try await stored(in: store) { return try DeploymentKeys(opening: stored, with: masterKeys) }
        let new = try newSecret(masterKeys, now: now, random: random)
        let secret: DeploymentSecret
        do throws(StoreError) {
            // Another server may have been faster: what the store has counts.
            secret = try await store.deploymentSecret(orStoring: new)
        } catch {
            throw .store(error)
        }
        return try DeploymentKeys(opening: secret, with: masterKeys)
    }

    /// Looks whether `masterKeys` open a store's secret.
    ///
    /// - Throws: `.unknownMasterKey`, `.wrongMasterKey`, `.damagedDataKey`.
    public static func verify(_ secret: DeploymentSecret, opensWith masterKeys: MasterKeys) throws(MasterKeyError) {
        _ = try DeploymentKeys(opening: secret, with: masterKeys)
    }

    init(opening secret: DeploymentSecret, with masterKeys: MasterKeys) throws(MasterKeyError) {
        var dataKey = try Self.dataKey(secret, masterKeys)
        defer { erase(&dataKey) }
        var derived: [KeyPurpose: [UInt8]] = [:]
        for purpose in KeyPurpose.allCases {
            do throws(CryptographyError) {
                derived[purpose] = try HKDF.sha256(dataKey, salt: [], info: Array(purpose.rawValue.utf8), count: 32)
            } catch {
                throw .cryptography(reason: "\(error)")
            }
        }
        self.derived = derived
    }

    /// The data key. A wrong master key is told apart from a damaged row by the check value.
    static func dataKey(_ secret: DeploymentSecret, _ masterKeys: MasterKeys) throws(MasterKeyError) -> [UInt8] {
        guard let master = masterKeys.key(secret.masterKeyID) else { throw .unknownMasterKey(id: secret.masterKeyID) }
        guard constantTimeEqual(master.check, secret.masterKeyCheck) else { throw .wrongMasterKey(id: master.id) }
        do throws(CryptographyError) {
            return try Seal.open(secret.sealedDataKey, key: master.secret, for: label(master.id))
        } catch {
            throw .damagedDataKey
        }
    }

    /// Seals `dataKey` under the newest master key.
    static func seal(
        _ dataKey: [UInt8],
        _ masterKeys: MasterKeys,
        now: UnixTime,
        random: RandomSource
    ) throws(MasterKeyError) -> DeploymentSecret {
        guard let master = masterKeys.keys.first else { throw .empty }
        do throws(CryptographyError) {
            return DeploymentSecret(
                masterKeyID: master.id,
                sealedDataKey: try Seal.seal(dataKey, key: master.secret, for: label(master.id), random: random),
                masterKeyCheck: master.check,
                createdAt: now
            )
        } catch {
            throw .cryptography(reason: "\(error)")
        }
    }

    /// The key for `purpose`, 32 bytes: HKDF-SHA-256 of the data key with the purpose as label.
    public func key(for purpose: KeyPurpose) -> [UInt8] {
        derived[purpose, default: []]
    }

    /// What the keys of this deployment begin with in a cache that several may share: a name that tells nothing, in
    /// braces, which keep them together on one node of a Redis cluster.
    public var cachePrefix: String { "latchkey:{\(Hex.encode(key(for: .cacheName).prefix(8)))}:" }

    /// Whether both come from one data key.
    func isSame(as other: DeploymentKeys) -> Bool {
        constantTimeEqual(key(for: .cacheName), other.key(for: .cacheName))
    }

    static func stored(in store: any SigningKeyStore) async throws(MasterKeyError) -> DeploymentSecret? {
        do throws(StoreError) {
            return try await store.deploymentSecret()
        } catch {
            throw .store(error)
        }
    }

    static func newSecret(
        _ masterKeys: MasterKeys,
        now: UnixTime,
        random: RandomSource
    ) throws(MasterKeyError) -> DeploymentSecret {
        var dataKey = random(32)
        defer { erase(&dataKey) }
        return try seal(dataKey, masterKeys, now: now, random: random)
    }

    private static func label(_ masterKeyID: String) -> [String] {
        ["deployment_secret", masterKeyID]
    }
}

/// What a derived key is for. Raw values are the labels; they never change.
public enum KeyPurpose: String, Hashable, Sendable, CaseIterable {
    /// Seals the private signing keys in the store.
    case signingKeys = "latchkey signing keys"
    /// Makes up credential lists for names that nobody has.
    case decoyCredentials = "latchkey decoy credentials"
    case csrf = "latchkey csrf"
    /// Seals hosted sign-ins that are under way.
    case transactions = "latchkey transactions"
    case cookies = "latchkey cookies"
    case codes = "latchkey codes"
    /// What the keys that seal the tenants' audit logs are derived from.
    case auditLog = "latchkey audit log"
    /// Seals mails until they are sent.
    case mail = "latchkey mail"
    /// Tells deployments apart that share a cache.
    case cacheName = "latchkey cache name"
}
