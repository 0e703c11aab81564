import Encodings
import Identity

extension CredentialDatabaseContract {
    static let outbox = [
        promise("A mail is written with what caused it, or not at all") { scene in
            let store = scene.store
            let mail = letter(of: scene, at: far)
            try await store.enqueue([mail], events: [scene.audit("scpr")])
            try requireEqual(
                try await store.mails(dead: false, of: scene.tenant, limit: 10),
                [QueuedMail(mail: mail, tries: 0, dueAt: far, failure: nil, diedAt: nil)],
                "what waits"
            )
            // Of two mails one is there already: then the other is not written, and no event.
            do {
                try await store.enqueue([letter(of: scene, at: far), mail], events: [scene.audit("scpr")])
                throw Violation("a mail was written twice")
            } catch StoreError.unique {
            }
            try requireEqual(
                try await store.mails(dead: false, of: scene.tenant, limit: 10).count,
                1,
                "the mails"
            )
            try requireEqual(
                try await store.newestEvents(of: scene.tenant, limit: 10).count,
                1,
                "the events"
            )
            let other = try await Scene(store)
            try requireEqual(
                try await store.mails(dead: false, of: other.tenant, limit: 10),
                [],
                "those of another tenant"
            )
        }
    ]

    /// Promises about all mails of a store, whosever they are: no other may run beside them.
    static let lonelyOutbox = [
        promise("A mail that is due is one worker's until its lease is over, and nobody else's") { scene in
            let store = scene.store
            let mails = (0..<20).map { letter(of: scene, at: early.adding(seconds: $0)) }
            try await store.enqueue(mails, events: [])
            try requireEqual(
                try await store.leaseMail(newLease(), now: early.adding(milliseconds: -1), until: early),
                nil,
                "what is due before the first"
            )
            let now = early.adding(seconds: 100)
            let end = now.adding(seconds: 20)
            let taken = try await race(24) { _ in
                var mine: [MailID] = []
                while let queued = try await store.leaseMail(newLease(), now: now, until: end) {
                    mine.append(queued.mail.id)
                }
                return mine
            }
            let ids = taken.flatMap { $0 }
            try requireEqual(ids.count, 20, "how many were taken")
            try requireEqual(Set(ids), Set(mails.map(\.id)), "what was taken")
            try requireEqual(
                try await store.leaseMail(newLease(), now: end.adding(milliseconds: -1), until: end),
                nil,
                "what is due before the leases end"
            )
            let again = try await store.leaseMail(newLease(), now: end, until: end.adding(seconds: 20))
            try require(again.map { mails.contains($0.mail) } ?? false, "one is due when its lease is over")
            try requireEqual(again?.dueAt, end.adding(seconds: 20), "the end of the new lease")
            for mail in mails { try await store.removeSent(mail) }
        },
        promise("The mail that has been due longest comes first, whole") { scene in
            let store = scene.store
            let later = letter(of: scene, at: early.adding(seconds: 5))
            let sooner = letter(of: scene, at: early)
            try await store.enqueue([later, sooner], events: [])
            let first = try await store.leaseMail(
                newLease(),
                now: early.adding(seconds: 9),
                until: early.adding(seconds: 29)
            )
            try requireEqual(first?.mail, sooner, "the first")
            let second = try await store.leaseMail(
                newLease(),
                now: early.adding(seconds: 9),
                until: early.adding(seconds: 29)
            )
            try requireEqual(second?.mail, later, "the second")
            for mail in [later, sooner] { try await store.removeSent(mail) }
        },
        promise("Only the holder of a lease extends it or gives the mail back; a mail that was sent is gone") { scene in
            let store = scene.store
            let mail = letter(of: scene, at: early)
            try await store.enqueue([mail], events: [])
            let (mine, other) = (newLease(), newLease())
            let end = early.adding(seconds: 20)
            _ = try requireSome(try await store.leaseMail(mine, now: early, until: end), "the mail")
            try require(!(try await store.extend(other, of: mail, until: end)), "another does not extend")
            try require(
                !(try await store.giveBack(mail, other, dueAt: early, failure: "no", now: early)),
                "another does not give back"
            )
            try require(try await store.extend(mine, of: mail, until: end.adding(seconds: 20)), "its holder extends")
            try requireEqual(
                try await store.leaseMail(other, now: end, until: end.adding(seconds: 50)),
                nil,
                "what is due when the first end has come"
            )
            let next = end.adding(seconds: 60)
            try require(
                try await store.giveBack(mail, mine, dueAt: next, failure: "451 é", now: end),
                "its holder gives back"
            )
            try requireEqual(
                try await store.mails(dead: false, of: scene.tenant, limit: 10),
                [QueuedMail(mail: mail, tries: 1, dueAt: next, failure: "451 é", diedAt: nil)],
                "what waits"
            )
            try require(!(try await store.extend(mine, of: mail, until: end)), "a lease ends when it is given back")
            let taken = try await store.leaseMail(other, now: next, until: next.adding(seconds: 20))
            try requireEqual(taken?.tries, 1, "the tries")
            // The first worker had sent it, and says so late.
            try await store.removeSent(mail)
            try await store.removeSent(mail)
            try require(
                !(try await store.giveBack(mail, other, dueAt: next, failure: "no", now: next)),
                "what was sent does not come back"
            )
            try requireEqual(
                try await store.mails(dead: false, of: nil, limit: 10).filter { $0.mail == mail },
                [],
                "it"
            )
        },
        promise("A mail that was given up is kept for thirty days, and comes back when it is wanted") { scene in
            let store = scene.store
            let before = try await store.mailCount()
            let mails = [letter(of: scene, at: early), letter(of: scene, at: early.adding(seconds: 1))]
            try await store.enqueue(mails, events: [])
            for _ in mails {
                let lease = newLease()
                let queued = try requireSome(
                    try await store.leaseMail(lease, now: early.adding(seconds: 9), until: early.adding(seconds: 29)),
                    "the mail"
                )
                try require(
                    try await store.giveBack(queued.mail, lease, dueAt: nil, failure: "550 no", now: early),
                    "it is given up"
                )
            }
            try requireEqual(
                try await store.mailCount(),
                MailCount(waiting: before.waiting, dead: before.dead + 2),
                "the count"
            )
            try requireEqual(
                try await store.mails(dead: true, of: scene.tenant, limit: 10),
                mails.map { QueuedMail(mail: $0, tries: 1, dueAt: nil, failure: "550 no", diedAt: early) },
                "the dead"
            )
            try requireEqual(
                try await store.leaseMail(newLease(), now: early.adding(seconds: 1000), until: far),
                nil,
                "what is due of the dead"
            )
            try require(try await store.revive(mails[0], now: early.adding(seconds: 50)), "it is revived")
            try require(!(try await store.revive(mails[0], now: early)), "it is revived once")
            try requireEqual(
                try await store.mails(dead: false, of: scene.tenant, limit: 10).map(\.dueAt),
                [early.adding(seconds: 50)],
                "what waits"
            )
            let month = early.adding(seconds: 30 * 86_400)
            while try await store.removeExpired(now: month.adding(milliseconds: -1)) {}
            try requireEqual(try await store.mails(dead: true, of: scene.tenant, limit: 10).count, 1, "the dead before")
            while try await store.removeExpired(now: month) {}
            try requireEqual(try await store.mails(dead: true, of: scene.tenant, limit: 10), [], "the dead after")
            try requireEqual(
                try await store.mails(dead: false, of: scene.tenant, limit: 10).count,
                1,
                "what waits stays, however old"
            )
            try await store.removeSent(mails[0])
        },
    ]

    /// Long before anything of another promise is due, and long after.
    private static let early = UnixTime(seconds: 1_000_000)
    private static let far = UnixTime(seconds: 4_000_000_000)

    @Sendable private static func newLease() -> MailLease { MailLease(random: randomBytes(16)) }

    @Sendable private static func letter(of scene: Scene, at time: UnixTime) -> OutboxMail {
        let id = MailID(TimeOrderedID(now: time, random: randomBytes(10)))
        return OutboxMail(
            id: id,
            tenant: scene.tenant,
            kind: .passwordReset,
            messageID: "\(id.id.base62)@acme.example",
            sealed: randomBytes(300),
            createdAt: time
        )
    }
}
