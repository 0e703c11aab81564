public import Identity
public import WebAuthn

/// Made-up credential lists for names that nobody has (HTTP contract 12.3): stable, plausible, and known again.
public struct DecoyCredentials: Sendable {
    private let key: [UInt8]

    /// - Parameter key: 32 bytes, derived from the deployment's data key for this purpose alone.
    public init(key: [UInt8]) {
        self.key = key
    }
}
