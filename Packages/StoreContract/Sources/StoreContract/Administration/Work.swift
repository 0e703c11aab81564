import Encodings
import Identity

extension CredentialDatabaseContract {
    static let work = [
        // One promise, for a queue gives its jobs to whoever asks: two that run at once would take each other's.
        promise("A job begins with all its parts, goes to one worker alone, and gives what it made once") { scene in
            try await oneWorker(scene)
            try await oneJob(scene)
            try await oneResult(scene)
        },
        promise("A ticket is taken once, for its purpose, in its tenant, and not when it is over") { scene in
            let user = try await scene.made("Ana", at: scene.now)
            let ticket = Identity.Ticket(
                tenant: scene.tenant,
                hash: randomBytes(32),
                purpose: .passwordChange,
                user: user.id,
                parameters: ["result_url": "https://app.example/"],
                createdAt: scene.now,
                expiresAt: scene.later(1000)
            )
            try await scene.store.add(ticket, mail: nil, audit: scene.audit("sapi", user: user.id))
            let looked = try await scene.store.ticket(
                hash: ticket.hash,
                for: ticket.purpose,
                of: scene.tenant,
                now: scene.now
            )
            try requireEqual(looked, ticket, "the ticket, looked at")
            let second = Identity.Ticket(
                tenant: scene.tenant,
                hash: randomBytes(32),
                purpose: .emailVerification,
                user: user.id,
                parameters: [:],
                createdAt: scene.now,
                expiresAt: scene.later(1000)
            )
            try await scene.store.add(second, mail: nil, audit: scene.audit("sapi", user: user.id))
            let other = try await Scene(scene.store).tenant
            for (purpose, tenant, delay) in [
                (Identity.Ticket.Purpose.emailVerification, scene.tenant, Int64(0)), (.passwordChange, other, 0),
                (.passwordChange, scene.tenant, 1000),
            ] {
                try requireEqual(
                    try await scene.store.takeTicket(
                        hash: ticket.hash,
                        for: purpose,
                        of: tenant,
                        now: scene.later(delay)
                    ),
                    nil,
                    "a ticket that is not there"
                )
            }
            for _ in 1...2 {
                try requireEqual(
                    try await scene.store.ticket(
                        hash: ticket.hash,
                        for: .passwordChange,
                        of: scene.tenant,
                        now: scene.now
                    ),
                    ticket,
                    "the ticket that is looked at"
                )
            }
            let taken = try await race(8) { _ in
                try await scene.store.takeTicket(
                    hash: ticket.hash,
                    for: .passwordChange,
                    of: scene.tenant,
                    now: scene.now
                )
            }
            try requireEqual(taken.compactMap { $0 }, [ticket], "what eight takers get together")
        },
        promise("Events are read in their order, both ways, of all and of one user") { scene in
            let user = try await scene.made("Ana", at: scene.now)
            var expected: [String] = ["sapi"]
            for index in 0..<6 {
                let event = AuditEvent(
                    tenant: scene.tenant,
                    types: ["t\(index)", "u\(index)"],
                    at: scene.later(Int64(index + 1)),
                    user: index % 2 == 0 ? user.id : nil,
                    client: scene.client,
                    connection: scene.connection,
                    device: scene.device,
                    details: ["n": .integer(Int64(index))]
                )
                try await scene.store.append(ceremonies: [], events: [event])
                expected.append("t\(index)")
            }
            func read(_ place: EventPlace, user: UserID? = nil, limit: Int = 100) async throws -> [RecordedEvent] {
                try await scene.store.events(of: scene.tenant, user: user, from: place, limit: limit)
            }
            let all = try await read(.after(nil))
            try requireEqual(all.map { $0.event.types.first ?? "" }, expected, "all, oldest first")
            try requireEqual(try await read(.before(nil)), all.reversed(), "all, newest first")
            try requireEqual(all.last?.event.details, ["n": 5], "the details")
            try requireEqual(all.last?.event.types, ["t5", "u5"], "the types")
            try requireEqual(try await read(.after(all[2].id), limit: 2), Array(all[3..<5]), "some behind one")
            try requireEqual(try await read(.before(all[2].id)), [all[1], all[0]], "those before one")
            try requireEqual(
                try await read(.before(nil), user: user.id).map { $0.event.types.first ?? "" },
                ["t4", "t2", "t0", "sapi"],
                "those of a user"
            )
            try requireEqual(
                try await read(.after(all[1].id), user: user.id, limit: 1).map(\.id),
                [all[3].id],
                "the next of a user"
            )
            try requireEqual(try await scene.store.event(all[3].id, of: scene.tenant), all[3], "one by its id")
            let other = try await Scene(scene.store).tenant
            try requireEqual(try await scene.store.event(all[3].id, of: other), nil, "one elsewhere")
            try requireEqual(
                try await scene.store.events(of: other, user: user.id, from: .before(nil), limit: 9),
                [],
                "those of the user elsewhere"
            )
            let nameless = try await scene.made(nil, [scene.username("zoe")], at: scene.now)
            try requireEqual(
                try await scene.store.names(of: [user.id, nameless.id, scene.user().id], tenant: scene.tenant),
                [user.id: "Ana", nameless.id: "zoe"],
                "what users are shown as"
            )
        },
    ]

    /// A job, from its parts to its end.
    private static func oneJob(_ scene: Scene) async throws {
        let store = scene.store
        let job = scene.job(.usersImport, .receiving)
        try await store.add(job, audit: scene.audit("sapi"))
        try requireEqual(try await store.job(job.id, of: scene.tenant), job, "the job")
        let parts = (0..<3).map { _ in randomBytes(1000) }
        for (number, part) in parts.enumerated() {
            try await store.addPart(part, number: number, of: job.id, tenant: scene.tenant)
        }
        let other = try await Scene(store).tenant
        try requireEqual(try await store.job(job.id, of: other), nil, "the job elsewhere")
        try requireEqual(try await store.part(0, of: job.id, tenant: other), nil, "a part elsewhere")
        try require(try await !store.release(job.id, tenant: other), "nobody else releases it")
        for (number, part) in parts.enumerated() {
            try requireEqual(
                try await store.part(number, of: job.id, tenant: scene.tenant),
                part,
                "part \(number)"
            )
        }
        try requireEqual(try await store.part(3, of: job.id, tenant: scene.tenant), nil, "a part too many")
        try require(try await store.release(job.id, tenant: scene.tenant), "it is released")
        try require(try await !store.release(job.id, tenant: scene.tenant), "it is released once")
        let worker = "w-\(Hex.encode(randomBytes(8)))"
        let taken = try await scene.take(job.id, as: worker)
        try requireEqual(taken.status, .processing, "the state")
        var progress = JobProgress()
        progress.percent = 40
        progress.total = 7
        progress.inserted = 4
        progress.updated = 2
        progress.failed = 1
        let errors: [JSONObject] = [["code": "a"], ["code": "b"]]
        try require(
            try await store.note(progress, errors: errors, of: job, worker: worker, now: scene.later(10)),
            "its worker notes"
        )
        try require(
            try await !store.note(progress, errors: errors, of: job, worker: "another", now: scene.now),
            "another does not"
        )
        try requireEqual(try await store.job(job.id, of: scene.tenant)?.progress, progress, "the progress")
        try requireEqual(
            try await store.errors(of: job.id, tenant: scene.tenant, limit: 10),
            errors,
            "the errors"
        )
        try requireEqual(
            try await store.errors(of: job.id, tenant: scene.tenant, limit: 1),
            [errors[0]],
            "the first error"
        )
        for (name, isDone) in [("another", false), (worker, true), (worker, false)] {
            try requireEqual(
                try await store.finish(job, .completed, reason: nil, worker: name, now: scene.now),
                isDone,
                "the end by \(name)"
            )
        }
        try requireEqual(
            try await store.part(0, of: job.id, tenant: scene.tenant),
            nil,
            "a part of an import that is over"
        )
    }

    /// What a job made is given to the last who was offered it, and not too late.
    private static func oneResult(_ scene: Scene) async throws {
        let store = scene.store
        let job = scene.job(.usersExport, .pending)
        try await store.add(job, audit: scene.audit("sapi"))
        let worker = "w-\(Hex.encode(randomBytes(8)))"
        _ = try await scene.take(job.id, as: worker)
        try await store.addPart([1, 2], number: 0, of: job.id, tenant: scene.tenant)
        let (first, second) = (randomBytes(32), randomBytes(32))
        func offer(_ hash: [UInt8]) async throws -> Bool {
            try await store.offer(linkHash: hash, until: scene.later(100), of: job.id, tenant: scene.tenant)
        }
        func take(_ hash: [UInt8], at delay: Int64 = 0) async throws -> Bool {
            try await store.take(linkHash: hash, of: job.id, tenant: scene.tenant, now: scene.later(delay))
        }
        try require(try await !offer(first), "nothing is offered before the end")
        _ = try await store.finish(job, .completed, reason: nil, worker: worker, now: scene.now)
        try require(try await offer(first), "the offer")
        try require(try await offer(second), "the second offer")
        try require(try await !take(first), "the first offer is gone")
        try require(try await !take(second, at: 100), "an offer that is over")
        let took = try await race(8) { _ in
            try await store.take(linkHash: second, of: job.id, tenant: scene.tenant, now: scene.now)
        }
        try requireEqual(took.filter { $0 }.count, 1, "how many of eight take it")
        try requireEqual(try await store.part(0, of: job.id, tenant: scene.tenant), [1, 2], "the part")
    }

    /// Of several workers each job goes to one, and what a dead server had ends as failed.
    private static func oneWorker(_ scene: Scene) async throws {
        let store = scene.store
        // Long before what other promises do at the same time on this store.
        let early = UnixTime(milliseconds: 1_000_000)
        let jobs = (0..<4).map { _ in scene.job(.usersExport, .pending, at: early) }
        for job in jobs { try await store.add(job, audit: scene.audit("sapi")) }
        let prefix = Hex.encode(randomBytes(8))
        let taken = try await race(8) { index in
            try await store.takeJob(worker: "\(prefix)-\(index)", now: early)?.id
        }
        let ours = Set(jobs.map(\.id))
        try requireEqual(
            taken.compactMap { $0 }.filter(ours.contains).count,
            4,
            "the jobs that were taken, each once"
        )
        try await store.failAbandoned(
            silentSince: early.adding(seconds: 60),
            reason: "gone",
            now: early.adding(seconds: 60)
        )
        for job in jobs {
            let failed = try await store.job(job.id, of: scene.tenant)
            try requireEqual(failed?.status, .failed, "the state")
            try requireEqual(failed?.reason, "gone", "the reason")
        }
        try await store.removeJobs(madeBefore: early.adding(seconds: 1))
        for job in jobs {
            try requireEqual(try await store.job(job.id, of: scene.tenant), nil, "an old job")
        }
    }
}

extension Scene {
    fileprivate func job(_ kind: Job.Kind, _ status: Job.Status, at time: UnixTime? = nil) -> Job {
        Job(
            id: JobID(random: randomBytes(12)),
            tenant: tenant,
            kind: kind,
            connection: connection,
            client: client,
            parameters: ["external_id": "x"],
            status: status,
            createdAt: time ?? now
        )
    }

    /// Takes the job, whatever others wait on the store.
    fileprivate func take(_ job: JobID, as worker: String) async throws -> Job {
        for _ in 0..<200 {
            if let taken = try await store.takeJob(worker: worker, now: now), taken.id == job { return taken }
        }
        throw Violation("the job is not given to a worker")
    }
}
