// MARK: Section 8

extension APIError {
    /// A hosted sign-in that is over, or another browser's.
    static let startAgain = APIError(400, "invalid_request", "Start again", "transaction_invalid")
    /// Nothing is sent to an address that is not the client's (RFC 6749 §3.1.2.4).
    static let callbackMismatch = APIError(400, "invalid_request", "Callback URL mismatch.", "callback_mismatch")
    static let unknownClientPage = APIError(400, "invalid_request", "Unknown client", "unknown_client")
}

extension APIError {
    /// A password that is still needed.
    static let tooFewPasskeys = APIError(
        409,
        "conflict",
        "Too few passkeys to do without a password",
        "too_few_passkeys"
    )
}
