import Encodings
import Identity

extension CredentialDatabaseContract {
    static let auditChains = [
        promise("Events are read in the order of their ids, from any place to any other") { scene in
            let store = scene.store
            let user = UserID(now: scene.now, random: randomBytes(8))
            let written = (0..<30).map { index in
                AuditEvent(
                    tenant: scene.tenant,
                    types: index.isMultiple(of: 3) ? ["s", "sepkft"] : ["f"],
                    at: scene.later(Int64(index) * 10),
                    user: index.isMultiple(of: 2) ? user : nil,
                    client: index.isMultiple(of: 5) ? nil : scene.client,
                    connection: index.isMultiple(of: 7) ? nil : scene.connection,
                    device: scene.device,
                    details: index.isMultiple(of: 4) ? [:] : ["quote": "\" é", "n": .integer(Int64(index))]
                )
            }
            try await store.append(ceremonies: [], events: written.reversed())
            let all = try await store.events(of: scene.tenant, after: nil, through: nil, limit: 100)
            try requireEqual(all.map(\.event), written, "all of them")
            let ids = all.map(\.id)
            let between = try await store.events(of: scene.tenant, after: ids[3], through: ids[9], limit: 100)
            try requireEqual(between, Array(all[4...9]), "those after one and up to another")
            let page = try await store.events(of: scene.tenant, after: ids[3], through: nil, limit: 5)
            try requireEqual(page, Array(all[4..<9]), "a page")
            let newest = try await store.newestEvents(of: scene.tenant, limit: 4)
            try requireEqual(newest, Array(all.suffix(4).reversed()), "the newest")
            let other = try await Scene(store)
            try requireEqual(
                try await store.events(of: other.tenant, after: nil, through: nil, limit: 10),
                [],
                "those of another tenant"
            )
        },
        promise("A tenant is due while it has events behind its newest seal and not after the bound") { scene in
            let store = scene.store
            try await store.append(
                ceremonies: [],
                events: (0..<4).map { scene.audit("s", at: scene.later(Int64($0) * 1000)) }
            )
            let ids = try await store.events(of: scene.tenant, after: nil, through: nil, limit: 10).map(\.id)
            func isDue(_ time: UnixTime) async throws -> Bool {
                try await store.tenantsToSeal(through: TimeOrderedID(now: time, random: [])).contains(scene.tenant)
            }
            try requireEqual(try await store.newestSeal(of: scene.tenant), nil, "the newest seal of none")
            try require(try await !isDue(scene.later(-1)), "it is not due before its first event")
            try require(try await isDue(scene.later(1)), "it is due after its first event")
            try require(try await store.append(seal(1, ids[1], scene)), "the first seal is taken")
            try require(try await !isDue(scene.later(1500)), "it is not due when all is sealed")
            try require(try await isDue(scene.later(2500)), "it is due for what came after")
            try require(try await store.append(seal(2, ids[3], scene)), "the second seal is taken")
            try require(try await !isDue(scene.later(9000)), "it is not due at the end")
            try requireEqual(
                try await store.seals(of: scene.tenant, after: 0, limit: 10),
                [seal(1, ids[1], scene), seal(2, ids[3], scene)],
                "the seals"
            )
            try requireEqual(
                try await store.seals(of: scene.tenant, after: 1, limit: 10),
                [seal(2, ids[3], scene)],
                "those after the first"
            )
            try requireEqual(
                try await store.newestSeal(of: scene.tenant),
                seal(2, ids[3], scene),
                "the newest"
            )
        },
        promise("What is sealed goes when all of a seal is old; the newest seal stays, for the next follows it") {
            scene in
            let store = scene.store
            // Long ago, so that nothing of another promise is old.
            let past = UnixTime(seconds: 1_000_000)
            func at(_ second: Int64) -> UnixTime { past.adding(seconds: second) }
            try await store.append(ceremonies: [], events: (0..<6).map { scene.audit("s", at: at(Int64($0))) })
            func ids() async throws -> [TimeOrderedID] {
                try await store.events(of: scene.tenant, after: nil, through: nil, limit: 10).map(\.id)
            }
            func numbers() async throws -> [Int64] {
                try await store.seals(of: scene.tenant, after: 0, limit: 10).map(\.number)
            }
            let all = try await ids()
            for (number, last) in [(Int64(1), 1), (2, 3), (3, 5)] {
                try require(try await store.append(seal(number, all[last], scene)), "seal \(number) is taken")
            }
            try await store.removeSealedEvents(before: at(1))
            try requireEqual(try await ids(), all, "events of a seal of which one is not old")
            try await store.removeSealedEvents(before: at(2))
            try requireEqual(try await ids(), Array(all[2...]), "events behind the first seal")
            try requireEqual(try await numbers(), [2, 3], "seals behind the first")
            try await store.removeSealedEvents(before: at(100))
            try requireEqual(try await ids(), Array(all[4...]), "events of the newest seal")
            try requireEqual(try await numbers(), [3], "the newest seal")
            let next = scene.audit("s", at: at(200))
            try await store.append(ceremonies: [], events: [next])
            let newest = try requireSome(try await ids().last, "what came since")
            try require(try await store.append(seal(4, newest, scene)), "the seal after it is taken")
            try await store.removeSealedEvents(before: at(100))
            try requireEqual(try await ids(), [newest], "what is younger")
        },
        promise("Of several seals of one number, one is taken") { scene in
            let store = scene.store
            let id = TimeOrderedID(now: scene.now, random: randomBytes(10))
            let taken = try await race(20) { index in
                try await store.append(seal(1, id, scene, hash: [UInt8](repeating: UInt8(index), count: 32)))
            }
            try requireEqual(taken.filter { $0 }.count, 1, "the number of winners")
            try requireEqual(try await store.seals(of: scene.tenant, after: 0, limit: 9).count, 1, "the seals")
        },
    ]

    @Sendable private static func seal(
        _ number: Int64,
        _ through: TimeOrderedID,
        _ scene: Scene,
        hash: [UInt8] = [UInt8](repeating: 5, count: 32)
    ) -> AuditSeal {
        AuditSeal(
            tenant: scene.tenant,
            number: number,
            through: through,
            count: 2,
            previous: [UInt8](repeating: 4, count: 32),
            hash: hash,
            publicKey: [UInt8](repeating: 3, count: 32),
            signature: [UInt8](repeating: 2, count: 64),
            sealedAt: scene.now
        )
    }
}
