import Identity
import WebAuthn

extension CredentialDatabaseContract {
    static let records = [
        promise("Ceremonies are listed newest first, by outcome and time, and found by id alone") { scene in
            let store = scene.store
            let records = (0..<6).map { age in
                scene.ceremony(
                    user: nil,
                    outcome: age.isMultiple(of: 2) ? CeremonyRecord.accepted : "origin_mismatch",
                    at: scene.later(Int64(age) * -1000)
                )
            }
            try await store.append(ceremonies: records.reversed(), events: [scene.audit("fepkft")])
            try await store.append(ceremonies: [], events: [])
            try requireEqual(try await list(scene), records, "all of them")
            try requireEqual(
                try await list(scene, failedOnly: true),
                records.filter { $0.outcome != CeremonyRecord.accepted },
                "those that failed"
            )
            try requireEqual(
                try await list(scene, since: scene.later(-2000)),
                Array(records.prefix(3)),
                "those since a moment"
            )
            let page = try await list(scene, limit: 2)
            try requireEqual(page, Array(records.prefix(2)), "the first page")
            try requireEqual(
                try await list(scene, before: page.last?.id, limit: 2),
                Array(records[2..<4]),
                "the second page"
            )
            try requireEqual(try await store.ceremony(records[3].id), records[3], "one of them")
            let unknown = CeremonyID(TimeOrderedID(now: scene.now, random: randomBytes(10)))
            try requireEqual(try await store.ceremony(unknown), nil, "one that never was")
        },
        promise("A ceremony ends once: another end of it changes nothing, and its other refusals are left out") {
            scene in
            let store = scene.store
            let ended = scene.ceremony(user: nil, outcome: "origin_mismatch")
            try await store.append(ceremonies: [ended], events: [])
            // A batch of refusals is not lost for one that is known.
            let other = scene.ceremony(user: nil, outcome: "origin_mismatch", at: scene.later(-1000))
            try await store.append(ceremonies: [ended, other], events: [])
            try requireEqual(try await list(scene), [ended, other], "the records")

            let person = try await scene.signUp()
            let session = scene.session(of: person.user.id)
            let effect = LoginEffect(
                session: session,
                cookieHash: nil,
                replacedCookieHash: nil,
                refresh: nil,
                ceremony: ended,
                audit: scene.audit("s", user: person.user.id)
            )
            try await requireConflict(.ceremony, "a sign-in by a ceremony that ended") { () throws(StoreError) in
                _ = try await store.finishLogin(scene.use(person.number, signCount: 3), login: effect)
            }
            try await requireConflict(.ceremony, "a use by a ceremony that ended") { () throws(StoreError) in
                _ = try await store.record(
                    scene.use(person.number, signCount: 3),
                    of: person.user.id,
                    ceremony: ended,
                    audit: scene.audit("s", user: person.user.id)
                )
            }
            try await requireConflict(.ceremony, "a passkey by a ceremony that ended") { () throws(StoreError) in
                _ = try await store.add(
                    scene.passkey(of: person.user.id),
                    maximum: 9,
                    ceremony: ended,
                    audit: scene.audit("s", user: person.user.id)
                )
            }
            let user = scene.user()
            try await requireConflict(.ceremony, "a user by a ceremony that ended") { () throws(StoreError) in
                try await store.add(
                    user,
                    userHandle: randomBytes(32),
                    passkey: scene.passkey(of: user.id),
                    ceremony: ended,
                    audit: scene.audit("ss", user: user.id)
                )
            }
            try requireEqual(try await store.user(user.id, of: scene.tenant), nil, "the user")
            let candidate = try await store.candidate(
                credentialID: person.passkey.record.id,
                relyingPartyID: scene.relyingPartyID,
                tenant: scene.tenant
            )
            try requireEqual(candidate?.passkey.record.signCount, 0, "the counter")
        },
        promise("Old ceremonies are removed, and the others stay") { scene in
            // Older than what any other promise makes, for the removal knows no tenant.
            let old = UnixTime(seconds: 1_000_000)
            let records = (0..<2100).map { index in scene.ceremony(user: nil, at: old.adding(seconds: Int64(index))) }
            try await scene.store.append(ceremonies: records, events: [])
            let kept = scene.ceremony(user: nil)
            try await scene.store.append(ceremonies: [kept], events: [])
            try await scene.store.removeCeremonies(endedBefore: old.adding(seconds: 2050))
            try requireEqual(
                try await list(scene, limit: 3000),
                [kept] + records[2050...].reversed(),
                "those that are left"
            )
        },
        promise("An assertion is remembered once, by one of many at once, until it is over") { scene in
            let store = scene.store
            let hash = randomBytes(32)
            let firsts = try await race(50) { _ in
                try await store.remember(
                    jtiHash: hash,
                    of: scene.tenant,
                    until: scene.later(1000),
                    now: scene.now
                )
            }
            try requireEqual(firsts.filter { $0 }.count, 1, "the number of winners")
            try require(
                try await !store.remember(
                    jtiHash: hash,
                    of: scene.tenant,
                    until: scene.later(2000),
                    now: scene.later(999)
                ),
                "it is remembered to its end"
            )
            try require(
                try await store.remember(
                    jtiHash: hash,
                    of: scene.tenant,
                    until: scene.later(2000),
                    now: scene.later(1000)
                ),
                "it is forgotten then"
            )
        },
        Promise("It answers") { store in try await store.check() },
    ]

    @Sendable private static func list(
        _ scene: Scene,
        failedOnly: Bool = false,
        since: UnixTime? = nil,
        before: CeremonyID? = nil,
        limit: Int = 100
    ) async throws(StoreError) -> [CeremonyRecord] {
        try await scene.store.ceremonies(
            of: scene.tenant,
            failedOnly: failedOnly,
            since: since,
            before: before,
            limit: limit
        )
    }
}
