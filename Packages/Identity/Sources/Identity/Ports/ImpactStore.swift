public import WebAuthn

/// Tells by what users get in, so that a change of policy can say whom it touches before it is made.
public protocol ImpactStore: Sendable {
    /// The users of the tenant in the order of their ids, from after `last`; at most `limit`. Blocked ones too.
    func waysIn(of tenant: TenantID, after last: UserID?, limit: Int) async throws(StoreError) -> [WaysIn]
}

/// What one user can sign in with.
public struct WaysIn: Hashable, Sendable {
    public let user: UserID
    public let connection: ConnectionID
    /// The name of the profile.
    public let name: String?
    public let identifiers: [UserIdentifier]
    public let isBlocked: Bool
    public let hasPassword: Bool
    public var passkeys: [PasskeyFacts]

    public init(
        user: UserID,
        connection: ConnectionID,
        name: String?,
        identifiers: [UserIdentifier],
        isBlocked: Bool,
        hasPassword: Bool,
        passkeys: [PasskeyFacts]
    ) {
        self.user = user
        self.connection = connection
        self.name = name
        self.identifiers = identifiers
        self.isBlocked = isBlocked
        self.hasPassword = hasPassword
        self.passkeys = passkeys
    }
}

/// What a policy judges a stored passkey by.
public struct PasskeyFacts: Hashable, Sendable {
    public let relyingPartyID: String
    /// Its key's algorithm, as a COSE number; `nil` for a key that does not say.
    public let algorithm: Int?
    public let aaguid: AAGUID
    public let attestationFormat: String
    public let isTrusted: Bool
    public let uvInitialized: Bool
    /// `nil`: it came by an import that did not say.
    public let backupEligible: Bool?
    public let isSuspended: Bool

    public init(
        relyingPartyID: String,
        algorithm: Int?,
        aaguid: AAGUID,
        attestationFormat: String,
        isTrusted: Bool,
        uvInitialized: Bool,
        backupEligible: Bool?,
        isSuspended: Bool
    ) {
        self.relyingPartyID = relyingPartyID
        self.algorithm = algorithm
        self.aaguid = aaguid
        self.attestationFormat = attestationFormat
        self.isTrusted = isTrusted
        self.uvInitialized = uvInitialized
        self.backupEligible = backupEligible
        self.isSuspended = isSuspended
    }

    /// The algorithm of a `COSE_Key` in CTAP2's canonical form, where labels 1 (kty) and 3 (alg) come first (RFC 9052
    /// §7.1): read without the key itself, of which a walk through all users would check every point.
    public static func algorithm(ofKey key: [UInt8]) -> Int? {
        guard key.count >= 5, 0xA2...0xB7 ~= key[0], key[1] == 0x01, key[2] < 0x18, key[3] == 0x03 else { return nil }
        switch key[4] {
        case 0x00...0x17: return Int(key[4])
        case 0x20...0x37: return -1 - Int(key[4] - 0x20)
        case 0x38 where key.count > 5: return -1 - Int(key[5])
        case 0x39 where key.count > 6: return -1 - (Int(key[5]) << 8 | Int(key[6]))
        default: return nil
        }
    }
}
