internal import Encodings
internal import Identity
internal import WebAuthn

/// Composes the options of a ceremony, and what its answer will be judged by, from the connection's passkey policy
/// (HTTP contract 4.1, 4.2, 4.5, 12.1, 12.3).
struct CeremonyOptions {
    let surface: CeremonySurface
    let client: Client
    let connection: Connection
    let context: RequestContext
    /// Whether the user is not asked (WebAuthn L3 §5.1.3, conditional create): UP and UV may be missing from the answer
    /// to these options, and to no others.
    var isUpgrade = false
    /// For a sign-in with a passkey of before: one of the domain's legacy RP IDs; `nil`: the current one.
    var legacyRelyingPartyID: String?

    private var policy: PasskeyOptions { connection.options.passkey }
    private var domain: Domain { context.domain }
    private var signInRelyingPartyID: String { legacyRelyingPartyID ?? domain.relyingPartyID }

    /// Milliseconds.
    var timeout: Int64 {
        policy.timeoutMilliseconds ?? (surface == .token || surface == .account ? 60_000 : 300_000)
    }

    private var userVerification: UserVerificationRequirement {
        if isUpgrade { return .preferred }
        return policy.userVerification(at: surface)
    }

    private var origins: [String] {
        ExpectedOrigins.of(client, on: domain, for: legacyRelyingPartyID, in: context.configuration)
    }

    private var topOrigins: [String]? {
        policy.allowCrossOrigin ? policy.allowedTopOrigins : nil
    }

    /// Options for a new credential. `exclude` holds the user's passkeys of the RP ID, newest first; `nil` for a user
    /// who has none yet.
    func creation(
        of account: AccountNames,
        userHandle: [UInt8],
        challenge: [UInt8],
        excluding exclude: [Passkey]?
    ) -> CreationOptions {
        let isBrowser = surface.isOfBrowsers
        var selection = CreationOptions.AuthenticatorSelection(
            authenticatorAttachment: policy.authenticatorAttachment,
            residentKey: policy.residentKey,
            userVerification: userVerification
        )
        // For old browsers, which do not know `residentKey`.
        if isBrowser, policy.residentKey == .required { selection.requireResidentKey = true }
        let friendly = context.settings.relyingPartyNameSource == .friendlyName ? context.settings.friendlyName : nil
        var options = CreationOptions(
            rpID: domain.relyingPartyID,
            rpName: friendly ?? domain.relyingPartyID,
            userID: userHandle,
            userName: account.name,
            userDisplayName: account.displayName,
            challenge: challenge,
            algorithms: [],
            timeout: timeout,
            authenticatorSelection: selection,
            attestation: isBrowser || policy.attestation != .none ? policy.attestation : nil,
            excludeCredentials: exclude.map(descriptors) ?? (isBrowser ? [] : nil),
            hints: isBrowser || !policy.hints.isEmpty ? policy.hints : nil,
            extensions: registrationExtensions
        )
        options.algorithmNumbers = policy.algorithms
        return options
    }

    /// What the answer to ``creation(of:userHandle:challenge:excluding:)`` is judged by.
    func registration(challenge: [UInt8]) -> IssuedRegistration {
        var issued = IssuedRegistration(
            challenge: challenge,
            rpID: domain.relyingPartyID,
            origins: origins,
            allowedTopOrigins: topOrigins,
            userVerification: userVerification,
            mayOmitUserPresence: isUpgrade,
            algorithms: [],
            attestation: policy.attestationPolicy,
            requiresBackupEligible: policy.requireBackupEligible
        )
        issued.algorithmNumbers = policy.algorithms
        return issued
    }

    /// Options for a sign-in. `allowing` is `nil` where nobody was named.
    func request(challenge: [UInt8], allowing: [CredentialDescriptor]?) -> RequestOptions {
        let isBrowser = surface.isOfBrowsers
        return RequestOptions(
            challenge: challenge,
            timeout: timeout,
            rpID: signInRelyingPartyID,
            userVerification: userVerification,
            allowCredentials: allowing ?? (isBrowser ? [] : nil),
            hints: isBrowser || !policy.hints.isEmpty ? policy.hints : nil,
            extensions: isBrowser || !requestExtensions.isEmpty ? requestExtensions : nil
        )
    }

    /// What the answer to ``request(challenge:allowing:)`` is judged by.
    func authentication(challenge: [UInt8], allowing: [CredentialDescriptor]?) -> IssuedAuthentication {
        IssuedAuthentication(
            challenge: challenge,
            rpID: signInRelyingPartyID,
            origins: origins,
            allowedTopOrigins: topOrigins,
            userVerification: userVerification,
            allowCredentials: allowing?.map(\.id) ?? [],
            // The same for a name that nobody has: whether the handle may be absent tells nothing.
            userIdentified: allowing != nil
        )
    }

    /// At most 64 go along (contract 4.1); the newest are the likeliest to be met.
    private func descriptors(_ passkeys: [Passkey]) -> [CredentialDescriptor] {
        passkeys.prefix(64).map { CredentialDescriptor(id: $0.record.id, transports: $0.record.transports) }
    }

    private var registrationExtensions: JSONObject? {
        var extensions = policy.extensions.without(inputs: [
            "largeBlob": ["read", "write"], "prf": ["evalByCredential"],
        ])
        guard surface.isOfBrowsers else { return extensions.isEmpty ? nil : extensions }
        if extensions["credProps"] == nil { extensions["credProps"] = true }
        return extensions
    }

    /// What is for registrations alone stays out: a browser refuses a sign-in that asks a `largeBlob` for its support
    /// (WebAuthn L3 §10.1.5).
    private var requestExtensions: JSONObject {
        policy.extensions.without(
            inputs: [
                "credProps": nil, "credentialProtectionPolicy": nil, "enforceCredentialProtectionPolicy": nil,
                "minPinLength": nil, "largeBlob": ["support"],
            ]
        )
    }
}

extension JSONObject {
    /// The same without some extension inputs: whole (`nil`), or some of their members. An input that has none left goes;
    /// one that was empty asks for something as it is (WebAuthn L3 §10.1.4, §10.1.5).
    fileprivate func without(inputs: [String: [String]?]) -> JSONObject {
        var rest = JSONObject()
        for member in members {
            guard let removed = inputs[member.name] else {
                rest.set(member.name, member.value)
                continue
            }
            guard let names = removed, var input = member.value.object else { continue }
            let wasEmpty = input.isEmpty
            for name in names { input.remove(name) }
            if wasEmpty || !input.isEmpty { rest.set(member.name, .object(input)) }
        }
        return rest
    }
}
