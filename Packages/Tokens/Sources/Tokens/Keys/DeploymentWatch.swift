internal import Cryptography
public import Identity
internal import Synchronization

/// Whether the keys that a server opened are still those of its store, which another process may begin anew.
public final class DeploymentWatch: Sendable {
    private let store: any SigningKeyStore & KeyRotationStore & TenantStore
    private let opened: DeploymentKeys
    /// The secret that was looked at last and found well.
    private let known = Mutex<DeploymentSecret?>(nil)

    public init(_ opened: DeploymentKeys, store: any SigningKeyStore & KeyRotationStore & TenantStore) {
        self.store = store
        self.opened = opened
    }

    /// What a look finds.
    public enum Finding: Hashable, Sendable {
        case same
        /// The data key is the same, under a master key that the server's file does not have: it goes on, and could not
        /// start again.
        case sealedByUnknown(id: String)
        /// The store has another data key, or none: what this server seals and derives is of no use any more.
        case replaced
    }

    /// Looks at the store; one small read while nothing changes.
    ///
    /// - Parameter masterKeys: reads the file again, which may have got a key since.
    /// - Returns: what was found.
    /// - Throws: `.store`.
    public func look(_ masterKeys: () throws(MasterKeyError) -> MasterKeys) async throws(MasterKeyError) -> Finding {
        guard let secret = try await DeploymentKeys.stored(in: store) else { return .replaced }
        if known.withLock({ $0 == secret }) { return .same }
        if let keys = try? masterKeys(), let found = try? DeploymentKeys(opening: secret, with: keys) {
            guard found.isSame(as: opened) else { return .replaced }
            known.withLock { $0 = secret }
            return .same
        }
        // It cannot be opened here. What it seals tells: a new beginning makes new signing keys.
        do throws(MasterKeyError) {
            try await MasterKeyRotation(store: store, random: { Random.bytes($0) }).verifySeals(opened)
        } catch .damagedSigningKey {
            return .replaced
        }
        return .sealedByUnknown(id: secret.masterKeyID)
    }
}
