public import Encodings
public import WebAuthn

/// A user directory: which identifiers its users have and how they prove themselves.
public struct Connection: Hashable, Sendable {
    public let id: ConnectionID
    public let tenant: TenantID
    /// What requests call `realm`.
    public let name: String
    public var displayName: String?
    public var enabledClients: [ClientID]
    public var options: ConnectionOptions
    /// Members that are kept and given back, and not acted on.
    public var stored = JSONObject()
    public let createdAt: UnixTime
    public var updatedAt: UnixTime

    public init(
        id: ConnectionID,
        tenant: TenantID,
        name: String,
        displayName: String? = nil,
        enabledClients: [ClientID] = [],
        options: ConnectionOptions = ConnectionOptions(),
        createdAt: UnixTime
    ) {
        self.id = id
        self.tenant = tenant
        self.name = name
        self.displayName = displayName
        self.enabledClients = enabledClients
        self.options = options
        self.createdAt = createdAt
        self.updatedAt = createdAt
    }

    /// The name of the directory of the FIDO conformance API, which no client may be enabled for (HTTP contract 13).
    public static let conformanceName = "fido-conformance"

    /// The name of the directory that every tenant begins with.
    public static let defaultName = "Username-Password-Authentication"
}

/// The member `options` of a connection.
public struct ConnectionOptions: Hashable, Sendable {
    public var passkeysEnabled = true
    public var passwordsEnabled = true
    /// `nil`: no `attributes` were given, and the older rule holds (e-mail required, user name by
    /// ``requiresUsername``).
    public var attributes: ConnectionAttributes?
    public var requiresUsername = false
    /// Characters of a user name under the older rule (`validation.username`); with ``attributes`` they say it.
    public var usernameLengthWithoutAttributes: ClosedRange<Int>?
    /// The order in which identifiers are taken for display.
    public var precedence: [IdentifierKind] = [.email, .phoneNumber, .username]
    public var signupDisabled = false
    public var passkey = PasskeyOptions()
    public var password = PasswordOptions()
    /// By what users get back in who lost what they sign in with (`recovery.methods`).
    public var recoveryMethods = RecoveryMethod.allCases
    /// Members that are kept and given back, and not acted on.
    public var stored = JSONObject()

    public init() {}

    /// Characters that a user name may have.
    public var usernameLength: ClosedRange<Int> {
        attributes?.usernameLength ?? usernameLengthWithoutAttributes ?? 1...15
    }
}

/// A way back into an account (HTTP contract 9.5).
public enum RecoveryMethod: String, Hashable, Sendable, CaseIterable {
    /// Another passkey of the account: a sign-in with it adds a new one.
    case passkey
    /// One of the codes that the user printed.
    case recoveryCode = "recovery_code"
    /// A code that is mailed.
    case email
}

/// Which identifiers the users of a connection have.
public struct ConnectionAttributes: Hashable, Sendable {
    public var email: Attribute
    public var phoneNumber: Attribute
    public var username: Attribute
    /// Characters of a user name.
    public var usernameLength: ClosedRange<Int> = 1...15

    public init(email: Attribute, phoneNumber: Attribute, username: Attribute) {
        self.email = email
        self.phoneNumber = phoneNumber
        self.username = username
    }

    public struct Attribute: Hashable, Sendable {
        /// Whether users can be found by it.
        public var isIdentifier: Bool
        public var signup: SignupStatus
        public var profileRequired: Bool
        /// Members that are kept and given back, and not acted on.
        public var stored = JSONObject()

        public init(isIdentifier: Bool, signup: SignupStatus, profileRequired: Bool = false) {
            self.isIdentifier = isIdentifier
            self.signup = signup
            self.profileRequired = profileRequired
        }
    }

    public enum SignupStatus: String, Hashable, Sendable, CaseIterable {
        case required, optional, inactive
    }
}

/// The member `passkey_options` with ours in `webauthn`: the passkey policy of a connection.
public struct PasskeyOptions: Hashable, Sendable {
    /// `both`, `autofill` or `button`.
    public var challengeUI = "both"
    public var progressiveEnrollment = true
    public var localEnrollment = true
    /// `nil`: not set; `preferred` in the token API and `required` in the browser API.
    public var userVerification: UserVerificationRequirement?
    public var residentKey: ResidentKeyRequirement = .required
    public var authenticatorAttachment: AuthenticatorAttachment?
    public var attestation: AttestationConveyancePreference = .none
    /// `nil`: not set; 60000 in the token API and 300000 in the browser API.
    public var timeoutMilliseconds: Int64?
    /// COSE numbers, in the order they are offered.
    public var algorithms: [Int] = [-8, -7, -257]
    public var counterPolicy = CounterPolicy.reject
    public var backupEligibility = BackupEligibilityPolicy.strict
    public var requireBackupEligible = false
    public var requireTrustedAttestation = false
    /// `nil`: every format that is built and not retired.
    public var attestationFormats: [String]?
    public var unknownAttestation = UnknownAttestationPolicy.refuse
    /// Whether `tpm` attestations may be signed with SHA-1.
    public var allowSHA1Attestation = false
    public var allowedAAGUIDs: [AAGUID] = []
    public var deniedAAGUIDs: [AAGUID] = []
    public var extensions = JSONObject()
    public var hints: [String] = []
    public var allowCrossOrigin = false
    public var allowedTopOrigins: [String] = []
    public var maximumPerUser = 20
    public var userVerificationProof = UserVerificationProof.passwordAtUpgrade
    public var unprovenUserVerificationLogin = UnprovenUserVerificationLogin.allow
    /// Members that are kept and given back; of them one is acted on.
    public var stored = JSONObject()

    public init() {}

    /// Whether an upgrade is offered to users who get no notice of it by mail (`upgrade_without_notice`).
    public var upgradesWithoutNotice: Bool {
        stored["upgrade_without_notice"]?.bool ?? false
    }

    /// Hours in which a passkey that an upgrade made shuts nobody out (`upgrade_probation_hours`).
    public var upgradeProbationHours: Int64 { stored["upgrade_probation_hours"]?.integer ?? 72 }
}

/// What makes the UV of a passkey count that was made without it (`uv_proof`).
public enum UserVerificationProof: String, Hashable, Sendable, CaseIterable {
    case passwordAtUpgrade = "password_at_upgrade"
    case secondFactor = "second_factor"
}

/// Whether a passkey signs in whose UV was never proven (`uv_unproven_login`).
public enum UnprovenUserVerificationLogin: String, Hashable, Sendable, CaseIterable {
    case allow, refuse
}
