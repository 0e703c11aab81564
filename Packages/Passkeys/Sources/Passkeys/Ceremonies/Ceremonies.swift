internal import Cryptography
internal import Encodings
public import Identity
internal import WebAuthn

/// What all ceremonies of this server share: where they wait for their answer, where users and passkeys are kept, and
/// where refusals are written down.
public struct Ceremonies: Sendable {
    let challenges: any ChallengeCache
    let users: any UserStore
    let credentials: any CredentialStore
    let decoys: DecoyCredentials
    /// Where refusals are written down; others may add events that belong to no transaction.
    public let refusals: RefusalLog
    let metadata: MetadataCache?
    let random: RandomSource

    /// Milliseconds that an answer may come later than the options said.
    private static let grace: Int64 = 30_000
    /// Milliseconds that a page may wait in autofill.
    private static let conditionalLifetime: Int64 = 900_000

    /// - Parameters:
    ///   - challenges: holds a ceremony until its answer comes.
    ///   - users: where users are kept.
    ///   - credentials: where passkeys are kept.
    ///   - decoys: makes up lists for names that nobody has.
    ///   - refusals: writes refused ceremonies down.
    ///   - metadata: what is known of models, and the roots that attestation chains may end at; `nil`: nothing, and
    ///     chains are not judged.
    ///   - random: gives challenges, sessions and ids.
    public init(
        challenges: any ChallengeCache,
        users: any UserStore,
        credentials: any CredentialStore,
        decoys: DecoyCredentials,
        refusals: RefusalLog,
        metadata: MetadataCache? = nil,
        random: @escaping RandomSource
    ) {
        self.challenges = challenges
        self.users = users
        self.credentials = credentials
        self.decoys = decoys
        self.refusals = refusals
        self.metadata = metadata
        self.random = random
    }

    /// Takes the ceremony that `session` names out of the cache, once and for all (HTTP contract 4.6).
    ///
    /// - Parameters:
    ///   - session: the text of `auth_session`, whatever came.
    ///   - surface: the interface that answers; a ceremony of another one is invalid, unless both are for who is signed in.
    ///   - realm: the request's `realm` or `connection`; when present it must be the ceremony's.
    ///   - client: the authenticated client.
    ///   - context: where.
    /// - Returns: the ceremony, by what its answer leads to.
    /// - Throws: `.sessionInvalid`, `.unknownConnection`, `.passkeysDisabledForTenant`,
    ///   `.passkeysDisabledForConnection`, `.grantNotAllowed`, `.clientNotFirstParty` or `.store`.
    public func take(
        session: String,
        at surface: CeremonySurface,
        realm: String?,
        client: Client,
        in context: RequestContext
    ) async throws(PasskeyError) -> TakenCeremony {
        // What can be refused without the ceremony does not take it.
        let named = try admit(realm: realm, client: client, in: context)
        try context.checkMayUsePasskeys(client, at: surface)
        guard let bytes = try? Base64URL.decode(session), bytes.count == 32 else { throw .sessionInvalid }

        let key = ChallengeKey(tenant: context.tenant, client: client.id, sessionHash: SHA256.hash(bytes))
        let taken = try await stored { () async throws(StoreError) in
            try await challenges.take(key, now: context.now)
        }
        guard let taken, taken.tenant == context.tenant, taken.client == client.id, context.now < taken.expiresAt,
            taken.domainHost.hasSameBytes(as: context.domain.host), taken.purpose.isAnswered(at: surface),
            taken.purpose.isServed(by: context.domain),
            named == nil || named == taken.connection,
            let connection = context.configuration.connection(taken.connection)
        else { throw .sessionInvalid }
        guard connection.enabledClients.contains(client.id) else { throw .unknownConnection }
        guard connection.options.passkeysEnabled else { throw .passkeysDisabledForConnection }

        switch taken.purpose {
        case .signup(let issued, let account, _):
            return .signUp(SignUp.Pending(ceremony: taken, connection: connection, issued: issued, account: account))
        case .login(let issued, _, let user):
            return .login(Login.Pending(ceremony: taken, connection: connection, issued: issued, named: user))
        case .enroll(let issued, let user, let userHandle, let session, _):
            return .enrollment(
                Enrollment.Pending(
                    ceremony: taken,
                    connection: connection,
                    issued: issued,
                    user: user,
                    userHandle: userHandle,
                    session: session
                )
            )
        case .recover(let issued, let user, let userHandle, let proof, _):
            return .recovery(
                Recovery.Pending(
                    ceremony: taken,
                    connection: connection,
                    issued: issued,
                    user: user,
                    userHandle: userHandle,
                    proof: proof
                )
            )
        }
    }

    /// The random values of a new ceremony.
    struct Beginning {
        let id: CeremonyID
        let challenge: [UInt8]
        /// What `auth_session` encodes.
        let session: [UInt8]
        let expiresAt: UnixTime
    }

    /// Draws the values of a new ceremony. In section 12 the session is the challenge itself, so that an answer finds
    /// it without any other help; in an upgrade as well, whose offer finds it so.
    func beginning(_ options: CeremonyOptions, conditional: Bool = false) -> Beginning {
        let bytes = random(74)
        let challenge = Array(bytes[10..<42])
        let now = options.context.now
        var lifetime = options.timeout + Self.grace
        if conditional { lifetime = max(lifetime, Self.conditionalLifetime) }
        return Beginning(
            id: CeremonyID(TimeOrderedID(now: now, random: bytes[..<10])),
            challenge: challenge,
            session: options.surface.isOfBrowsers || options.isUpgrade ? challenge : Array(bytes[42...]),
            expiresAt: now.adding(milliseconds: lifetime)
        )
    }

    /// Puts a ceremony where its answer will find it.
    ///
    /// - Throws: `.store`.
    func begin<Options>(
        _ beginning: Beginning,
        _ purpose: PendingCeremony.Purpose,
        options: Options,
        for client: Client,
        connection: Connection,
        in context: RequestContext
    ) async throws(PasskeyError) -> Begun<Options> {
        let pending = PendingCeremony(
            id: beginning.id,
            tenant: context.tenant,
            client: client.id,
            connection: connection.id,
            domainHost: context.domain.host,
            purpose: purpose,
            startedAt: context.now,
            expiresAt: beginning.expiresAt
        )
        let key = ChallengeKey(
            tenant: context.tenant,
            client: client.id,
            sessionHash: SHA256.hash(beginning.session)
        )
        try await stored { () async throws(StoreError) in
            try await challenges.put(
                pending,
                as: key,
                until: beginning.expiresAt,
                from: context.network,
                now: context.now
            )
        }
        return Begun(pending: pending, session: Base64URL.encode(beginning.session), options: options)
    }
}

extension CeremonySurface {
    /// Whether scripts of pages speak with it, which know the whole of the options.
    var isOfBrowsers: Bool { self == .browser || self == .hosted }
}

extension PendingCeremony.Purpose {
    var surface: CeremonySurface {
        switch self {
        case .signup(_, _, let surface), .enroll(_, _, _, _, let surface), .recover(_, _, _, _, let surface),
            .login(_, let surface, _):
            surface
        }
    }

    /// Whether its answer may come to this interface (HTTP contract 9.4: an upgrade ends at 10.3 or 12.2, wherever it was
    /// begun).
    func isAnswered(at surface: CeremonySurface) -> Bool {
        let own: [CeremonySurface] = [.browser, .account]
        if case .enroll = self, own.contains(self.surface) { return own.contains(surface) }
        return self.surface == surface
    }

    /// Whether the domain has the ceremony's RP ID still: for a new passkey as its current one, for a sign-in as any.
    func isServed(by domain: Domain) -> Bool {
        switch self {
        case .signup(let issued, _, _), .enroll(let issued, _, _, _, _), .recover(let issued, _, _, _, _):
            issued.rpID.hasSameBytes(as: domain.relyingPartyID)
        case .login(let issued, _, _): domain.serves(issued.rpID)
        }
    }
}

/// Runs what asks a store, and turns its error into one of this package.
func stored<Value>(_ body: () async throws(StoreError) -> Value) async throws(PasskeyError) -> Value {
    do throws(StoreError) {
        return try await body()
    } catch .unique(.ceremony) {
        throw .sessionInvalid
    } catch {
        throw .store(error)
    }
}
