import Accounts
import Identity

extension APIError {
    /// The row of the contract for a refusal of a password, in the OAuth shape (sections 2.2 and 2.3).
    init(_ error: AccountError) {
        switch error {
        case .directory(let fault): self.init(fault)
        case .applicant(.missing(let name)), .missing(let name): self = .missing(APIError.bounded(name))
        case .applicant(.invalid(let name)), .invalid(let name): self = .invalid(APIError.bounded(name))
        case .applicant(.unknown(let name)): self = .invalid(APIError.bounded(name))
        case .applicant(.invalidUserMetadata): self = .invalid("user_metadata")
        case .wrongCredentials:
            self.init(403, "invalid_grant", "Wrong email or password.", "wrong_credentials")
        case .accountLocked:
            // Until a passkey, a reset or an administrator; a client may as well ask again in a while.
            self = .accountLocked(retryAfter: 900)
        case .userBlocked:
            self.init(403, "unauthorized", "user is blocked", "user_blocked")
        case .signupDisabled:
            self.init(400, "invalid_request", "Signup is disabled", "signup_disabled")
        case .userExists:
            self.init(400, "invalid_request", "The user already exists", "user_exists")
        case .passwordTooWeak, .passwordTooCommon, .passwordHasPersonalInfo, .passwordUsedBefore:
            self.init(400, "invalid_request", "Password is too weak", "invalid_password")
        case .ticketInvalid:
            self.init(400, "invalid_request", "The link is not good any more", "ticket_invalid")
        case .store(let failure): self.init(failure)
        case .busy: self = .temporarilyUnavailable(retryAfter: 2)
        }
    }

    private init(_ error: DirectoryError) {
        switch error {
        case .unknownConnection:
            self.init(
                400,
                "invalid_request",
                "The connection does not exist or is not enabled for the client",
                "unknown_connection"
            )
        case .noDefaultDirectory:
            self.init(400, "invalid_request", "No default directory is configured", "no_default_directory")
        }
    }
}

// MARK: Section 9.5

extension APIError {
    /// Wrong, over, for another client, or one too many: nobody is told which.
    static let recoveryCodeInvalid = APIError(
        403,
        "invalid_grant",
        "Invalid or expired code",
        "recovery_code_invalid"
    )
}
