import Identity
import Passkeys
import WebAuthn

/// Where a refusal is told: the contract gives some rows another status there.
enum Surface {
    /// `/passkey/register` and `/passkey/challenge`.
    case passkey
    /// `/oauth/token`.
    case token
    /// Section 12, options.
    case browserOptions
    /// Section 12, verify.
    case browserVerify
    /// Section 10.
    case account
    /// Section 13, where every refusal has one status.
    case conformance
}

extension APIError {
    /// The row of the contract for a refusal of a ceremony, or of its beginning.
    init(_ error: PasskeyError, at surface: Surface) {
        switch error {
        case .grantNotAllowed:
            self = .grantNotAllowed(.webAuthn, status: surface == .token ? 403 : 400)
        case .clientNotFirstParty:
            self.init(
                400,
                "unauthorized_client",
                "The client is not allowed to use passkeys",
                "client_not_first_party"
            )
        case .passkeysDisabledForTenant:
            self.init(404, "not_found", "Passkeys are not enabled", "passkeys_disabled")
        case .passkeysDisabledForConnection:
            self.init(400, "invalid_request", "Passkeys are not enabled for the connection", "passkeys_disabled")
        case .unknownConnection:
            self.init(
                400,
                "invalid_request",
                "The connection does not exist or is not enabled for the client",
                "unknown_connection"
            )
        case .noDefaultDirectory:
            self.init(400, "invalid_request", "No default directory is configured", "no_default_directory")
        case .customDomainRequired:
            self.init(400, "invalid_request", "Passkeys need a custom domain", "custom_domain_required")
        case .unknownRelyingPartyID:
            self = .invalid("rp_id")
        case .missingIdentifier(let name):
            self.init(
                400,
                "invalid_request",
                "Missing required user_profile attribute: \(APIError.bounded(name))",
                "missing_identifier"
            )
        case .invalidIdentifier(let name):
            self.init(
                400,
                "invalid_request",
                "Invalid user_profile attribute: \(APIError.bounded(name))",
                "invalid_identifier"
            )
        case .unknownAttribute(let name):
            self.init(
                400,
                "invalid_request",
                "Unknown user_profile attribute: \(APIError.bounded(name))",
                "unknown_attribute"
            )
        case .invalidUserMetadata:
            self.init(400, "invalid_request", "Invalid user_metadata", "invalid_user_metadata")
        case .signupDisabled:
            self.init(400, "invalid_request", "Signup is disabled", "signup_disabled")
        case .userExists:
            let isBrowser = surface == .browserOptions || surface == .browserVerify
            self.init(isBrowser ? 409 : 400, "invalid_request", "The user already exists", "user_exists")
        case .upgradeNotOffered:
            self.init(403, "access_denied", "No passkey upgrade is offered", "upgrade_not_offered")
        case .onProbation:
            self = .onProbation
        case .insufficientUserAuthentication(let maximumAge):
            self.init(
                401,
                "insufficient_user_authentication",
                "A fresh sign-in is needed",
                "insufficient_user_authentication"
            )
            challenge = "Bearer error=\"insufficient_user_authentication\", max_age=\(maximumAge)"
        case .sessionInvalid:
            self.init(
                surface == .browserVerify || surface == .account ? 400 : 403,
                "invalid_grant",
                "Invalid or expired auth_session",
                "auth_session_invalid"
            )
        case .refused(let refusal):
            self.init(refusal.error.reason, at: surface)
            ceremony = refusal.ceremony
            unknownCredential = refusal.unknownCredential
        case .userExistsAtFinish(let ceremony):
            self.init(
                surface == .browserVerify ? 409 : 403,
                "invalid_grant",
                "The user already exists",
                "user_exists"
            )
            self.ceremony = ceremony
        case .tooManyPasskeys(let ceremony):
            self.init(400, "invalid_request", "Too many passkeys", "too_many_passkeys")
            self.ceremony = ceremony
        case .store(let failure):
            self.init(failure)
        }
    }
}

extension APIError {
    /// The row of section 2.3 for a ceremony that was taken and refused.
    init(_ reason: CeremonyReason, at surface: Surface) {
        let isBrowser = surface == .browserVerify
        let refused = isBrowser || surface == .account ? 400 : 403
        switch reason {
        case .invalidResponse:
            self.init(400, "invalid_request", "Invalid authn_response", reason.rawValue)
        case .typeMismatch, .challengeMismatch, .originMismatch, .crossOrigin, .rpIDMismatch, .userPresenceMissing,
            .userVerificationMissing, .backupFlagsInvalid, .algorithmNotAllowed, .attestationInvalid,
            .userHandleMismatch, .signatureInvalid, .counterRegression:
            self.init(refused, "invalid_grant", "Passkey verification failed", reason.rawValue)
            isCeremonyReason = true
        case .authenticatorNotAllowed:
            self.init(403, "access_denied", "The authenticator is not allowed by policy", reason.rawValue)
        case .credentialExists:
            self.init(
                isBrowser || surface == .account ? 409 : 403,
                "invalid_grant",
                "The passkey is already registered",
                reason.rawValue
            )
        case .unknownCredential:
            self.init(isBrowser ? 401 : 403, "invalid_grant", "Unknown passkey", reason.rawValue)
        case .userBlocked:
            self.init(isBrowser ? 401 : 403, "unauthorized", "user is blocked", reason.rawValue)
        case .userVerificationUnproven:
            self.init(
                403,
                "access_denied",
                "User verification is not established for this passkey",
                reason.rawValue
            )
        }
    }
}
