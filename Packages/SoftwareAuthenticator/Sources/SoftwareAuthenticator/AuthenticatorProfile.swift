public import CBOR
public import COSE
public import WebAuthn

/// What kind of authenticator it is: how it behaves in every ceremony.
public struct AuthenticatorProfile: Sendable {
    public var aaguid: AAGUID
    /// What it can make, whatever order the options prefer.
    public var algorithms: [COSEAlgorithm]
    /// Whether it has a PIN or a biometric.
    public var canVerifyUser: Bool
    /// Whether it verifies the user also where that is only preferred.
    public var verifiesWhenPreferred: Bool
    /// BE of the credentials it makes.
    public var backupEligible: Bool
    /// BS of the credentials it makes.
    public var backedUp: Bool
    public var counter: Counter
    public var attestation: Attestation
    /// Whether it attests also where the options ask for none; a browser takes such a statement out.
    public var attestsUnasked: Bool
    public var transports: [String]
    public var attachment: AuthenticatorAttachment?
    /// How long the ids of its credentials are, in bytes.
    public var credentialIDLength: Int
    /// Extension outputs of a registration; `nil`: none, and ED is 0.
    public var registrationExtensions: CBORMap?
    /// Extension outputs of a login; `nil`: none, and ED is 0.
    public var authenticationExtensions: CBORMap?
    /// The bits of the RSA keys it makes.
    public var rsaBits: Int

    /// How it counts signatures.
    public enum Counter: Hashable, Sendable {
        /// It does not: always 0.
        case none
        /// From `start` at registration, by one for each login.
        case from(UInt32)
    }

    public init(
        aaguid: AAGUID = .zero,
        algorithms: [COSEAlgorithm] = [.es256, .edDSA, .rs256],
        canVerifyUser: Bool = true,
        verifiesWhenPreferred: Bool = true,
        backupEligible: Bool = true,
        backedUp: Bool = true,
        counter: Counter = .none,
        attestation: Attestation = .none,
        attestsUnasked: Bool = false,
        transports: [String] = ["internal", "hybrid"],
        attachment: AuthenticatorAttachment? = .platform,
        credentialIDLength: Int = 32,
        registrationExtensions: CBORMap? = nil,
        authenticationExtensions: CBORMap? = nil,
        rsaBits: Int = 2048
    ) {
        self.aaguid = aaguid
        self.algorithms = algorithms
        self.canVerifyUser = canVerifyUser
        self.verifiesWhenPreferred = verifiesWhenPreferred
        self.backupEligible = backupEligible
        self.backedUp = backedUp
        self.counter = counter
        self.attestation = attestation
        self.attestsUnasked = attestsUnasked
        self.transports = transports
        self.attachment = attachment
        self.credentialIDLength = credentialIDLength
        self.registrationExtensions = registrationExtensions
        self.authenticationExtensions = authenticationExtensions
        self.rsaBits = rsaBits
    }

    /// A passkey provider that syncs: backed up, without a counter or an attestation.
    public static let syncedPasskey = AuthenticatorProfile()

    /// A security key: bound to the device, with a counter.
    public static let securityKey = AuthenticatorProfile(
        backupEligible: false,
        backedUp: false,
        counter: .from(0),
        transports: ["usb", "nfc"],
        attachment: .crossPlatform
    )
}
