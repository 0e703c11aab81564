public import Encodings

/// The proof that a login response is right, and what it changes in the credential record. Only ``RelyingParty``
/// makes one.
public struct VerifiedAssertion: Hashable, Sendable {
    public let credentialID: [UInt8]
    public let userPresent: Bool
    /// UV of this login. Whether it counts as a factor is for the record's `uvInitialized` to say.
    public let userVerified: Bool
    /// The counter to store.
    public let signCount: UInt32
    /// The counter that was stored, for a compare-and-set.
    public let previousSignCount: UInt32
    /// Whether the counter is in use and did not rise: a sign of a copy. Only ``CounterPolicy/warn`` lets it be true.
    public let counterRegressed: Bool
    /// BE to store.
    public let backupEligible: Bool
    /// Whether ``backupEligible`` differs from what the record held, or the record held nothing.
    public let backupEligibleChanged: Bool
    /// BS to store.
    public let backupState: Bool
    /// Whether ``backupState`` differs from what the record held: the credential was backed up since, or is no more.
    public let backupStateChanged: Bool
    public let authenticatorAttachment: AuthenticatorAttachment?
    /// The authenticator's extension outputs, one CBOR map as received; `nil`: none.
    public let extensions: [UInt8]?
    /// The client's extension outputs, which nobody signed.
    public let clientExtensionResults: JSONObject

    init(_ response: AuthenticationResponse, record: CredentialRecord, counterRegressed: Bool) {
        let data = response.authenticatorData
        credentialID = record.id
        userPresent = data.flags.contains(.userPresent)
        userVerified = data.flags.contains(.userVerified)
        signCount = data.signCount
        previousSignCount = record.signCount
        self.counterRegressed = counterRegressed
        backupEligible = data.flags.contains(.backupEligible)
        backupEligibleChanged = record.backupEligible != data.flags.contains(.backupEligible)
        backupState = data.flags.contains(.backupState)
        backupStateChanged = record.backupState != data.flags.contains(.backupState)
        authenticatorAttachment = response.authenticatorAttachment
        extensions = data.extensions
        clientExtensionResults = response.clientExtensionResults
    }
}
