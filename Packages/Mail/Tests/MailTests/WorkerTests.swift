import Identity
import Synchronization
import Testing

@testable import Mail

/// An outbox in memory, as one store would keep it.
final class MemoryOutbox: OutboxStore {
    private struct Row {
        var queued: QueuedMail
        var lease: MailLease?
    }

    private let rows = Mutex<[Row]>([])

    var mails: [QueuedMail] { rows.withLock { $0.map(\.queued) } }

    func enqueue(_ mails: [OutboxMail], events: [AuditEvent]) {
        rows.withLock { rows in
            rows += mails.map {
                Row(queued: QueuedMail(mail: $0, tries: 0, dueAt: $0.createdAt, failure: nil, diedAt: nil))
            }
        }
    }

    func leaseMail(_ lease: MailLease, now: UnixTime, until end: UnixTime) -> QueuedMail? {
        rows.withLock { rows in
            guard let index = rows.firstIndex(where: { $0.queued.dueAt.map { $0 <= now } ?? false }) else { return nil }
            rows[index].lease = lease
            let queued = rows[index].queued
            rows[index].queued = Self.changed(
                queued,
                tries: queued.tries,
                dueAt: end,
                failure: queued.failure,
                diedAt: nil
            )
            return rows[index].queued
        }
    }

    private let extended = Mutex(0)
    var extensions: Int { extended.withLock { $0 } }

    func extend(_ lease: MailLease, of mail: OutboxMail, until end: UnixTime) -> Bool {
        extended.withLock { $0 += 1 }
        return true
    }

    func removeSent(_ mail: OutboxMail) {
        rows.withLock { $0.removeAll { $0.queued.mail.id == mail.id } }
    }

    func giveBack(
        _ mail: OutboxMail,
        _ lease: MailLease,
        dueAt time: UnixTime?,
        failure: String,
        now: UnixTime
    ) -> Bool {
        rows.withLock { rows in
            guard let index = rows.firstIndex(where: { $0.queued.mail.id == mail.id && $0.lease == lease }) else {
                return false
            }
            let tries = rows[index].queued.tries + 1
            rows[index].queued = Self.changed(
                rows[index].queued,
                tries: tries,
                dueAt: time,
                failure: failure,
                diedAt: time == nil ? now : nil
            )
            return true
        }
    }

    private static func changed(
        _ queued: QueuedMail,
        tries: Int,
        dueAt: UnixTime?,
        failure: String?,
        diedAt: UnixTime?
    ) -> QueuedMail {
        QueuedMail(mail: queued.mail, tries: tries, dueAt: dueAt, failure: failure, diedAt: diedAt)
    }
}

/// Answers each mail with what is next in a list.
final class ScriptedSender: MailSender {
    private let answers: Mutex<[Result<String, MailSendingError>]>
    private let taken = Mutex<[FinishedMail]>([])

    init(_ answers: [Result<String, MailSendingError>]) {
        self.answers = Mutex(answers)
    }

    var mails: [FinishedMail] { taken.withLock { $0 } }

    func send(_ mail: FinishedMail) throws(MailSendingError) -> String {
        taken.withLock { $0.append(mail) }
        return try (answers.withLock { $0.isEmpty ? .success("250 ok") : $0.removeFirst() }).get()
    }
}

/// Takes a mail only when its lease was renewed a few times.
private struct SlowSender: MailSender {
    let outbox: MemoryOutbox
    let started: @Sendable () -> Void

    func send(_ mail: FinishedMail) async throws(MailSendingError) -> String {
        started()
        while outbox.extensions < 3 { try? await Task.sleep(for: .milliseconds(2)) }
        return Task.isCancelled ? "cancelled" : "250 ok"
    }
}

@Suite("The worker sends each mail until it is taken or given up")
struct WorkerTests {
    private static let start = UnixTime(seconds: 1_800_000_000)
    private static let key = [UInt8](repeating: 7, count: 32)
    private static let head = LetterHead(tenant: TenantID(number: 3), name: "acme", displayName: "Acme Åkeri")

    private let outbox = MemoryOutbox()

    private static func mailroom(_ key: [UInt8] = key) throws -> Mailroom {
        Mailroom(key: key, sender: try CorrespondentAddress("no-reply@acme.example", name: "Acme")) { count in
            (0..<count).map { _ in UInt8.random(in: 0...255) }
        }
    }

    private final class Clock: Sendable {
        let now = Mutex(WorkerTests.start)
    }

    private func worker(_ sender: ScriptedSender, _ clock: Clock, key: [UInt8] = key) throws -> MailWorker {
        MailWorker(
            store: outbox,
            mailroom: try Self.mailroom(key),
            templates: try MailTemplates(),
            sender: sender,
            clock: { clock.now.withLock { $0 } },
            random: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } }
        )
    }

    private func enqueue() throws -> OutboxMail {
        let letter = Letter(
            .passwordReset(link: "https://login.acme.example/u/reset-password?ticket=s3cret", hours: 120),
            to: "ana@example.com",
            languages: ["sv"]
        )
        let mail = try Self.mailroom().write(letter, head: Self.head, now: Self.start)
        outbox.enqueue([mail], events: [])
        return mail
    }

    @Test("What lies in the store tells neither link nor recipient, and belongs to its row")
    func sealed() throws {
        let mail = try enqueue()
        let text = String(decoding: mail.sealed, as: UTF8.self)
        #expect(!text.contains("s3cret") && !text.contains("ana@"))
        let room = try Self.mailroom()
        let templates = try MailTemplates()
        #expect(try Mailroom.recipient(of: mail, key: Self.key) == "ana@example.com")
        #expect(try room.finish(mail, templates).text.contains("ticket=s3cret"))
        let moved = [
            OutboxMail(
                id: mail.id,
                tenant: TenantID(number: 4),
                kind: mail.kind,
                messageID: mail.messageID,
                sealed: mail.sealed,
                createdAt: mail.createdAt
            ),
            OutboxMail(
                id: mail.id,
                tenant: mail.tenant,
                kind: .test,
                messageID: mail.messageID,
                sealed: mail.sealed,
                createdAt: mail.createdAt
            ),
        ]
        for mail in moved { #expect(throws: MailFault.damaged) { try room.finish(mail, templates) } }
        #expect(throws: MailFault.damaged) {
            try Self.mailroom([UInt8](repeating: 8, count: 32)).finish(mail, templates)
        }
    }

    @Test("A mail that is taken is gone, with what it should say")
    func sends() async throws {
        let mail = try enqueue()
        let sender = ScriptedSender([.success("250 taken")])
        let worker = try worker(sender, Clock())
        #expect(try await worker.step() == .sent(mail.id, reply: "250 taken"))
        #expect(try await worker.step() == .idle)
        #expect(outbox.mails.isEmpty)
        let sent = try #require(sender.mails.first)
        #expect(sent.sender == "no-reply@acme.example" && sent.recipient == "ana@example.com")
        #expect(sent.subject == "Återställ ditt lösenord för Acme Åkeri")
        #expect(String(decoding: sent.message, as: UTF8.self).contains("Message-ID: <\(mail.messageID)>\r\n"))
    }

    @Test("A mail that is not taken now is tried again, later each time, with one Message-ID and one date")
    func retries() async throws {
        let mail = try enqueue()
        let sender = ScriptedSender([
            .failure(.temporary(reason: "451 later")), .failure(.unavailable(reason: "nobody")), .success("250 ok"),
        ])
        let clock = Clock()
        let worker = try worker(sender, clock)
        #expect(try await worker.step() == .postponed(mail.id, reason: "451 later", isRelayAway: false))
        #expect(try await worker.step() == .idle)
        #expect(outbox.mails.first?.tries == 1 && outbox.mails.first?.failure == "451 later")
        clock.now.withLock { $0 = outbox.mails.first?.dueAt ?? $0 }
        #expect(try await worker.step() == .postponed(mail.id, reason: "nobody", isRelayAway: true))
        clock.now.withLock { $0 = outbox.mails.first?.dueAt ?? $0 }
        #expect(try await worker.step() == .sent(mail.id, reply: "250 ok"))
        #expect(Set(sender.mails).count == 1 && sender.mails.count == 3)
    }

    @Test("A mail that will never be taken is given up at once, and so is one that cannot be opened")
    func givesUp() async throws {
        let mail = try enqueue()
        let sender = ScriptedSender([.failure(.permanent(reason: "550 no"))])
        #expect(try await worker(sender, Clock()).step() == .gaveUp(mail.id, reason: "550 no"))
        let dead = try #require(outbox.mails.first)
        #expect(dead.dueAt == nil && dead.diedAt == Self.start && dead.failure == "550 no")
        let other = try enqueue()
        let step = try await worker(sender, Clock(), key: [UInt8](repeating: 9, count: 32)).step()
        #expect(step == .gaveUp(other.id, reason: MailFault.damaged.description))
        #expect(sender.mails.count == 1)
    }

    @Test("A server that is stopped finishes its mail, and keeps the lease meanwhile")
    func stopped() async throws {
        let mail = try enqueue()
        let (starts, start) = AsyncStream<Void>.makeStream()
        let worker = MailWorker(
            store: outbox,
            mailroom: try Self.mailroom(),
            templates: try MailTemplates(),
            sender: SlowSender(outbox: outbox) { start.yield() },
            renewal: .milliseconds(5),
            clock: { Self.start },
            random: { [UInt8](repeating: 1, count: $0) }
        )
        let task = Task { try await worker.step() }
        for await _ in starts { break }
        task.cancel()
        #expect(try await task.value == .sent(mail.id, reply: "250 ok"))
        #expect(outbox.mails.isEmpty)
    }

    @Test("The delays double from half a minute up to four hours, and end after three days or thirty tries")
    func schedule() {
        let schedule = RetrySchedule()
        func delay(_ tries: Int, _ chance: UInt8, now: UnixTime = Self.start) -> Int64? {
            schedule.next(after: tries, createdAt: Self.start, now: now, chance: chance)
                .map { $0.milliseconds(since: now) }
        }
        #expect(delay(1, 255) == 30_000 && delay(1, 0) == 15_000)
        #expect(delay(2, 255) == 60_000 && delay(5, 255) == 480_000)
        #expect(delay(10, 255) == 14_400_000 && delay(29, 0) == 7_200_000)
        #expect(delay(30, 0) == nil)
        let late = Self.start.adding(seconds: 3 * 86_400 - 14_000)
        #expect(delay(12, 255, now: late) == nil)
        #expect(delay(12, 0, now: late) == 7_200_000)
        #expect(delay(1, 255, now: Self.start.adding(seconds: 3 * 86_400)) == nil)
    }

    @Test("Nobody can be written to whose address needs SMTPUTF8")
    func recipient() throws {
        #expect(throws: MailFault.self) {
            try Self.mailroom().write(Letter(.test, to: "åna@example.com"), head: Self.head, now: Self.start)
        }
    }
}
