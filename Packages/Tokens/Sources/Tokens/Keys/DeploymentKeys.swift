public import Identity

/// The deployment's data key, opened, and the keys that are derived from it.
public final class DeploymentKeys: Sendable {
    private let dataKey: [UInt8]

    private init(dataKey: [UInt8]) {
        self.dataKey = dataKey
    }

    /// Opens the store's data key, or makes one when the store has none yet.
    ///
    /// - Throws: `.unknownMasterKey` or `.wrongMasterKey` when the file is not the one that belongs to the store; then
    ///   nothing was changed.
    public static func open(
        _ masterKeys: MasterKeys,
        store: any SigningKeyStore,
        now: UnixTime,
        random: RandomSource
    ) async throws(MasterKeyError) -> DeploymentKeys {
        fatalError("not yet")
    }

    /// The key for `purpose`, 32 bytes (HKDF-SHA-256 with the purpose as label).
    public func key(for purpose: KeyPurpose) -> [UInt8] {
        fatalError("not yet")
    }
}

/// What a derived key is for. Raw values are the labels; they never change.
public enum KeyPurpose: String, Hashable, Sendable, CaseIterable {
    case decoyCredentials = "latchkey decoy credentials"
    case csrf = "latchkey csrf"
    case cookies = "latchkey cookies"
    case codes = "latchkey codes"
    case signingKeys = "latchkey signing keys"
}
