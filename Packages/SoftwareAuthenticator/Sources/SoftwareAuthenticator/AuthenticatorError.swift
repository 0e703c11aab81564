public import Cryptography

/// Why an authenticator does not answer.
public enum AuthenticatorError: Error, Hashable, Sendable {
    /// The options lack this member, or it is malformed.
    case invalidOptions(member: String)
    /// None of the algorithms in `pubKeyCredParams` can be made.
    case noUsableAlgorithm
    /// A credential of `excludeCredentials` is here already.
    case excluded
    /// User verification is required, and the profile has none.
    case cannotVerifyUser
    /// No credential here is for the relying party, or among those listed.
    case noCredential
    /// The fault does not exist in this ceremony, or not with these options and this profile.
    case faultDoesNotApply
    case cryptography(CryptographyError)
}
