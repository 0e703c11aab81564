public import Identity
public import WebAuthn

/// Why a ceremony did not begin or did not end well: each case is a row of the HTTP contract, section 2.3 (or 10).
public enum PasskeyError: Error, Hashable, Sendable {
    // Before a ceremony.
    /// The client lacks the webauthn grant (2.2).
    case grantNotAllowed
    case clientNotFirstParty
    case passkeysDisabledForTenant
    case passkeysDisabledForConnection
    case unknownConnection
    case noDefaultDirectory
    case customDomainRequired
    /// `rp_id` names neither the domain's RP ID nor one of before (11.6).
    case unknownRelyingPartyID
    /// The member of `user_profile`, or `username` in section 12.
    case missingIdentifier(String)
    case invalidIdentifier(String)
    case unknownAttribute(String)
    case invalidUserMetadata
    case signupDisabled
    /// When a sign-up begins.
    case userExists
    case upgradeNotOffered
    /// 9.4: the session was made with a passkey that an upgrade made not long ago.
    case onProbation
    /// Section 10, fresh proof; the seconds that the last authentication may be old.
    case insufficientUserAuthentication(maximumAge: Int64)

    // The answer to a ceremony.
    case sessionInvalid
    /// The ceremony was taken and refused; `reason` and `step` are in the error.
    case refused(Refusal)
    /// When a sign-up ends: another one was faster.
    case userExistsAtFinish(CeremonyID)
    /// When an enrolment begins (then there is no ceremony yet) or ends.
    case tooManyPasskeys(CeremonyID?)

    case store(StoreError)
}

/// A refused ceremony.
public struct Refusal: Hashable, Sendable {
    public let error: CeremonyError
    /// The `trace_id`.
    public let ceremony: CeremonyID
    /// What the client may signal to its passkey manager (contract 9.6); `nil`: nothing.
    public let unknownCredential: UnknownCredential?

    public init(error: CeremonyError, ceremony: CeremonyID, unknownCredential: UnknownCredential? = nil) {
        self.error = error
        self.ceremony = ceremony
        self.unknownCredential = unknownCredential
    }

    /// The arguments of `signalUnknownCredential` (WebAuthn L3 §5.1.10.1).
    public struct UnknownCredential: Hashable, Sendable {
        public let relyingPartyID: String
        /// The id that the client itself sent.
        public let credentialID: [UInt8]

        public init(relyingPartyID: String, credentialID: [UInt8]) {
            self.relyingPartyID = relyingPartyID
            self.credentialID = credentialID
        }
    }
}
