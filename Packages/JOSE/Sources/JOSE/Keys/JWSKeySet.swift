/// The keys that may have signed a token, told apart by their `kid`.
public struct JWSKeySet: Sendable {
    private var keys: [[UInt8]: JWSKey] = [:]
    private var unnamed: JWSKey?

    /// A set of `keys`.
    ///
    /// - Throws: `JOSEError.duplicateKeyID` when two have the same `kid`, or several keys are there and one has none;
    ///   `JOSEError.mixedKeys` when there are secrets and public keys.
    public init(_ keys: [JWSKey]) throws(JOSEError) {
        for key in keys {
            guard key.isSecret == keys.first?.isSecret else { throw .mixedKeys }
            guard let keyID = key.keyID else {
                guard keys.count == 1 else { throw .duplicateKeyID(nil) }
                unnamed = key
                continue
            }
            guard self.keys.updateValue(key, forKey: Array(keyID.utf8)) == nil else { throw .duplicateKeyID(keyID) }
        }
    }

    /// The key for a token that says this `kid`, or none at all, in which case there has to be just one.
    ///
    /// - Throws: `JOSEError.unknownKey`.
    public func key(for keyID: String?) throws(JOSEError) -> JWSKey {
        if let unnamed { return unnamed }
        let key = keyID.map { keys[Array($0.utf8)] } ?? (keys.count == 1 ? keys.values.first : nil)
        guard let key else { throw .unknownKey(kid: keyID) }
        return key
    }
}
