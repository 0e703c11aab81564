import Identity

extension CredentialDatabaseContract {
    static let removal = [
        promise("A tenant is suspended and serves again, for whoever read it as it is") { scene in
            let since = scene.later(5)
            try require(
                try await scene.change(.setSuspension(since: since, replacing: scene.later(-1), at: scene.later(9)))
                    == false,
                "somebody else was faster"
            )
            try require(
                try await scene.change(.setSuspension(since: since, replacing: scene.now, at: since)),
                "it is suspended"
            )
            let suspended = try requireSome(try await scene.store.configuration(of: scene.tenant), "the tenant").tenant
            try requireEqual(suspended.suspendedAt, since, "since when")
            try requireEqual(suspended.updatedAt, since, "when it was changed")
            try require(
                try await scene.change(.setSuspension(since: nil, replacing: since, at: scene.later(6))),
                "it serves again"
            )
            let serving = try requireSome(try await scene.store.configuration(of: scene.tenant), "the tenant").tenant
            try requireEqual(serving.suspendedAt, nil, "since when")
        },
        promise("A suspended tenant is removed part by part, and its neighbour is left alone") { scene in
            let neighbour = try await Scene(scene.store)
            let other = try await neighbour.signUp()
            let first = try await scene.signUp()
            for _ in 0..<4 { _ = try await scene.signUp() }
            _ = try await scene.addWithPassword()
            let configuration = try requireSome(try await scene.store.configuration(of: scene.tenant), "the tenant")
            let domain = try requireSome(configuration.domains.first, "its domain")
            try require(try await isRefused(scene), "one that is served is not removed")
            try requireEqual(
                try await scene.store.holdings(of: scene.tenant),
                TenantHoldings(users: 6, passkeys: 5, clients: configuration.clients.count),
                "what it has"
            )
            try require(
                try await scene.change(.setSuspension(since: scene.now, replacing: scene.now, at: scene.later(1))),
                "it is suspended"
            )
            var calls = 1
            while try await scene.store.removePart(of: scene.tenant, limit: 2) {
                calls += 1
                try require(calls < 1000, "it comes to an end")
            }
            try require(calls > 2, "in parts")
            try require(try await scene.store.configuration(of: scene.tenant) == nil, "it is gone")
            try requireEqual(try await scene.store.tenant(host: domain.host), nil, "whose the host is")
            try require(try await scene.store.user(first.user.id, of: scene.tenant) == nil, "so are its users")
            try require(
                try await scene.store.passkeys(of: first.user.id, relyingPartyID: nil, tenant: scene.tenant).isEmpty,
                "and their passkeys"
            )
            try require(
                try await scene.store.newestEvents(of: scene.tenant, limit: 10).isEmpty,
                "and what was written down of it"
            )
            try require(
                try await scene.store.removePart(of: scene.tenant, limit: 2) == false,
                "nothing is left to remove"
            )
            let stayed = try await scene.store.user(other.user.id, of: neighbour.tenant)
            let kept = try await scene.store.passkeys(of: other.user.id, relyingPartyID: nil, tenant: neighbour.tenant)
            try require(stayed != nil && kept.count == 1, "the neighbour has everybody")
            // Its names are free.
            let next = NewTenant.sample(
                name: configuration.tenant.name,
                host: domain.host,
                relyingPartyID: domain.relyingPartyID
            )
            let again = try await scene.store.create(next)
            try require(try await scene.store.user(first.user.id, of: again) == nil, "nobody comes back")
        },
    ]

    /// Whether the store will not remove the tenant.
    private static func isRefused(_ scene: Scene) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            _ = try await scene.store.removePart(of: scene.tenant, limit: 2)
            return false
        } catch {
            guard case .constraint = error else { throw error }
            return true
        }
    }
}
