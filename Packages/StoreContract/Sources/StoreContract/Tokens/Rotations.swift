import Identity

/// One family, and exchanges of its tokens.
struct Exchanges: Sendable {
    let scene: Scene
    let person: Person

    init(_ scene: Scene) async throws(StoreError) {
        self.scene = scene
        person = try await scene.signUp()
    }

    /// Exchanges a token of `generation` for a new one, `delay` milliseconds after the sign-in.
    func exchange(
        generation: Int64,
        after delay: Int64,
        leeway: Int64 = 10_000,
        child: RefreshTokenID? = nil
    ) async throws(StoreError) -> RotationOutcome {
        let now = scene.later(delay)
        let rotation = RefreshRotation(
            tenant: scene.tenant,
            family: person.refresh.family.id,
            generation: generation,
            child: child ?? RefreshTokenID(TimeOrderedID(now: now, random: randomBytes(10))),
            childSecretHash: randomBytes(32),
            leewayMilliseconds: leeway,
            session: person.session.id,
            idleExpiresAt: now.adding(seconds: 3600),
            now: now,
            device: Device(address: "198.51.100.\(generation)", userAgent: "Second/2")
        )
        return try await scene.store.rotate(
            rotation,
            exchanged: scene.audit("sertft", at: now),
            reused: scene.audit("ferrt", at: now)
        )
    }

    /// The family as it is stored.
    func family() async throws -> RefreshFamily {
        let grant = try await scene.store.refreshGrant(person.refresh.token.id, of: scene.tenant)
        return try requireSome(grant, "the first token").family
    }
}

extension CredentialDatabaseContract {
    static let rotation = [
        promise("An exchange of the newest token begins the next generation and moves the idle end") { scene in
            let exchanges = try await Exchanges(scene)
            let child = RefreshTokenID(TimeOrderedID(now: scene.later(1000), random: randomBytes(10)))
            try requireEqual(
                try await exchanges.exchange(generation: 0, after: 1000, child: child),
                .rotated,
                "the exchange"
            )
            let grant = try requireSome(
                try await scene.store.refreshGrant(child, of: scene.tenant),
                "the new token"
            )
            try requireEqual(grant.token.generation, 1, "the new token's generation")
            try requireEqual(grant.family.generation, 1, "the family's generation")
            try requireEqual(grant.family.rotatedAt, scene.later(1000), "when the generation began")
            try requireEqual(grant.family.lastExchangedAt, scene.later(1000), "the last exchange")
            try requireEqual(grant.family.lastDevice.userAgent, "Second/2", "the last device")
            try requireEqual(grant.family.initialDevice, scene.device, "the first device")
            try requireEqual(grant.session?.idleExpiresAt, scene.later(3_601_000), "the session's idle end")
            try requireEqual(grant.session?.lastInteraction, scene.later(1000), "the session's last interaction")
        },
        promise("Eight exchanges of one token at once, inside the leeway, all succeed") { scene in
            let exchanges = try await Exchanges(scene)
            let outcomes = try await race(8) { _ in try await exchanges.exchange(generation: 0, after: 100) }
            try requireEqual(outcomes, Array(repeating: .rotated, count: 8), "the outcomes")
            let family = try await exchanges.family()
            try requireEqual(family.generation, 1, "the generation")
            try requireEqual(family.revokedAt, nil, "the revocation")
        },
        promise("Of twelve at once ten succeed and two are too many, and the family lives") { scene in
            let exchanges = try await Exchanges(scene)
            let outcomes = try await race(12) { _ in try await exchanges.exchange(generation: 0, after: 100) }
            try requireEqual(outcomes.filter { $0 == .rotated }.count, 10, "the number of successes")
            try requireEqual(outcomes.filter { $0 == .tooManySiblings }.count, 2, "the number that is too many")
            try requireEqual(try await exchanges.family().revokedAt, nil, "the revocation")
            try requireEqual(try await exchanges.exchange(generation: 1, after: 200), .rotated, "the next exchange")
        },
        promise("Without a leeway one exchange of many at once succeeds, and the family dies") { scene in
            let exchanges = try await Exchanges(scene)
            // The losers' clocks lie behind the winner's and ahead of it.
            let outcomes = try await race(8) { index in
                try await exchanges.exchange(generation: 0, after: 100 + Int64(index % 3), leeway: 0)
            }
            try requireEqual(outcomes.filter { $0 == .rotated }.count, 1, "the number of successes")
            try requireEqual(outcomes.filter { $0 == .reuse }.count, 1, "the number that revoked it")
            try requireEqual(outcomes.filter { $0 == .revoked }.count, 6, "the number that found it revoked")
            try require(try await exchanges.family().revokedAt != nil, "the family is revoked")
            try requireEqual(
                try await exchanges.exchange(generation: 1, after: 200, leeway: 0),
                .revoked,
                "the exchange of the winner's own token"
            )
        },
        promise("Without a leeway a replay is reuse, also on a server whose clock lies behind") { scene in
            let exchanges = try await Exchanges(scene)
            _ = try await exchanges.exchange(generation: 0, after: 100, leeway: 0)
            try requireEqual(try await exchanges.exchange(generation: 0, after: 99, leeway: 0), .reuse, "the replay")
        },
        promise("A replay inside the leeway gives a sibling, and one that comes later ends the family") { scene in
            let exchanges = try await Exchanges(scene)
            try requireEqual(try await exchanges.exchange(generation: 0, after: 100), .rotated, "the exchange")
            try requireEqual(try await exchanges.exchange(generation: 0, after: 10_099), .rotated, "the late replay")
            let family = try await exchanges.family()
            try requireEqual(family.generation, 1, "the generation, which the sibling belongs to")
            try requireEqual(family.rotatedAt, scene.later(100), "when it began, which the leeway counts from")
            try requireEqual(try await exchanges.exchange(generation: 0, after: 10_100), .reuse, "the later replay")
            try requireEqual(try await exchanges.family().revokedAt, scene.later(10_100), "the revocation")
            for generation in [Int64(0), 1] {
                try requireEqual(
                    try await exchanges.exchange(generation: generation, after: 10_101),
                    .revoked,
                    "every exchange after it"
                )
            }
        },
        promise("Siblings do not become two lines: when one goes on, the others have the leeway left") { scene in
            let exchanges = try await Exchanges(scene)
            _ = try await exchanges.exchange(generation: 0, after: 100)
            _ = try await exchanges.exchange(generation: 0, after: 200)  // Its sibling.
            try requireEqual(try await exchanges.exchange(generation: 1, after: 60_000), .rotated, "one goes on")
            try requireEqual(
                try await exchanges.exchange(generation: 1, after: 69_999),
                .rotated,
                "the other inside the leeway"
            )
            try requireEqual(
                try await exchanges.exchange(generation: 1, after: 70_000),
                .reuse,
                "the other after the leeway"
            )
            try requireEqual(try await exchanges.exchange(generation: 2, after: 70_001), .revoked, "the newest")
        },
        promise("A token two generations old is a replay at any time") { scene in
            let exchanges = try await Exchanges(scene)
            _ = try await exchanges.exchange(generation: 0, after: 100)
            _ = try await exchanges.exchange(generation: 1, after: 101)
            try requireEqual(try await exchanges.exchange(generation: 0, after: 102), .reuse, "the replay")
        },
        promise("A non-rotating token moves the idle ends, until it is revoked") { scene in
            let store = scene.store
            let person = try await scene.signUp(rotates: false)
            let now = scene.later(5000)
            let rotation = RefreshRotation(
                tenant: scene.tenant,
                family: person.refresh.family.id,
                generation: 0,
                child: person.refresh.token.id,
                childSecretHash: [],
                leewayMilliseconds: 0,
                session: person.session.id,
                idleExpiresAt: now.adding(seconds: 60),
                now: now,
                device: scene.device
            )
            try require(try await store.touch(rotation, exchanged: scene.audit("sertft")), "the exchange")
            let grant = try await store.refreshGrant(person.refresh.token.id, of: scene.tenant)
            try requireEqual(grant?.family.lastExchangedAt, now, "the last exchange")
            try requireEqual(grant?.family.generation, 0, "the generation")
            try requireEqual(grant?.session?.idleExpiresAt, now.adding(seconds: 60), "the session's idle end")
            try await store.revoke(person.refresh.family.id, of: scene.tenant, audit: scene.audit("srrt"))
            try require(
                try await store.touch(rotation, exchanged: scene.audit("sertft")) == false,
                "an exchange after the revocation is refused"
            )
        },
    ]
}
