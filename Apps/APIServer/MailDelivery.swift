import Encodings
import HTTPAPI
import Identity
import Mail
import Settings
import Synchronization
import Terminal
import Threads
import Tokens
import Transfer

/// The outbox at work: writes mails for the use cases and sends what waits, as the settings say.
final class MailDelivery: Sendable {
    let mailroom: Mailroom
    private let worker: MailWorker
    private let pool: BlockingPool
    private let store: any OutboxAdministration
    private let log: Log
    private let sent = Atomic(0)
    private let failed = Atomic(0)
    private let givenUp = Atomic(0)
    private let waiting = Atomic(0)
    private let dead = Atomic(0)

    private init(
        mailroom: Mailroom,
        worker: MailWorker,
        pool: BlockingPool,
        store: any OutboxAdministration,
        log: Log
    ) {
        self.mailroom = mailroom
        self.worker = worker
        self.pool = pool
        self.store = store
        self.log = log
    }

    /// Looks at what concerns mail before anything is opened. Templates that are wrong stop the start where mail is off,
    /// too: they are there to be used.
    ///
    /// - Throws: what is wrong with a setting or a template, in one line.
    static func check(_ settings: Settings) throws(CommandFailure) {
        _ = try settings.templates()
        _ = try settings.mailSender()
    }

    /// Opens the way out.
    ///
    /// - Returns: `nil` where mail is off.
    /// - Throws: what is wrong with a setting or a template, in one line.
    static func make(
        _ settings: Settings,
        store: any CredentialDatabase,
        keys: DeploymentKeys,
        log: Log,
        random: @escaping RandomSource
    ) throws(CommandFailure) -> MailDelivery? {
        let templates = try settings.templates()
        if case .off = settings.mail.value { return nil }
        let sender = try settings.mailSender()
        let pool: BlockingPool
        do throws(ThreadError) {
            // One mail at a time: a worker that is killed leaves one mail of which nobody knows whether it was taken.
            pool = try BlockingPool(name: "mail", threadCount: 1, queueLimit: 8, isBackground: true)
        } catch { throw CommandFailure("The system has no thread left: error \(error.code).", exit: .unavailable) }
        let outgoing: any MailSender
        if case .smtp(let url) = settings.mail.value {
            outgoing = RelaySender(url.relay(greeting: sender.domain), pool: pool)
        } else {
            outgoing = TerminalSender(output: log.output)
        }
        let mailroom = Mailroom(key: keys.key(for: .mail), sender: sender, random: random)
        let worker = MailWorker(
            store: store,
            mailroom: mailroom,
            templates: templates,
            sender: outgoing,
            clock: SystemClock.now,
            random: random
        )
        return MailDelivery(mailroom: mailroom, worker: worker, pool: pool, store: store, log: log)
    }

    /// Sends what is due until the task is cancelled. A mail that is under way then is finished.
    func run() async {
        var isFailing = false
        var isAway = false
        var counted = ContinuousClock.now - .seconds(60)
        while !Task.isCancelled {
            var pause = Duration.zero
            do throws(StoreError) {
                if ContinuousClock.now - counted > .seconds(5) {
                    try await count()
                    counted = ContinuousClock.now
                }
                switch try await worker.step() {
                case .idle: pause = .seconds(1)
                case .sent(let id, let reply):
                    sent.add(1, ordering: .relaxed)
                    isAway = false
                    log.write(.debug, "mail sent", ["mail": .string(id.text), "reply": .string(reply)])
                case .postponed(let id, let reason, let isRelayAway):
                    failed.add(1, ordering: .relaxed)
                    // A relay that is away is told once.
                    if !isRelayAway || !isAway {
                        log.write(.warning, "mail not sent, it is tried again: \(reason)", ["mail": .string(id.text)])
                    }
                    isAway = isRelayAway
                    if isRelayAway { pause = .seconds(5) }
                case .gaveUp(let id, let reason):
                    failed.add(1, ordering: .relaxed)
                    givenUp.add(1, ordering: .relaxed)
                    log.write(
                        .error,
                        "mail given up (see latchkey-admin mail list --dead): \(reason)",
                        ["mail": .string(id.text)]
                    )
                }
                isFailing = false
            } catch {
                if !isFailing { log.write(.warning, "the outbox cannot be read: \(error)") }
                isFailing = true
                pause = .seconds(5)
            }
            if pause > .zero { try? await Task.sleep(for: pause) }
        }
    }

    private func count() async throws(StoreError) {
        let count = try await store.mailCount()
        waiting.store(Int(clamping: count.waiting), ordering: .relaxed)
        dead.store(Int(clamping: count.dead), ordering: .relaxed)
    }

    /// What `/metrics` says of it.
    var gauges: [AdminAPI.Gauge] {
        [
            gauge("queue", "Mails that wait to be sent.", "gauge", waiting),
            gauge("dead", "Mails that were given up.", "gauge", dead),
            gauge("sent_total", "Mails that this server handed to the relay.", "counter", sent),
            gauge("failed_total", "Tries of this server that failed.", "counter", failed),
            gauge("given_up_total", "Mails that this server gave up.", "counter", givenUp),
        ]
    }

    private func gauge(_ name: String, _ help: String, _ kind: String, _ value: borrowing Atomic<Int>) -> AdminAPI.Gauge
    {
        AdminAPI.Gauge(name: "latchkey_mail_" + name, help: help, kind: kind, value: value.load(ordering: .relaxed))
    }

    /// Ends its thread; after ``run()`` is over.
    func stop() { pool.stop() }
}

/// Shows mails on the terminal: `dev` alone does so.
private struct TerminalSender: MailSender {
    let output: any TextOutput

    func send(_ mail: FinishedMail) -> String {
        // What came from outside may not steer the terminal.
        let text = "To: \(mail.recipient)\nSubject: \(mail.subject)\n\n\(mail.text)"
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in
                let scalars = line.unicodeScalars.filter { $0.properties.generalCategory != .control }
                return "  | " + String(String.UnicodeScalarView(scalars))
            }
            .joined(separator: "\n")
        output.write("mail, which dev shows and never sends:\n\(text)\n")
        return "shown on the terminal"
    }
}

extension Settings {
    /// The templates of the settings' folder, above the built-in ones.
    fileprivate func templates() throws(CommandFailure) -> MailTemplates {
        do throws(TemplateFolder.Fault) {
            return try TemplateFolder.read(mailTemplates.value)
        } catch { throw CommandFailure("mail_templates: \(error)", exit: .wrongUse) }
    }

    /// Who writes; where nobody was named, as under `dev`, nobody in particular.
    fileprivate func mailSender() throws(CommandFailure) -> CorrespondentAddress {
        let from = mailFrom.value
        do throws(CorrespondentAddress.Fault) {
            return try CorrespondentAddress(from?.address ?? "no-reply@localhost", name: from?.name ?? "Latchkey")
        } catch {
            throw CommandFailure("mail_from is \(from?.address ?? ""), which cannot be: \(error).", exit: .wrongUse)
        }
    }
}

extension ServerURL {
    fileprivate func relay(greeting: String) -> MailRelay {
        MailRelay(
            scheme == "smtps" ? .smtps : .smtp,
            host: host,
            port: port,
            credentials: user.map { .init(user: $0, password: password ?? "") },
            greeting: greeting
        )
    }
}
