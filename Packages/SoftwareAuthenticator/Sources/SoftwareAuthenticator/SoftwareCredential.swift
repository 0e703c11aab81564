public import COSE
public import Cryptography

/// One credential with its private key.
public struct SoftwareCredential: Sendable {
    public let id: [UInt8]
    public let rpID: String
    /// The `user.id` that it was made for.
    public let userHandle: [UInt8]
    public let algorithm: COSEAlgorithm
    /// Kept with its contexts, so that signing again costs nothing but the signature.
    public let key: SigningKey
    /// Whether it is found without being listed, and tells its user handle.
    public let isDiscoverable: Bool
    /// The counter that the last ceremony sent.
    public var signCount: UInt32
    /// BE.
    public var backupEligible: Bool
    /// BS.
    public var backedUp: Bool

    public init(
        id: [UInt8],
        rpID: String,
        userHandle: [UInt8],
        algorithm: COSEAlgorithm,
        key: SigningKey,
        isDiscoverable: Bool = true,
        signCount: UInt32 = 0,
        backupEligible: Bool = true,
        backedUp: Bool = true
    ) {
        self.id = id
        self.rpID = rpID
        self.userHandle = userHandle
        self.algorithm = algorithm
        self.key = key
        self.isDiscoverable = isDiscoverable
        self.signCount = signCount
        self.backupEligible = backupEligible
        self.backedUp = backedUp
    }
}
