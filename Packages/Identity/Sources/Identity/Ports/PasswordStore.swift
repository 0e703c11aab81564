/// Keeps passwords, and how often one was tried in vain.
public protocol PasswordStore: Sendable {
    /// Counts a try and finds whose password it is about, in one step: so that a thousand tries at once count a thousand.
    ///
    /// Tries in a row begin anew after a sign-in with a passkey of the user. A try over `limit` is not counted.
    ///
    /// - Parameters:
    ///   - nameHash: SHA-256 of the identifier's kind and canonical form, or of what was typed when it is none.
    ///   - identifier: whom to look for; `nil`: nobody, and what is counted and read is the same.
    ///   - connection: the user directory.
    ///   - tenant: the tenant.
    ///   - limit: how many tries in a row there may be.
    ///   - now: the time of the try.
    /// - Returns: who has the name, and the tries in a row with this one; `nil` when it is one too many.
    /// - Throws: only what the store itself is at fault for.
    func beginPasswordTry(
        nameHash: [UInt8],
        identifier: UserIdentifier?,
        in connection: ConnectionID,
        of tenant: TenantID,
        limit: Int,
        now: UnixTime
    ) async throws(StoreError) -> PasswordTry?
    /// The one durable step of a sign-in by password: session, refresh token, records; the tries in vain are forgotten,
    /// and the hash is replaced by ``PasswordUse/newHash`` if there is one.
    ///
    /// A password is told from a later one by when it was set, not by its hash, which another sign-in may have replaced
    /// by a newer one of the same password in between.
    ///
    /// - Returns: false when the user is gone or blocked or has another password by now; then nothing was done.
    func finishLogin(_ use: PasswordUse, login: LoginEffect) async throws(StoreError) -> Bool
    /// Makes the user with a password, or nothing.
    ///
    /// - Throws: `.unique(.identifier)` or `.unique(.userHandle)` when one is taken.
    func add(
        _ user: User,
        userHandle: [UInt8],
        password: PasswordRecord,
        audit: AuditEvent
    ) async throws(StoreError)
    /// The user's password; `nil` without one.
    func password(of user: UserID, tenant: TenantID) async throws(StoreError) -> PasswordRecord?
}

/// What a try of a password finds.
public struct PasswordTry: Hashable, Sendable {
    /// Tries in a row with this name, this one too.
    public let inRow: Int
    public let user: User?
    public let password: PasswordRecord?

    public init(inRow: Int, user: User?, password: PasswordRecord?) {
        self.inRow = inRow
        self.user = user
        self.password = password
    }
}

/// A password that was right.
public struct PasswordUse: Hashable, Sendable {
    public let tenant: TenantID
    public let user: UserID
    public let connection: ConnectionID
    public let nameHash: [UInt8]
    /// What was verified.
    public let hash: String
    /// When the password that was verified was set.
    public let changedAt: UnixTime
    /// The same password, hashed as new ones are; `nil`: it is already.
    public let newHash: String?
    public let at: UnixTime

    public init(
        tenant: TenantID,
        user: UserID,
        connection: ConnectionID,
        nameHash: [UInt8],
        hash: String,
        changedAt: UnixTime,
        newHash: String?,
        at: UnixTime
    ) {
        self.tenant = tenant
        self.user = user
        self.connection = connection
        self.nameHash = nameHash
        self.hash = hash
        self.changedAt = changedAt
        self.newHash = newHash
        self.at = at
    }
}
