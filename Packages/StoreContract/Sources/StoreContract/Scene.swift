import Encodings
import Identity
import WebAuthn

func randomBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255) }
}

/// A tenant of one promise, and the values that its store calls need.
struct Scene: Sendable {
    let store: any CredentialDatabase
    let tenant: TenantID
    let connection: ConnectionID
    let client: ClientID
    let relyingPartyID: String
    /// When it all happens; promises count from here.
    let now: UnixTime

    static let start = UnixTime(milliseconds: 1_800_000_000_123)

    /// Makes a tenant in `store`.
    init(_ store: any CredentialDatabase) async throws {
        let new = NewTenant.sample()
        self.store = store
        tenant = try await store.create(new)
        connection = try requireSome(new.connections.first, "the connection").id
        client = try requireSome(new.clients.first, "the client").id
        relyingPartyID = new.domain.relyingPartyID
        now = Self.start
    }

    let device = Device(address: "192.0.2.7", userAgent: "Contract/1.0 (é)")

    func later(_ milliseconds: Int64) -> UnixTime { now.adding(milliseconds: milliseconds) }

    func email(_ text: String? = nil) -> UserIdentifier {
        let text = text ?? "\(Hex.encode(randomBytes(6)))@example.com"
        return UserIdentifier(kind: .email, canonical: text, entered: text.uppercased(), isVerified: false)
    }

    func user(_ identifiers: [UserIdentifier]? = nil, at time: UnixTime? = nil) -> User {
        User(
            id: UserID(now: time ?? now, random: randomBytes(8)),
            tenant: tenant,
            connection: connection,
            identifiers: identifiers ?? [email()],
            profile: UserProfile(name: "Ana é", userMetadata: ["quote": "\" \u{0} é", "n": 1]),
            createdAt: time ?? now,
            updatedAt: time ?? now,
            lastLogin: time ?? now,
            loginsCount: 1
        )
    }

    func passkey(
        of user: UserID,
        credentialID: [UInt8] = randomBytes(32),
        signCount: UInt32 = 0,
        backupEligible: Bool? = true,
        uvInitialized: Bool = true,
        handle: [UInt8] = randomBytes(32),
        under otherRelyingParty: String? = nil,
        at time: UnixTime? = nil
    ) -> Passkey {
        Passkey(
            id: PasskeyID(random: randomBytes(12)),
            tenant: tenant,
            user: user,
            relyingPartyID: otherRelyingParty ?? relyingPartyID,
            userHandle: handle,
            record: CredentialRecord(
                id: credentialID,
                publicKey: randomBytes(77),
                signCount: signCount,
                uvInitialized: uvInitialized,
                transports: ["internal", "a \"new\" one"],
                backupEligible: backupEligible,
                backupState: false,
                attestationFormat: "packed",
                attestationType: .basic,
                aaguid: AAGUID(randomBytes(16)[...]) ?? .zero,
                attestationTrusted: true,
                authenticatorAttachment: .platform
            ),
            isDiscoverable: true,
            name: "Key of Ana",
            enrolledBy: .signup,
            userAgent: "Maker/1",
            createdAt: time ?? now
        )
    }

    func ceremony(
        user: UserID?,
        outcome: String = CeremonyRecord.accepted,
        at time: UnixTime? = nil
    ) -> CeremonyRecord {
        CeremonyRecord(
            id: CeremonyID(TimeOrderedID(now: time ?? now, random: randomBytes(10))),
            tenant: tenant,
            client: client,
            connection: connection,
            purpose: "login",
            outcome: outcome,
            step: outcome == CeremonyRecord.accepted ? nil : "7.2 step 13",
            user: user,
            startedAt: time ?? now,
            endedAt: (time ?? now).adding(milliseconds: 40),
            device: device,
            details: ["origin": "https://login.example"]
        )
    }

    func audit(_ types: String..., user: UserID? = nil, at time: UnixTime? = nil) -> AuditEvent {
        AuditEvent(
            tenant: tenant,
            types: types,
            at: time ?? now,
            user: user,
            client: client,
            connection: connection,
            device: device,
            details: [:]
        )
    }

    func session(of user: UserID, at time: UnixTime? = nil) -> Session {
        let time = time ?? now
        return Session(
            id: SessionID(TimeOrderedID(now: time, random: randomBytes(10))),
            tenant: tenant,
            user: user,
            client: client,
            amr: ["phr", "mfa"],
            acr: nil,
            passkey: nil,
            createdAt: time,
            authenticatedAt: time,
            lastInteraction: time,
            expiresAt: time.adding(seconds: 604_800),
            idleExpiresAt: time.adding(seconds: 3600),
            device: device
        )
    }

    func refresh(
        for session: Session,
        audience: String? = "https://api.example/",
        rotates: Bool = true,
        expiresIn seconds: Int64? = 2_592_000
    ) -> NewRefresh {
        let time = session.createdAt
        let family = RefreshFamily(
            id: RefreshFamilyID(TimeOrderedID(now: time, random: randomBytes(10))),
            tenant: tenant,
            client: session.client,
            user: session.user,
            session: session.id,
            audience: audience,
            scope: ["openid", "offline_access"],
            rotates: rotates,
            createdAt: time,
            expiresAt: seconds.map { time.adding(seconds: $0) },
            lastExchangedAt: time,
            generation: 0,
            rotatedAt: time,
            initialDevice: device,
            lastDevice: device
        )
        return NewRefresh(family: family, secretHash: randomBytes(32))
    }

    func login(
        _ session: Session,
        refresh: NewRefresh? = nil,
        cookieHash: [UInt8]? = nil,
        replacing replaced: [UInt8]? = nil
    ) -> LoginEffect {
        LoginEffect(
            session: session,
            cookieHash: cookieHash,
            replacedCookieHash: replaced,
            refresh: refresh,
            ceremony: ceremony(user: session.user, at: session.createdAt),
            audit: audit("s", "sepkft", user: session.user, at: session.createdAt)
        )
    }

    func use(
        _ passkey: PasskeyNumber,
        signCount: UInt32,
        acceptsAny: Bool = false,
        backupEligible: Bool = true,
        backupState: Bool = false,
        uvInitialized: Bool = true,
        userAgent: String? = nil,
        at time: UnixTime? = nil
    ) -> PasskeyUse {
        PasskeyUse(
            tenant: tenant,
            passkey: passkey,
            signCount: signCount,
            acceptsAnySignCount: acceptsAny,
            backupEligible: backupEligible,
            backupState: backupState,
            userVerificationInitialized: uvInitialized,
            userAgent: userAgent,
            at: time ?? now
        )
    }

    /// Signs somebody up, with a refresh token.
    func signUp(
        _ identifiers: [UserIdentifier]? = nil,
        signCount: UInt32 = 0,
        backupEligible: Bool? = true,
        uvInitialized: Bool = true,
        credentialID: [UInt8] = randomBytes(32),
        rotates: Bool = true,
        audience: String? = "https://api.example/",
        blockedAt: UnixTime? = nil,
        at time: UnixTime? = nil
    ) async throws(StoreError) -> Person {
        var user = user(identifiers, at: time)
        user.blockedAt = blockedAt
        let handle = randomBytes(32)
        let passkey = passkey(
            of: user.id,
            credentialID: credentialID,
            signCount: signCount,
            backupEligible: backupEligible,
            uvInitialized: uvInitialized,
            handle: handle,
            at: time
        )
        let session = session(of: user.id, at: time)
        let refresh = refresh(for: session, audience: audience, rotates: rotates)
        try await store.signUp(user, userHandle: handle, passkey: passkey, login: login(session, refresh: refresh))
        guard
            let stored = try await store.passkeys(of: user.id, relyingPartyID: nil, tenant: tenant).first?.number
        else { throw .corrupt(reason: "the passkey of a sign-up has no number") }
        return Person(user: user, handle: handle, passkey: passkey, number: stored, session: session, refresh: refresh)
    }
}

/// Somebody who signed up.
struct Person: Sendable {
    let user: User
    let handle: [UInt8]
    let passkey: Passkey
    let number: PasskeyNumber
    let session: Session
    let refresh: NewRefresh
}

extension NewTenant {
    /// A tenant with one of everything, under names that nobody else has.
    static func sample(
        name: String = "t-\(Hex.encode(randomBytes(8)))",
        host: String? = nil,
        relyingPartyID: String? = nil
    ) -> NewTenant {
        let none = TenantID(number: 0)
        let now = Scene.start
        var settings = TenantSettings()
        settings.friendlyName = "Sample é"
        settings.sessionLifetime = 1.5
        var client = Client(
            id: ClientID(random: randomBytes(24)),
            tenant: none,
            name: "App",
            appType: "native",
            grantTypes: [.webAuthn, .refreshToken],
            authenticationMethod: .none,
            refreshToken: .publicDefault,
            createdAt: now
        )
        client.callbacks = ["com.example.app://callback"]
        var connection = Connection(
            id: ConnectionID(random: randomBytes(12)),
            tenant: none,
            name: Connection.defaultName,
            enabledClients: [client.id],
            createdAt: now
        )
        connection.displayName = "People"
        return NewTenant(
            name: name,
            settings: settings,
            domain: .sample(host: host ?? "\(name).example", relyingPartyID: relyingPartyID ?? "\(name).example"),
            connections: [connection],
            clients: [client],
            resourceServers: [
                ResourceServer(
                    id: ResourceServerID(random: randomBytes(12)),
                    tenant: none,
                    name: "API",
                    identifier: "https://api.example/",
                    scopes: [ResourceServer.Scope(value: "read:things", description: "Reads")],
                    createdAt: now
                )
            ],
            grants: [
                ClientGrant(
                    id: ClientGrantID(random: randomBytes(12)),
                    tenant: none,
                    client: client.id,
                    audience: "https://api.example/",
                    subject: .client,
                    scope: ["read:things"],
                    createdAt: now
                )
            ],
            createdAt: now
        )
    }
}

extension Domain {
    static func sample(
        of tenant: TenantID = TenantID(number: 0),
        host: String,
        relyingPartyID: String,
        legacy: [String] = []
    ) -> Domain {
        Domain(
            id: DomainID(random: randomBytes(12)),
            tenant: tenant,
            host: host,
            isCanonical: tenant.number == 0,
            status: .ready,
            relyingPartyID: relyingPartyID,
            legacyRelyingPartyIDs: legacy,
            relatedOrigins: ["https://shop.example"],
            createdAt: Scene.start
        )
    }
}
