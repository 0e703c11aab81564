public import Encodings
internal import WebAuthn

/// An authenticator and its client, with the credentials that it made.
public struct Authenticator: Sendable {
    public var profile: AuthenticatorProfile
    /// The oldest first.
    public var credentials: [SoftwareCredential]

    public init(_ profile: AuthenticatorProfile = .syncedPasskey, credentials: [SoftwareCredential] = []) {
        self.profile = profile
        self.credentials = credentials
    }

    /// Answers the options of a registration, and keeps the credential that it makes, unless something was to be wrong.
    ///
    /// - Parameters:
    ///   - options: a `PublicKeyCredentialCreationOptionsJSON`.
    ///   - origin: where the page or app comes from; whether the RP ID suits it is not judged.
    ///   - conditional: whether the client was asked to upgrade quietly: UP and UV are 0.
    ///   - fault: what is to be wrong with the response.
    /// - Returns: a `RegistrationResponseJSON`.
    /// - Throws: ``AuthenticatorError``, where an authenticator would not answer either, or has no such fault.
    public mutating func create(
        _ options: JSONObject,
        origin: String,
        conditional: Bool = false,
        fault: Fault? = nil
    ) throws(AuthenticatorError) -> JSONObject {
        let request = try CreationRequest(options, origin: origin)
        let creation = try Creation(request, profile, known: credentials, conditional: conditional, fault)
        let response = try creation.response(origin: origin)
        if fault == nil { credentials.append(creation.credential) }
        return response
    }

    /// Answers the options of a login with the newest credential that fits, and counts.
    ///
    /// - Parameters:
    ///   - options: a `PublicKeyCredentialRequestOptionsJSON`.
    ///   - origin: where the page or app comes from; whether the RP ID suits it is not judged.
    ///   - fault: what is to be wrong with the response.
    /// - Returns: an `AuthenticationResponseJSON`.
    /// - Throws: ``AuthenticatorError``, where an authenticator would not answer either, or has no such fault.
    public mutating func get(
        _ options: JSONObject,
        origin: String,
        fault: Fault? = nil
    ) throws(AuthenticatorError) -> JSONObject {
        let request = try AssertionRequest(options, origin: origin)
        let index = credentials.lastIndex { credential in
            credential.rpID == request.rpID
                && (request.allowed.isEmpty ? credential.isDiscoverable : request.allowed.contains(credential.id))
        }
        guard let index else { throw .noCredential }
        if case .from = profile.counter { credentials[index].signCount &+= 1 }
        let flags = try profile.flags(request.userVerification)
        var assertion = Assertion(credentials[index], request, profile, flags)
        if fault == .credentialUnknown, !request.allowed.isEmpty { throw .faultDoesNotApply }
        if fault == .credentialNotListed, request.allowed.isEmpty { throw .faultDoesNotApply }
        return try assertion.response(origin: origin, fault)
    }
}

extension AuthenticatorProfile {
    /// UP, and UV as far as it is asked for.
    func flags(_ userVerification: UserVerificationRequirement) throws(AuthenticatorError) -> AuthenticatorFlags {
        switch userVerification {
        case .required:
            guard canVerifyUser else { throw .cannotVerifyUser }
            return [.userPresent, .userVerified]
        case .preferred: return canVerifyUser && verifiesWhenPreferred ? [.userPresent, .userVerified] : .userPresent
        case .discouraged: return .userPresent
        }
    }
}
