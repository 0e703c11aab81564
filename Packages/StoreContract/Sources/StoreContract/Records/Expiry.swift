import Identity

extension CredentialDatabaseContract {
    static let expiry = [
        promise("What is over goes, with all its tokens; what is live stays") { scene in
            let store = scene.store
            // Long ago, so that nothing of another promise is over.
            let past = UnixTime(seconds: 1_000_000)
            let person = try await scene.signUp(at: past)
            for generation in Int64(0)..<40 {
                let now = past.adding(milliseconds: generation)
                let rotation = RefreshRotation(
                    tenant: scene.tenant,
                    family: person.refresh.family.id,
                    generation: generation,
                    child: RefreshTokenID(TimeOrderedID(now: now, random: randomBytes(10))),
                    childSecretHash: randomBytes(32),
                    leewayMilliseconds: 0,
                    session: person.session.id,
                    idleExpiresAt: now.adding(seconds: 60),
                    now: now,
                    device: scene.device
                )
                let outcome = try await store.rotate(
                    rotation,
                    exchanged: scene.audit("sertft", at: now),
                    reused: scene.audit("ferrt", at: now)
                )
                try requireEqual(outcome, .rotated, "exchange \(generation)")
            }
            let live = try await scene.signUp()
            let hash = randomBytes(32)
            _ = try await store.remember(jtiHash: hash, of: scene.tenant, until: past, now: past.adding(seconds: -1))
            // The tokens tell how their session was authenticated for as long as they live.
            while try await store.removeExpired(now: person.session.expiresAt) {}
            let grant = try await store.refreshGrant(person.refresh.token.id, of: scene.tenant)
            try requireEqual(grant?.session?.amr, person.session.amr, "the session that the tokens need")
            let end = try requireSome(person.refresh.family.expiresAt, "the end of the family")
            while try await store.removeExpired(now: end.adding(milliseconds: -1)) {}
            try require(
                try await store.session(person.session.id, of: scene.tenant) != nil,
                "the session stays to the end of its family"
            )
            while try await store.removeExpired(now: end) {}
            try requireEqual(try await store.session(person.session.id, of: scene.tenant), nil, "the session")
            try requireEqual(
                try await store.refreshGrant(person.refresh.token.id, of: scene.tenant),
                nil,
                "the token of a family that is over"
            )
            try require(
                try await store.session(live.session.id, of: scene.tenant) != nil,
                "a live session stays"
            )
            try require(
                try await store.refreshGrant(live.refresh.token.id, of: scene.tenant) != nil,
                "a live token stays"
            )
            try await codesEnd(scene, from: end)
        }
    ]
}
