import Identity
import Threads

/// The ports that tokens need, kept in memory: each call is one transaction.
final class MemoryStore: TenantStore, SigningKeyStore, KeyRotationStore, SessionStore, UserStore, RefreshTokenStore,
    AssertionReplayStore
{
    struct State {
        var version: Int64 = 1
        var secret: DeploymentSecret?
        var keys: [SigningKeyRecord] = []
        var sessions: [SessionID: Session] = [:]
        var cookies: [[UInt8]: SessionID] = [:]
        var users: [UserID: User] = [:]
        var families: [RefreshFamilyID: RefreshFamily] = [:]
        var tokens: [RefreshTokenID: StoredRefreshToken] = [:]
        var assertions: [[UInt8]: UnixTime] = [:]
        var events: [AuditEvent] = []
        var touches = 0
        var keyReads = 0
        var fault: StoreError?
    }

    private let state = Lock(State())

    var now: State { state.withLock { $0 } }

    func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
    }

    private func run<Value: Sendable>(
        _ body: (inout State) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try state.withLock { (state) throws(StoreError) in
            if let fault = state.fault { throw fault }
            return try body(&state)
        }
    }

    /// Stores what a sign-in begins with, as the durable step of a login does.
    func begin(_ session: Session, _ refresh: NewRefresh?, cookieHash: [UInt8]? = nil) {
        change { state in
            state.sessions[session.id] = session
            if let cookieHash { state.cookies[cookieHash] = session.id }
            guard let refresh else { return }
            state.families[refresh.family.id] = refresh.family
            state.tokens[refresh.token.id] = refresh.token
        }
    }

    // MARK: TenantStore

    func version() async throws(StoreError) -> Int64 { try run { $0.version } }
    func tenant(host: String) async throws(StoreError) -> TenantID? { nil }
    func tenant(named name: String) async throws(StoreError) -> TenantID? { nil }
    func tenants() async throws(StoreError) -> [Tenant] { [] }
    func configuration(of tenant: TenantID) async throws(StoreError) -> TenantConfiguration? { nil }
    func create(_ tenant: NewTenant) async throws(StoreError) -> TenantID { TenantID(number: 1) }

    // MARK: SigningKeyStore

    func deploymentSecret(orStoring new: DeploymentSecret) async throws(StoreError) -> DeploymentSecret {
        try run { state in
            if let secret = state.secret { return secret }
            state.secret = new
            return new
        }
    }

    func deploymentSecret() async throws(StoreError) -> DeploymentSecret? { try run { $0.secret } }

    func signingKeys(of tenant: TenantID) async throws(StoreError) -> [SigningKeyRecord] {
        try run { state in
            state.keyReads += 1
            return state.keys.filter { $0.tenant == tenant && $0.state != .retired }
        }
    }

    func add(_ keys: [SigningKeyRecord]) async throws(StoreError) {
        try run { (state) throws(StoreError) in
            for key in keys where key.state == .active {
                let isThere = state.keys.contains {
                    $0.tenant == key.tenant && $0.algorithm == key.algorithm && $0.state == .active
                }
                if isThere { throw .unique(.signingKey) }
            }
            state.keys += keys
            state.version += 1
        }
    }

    // MARK: KeyRotationStore

    func signingKeys(after last: SigningKeyPlace?, limit: Int) async throws(StoreError) -> [SigningKeyRecord] {
        try run { state in
            let sorted = state.keys.filter { $0.state != .retired }.sorted { Self.place($0) < Self.place($1) }
            let rest = last.map { last in sorted.filter { Self.place($0) > (last.tenant.number, last.key.text) } }
            return Array((rest ?? sorted).prefix(limit))
        }
    }

    func rotate(_ change: SigningKeyChange, audit: AuditEvent) async throws(StoreError) -> Bool {
        try run { state in
            let current = change.current.flatMap { id in
                state.keys.firstIndex { $0.id == id && $0.state == .active }
            }
            guard change.current == nil || current != nil,
                let next = state.keys.firstIndex(where: { $0.id == change.next && $0.state == .published })
            else { return false }
            if let current {
                state.keys[current].state = .retiring
                state.keys[current].retiringAt = change.at
            }
            state.keys[next].state = .active
            state.keys[next].activatedAt = change.at
            state.keys.append(change.new)
            state.events.append(audit)
            state.version += 1
            return true
        }
    }

    func revoke(
        _ key: KeyID,
        of tenant: TenantID,
        at now: UnixTime,
        audit: AuditEvent
    ) async throws(StoreError) -> Bool {
        try run { state in
            let index = state.keys.firstIndex {
                $0.id == key && $0.tenant == tenant && ($0.state == .published || $0.state == .retiring)
            }
            guard let index else { return false }
            state.keys[index].state = .retired
            state.keys[index].revokedAt = now
            state.events.append(audit)
            state.version += 1
            return true
        }
    }

    func retire(_ keys: [SigningKeyPlace]) async throws(StoreError) {
        try run { state in
            for index in state.keys.indices where state.keys[index].state == .retiring {
                let key = state.keys[index]
                if keys.contains(SigningKeyPlace(tenant: key.tenant, key: key.id)) {
                    state.keys[index].state = .retired
                }
            }
            state.version += 1
        }
    }

    func lengthen(_ key: SigningKeyPlace, tokenLifetime seconds: Int64) async throws(StoreError) {
        try run { state in
            for index in state.keys.indices where state.keys[index].id == key.key {
                guard state.keys[index].tokenLifetime < seconds else { continue }
                state.keys[index].tokenLifetime = seconds
                state.version += 1
            }
        }
    }

    func reseal(_ old: DeploymentSecret, as new: DeploymentSecret) async throws(StoreError) -> Bool {
        try run { state in
            guard state.secret == old else { return false }
            state.secret = new
            return true
        }
    }

    func sealedThings() async throws(StoreError) -> SealedThings {
        try run { state in
            SealedThings(
                signingKeys: state.keys.count,
                sessions: state.sessions.count,
                refreshFamilies: state.families.count
            )
        }
    }

    func replaceLost(
        _ old: DeploymentSecret,
        with new: DeploymentSecret,
        at now: UnixTime
    ) async throws(StoreError) -> Bool {
        try run { state in
            guard state.secret == old else { return false }
            state.secret = new
            for index in state.keys.indices {
                let key = state.keys[index]
                let isActive = key.state == .active
                state.keys[index] = SigningKeyRecord(
                    id: key.id,
                    tenant: key.tenant,
                    algorithm: key.algorithm,
                    state: isActive ? .retiring : key.state == .published ? .retired : key.state,
                    publicKey: key.publicKey,
                    certificate: key.certificate,
                    sealedPrivateKey: [],
                    createdAt: key.createdAt,
                    activatedAt: key.activatedAt,
                    retiringAt: isActive ? now : key.retiringAt,
                    revokedAt: key.revokedAt,
                    tokenLifetime: key.tokenLifetime
                )
            }
            state.version += 1
            return true
        }
    }

    private static func place(_ key: SigningKeyRecord) -> (Int64, String) { (key.tenant.number, key.id.text) }

    // MARK: SessionStore

    func session(_ id: SessionID, of tenant: TenantID) async throws(StoreError) -> Session? {
        try run { state in state.sessions[id].flatMap { $0.tenant == tenant ? $0 : nil } }
    }

    func session(cookieHash: [UInt8], of tenant: TenantID) async throws(StoreError) -> Session? {
        try run { state in state.cookies[cookieHash].flatMap { state.sessions[$0] } }
    }

    func touch(
        _ id: SessionID,
        of tenant: TenantID,
        idleExpiresAt: UnixTime,
        now: UnixTime
    ) async throws(StoreError) {
        try run { state in
            state.touches += 1
            state.sessions[id]?.idleExpiresAt = idleExpiresAt
            state.sessions[id]?.lastInteraction = now
        }
    }

    func end(
        _ id: SessionID,
        of tenant: TenantID,
        revokingRefreshTokens: Bool,
        audit: AuditEvent
    ) async throws(StoreError) {
        try run { state in
            state.sessions[id]?.revokedAt = audit.at
            if revokingRefreshTokens {
                for (family, value) in state.families where value.session == id {
                    state.families[family]?.revokedAt = audit.at
                }
            }
            state.events.append(audit)
        }
    }

    // MARK: UserStore

    func user(
        with identifier: UserIdentifier,
        in connection: ConnectionID,
        of tenant: TenantID
    ) async throws(StoreError) -> UserID? { nil }
    func user(_ id: UserID, of tenant: TenantID) async throws(StoreError) -> User? { try run { $0.users[id] } }
    func users(of tenant: TenantID, before cursor: UserID?, limit: Int) async throws(StoreError) -> [User] { [] }
    func userHandle(of user: UserID, tenant: TenantID) async throws(StoreError) -> [UInt8]? { nil }
    func signUp(_ user: User, userHandle: [UInt8], passkey: Passkey, login: LoginEffect) async throws(StoreError) {}
    func add(
        _ user: User,
        userHandle: [UInt8],
        passkey: Passkey,
        ceremony: CeremonyRecord,
        audit: AuditEvent
    ) async throws(StoreError) {}

    // MARK: RefreshTokenStore

    func refreshGrant(_ id: RefreshTokenID, of tenant: TenantID) async throws(StoreError) -> RefreshGrant? {
        try run { state in
            guard let token = state.tokens[id], let family = state.families[token.family], family.tenant == tenant
            else {
                return nil
            }
            return RefreshGrant(
                token: token,
                family: family,
                session: state.sessions[family.session],
                user: state.users[family.user]
            )
        }
    }

    func rotate(
        _ rotation: RefreshRotation,
        exchanged: AuditEvent,
        reused: AuditEvent
    ) async throws(StoreError) -> RotationOutcome {
        try run { state in
            guard var family = state.families[rotation.family], family.revokedAt == nil else { return .revoked }
            let inLeeway = rotation.now.milliseconds(since: family.rotatedAt) < rotation.leewayMilliseconds
            let generation: Int64
            if rotation.generation == family.generation {
                generation = family.generation + 1
                family.rotatedAt = rotation.now
            } else if rotation.generation == family.generation - 1, inLeeway {
                generation = family.generation
                let siblings = state.tokens.values.count { $0.family == family.id && $0.generation == generation }
                guard siblings < rotation.maximumSiblings else { return .tooManySiblings }
            } else {
                state.families[rotation.family]?.revokedAt = rotation.now
                state.events.append(reused)
                return .reuse
            }
            family.generation = generation
            family.lastExchangedAt = rotation.now
            family.lastDevice = rotation.device
            state.families[family.id] = family
            state.tokens[rotation.child] = StoredRefreshToken(
                id: rotation.child,
                family: family.id,
                generation: generation,
                secretHash: rotation.childSecretHash,
                createdAt: rotation.now
            )
            state.sessions[rotation.session]?.idleExpiresAt = rotation.idleExpiresAt
            state.events.append(exchanged)
            return .rotated
        }
    }

    func touch(_ rotation: RefreshRotation, exchanged: AuditEvent) async throws(StoreError) -> Bool {
        try run { state in
            guard state.families[rotation.family]?.revokedAt == nil else { return false }
            state.families[rotation.family]?.lastExchangedAt = rotation.now
            state.sessions[rotation.session]?.idleExpiresAt = rotation.idleExpiresAt
            state.events.append(exchanged)
            return true
        }
    }

    func revoke(_ family: RefreshFamilyID, of tenant: TenantID, audit: AuditEvent) async throws(StoreError) {
        try run { state in
            state.families[family]?.revokedAt = audit.at
            state.events.append(audit)
        }
    }

    func revokeAll(
        user: UserID,
        client: ClientID,
        audience: String?,
        of tenant: TenantID,
        audit: AuditEvent
    ) async throws(StoreError) {
        try run { state in
            for (id, family) in state.families
            where family.user == user && family.client == client && family.audience == audience {
                state.families[id]?.revokedAt = audit.at
            }
            state.events.append(audit)
        }
    }

    // MARK: AssertionReplayStore

    func remember(
        jtiHash: [UInt8],
        of tenant: TenantID,
        until expiry: UnixTime,
        now: UnixTime
    ) async throws(StoreError) -> Bool {
        try run { state in
            guard state.assertions[jtiHash] == nil else { return false }
            state.assertions[jtiHash] = expiry
            return true
        }
    }
}
