/// What a relying party fixed when it began a login: all that the answer is judged by, but for the credential.
public struct IssuedAuthentication: Hashable, Sendable {
    /// The random bytes that the options carried.
    public var challenge: [UInt8]
    public var rpID: String
    /// The origins that may answer, compared byte for byte.
    public var origins: [String]
    /// The pages that may frame the ceremony; `nil`: a framed ceremony is refused.
    public var allowedTopOrigins: [String]?
    public var userVerification: UserVerificationRequirement
    /// The credentials that may answer; empty: any, found by the authenticator.
    public var allowCredentials: [[UInt8]]
    /// Whether the server knew the user when it began. If not, and no credential was listed, the answer must carry
    /// the user handle (step 6).
    public var userIdentified: Bool

    public init(
        challenge: [UInt8],
        rpID: String,
        origins: [String],
        allowedTopOrigins: [String]? = nil,
        userVerification: UserVerificationRequirement = .preferred,
        allowCredentials: [[UInt8]] = [],
        userIdentified: Bool = false
    ) {
        self.challenge = challenge
        self.rpID = rpID
        self.origins = origins
        self.allowedTopOrigins = allowedTopOrigins
        self.userVerification = userVerification
        self.allowCredentials = allowCredentials
        self.userIdentified = userIdentified
    }
}
