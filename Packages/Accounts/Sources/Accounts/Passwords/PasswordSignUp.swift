public import Encodings
public import Identity

/// Makes a new user with a password (HTTP contract 9.1).
public struct PasswordSignUp: Sendable {
    private let users: any UserStore
    private let passwords: any PasswordStore
    private let hasher: PasswordHasher
    private let breached: @Sendable () -> BreachedPasswords
    private let random: RandomSource

    /// - Parameters:
    ///   - users: where users are kept.
    ///   - passwords: where passwords are kept.
    ///   - hasher: hashes them.
    ///   - breached: those that nobody may choose, as they are known now.
    ///   - random: gives ids and handles.
    public init(
        users: any UserStore,
        passwords: any PasswordStore,
        hasher: PasswordHasher,
        breached: @escaping @Sendable () -> BreachedPasswords,
        random: @escaping RandomSource
    ) {
        self.users = users
        self.passwords = passwords
        self.hasher = hasher
        self.breached = breached
        self.random = random
    }

    /// Makes the user, or nothing. Nobody is signed in by it.
    ///
    /// - Parameters:
    ///   - attributes: the members of the request that describe the user: identifiers and profile.
    ///   - metadata: `user_metadata`.
    ///   - entered: the password as typed.
    ///   - realm: the name of the connection.
    ///   - client: the client that asks.
    ///   - context: where.
    /// - Returns: the new user.
    /// - Throws: what ``AccountError`` lists, in the order of the checks.
    public func run(
        _ attributes: JSONObject,
        metadata: JSONValue?,
        password entered: String,
        realm: String?,
        client: Client,
        in context: RequestContext
    ) async throws(AccountError) -> User {
        let connection: Connection
        do throws(DirectoryError) {
            connection = try context.connection(realm: realm, for: client)
        } catch { throw .directory(error) }
        guard connection.options.passwordsEnabled, !connection.options.signupDisabled else { throw .signupDisabled }
        let identifiers: [UserIdentifier]
        let profile: UserProfile
        do throws(ApplicantError) {
            (identifiers, profile) = try Applicant.profile(attributes, metadata: metadata)
                .read(SignupRules(connection.options))
        } catch { throw .applicant(error) }
        guard let password = PasswordText(entered) else { throw .invalid("password") }
        try PasswordRules(connection.options.password).check(
            password,
            breached: breached(),
            identifiers: identifiers,
            profile: profile
        )
        // Hashed before it is known whether the name is free: the answer takes as long either way.
        let hash = try await hasher.hash(password)
        let user = User(
            id: UserID(now: context.now, random: random(8)),
            tenant: context.tenant,
            connection: connection.id,
            identifiers: identifiers,
            profile: profile,
            createdAt: context.now,
            updatedAt: context.now
        )
        let event = AuditEvent(
            tenant: context.tenant,
            types: ["ss"],
            at: context.now,
            user: user.id,
            client: client.id,
            connection: connection.id,
            device: context.device,
            details: ["authentication_methods": ["pwd"]]
        )
        do throws(StoreError) {
            try await passwords.add(
                user,
                userHandle: random(32),
                password: PasswordRecord(hash: hash, changedAt: context.now),
                audit: event
            )
        } catch .unique(.identifier) {
            throw .userExists
        } catch {
            throw .store(error)
        }
        return user
    }
}
