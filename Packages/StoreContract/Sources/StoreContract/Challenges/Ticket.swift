import Identity
import WebAuthn

/// A pending ceremony with where it lies and where it came from.
struct Ticket: Sendable {
    let key: ChallengeKey
    let pending: PendingCeremony
    let address: String

    init(
        tenant: TenantID = TenantID(number: 1),
        client: String = "app",
        address: String = "2001:db8::1",
        purpose: PendingCeremony.Purpose? = nil,
        sessionHash: [UInt8] = randomBytes(32)
    ) {
        key = ChallengeKey(tenant: tenant, client: ClientID(client), sessionHash: sessionHash)
        pending = PendingCeremony(
            id: CeremonyID(TimeOrderedID(now: Scene.start, random: randomBytes(10))),
            tenant: tenant,
            client: ClientID(client),
            connection: ConnectionID("con_1"),
            domainHost: "a.example",
            purpose: purpose
                ?? .login(
                    IssuedAuthentication(challenge: randomBytes(32), rpID: "a.example", origins: []),
                    .token,
                    named: .nobody
                ),
            startedAt: Scene.start,
            expiresAt: Scene.start.adding(seconds: 300)
        )
        self.address = address
    }

    func put(
        in cache: any ChallengeCache,
        seconds: Int64 = 300,
        now: UnixTime = Scene.start
    ) async throws(StoreError) {
        try await cache.put(pending, as: key, until: now.adding(seconds: seconds), from: address, now: now)
    }

    func take(
        from cache: any ChallengeCache,
        now: UnixTime = Scene.start
    ) async throws(StoreError) -> PendingCeremony? {
        try await cache.take(key, now: now)
    }
}
