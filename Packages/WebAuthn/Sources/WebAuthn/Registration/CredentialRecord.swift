/// What a relying party keeps of a credential (WebAuthn L3 §4, "credential record").
public struct CredentialRecord: Hashable, Sendable {
    /// 1 to 1023 bytes.
    public var id: [UInt8]
    /// The `COSE_Key`, exactly as it stood in authenticator data.
    public var publicKey: [UInt8]
    /// The last signature counter seen; 0: none is in use.
    public var signCount: UInt32
    /// Whether UV of this credential counts as a factor.
    public var uvInitialized: Bool
    /// Hints for `allowCredentials`, as the client sent them.
    public var transports: [String]
    /// BE; `nil`: not known, in a record that was brought from elsewhere.
    public var backupEligible: Bool?
    public var backupState: Bool
    /// The attestation statement format, as `none` or `packed`.
    public var attestationFormat: String
    public var attestationType: AttestationType
    public var aaguid: AAGUID
    /// Whether the attestation was verified to a trusted root, so that the AAGUID is more than a claim.
    public var attestationTrusted: Bool
    public var authenticatorAttachment: AuthenticatorAttachment?
    /// The attestation object as received; `nil`: not kept, or not loaded.
    public var attestationObject: [UInt8]?
    /// The client data of the registration as received; `nil`: not kept, or not loaded.
    public var attestationClientDataJSON: [UInt8]?

    public init(
        id: [UInt8],
        publicKey: [UInt8],
        signCount: UInt32,
        uvInitialized: Bool,
        transports: [String] = [],
        backupEligible: Bool?,
        backupState: Bool,
        attestationFormat: String = "none",
        attestationType: AttestationType = .none,
        aaguid: AAGUID = .zero,
        attestationTrusted: Bool = false,
        authenticatorAttachment: AuthenticatorAttachment? = nil,
        attestationObject: [UInt8]? = nil,
        attestationClientDataJSON: [UInt8]? = nil
    ) {
        self.id = id
        self.publicKey = publicKey
        self.signCount = signCount
        self.uvInitialized = uvInitialized
        self.transports = transports
        self.backupEligible = backupEligible
        self.backupState = backupState
        self.attestationFormat = attestationFormat
        self.attestationType = attestationType
        self.aaguid = aaguid
        self.attestationTrusted = attestationTrusted
        self.authenticatorAttachment = authenticatorAttachment
        self.attestationObject = attestationObject
        self.attestationClientDataJSON = attestationClientDataJSON
    }
}

extension CredentialRecord {
    /// Whether a login makes UV of this credential count from now on (L3 §4, "uvInitialized"): UV was there, and another
    /// proof that is as strong stands beside it.
    ///
    /// - Parameters:
    ///   - userVerified: UV of this login.
    ///   - otherProof: whether the same user has just proven another factor.
    /// - Returns: false as well when it counts already.
    public func initializesUserVerification(userVerified: Bool, otherProof: Bool) -> Bool {
        userVerified && !uvInitialized && otherProof
    }
}
