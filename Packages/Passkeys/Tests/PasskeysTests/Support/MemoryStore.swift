import Identity
import Synchronization
import WebAuthn

/// The ports that passkeys need, kept in memory: each call is one transaction.
final class MemoryStore: ChallengeCache, UserStore, CredentialStore, AuditLog {
    struct State {
        var pending: [ChallengeKey: PendingCeremony] = [:]
        /// Until when each is kept.
        var expiries: [ChallengeKey: UnixTime] = [:]
        var users: [UserID: User] = [:]
        var handles: [UserID: [UInt8]] = [:]
        var passkeys: [Passkey] = []
        var nextNumber: Int64 = 1
        var logins: [LoginEffect] = []
        var uses: [PasskeyUse] = []
        var ceremonies: [CeremonyRecord] = []
        var events: [AuditEvent] = []
        var notices: [Notice] = []
        var reads = 0
        /// What every call throws, while it is set.
        var fault: StoreError?
    }

    private let state = Mutex(State())

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

    func check() async throws(StoreError) {}

    // MARK: ChallengeCache

    func put(
        _ pending: PendingCeremony,
        as key: ChallengeKey,
        until expiry: UnixTime,
        from address: String,
        now: UnixTime
    ) async throws(StoreError) {
        try run { state in
            state.pending[key] = pending
            state.expiries[key] = expiry
        }
    }

    func take(_ key: ChallengeKey, now: UnixTime) async throws(StoreError) -> PendingCeremony? {
        try run { state in
            let expiry = state.expiries.removeValue(forKey: key) ?? now
            let pending = state.pending.removeValue(forKey: key)
            return now < expiry ? pending : nil
        }
    }

    // MARK: UserStore

    func user(
        with identifier: UserIdentifier,
        in connection: ConnectionID,
        of tenant: TenantID
    ) async throws(StoreError) -> UserID? {
        try run { state in
            state.reads += 1
            return Self.owner(of: identifier, in: connection, state)
        }
    }

    private static func owner(of identifier: UserIdentifier, in connection: ConnectionID, _ state: State) -> UserID? {
        state.users.values.first { user in
            user.connection == connection
                && user.identifiers.contains {
                    $0.kind == identifier.kind && $0.canonical.utf8.elementsEqual(identifier.canonical.utf8)
                }
        }?.id
    }

    func user(_ id: UserID, of tenant: TenantID) async throws(StoreError) -> User? {
        try run { $0.users[id] }
    }

    func users(of tenant: TenantID, before cursor: UserID?, limit: Int) async throws(StoreError) -> [User] {
        try run { Array($0.users.values.prefix(limit)) }
    }

    func userHandle(of user: UserID, tenant: TenantID) async throws(StoreError) -> [UInt8]? {
        try run { $0.handles[user] }
    }

    func signUp(_ user: User, userHandle: [UInt8], passkey: Passkey, login: LoginEffect) async throws(StoreError) {
        try run { (state) throws(StoreError) in
            for identifier in user.identifiers where Self.owner(of: identifier, in: user.connection, state) != nil {
                throw .unique(.identifier)
            }
            if let ceremony = login.ceremony { try Self.end(ceremony, state) }
            try Self.add(passkey, to: &state)
            state.users[user.id] = user
            state.handles[user.id] = userHandle
            state.logins.append(login)
        }
    }

    func add(
        _ user: User,
        userHandle: [UInt8],
        passkey: Passkey,
        ceremony: CeremonyRecord,
        audit: AuditEvent
    ) async throws(StoreError) {
        try run { (state) throws(StoreError) in
            for identifier in user.identifiers where Self.owner(of: identifier, in: user.connection, state) != nil {
                throw .unique(.identifier)
            }
            try Self.add(passkey, to: &state)
            state.users[user.id] = user
            state.handles[user.id] = userHandle
            state.ceremonies.append(ceremony)
            state.events.append(audit)
        }
    }

    private static func add(_ passkey: Passkey, to state: inout State) throws(StoreError) {
        let isTaken = state.passkeys.contains {
            $0.record.id == passkey.record.id && $0.relyingPartyID == passkey.relyingPartyID
        }
        guard !isTaken else { throw .unique(.credential) }
        state.passkeys.append(passkey.numbered(PasskeyNumber(number: state.nextNumber)))
        state.nextNumber += 1
    }

    // MARK: CredentialStore

    func candidate(
        credentialID: [UInt8],
        relyingPartyID: String,
        tenant: TenantID
    ) async throws(StoreError) -> LoginCandidate? {
        try run { state in
            let passkey = state.passkeys.first {
                $0.tenant == tenant && $0.record.id == credentialID && $0.relyingPartyID == relyingPartyID
            }
            guard let passkey, let user = state.users[passkey.user], let handle = state.handles[user.id] else {
                return nil
            }
            return LoginCandidate(passkey: passkey, user: user, userHandles: [handle])
        }
    }

    func isKnown(credentialID: [UInt8], relyingPartyID: String) async throws(StoreError) -> Bool {
        try run { state in
            state.passkeys.contains { $0.record.id == credentialID && $0.relyingPartyID == relyingPartyID }
        }
    }

    func passkeys(
        of user: UserID,
        relyingPartyID: String?,
        tenant: TenantID
    ) async throws(StoreError) -> [Passkey] {
        try run { state in
            state.reads += 1
            return state.passkeys.reversed().filter {
                $0.user == user && (relyingPartyID == nil || $0.relyingPartyID == relyingPartyID)
            }
        }
    }

    func descriptors(
        of user: UserID,
        relyingPartyID: String,
        tenant: TenantID,
        limit: Int
    ) async throws(StoreError) -> [CredentialDescriptor] {
        try await passkeys(of: user, relyingPartyID: relyingPartyID, tenant: tenant)
            .filter { $0.suspendedAt == nil }.prefix(limit)
            .map { CredentialDescriptor(id: $0.record.id, transports: $0.record.transports) }
    }

    func finishLogin(_ use: PasskeyUse, login: LoginEffect) async throws(StoreError) -> Bool {
        try run { (state) throws(StoreError) in
            if let ceremony = login.ceremony { try Self.end(ceremony, state) }
            guard Self.apply(use, to: &state) else { return false }
            state.logins.append(login)
            return true
        }
    }

    func record(
        _ use: PasskeyUse,
        of user: UserID,
        ceremony: CeremonyRecord,
        audit: AuditEvent
    ) async throws(StoreError) -> Bool {
        try run { state in
            guard Self.apply(use, to: &state) else { return false }
            state.ceremonies.append(ceremony)
            state.events.append(audit)
            return true
        }
    }

    /// A ceremony ends once.
    private static func end(_ ceremony: CeremonyRecord, _ state: State) throws(StoreError) {
        let ended = state.ceremonies.map(\.id) + state.logins.compactMap { $0.ceremony?.id }
        guard !ended.contains(ceremony.id) else { throw .unique(.ceremony) }
    }

    private static func apply(_ use: PasskeyUse, to state: inout State) -> Bool {
        guard let index = state.passkeys.firstIndex(where: { $0.number == use.passkey }),
            state.users[state.passkeys[index].user]?.blockedAt == nil
        else { return false }
        let stored = state.passkeys[index].record.signCount
        guard use.acceptsAnySignCount || use.signCount > stored || (stored == 0 && use.signCount == 0) else {
            return false
        }
        state.passkeys[index].record.signCount = use.signCount
        state.passkeys[index].record.backupEligible = use.backupEligible
        state.passkeys[index].record.backupState = use.backupState
        state.passkeys[index].record.uvInitialized = use.userVerificationInitialized
        state.passkeys[index].lastUsedAt = use.at
        state.uses.append(use)
        return true
    }

    func add(
        _ passkey: Passkey,
        maximum: Int,
        notices: [Notice],
        ceremony: CeremonyRecord,
        audit: AuditEvent
    ) async throws(StoreError) -> AddPasskeyOutcome {
        try run { (state) throws(StoreError) in
            guard state.users[passkey.user] != nil else { return .userGone }
            guard state.passkeys.count(where: { $0.user == passkey.user }) < maximum else { return .tooMany }
            try Self.end(ceremony, state)
            try Self.add(passkey, to: &state)
            state.ceremonies.append(ceremony)
            state.events.append(audit)
            state.notices += notices
            return .added
        }
    }

    func remove(
        _ passkey: PasskeyID,
        tenant: TenantID,
        keepingLast: Bool,
        audit: AuditEvent
    ) async throws(StoreError) -> RemovePasskeyOutcome {
        try run { state in
            guard let index = state.passkeys.firstIndex(where: { $0.id == passkey }) else { return .notFound }
            state.passkeys.remove(at: index)
            return .removed
        }
    }

    func suspend(_ passkey: PasskeyNumber, tenant: TenantID, audit: AuditEvent) async throws(StoreError) {
        try run { state in
            guard let index = state.passkeys.firstIndex(where: { $0.number == passkey }) else { return }
            state.passkeys[index].suspendedAt = audit.at
            state.events.append(audit)
        }
    }

    // MARK: AuditLog

    func append(ceremonies: [CeremonyRecord], events: [AuditEvent]) async throws(StoreError) {
        try run { state in
            state.ceremonies += ceremonies
            state.events += events
        }
    }

    func ceremonies(
        of tenant: TenantID,
        failedOnly: Bool,
        since: UnixTime?,
        before cursor: CeremonyID?,
        limit: Int
    ) async throws(StoreError) -> [CeremonyRecord] {
        try run { Array($0.ceremonies.prefix(limit)) }
    }

    func ceremony(_ id: CeremonyID) async throws(StoreError) -> CeremonyRecord? {
        try run { state in state.ceremonies.first { $0.id == id } }
    }

    func removeCeremonies(endedBefore time: UnixTime) async throws(StoreError) {
        try run { state in state.ceremonies.removeAll { $0.endedAt < time } }
    }
}

extension Passkey {
    fileprivate func numbered(_ number: PasskeyNumber) -> Passkey {
        Passkey(
            number: number,
            id: id,
            tenant: tenant,
            user: user,
            relyingPartyID: relyingPartyID,
            userHandle: userHandle,
            record: record,
            isDiscoverable: isDiscoverable,
            name: name,
            enrolledBy: enrolledBy,
            userAgent: userAgent,
            suspendedAt: suspendedAt,
            createdAt: createdAt,
            lastUsedAt: lastUsedAt
        )
    }
}
