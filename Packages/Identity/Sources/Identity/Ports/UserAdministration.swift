/// Keeps users as those see them who administer a tenant. Each writing method is one transaction with its record.
public protocol UserAdministrationStore: Sendable {
    /// A part of the users who match, in their order.
    func find(_ search: UserSearch, of tenant: TenantID) async throws(StoreError) -> FoundUsers
    /// Everybody who has the identifier, in whichever user directory, in the order of the directories' ids.
    func users(with identifier: UserIdentifier, of tenant: TenantID) async throws(StoreError) -> [UserDetails]
    func details(of user: UserID, tenant: TenantID) async throws(StoreError) -> UserDetails?
    /// Makes the user with all that belongs to it, or nothing.
    ///
    /// - Throws: `.unique` with what is taken: `.user`, `.identifier`, `.credential` or `.userHandle`.
    func add(_ user: NewUser, audit: AuditEvent) async throws(StoreError)
    /// Puts a user in the place of the one that was read. A new password is kept as set after the old one, by a
    /// millisecond where the times given say otherwise.
    ///
    ///
    /// - Returns: false, with nothing done, when the user was changed since or is gone.
    /// - Throws: `.unique(.identifier)` when somebody else has one of the identifiers.
    func change(_ change: UserChange, audit: AuditEvent) async throws(StoreError) -> Bool
    /// Removes the user with identifiers, passkeys, password, sessions and tokens; what is written of them stays.
    ///
    /// - Returns: false when there is no such user.
    func remove(_ user: UserID, tenant: TenantID, audit: AuditEvent) async throws(StoreError) -> Bool
}

/// A user who is made by somebody else than themselves.
public struct NewUser: Hashable, Sendable {
    public let user: User
    /// The own handle, which new passkeys are made with.
    public let userHandle: [UInt8]
    public let password: PasswordRecord?
    /// Brought from elsewhere, with handles of their own.
    public let passkeys: [Passkey]

    public init(user: User, userHandle: [UInt8], password: PasswordRecord?, passkeys: [Passkey] = []) {
        self.user = user
        self.userHandle = userHandle
        self.password = password
        self.passkeys = passkeys
    }
}

/// What becomes of a user.
public struct UserChange: Hashable, Sendable {
    /// As it was read; known again by `updatedAt`.
    public let old: User
    /// As it is to be, with another `updatedAt`. Who is blocked by it loses sessions and refresh tokens.
    public let new: User
    /// `nil`: it stays as it is.
    public let password: PasswordRecord?

    public init(old: User, new: User, password: PasswordRecord? = nil) {
        self.old = old
        self.new = new
        self.password = password
    }
}

/// Keeps how often passwords were tried in vain, for those who unlock accounts.
public protocol PasswordTryStore: Sendable {
    /// Tries in a row of each name, in the order of `names`; 0 for one that nobody tried.
    ///
    /// Tries that a sign-in with a passkey has cleared count no more.
    func passwordTries(
        of names: [TriedName],
        tenant: TenantID
    ) async throws(StoreError) -> [Int]
    /// Forgets them, with its record.
    func forgetPasswordTries(of names: [TriedName], tenant: TenantID, audit: AuditEvent) async throws(StoreError)
}

/// A name as tries of it are counted.
public struct TriedName: Hashable, Sendable {
    public let connection: ConnectionID
    public let identifier: UserIdentifier
    /// As ``PasswordStore/beginPasswordTry(nameHash:identifier:in:of:limit:now:)`` has it.
    public let nameHash: [UInt8]

    public init(connection: ConnectionID, identifier: UserIdentifier, nameHash: [UInt8]) {
        self.connection = connection
        self.identifier = identifier
        self.nameHash = nameHash
    }
}

/// Keeps passkeys as those see them who administer a tenant. Each method is one transaction with its record.
public protocol PasskeyAdministrationStore: Sendable {
    /// Adds a passkey that was made elsewhere, and its handle to the user's own ones.
    ///
    /// - Throws: `.unique(.credential)`; `.unique(.userHandle)` when another user has the handle.
    func bring(_ passkey: Passkey, maximum: Int, audit: AuditEvent) async throws(StoreError) -> AddPasskeyOutcome
    /// - Returns: false when the user has no such passkey.
    func rename(
        _ passkey: PasskeyID,
        of user: UserID,
        to name: String,
        tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError) -> Bool
    /// Removes a passkey at the wish of its user, unless nothing were left to sign in with: neither another passkey in
    /// use nor, where `countingPassword`, a password. The sessions that it began end, but for the one that asks, and the
    /// tokens of its sign-ins are revoked. One transaction, under the lock of the user's row.
    func removeOwn(
        _ passkey: PasskeyID,
        of user: UserID,
        by session: SessionID,
        countingPassword: Bool,
        tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError) -> RemovePasskeyOutcome
    /// Removes the user's password, as long as `passkeys` passkeys are in use that sign in instead of it. One transaction,
    /// under the lock of the user's row.
    func retirePassword(
        of user: UserID,
        having passkeys: Int,
        tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError) -> RetirePasswordOutcome
    /// Removes passkeys of the user, all or one, also the last way in, and revokes the tokens of their sign-ins.
    ///
    /// - Returns: how many were removed.
    func removePasskeys(
        of user: UserID,
        only passkey: PasskeyID?,
        tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError) -> Int
}

public enum RetirePasswordOutcome: Hashable, Sendable {
    case retired
    /// The user has none, or is gone.
    case notFound
    case tooFewPasskeys
}

/// Keeps sessions and refresh tokens as those see them who administer a tenant.
public protocol AccessAdministrationStore: Sendable {
    /// The user's sessions that hold at `now`, oldest first.
    func sessions(
        of user: UserID,
        after last: SessionID?,
        limit: Int,
        tenant: TenantID,
        now: UnixTime
    ) async throws(StoreError) -> [Session]
    /// The user's families that are neither revoked nor over at `now`, oldest first.
    func refreshFamilies(
        of user: UserID,
        after last: RefreshFamilyID?,
        limit: Int,
        tenant: TenantID,
        now: UnixTime
    ) async throws(StoreError) -> [RefreshFamily]
    func refreshFamily(_ id: RefreshFamilyID, of tenant: TenantID) async throws(StoreError) -> RefreshFamily?
    /// Ends sessions and revokes families as `withdrawal` says: one transaction with its record.
    func withdraw(_ withdrawal: Withdrawal, of tenant: TenantID, audit: AuditEvent) async throws(StoreError)
}

/// What somebody's access is ended by.
public enum Withdrawal: Hashable, Sendable {
    /// All sessions of the user; with `tokens` all refresh tokens too, and without they go on by themselves.
    case sessions(of: UserID, tokens: Bool)
    /// One session, and with `tokens` its refresh tokens.
    case session(SessionID, tokens: Bool)
    /// All sessions of the user but one, with the refresh tokens of the others.
    case otherSessions(of: UserID, than: SessionID)
    /// Those refresh tokens of the user that are of the client and the API, where one is named.
    case tokens(of: UserID, client: ClientID?, audience: String?)
    case families([RefreshFamilyID])
}
