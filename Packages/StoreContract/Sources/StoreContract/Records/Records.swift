import Identity

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
