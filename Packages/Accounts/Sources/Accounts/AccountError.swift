public import Identity

/// Why nobody was signed up or in by password: each case is a row of the HTTP contract, section 2.2, 2.3 or 2.4.
public enum AccountError: Error, Hashable, Sendable {
    /// The connection does not exist or is not the client's, or none was named and there is no default.
    case directory(DirectoryError)
    /// What is missing or wrong in what a person says of themselves.
    case applicant(ApplicantError)
    /// The member of the request.
    case missing(String)
    case invalid(String)
    case signupDisabled
    case userExists

    case wrongCredentials
    /// Too many tries in a row; passkeys are not touched.
    case accountLocked
    case userBlocked

    case passwordTooWeak(PasswordRules.Verdict)
    /// In the connection's dictionary, or among those that were breached.
    case passwordTooCommon
    case passwordHasPersonalInfo
    case passwordUsedBefore

    /// The link was used, is over, or something changed that it was for.
    case ticketInvalid

    case store(StoreError)
    /// More hashes wait than the pool takes; nothing was done.
    case busy
}

/// Runs what asks a store, and turns its error into one of this package.
func stored<Value>(_ body: () async throws(StoreError) -> Value) async throws(AccountError) -> Value {
    do throws(StoreError) {
        return try await body()
    } catch {
        throw .store(error)
    }
}
