import Identity

extension CredentialDatabaseContract {
    static let revocation = [
        promise("A family is revoked once, and its first revocation stays") { scene in
            let exchanges = try await Exchanges(scene)
            let family = exchanges.person.refresh.family.id
            for delay in [Int64(5), 6] {
                try await scene.store.revoke(
                    family,
                    of: scene.tenant,
                    audit: scene.audit("srrt", at: scene.later(delay))
                )
            }
            try requireEqual(try await exchanges.family().revokedAt, scene.later(5), "the revocation")
            try requireEqual(try await exchanges.exchange(generation: 0, after: 7), .revoked, "an exchange")
        },
        promise("Revoking a grant ends the families of that user, client and audience alone") { scene in
            let store = scene.store
            let person = try await scene.signUp(audience: "https://a.example/")
            let other = try await scene.signUp(audience: "https://a.example/")
            var tokens: [String: RefreshTokenID] = [
                "a": person.refresh.token.id, "other": other.refresh.token.id,
            ]
            for (name, audience) in [("a2", "https://a.example/"), ("b", "https://b.example/"), ("none", nil)] {
                let session = scene.session(of: person.user.id)
                let refresh = scene.refresh(for: session, audience: audience)
                tokens[name] = refresh.token.id
                _ = try await store.finishLogin(
                    scene.use(person.number, signCount: 0),
                    login: scene.login(session, refresh: refresh)
                )
            }
            try await store.revokeAll(
                user: person.user.id,
                client: ClientID("another"),
                audience: "https://a.example/",
                of: scene.tenant,
                audit: scene.audit("srrt")
            )
            try requireEqual(try await revoked(tokens, scene), [], "what another client's revocation ends")
            try await store.revokeAll(
                user: person.user.id,
                client: scene.client,
                audience: "https://a.example/",
                of: scene.tenant,
                audit: scene.audit("srrt")
            )
            try requireEqual(try await revoked(tokens, scene), ["a", "a2"], "what the revocation ends")
            try await store.revokeAll(
                user: person.user.id,
                client: scene.client,
                audience: nil,
                of: scene.tenant,
                audit: scene.audit("srrt")
            )
            try requireEqual(try await revoked(tokens, scene), ["a", "a2", "none"], "what it ends without an audience")
        },
        promise("Revocations and exchanges that cross leave no token alive") { scene in
            for _ in 0..<10 {
                let exchanges = try await Exchanges(scene)
                let children = (0..<7).map { _ in
                    RefreshTokenID(TimeOrderedID(now: scene.later(100), random: randomBytes(10)))
                }
                _ = try await race(7) { index in
                    guard index == 3 else {
                        let child = children[index]
                        return try await exchanges.exchange(generation: 0, after: 100, child: child) == .rotated
                    }
                    try await scene.store.revoke(
                        exchanges.person.refresh.family.id,
                        of: scene.tenant,
                        audit: scene.audit("srrt")
                    )
                    return true
                }
                for child in children {
                    guard let grant = try await scene.store.refreshGrant(child, of: scene.tenant) else { continue }
                    try require(grant.family.revokedAt != nil, "a token of a revoked family is revoked")
                }
                try requireEqual(try await exchanges.exchange(generation: 1, after: 101), .revoked, "an exchange")
            }
        },
    ]

    @Sendable private static func revoked(_ tokens: [String: RefreshTokenID], _ scene: Scene) async throws -> [String] {
        var names: [String] = []
        for (name, token) in tokens {
            let grant = try await scene.store.refreshGrant(token, of: scene.tenant)
            if try requireSome(grant, "the token \(name)").family.revokedAt != nil { names.append(name) }
        }
        return names.sorted()
    }
}
