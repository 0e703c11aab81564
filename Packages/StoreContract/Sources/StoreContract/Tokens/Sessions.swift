import Identity

extension CredentialDatabaseContract {
    static let sessions = [
        promise("A session is found by its cookie until another replaces it") { scene in
            let store = scene.store
            let person = try await scene.signUp()
            let (first, second) = (scene.session(of: person.user.id), scene.session(of: person.user.id))
            let (old, new) = (randomBytes(32), randomBytes(32))
            _ = try await store.finishLogin(
                scene.use(person.number, signCount: 0),
                login: scene.login(first, cookieHash: old)
            )
            try requireEqual(
                try await store.session(cookieHash: old, of: scene.tenant)?.id,
                first.id,
                "the session of the cookie"
            )
            _ = try await store.finishLogin(
                scene.use(person.number, signCount: 0),
                login: scene.login(second, cookieHash: new, replacing: old)
            )
            try requireEqual(
                try await store.session(cookieHash: old, of: scene.tenant),
                nil,
                "the old cookie's session"
            )
            try requireEqual(
                try await store.session(cookieHash: new, of: scene.tenant)?.id,
                second.id,
                "the new cookie's session"
            )
            let replaced = try await store.session(first.id, of: scene.tenant)
            try requireEqual(replaced?.revokedAt, nil, "the end of the old session, whose tokens live on")
        },
        promise("A session's idle end moves until it is over, and ending it twice is no error") { scene in
            let store = scene.store
            let person = try await scene.signUp()
            let id = person.session.id
            try await store.touch(id, of: scene.tenant, idleExpiresAt: scene.later(99_000), now: scene.later(10))
            let touched = try await store.session(id, of: scene.tenant)
            try requireEqual(touched?.idleExpiresAt, scene.later(99_000), "the idle end")
            try requireEqual(touched?.lastInteraction, scene.later(10), "the last interaction")
            try requireEqual(touched?.authenticatedAt, scene.now, "the authentication, which does not move")
            for delay in [Int64(20), 30] {
                try await store.end(
                    id,
                    of: scene.tenant,
                    revokingRefreshTokens: false,
                    audit: scene.audit("slo", at: scene.later(delay))
                )
            }
            try await store.touch(id, of: scene.tenant, idleExpiresAt: scene.later(199_000), now: scene.later(40))
            let ended = try await store.session(id, of: scene.tenant)
            try requireEqual(ended?.expiresAt, scene.later(20), "the end")
            try requireEqual(ended?.isLive(at: scene.later(40)), false, "whether it holds")
            try requireEqual(ended?.revokedAt, nil, "its revocation, which would take its tokens along")
            let grant = try await store.refreshGrant(person.refresh.token.id, of: scene.tenant)
            try requireEqual(grant?.family.revokedAt, nil, "the revocation of its tokens, which were to live on")
        },
        promise("Ending a session with its tokens revokes all of its families and no others") { scene in
            let store = scene.store
            let person = try await scene.signUp()
            let other = try await scene.signUp()
            let missing = scene.session(of: person.user.id).id
            try await store.end(
                missing,
                of: scene.tenant,
                revokingRefreshTokens: true,
                audit: scene.audit("slo")
            )
            try await store.end(
                person.session.id,
                of: scene.tenant,
                revokingRefreshTokens: true,
                audit: scene.audit("slo", at: scene.later(20))
            )
            let ended = try await store.refreshGrant(person.refresh.token.id, of: scene.tenant)
            try requireEqual(ended?.family.revokedAt, scene.later(20), "the revocation of its tokens")
            let alive = try await store.refreshGrant(other.refresh.token.id, of: scene.tenant)
            try requireEqual(alive?.family.revokedAt, nil, "the revocation of somebody else's tokens")
        },
    ]
}
