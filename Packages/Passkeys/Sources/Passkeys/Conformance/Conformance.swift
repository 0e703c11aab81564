public import Encodings
internal import Cryptography
public import Identity
public import WebAuthn

/// The ceremonies of the FIDO conformance API (HTTP contract 13): they register and attach keys without any sign-in, in a
/// directory of their own that no client can use, and they give no session and no token.
public struct Conformance: Sendable {
    private let ceremonies: Ceremonies

    public init(_ ceremonies: Ceremonies) {
        self.ceremonies = ceremonies
    }

    /// What a tool asks for at `/attestation/options`.
    public struct RegistrationRequest: Hashable, Sendable {
        public var username: String
        public var displayName: String
        public var selection: CreationOptions.AuthenticatorSelection
        public var attestation: AttestationConveyancePreference
        public var extensions: JSONObject?

        public init(
            username: String,
            displayName: String,
            selection: CreationOptions.AuthenticatorSelection,
            attestation: AttestationConveyancePreference,
            extensions: JSONObject?
        ) {
            self.username = username
            self.displayName = displayName
            self.selection = selection
            self.attestation = attestation
            self.extensions = extensions
        }
    }

    /// Begins a registration, for a user who is new or has passkeys already.
    ///
    /// - Throws: `.unknownConnection` where the tenant has no such directory, `.store`.
    public func begin(
        _ request: RegistrationRequest,
        in context: RequestContext
    ) async throws(PasskeyError) -> Begun<CreationOptions> {
        let connection = try directory(context)
        let identifier = Self.identifier(request.username)
        let user = try await user(identifier, in: connection, context)
        // The same for every registration of the name, also for those that begin before the first has ended.
        var handle = Self.userHandle(of: request.username, in: context)
        var passkeys: [Passkey] = []
        if let user {
            (handle, passkeys) = try await stored { () async throws(StoreError) in
                (
                    try await ceremonies.users.userHandle(of: user, tenant: context.tenant) ?? handle,
                    try await ceremonies.credentials.passkeys(
                        of: user,
                        relyingPartyID: context.domain.relyingPartyID,
                        tenant: context.tenant
                    )
                )
            }
        }
        let composer = composer(connection, context)
        let beginning = ceremonies.beginning(composer)
        let account = NewAccount(
            identifiers: [identifier],
            profile: UserProfile(name: request.displayName),
            userHandle: handle
        )
        let names = AccountNames(identifiers: [identifier], profile: account.profile, precedence: [.username])
        var options = composer.creation(
            of: names,
            userHandle: handle,
            challenge: beginning.challenge,
            excluding: passkeys
        )
        options.algorithmNumbers = Self.algorithms
        options.authenticatorSelection = request.selection
        options.attestation = request.attestation
        options.extensions = request.extensions
        options.hints = nil
        var issued = composer.registration(challenge: beginning.challenge)
        issued.algorithmNumbers = Self.algorithms
        issued.userVerification = request.selection.userVerification ?? .preferred
        issued.requiresBackupEligible = false
        issued.attestation.preference = request.attestation
        // Asked for an attestation, a chain has to end at a root of the metadata, and nothing may contradict that.
        issued.attestation.trustAnchors = []
        issued.attestation.trust = .metadata
        issued.attestation.acceptsTestTPMs = true
        return try await ceremonies.begin(
            beginning,
            .signup(issued, account, .conformance),
            options: options,
            for: Self.tool(of: context),
            connection: connection,
            in: context
        )
    }

    /// Verifies the answer to a registration and keeps the passkey, with its user when that is new.
    ///
    /// - Throws: `.sessionInvalid`, `.refused`, `.tooManyPasskeys`, `.store`.
    public func finishRegistration(
        _ json: JSONObject,
        session: String?,
        in context: RequestContext
    ) async throws(PasskeyError) {
        let (taken, connection) = try await take(session, context)
        guard case .signup(let issued, let account, _) = taken.purpose, let identifier = account.identifiers.first
        else {
            throw .sessionInvalid
        }
        let outcome = CeremonyOutcome(ceremony: taken, purpose: .signup, context: context)
        let (registration, details) = try await ceremonies.verify(
            json,
            as: .conformance,
            answering: issued,
            outcome
        )
        // Of several registrations of one new name at once, the first makes the user and the others add to it.
        for _ in 0..<2 {
            let known = try await user(identifier, in: connection, context)
            let user = User(
                id: known ?? UserID(now: context.now, random: ceremonies.random(8)),
                tenant: context.tenant,
                connection: connection.id,
                identifiers: account.identifiers,
                profile: account.profile,
                createdAt: context.now,
                updatedAt: context.now
            )
            let passkey = Passkey(
                id: PasskeyID(random: ceremonies.random(12)),
                tenant: context.tenant,
                user: user.id,
                relyingPartyID: issued.rpID,
                userHandle: account.userHandle,
                record: registration.credential,
                isDiscoverable: registration.isDiscoverable,
                enrolledBy: known == nil ? .signup : .enroll,
                userAgent: context.device.userAgent,
                createdAt: context.now
            )
            let (record, event) = outcome.accepted(
                user.id,
                details: details,
                event: ["ceremony_id": .string(outcome.ceremony.id.text), "conformance": true]
            )
            var isFull = false
            do throws(StoreError) {
                guard known != nil else {
                    try await ceremonies.users.add(
                        user,
                        userHandle: account.userHandle,
                        passkey: passkey,
                        ceremony: record,
                        audit: event
                    )
                    return
                }
                let added = try await ceremonies.credentials.add(
                    passkey,
                    maximum: Self.maximumPerUser,
                    ceremony: record,
                    audit: event
                )
                if added == .added { return }
                isFull = true
            } catch .unique(.ceremony) {
                // It ended before, and its challenge came back: of a cache that was restored, say.
                throw .sessionInvalid
            } catch .unique(.credential) {
                throw ceremonies.refuse(.credentialExists(passkey), outcome, details: details)
            } catch .unique(.identifier) where known == nil {
                continue
            } catch .unique(.userHandle) where known == nil {
                // One name has one user handle: a store may see that first.
                continue
            } catch {
                throw .store(error)
            }
            if isFull { throw .tooManyPasskeys(outcome.ceremony.id) }
        }
        throw .store(.busy(reason: "the user was made and removed meanwhile"))
    }

    /// Begins a sign-in of a user who has passkeys.
    ///
    /// - Throws: `.invalidIdentifier("username")` when nobody of the directory has the name and a passkey, `.store`.
    public func begin(
        username: String,
        userVerification: UserVerificationRequirement,
        extensions: JSONObject?,
        in context: RequestContext
    ) async throws(PasskeyError) -> Begun<RequestOptions> {
        let connection = try directory(context)
        guard let user = try await user(Self.identifier(username), in: connection, context) else {
            throw .invalidIdentifier("username")
        }
        let passkeys = try await stored { () async throws(StoreError) in
            try await ceremonies.credentials.passkeys(
                of: user,
                relyingPartyID: context.domain.relyingPartyID,
                tenant: context.tenant
            )
        }
        guard !passkeys.isEmpty else { throw .invalidIdentifier("username") }
        let allowed = passkeys.map { CredentialDescriptor(id: $0.record.id, transports: $0.record.transports) }
        let composer = composer(connection, context)
        let beginning = ceremonies.beginning(composer)
        var options = composer.request(challenge: beginning.challenge, allowing: allowed)
        options.userVerification = userVerification
        options.extensions = extensions
        options.hints = nil
        var issued = composer.authentication(challenge: beginning.challenge, allowing: allowed)
        issued.userVerification = userVerification
        return try await ceremonies.begin(
            beginning,
            .login(issued, .conformance, named: .user(user)),
            options: options,
            for: Self.tool(of: context),
            connection: connection,
            in: context
        )
    }

    /// Verifies the answer to a sign-in, and stores what it changes in the passkey.
    ///
    /// - Throws: `.sessionInvalid`, `.refused`, `.store`.
    public func finishAuthentication(
        _ json: JSONObject,
        session: String?,
        in context: RequestContext
    ) async throws(PasskeyError) {
        let (taken, connection) = try await take(session, context)
        guard case .login(let issued, _, .user(let user)) = taken.purpose else { throw .sessionInvalid }
        let login = Login(ceremonies)
        let pending = Login.Pending(ceremony: taken, connection: connection, issued: issued, named: .user(user))
        let outcome = CeremonyOutcome(ceremony: taken, purpose: .login, context: context)
        let verified = try await login.verify(json, as: .conformance, answering: pending, in: context)
        try await login.record(verified, outcome, in: context)
    }

    /// What the tool may be offered: everything but SHA-1 that is not post-quantum.
    private static let algorithms = [-7, -8, -35, -36, -37, -38, -39, -257, -258, -259, -47]
    private static let maximumPerUser = 1000

    /// The directory, where the tenant has it and the API is on.
    private func directory(_ context: RequestContext) throws(PasskeyError) -> Connection {
        guard context.settings.conformanceAPI,
            let connection = context.configuration.connection(named: Connection.conformanceName)
        else { throw .unknownConnection }
        return connection
    }

    /// Takes the ceremony that a cookie names out of the cache, once and for all.
    private func take(
        _ session: String?,
        _ context: RequestContext
    ) async throws(PasskeyError) -> (PendingCeremony, Connection) {
        let connection = try directory(context)
        guard let session, let bytes = try? Base64URL.decode(session), bytes.count == 32 else { throw .sessionInvalid }
        let key = ChallengeKey(
            tenant: context.tenant,
            client: Self.tool(of: context).id,
            sessionHash: SHA256.hash(bytes)
        )
        let taken = try await stored { () async throws(StoreError) in
            try await ceremonies.challenges.take(key, now: context.now)
        }
        guard let taken, taken.tenant == context.tenant, context.now < taken.expiresAt,
            taken.domainHost.hasSameBytes(as: context.domain.host), taken.purpose.surface == .conformance,
            taken.connection == connection.id
        else { throw .sessionInvalid }
        return (taken, connection)
    }

    private func user(
        _ identifier: UserIdentifier,
        in connection: Connection,
        _ context: RequestContext
    ) async throws(PasskeyError) -> UserID? {
        try await stored { () async throws(StoreError) in
            try await ceremonies.users.user(with: identifier, in: connection.id, of: context.tenant)
        }
    }

    private func composer(_ connection: Connection, _ context: RequestContext) -> CeremonyOptions {
        CeremonyOptions(
            surface: .conformance,
            client: Self.tool(of: context),
            connection: connection,
            context: context
        )
    }

    /// 32 bytes that are made of the name; nobody of this directory signs in anywhere.
    private static func userHandle(of username: String, in context: RequestContext) -> [UInt8] {
        SHA256.hash(Array("\(Connection.conformanceName)\n\(context.tenant.number)\n\(username)".utf8))
    }

    /// Tools use whatever names they like, and each is its own.
    private static func identifier(_ username: String) -> UserIdentifier {
        UserIdentifier(kind: .username, canonical: username, entered: username, isVerified: false)
    }

    /// The client that the ceremonies are begun for, which no tenant has: no id of a real one looks so.
    private static func tool(of context: RequestContext) -> Client {
        Client(
            id: ClientID(Connection.conformanceName),
            tenant: context.tenant,
            name: Connection.conformanceName,
            appType: "native",
            grantTypes: [],
            authenticationMethod: .none,
            refreshToken: .confidentialDefault,
            createdAt: context.now
        )
    }
}
