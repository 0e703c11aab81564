/// A login response that passed every check that needs no credential record. Only ``RelyingParty`` makes one.
///
/// The caller looks up ``credentialID`` next, and then verifies the signature with the record.
public struct CheckedAssertion: Hashable, Sendable {
    /// The response, of which nothing is proven before its signature is verified.
    public let response: AuthenticationResponse

    /// Which credential claims to have signed.
    public var credentialID: [UInt8] { response.id }

    /// Whose credential the authenticator says it is; `nil` only when the ceremony knew the user.
    public var userHandle: [UInt8]? { response.userHandle }

    init(response: AuthenticationResponse) {
        self.response = response
    }
}
