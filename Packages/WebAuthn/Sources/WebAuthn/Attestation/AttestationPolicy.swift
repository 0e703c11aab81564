public import Cryptography

/// What a relying party asks of attestations, fixed when the ceremony begins.
///
/// A statement of a built format is always verified, whatever is asked for; the policy decides what its outcome means.
public struct AttestationPolicy: Hashable, Sendable {
    /// What the options ask for. With ``AttestationConveyancePreference/none`` a statement that comes anyway is
    /// verified and gives no trust.
    public var preference: AttestationConveyancePreference
    /// The roots that chains may end at, beside those of the model's metadata; `nil`, and no metadata: chains are not
    /// judged, and nothing is trusted.
    public var trustAnchors: [Certificate]?
    public var trust: TrustRequirement
    /// Format identifiers, also of the statements in a compound one; `nil`: every format that is built and not retired.
    public var allowedFormats: [String]?
    /// When not empty, only these models, and only when a trusted attestation proves the model.
    public var allowedAAGUIDs: [AAGUID]
    public var deniedAAGUIDs: [AAGUID]
    public var unknownFormat: UnknownAttestationPolicy
    /// Whether a `tpm` statement may be signed or hashed with SHA-1, as old TPMs do.
    public var allowsSHA1: Bool
    /// Whether an `android-key` statement must show by the list that hardware enforces what the key is and does.
    public var requiresHardwareKeys: Bool
    /// Whether a `tpm` certificate may name the maker that the FIDO Alliance's tests use.
    public var acceptsTestTPMs: Bool

    public init(
        preference: AttestationConveyancePreference = .none,
        trustAnchors: [Certificate]? = nil,
        trust: TrustRequirement = .recorded,
        allowedFormats: [String]? = nil,
        allowedAAGUIDs: [AAGUID] = [],
        deniedAAGUIDs: [AAGUID] = [],
        unknownFormat: UnknownAttestationPolicy = .refuse,
        allowsSHA1: Bool = false,
        requiresHardwareKeys: Bool = false,
        acceptsTestTPMs: Bool = false
    ) {
        self.preference = preference
        self.trustAnchors = trustAnchors
        self.trust = trust
        self.allowedFormats = allowedFormats
        self.allowedAAGUIDs = allowedAAGUIDs
        self.deniedAAGUIDs = deniedAAGUIDs
        self.unknownFormat = unknownFormat
        self.allowsSHA1 = allowsSHA1
        self.requiresHardwareKeys = requiresHardwareKeys
        self.acceptsTestTPMs = acceptsTestTPMs
    }

    /// Nothing asked, nothing required.
    public static let none = AttestationPolicy()
}

/// What is refused for want of trust (WebAuthn L3 §7.1 steps 24 and 28).
public enum TrustRequirement: String, Hashable, Sendable, CaseIterable {
    /// Nothing: whether the chain ended at an anchor is recorded.
    case recorded
    /// A chain that does not end at an anchor, and a model that was revoked. Statements without a chain (none, self)
    /// pass.
    case trustedChains
    /// The same, and what contradicts the model's metadata, as the FIDO conformance programme has it.
    case metadata
    /// Everything but a chain that ends at an anchor.
    case required
}

/// What happens to an attestation whose format this build cannot verify.
public enum UnknownAttestationPolicy: String, Hashable, Sendable, CaseIterable {
    case refuse
    /// It is taken as an unverified `none`, and recorded so.
    case asNone = "as_none"
}
