import Identity

extension CredentialDatabaseContract {
    static let authorizationCodes = [
        promise("A code is taken once, by its client, in its tenant, in time, and comes out as it was put in") {
            scene in
            let person = try await scene.signUp()
            let code = scene.code(of: person)
            try await scene.store.add(code)
            let other = try await Scene(scene.store).tenant
            for (client, tenant, delay) in [
                (ClientID("another"), scene.tenant, Int64(0)), (scene.client, other, 0),
                (scene.client, scene.tenant, 60_000),
            ] {
                let outcome = try await scene.take(code, client: client, tenant: tenant, after: delay)
                try requireEqual(outcome, .unknown, "a code that is not there")
            }
            let outcomes = try await race(8) { _ in try await scene.take(code, after: 59_999) }
            try requireEqual(outcomes.filter { $0 == .taken(code) }.count, 1, "how many get it")
            try requireEqual(outcomes.filter { $0 == .replayed }.count, 7, "how many come too late")
            let bare = scene.code(of: person, isBare: true)
            try await scene.store.add(bare)
            try requireEqual(try await scene.take(bare), .taken(bare), "a code without what may be left out")
        },
        promise("A replay revokes what the code founded, and another client's changes nothing") { scene in
            let person = try await scene.signUp()
            let (code, refresh) = (scene.code(of: person), scene.refresh(for: person.session))
            try await scene.store.add(code)
            try requireEqual(try await scene.take(code), .taken(code), "the code")
            try require(try await scene.finish(code, refresh, person), "it is exchanged")
            let family = refresh.family.id
            try requireEqual(try await scene.take(code, client: ClientID("another")), .unknown, "another client's try")
            try require(!(try await scene.wasReplayed(code)), "no replay")
            let alive = try await scene.store.refreshFamily(family, of: scene.tenant)
            try requireEqual(alive?.revokedAt, nil, "the family's revocation")
            // It may come long after its end.
            try requireEqual(try await scene.take(code, after: 90_000), .replayed, "the second try")
            try require(try await scene.wasReplayed(code), "it is known")
            let ended = try await scene.store.refreshFamily(family, of: scene.tenant)
            try requireEqual(ended?.revokedAt, scene.later(90_000), "the family's revocation")
            let first = try await scene.store.refreshFamily(person.refresh.family.id, of: scene.tenant)
            try requireEqual(first?.revokedAt, nil, "that of another family of the session")
        },
        promise("A replay before the exchange is done leaves nothing to found") { scene in
            let person = try await scene.signUp()
            let (code, refresh) = (scene.code(of: person), scene.refresh(for: person.session))
            try await scene.store.add(code)
            try requireEqual(try await scene.take(code), .taken(code), "the code")
            try requireEqual(try await scene.take(code), .replayed, "the second try")
            try require(!(try await scene.finish(code, refresh, person)), "it is not exchanged")
            try requireEqual(
                try await scene.store.refreshFamily(refresh.family.id, of: scene.tenant),
                nil,
                "the family"
            )
        },
    ]

    /// A session's row stays as long as the last family that a code founded in it, and codes go after a day. It belongs to
    /// the promise that removes what is over: another at the same time would take it all away.
    static func codesEnd(_ scene: Scene, from past: UnixTime) async throws {
        let store = scene.store
        let person = try await scene.signUp(at: past)
        let longer = scene.refresh(for: person.session, expiresIn: 3_000_000)
        let endless = scene.refresh(for: person.session, rotates: false, expiresIn: nil)
        let codes = [scene.code(of: person, at: past), scene.code(of: person, at: past)]
        for (code, refresh) in zip(codes, [longer, endless]) {
            try await store.add(code)
            let taken = try await store.takeCode(
                hash: code.hash,
                of: scene.client,
                tenant: scene.tenant,
                now: past,
                replayed: scene.audit("feacft")
            )
            try requireEqual(taken, .taken(code), "the code")
            try require(try await scene.finish(code, refresh, person, at: past), "it is exchanged")
        }
        try await store.revoke(endless.family.id, of: scene.tenant, audit: scene.audit("srrt", at: past))
        let day = codes[0].expiresAt.adding(seconds: 86_400)
        while try await store.removeExpired(now: day.adding(milliseconds: -1)) {}
        try requireEqual(try await scene.take(codes[0]), .replayed, "the code in its day")
        while try await store.removeExpired(now: day) {}
        try requireEqual(try await scene.take(codes[0]), .unknown, "the code after it")
        // The first family is over, and the one that was revoked is forgotten.
        while try await store.removeExpired(now: past.adding(seconds: 2_700_000)) {}
        try require(try await store.session(person.session.id, of: scene.tenant) != nil, "the session stays")
        while try await store.removeExpired(now: past.adding(seconds: 3_000_000)) {}
        try requireEqual(
            try await store.refreshFamily(longer.family.id, of: scene.tenant),
            nil,
            "the last family"
        )
        try requireEqual(try await store.session(person.session.id, of: scene.tenant), nil, "the session")
    }
}

extension Scene {
    fileprivate func code(of person: Person, isBare: Bool = false, at time: UnixTime? = nil) -> AuthorizationCode {
        AuthorizationCode(
            tenant: tenant,
            hash: randomBytes(32),
            client: client,
            user: person.user.id,
            session: person.session.id,
            redirectURI: "https://app.example/callback?é",
            challenge: isBare ? nil : "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
            nonce: isBare ? nil : "n-0S6_WzA2Mj",
            scope: isBare ? [] : ["openid", "offline_access"],
            audience: isBare ? nil : "https://api.example/",
            createdAt: time ?? now,
            expiresAt: (time ?? now).adding(seconds: 60)
        )
    }

    fileprivate func take(
        _ code: AuthorizationCode,
        client: ClientID? = nil,
        tenant: TenantID? = nil,
        after milliseconds: Int64 = 0
    ) async throws(StoreError) -> CodeTaking {
        try await store.takeCode(
            hash: code.hash,
            of: client ?? self.client,
            tenant: tenant ?? self.tenant,
            now: later(milliseconds),
            replayed: audit("feacft", user: code.user, at: later(milliseconds))
        )
    }

    fileprivate func finish(
        _ code: AuthorizationCode,
        _ refresh: NewRefresh,
        _ person: Person,
        at time: UnixTime? = nil
    ) async throws(StoreError) -> Bool {
        var session = person.session
        session.passkey = person.number
        return try await store.finish(
            code,
            refresh: refresh,
            session: session,
            audit: audit("seacft", user: person.user.id, at: time ?? now)
        )
    }

    fileprivate func wasReplayed(_ code: AuthorizationCode) async throws(StoreError) -> Bool {
        try await store.wasReplayed(codeHash: code.hash, of: tenant)
    }
}
