import Encodings
import Identity
import Mail
import Settings
import Terminal
import Tokens
import Transfer

/// `mail test|list|retry`.
enum MailCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "mail",
            "try whether mail works, and see what waits or was given up",
            group: AdminProgram.Group.mail,
            commands: [test(tools), list(tools), retry(tools)]
        )
    }

    // MARK: test

    private static func test(_ tools: AdminTools) -> Command {
        Command(
            "test",
            "send a mail at once, with the server's settings and templates, and show what the mail server says",
            words: [Word("ADDRESS", "to whom")],
            flags: [
                Flag(
                    "language",
                    "TAG",
                    "the language of the text: en, sv, ja, or one of your templates; en unless given"
                ),
                Flag("queue", "put it into the outbox, for the server to send; this needs the master key"),
                AdminProgram.tenantFlag, .output(),
            ],
            examples: [
                "latchkey-admin mail test you@acme.example",
                "latchkey-admin mail test you@acme.example --language sv --config /etc/latchkey/latchkey.yaml",
                "latchkey-admin mail test you@acme.example --queue --tenant acme",
            ],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            if invocation.isSet("queue") {
                return try await Deployment.run(invocation, console, tools) { try await queue($0) }
            }
            do {
                let settings = try Deployment.readSettings(invocation, console)
                let (relay, sender) = try relay(settings)
                let mail = try compose(invocation, from: sender, settings, tools)
                // The process does nothing else meanwhile, so that its thread may wait.
                let reply = try relay.send(mail.message, from: mail.sender, to: [mail.recipient])
                let answer: JSONObject = [
                    "mail_server": .string("\(settings.mail.value)"), "from": .string(mail.sender),
                    "to": .string(mail.recipient), "subject": .string(mail.subject), "reply": .string(reply),
                ]
                console.answer(Details(answer), as: invocation.format)
                return .done
            } catch let error as MailRelayError {
                throw failure(error)
            } catch {
                throw CommandFailure(any: error)
            }
        }
    }

    private static func relay(_ settings: Settings) throws -> (MailRelay, CorrespondentAddress) {
        guard case .smtp(let url) = settings.mail.value, let from = settings.mailFrom.value else {
            throw CommandFailure(
                .wrongUse,
                "mail is off. Set mail, as smtps://USER:PASSWORD@smtp.acme.example, and mail_from, then try again."
            )
        }
        do throws(CorrespondentAddress.Fault) {
            let sender = try CorrespondentAddress(from.address, name: from.name)
            let relay = MailRelay(
                url.scheme == "smtps" ? .smtps : .smtp,
                host: url.host,
                port: url.port,
                credentials: url.user.map { .init(user: $0, password: url.password ?? "") },
                greeting: sender.domain
            )
            return (relay, sender)
        } catch { throw CommandFailure(.wrongUse, "mail_from is \(quoted(from.address)), which cannot be: \(error).") }
    }

    /// Leaves the mail to the server's worker.
    private static func queue(_ deployment: Deployment) async throws -> ExitCode {
        let (_, sender) = try relay(deployment.settings)
        let tenant = try await deployment.tenant()
        let key = try await deployment.deploymentKeys("mails are sealed by it").key(for: .mail)
        let letter = letter(deployment.invocation)
        let mail: OutboxMail
        do throws(MailFault) {
            mail = try Mailroom(key: key, sender: sender, random: deployment.tools.random).write(
                letter,
                head: LetterHead(
                    tenant: tenant.tenant.id,
                    name: tenant.tenant.name,
                    displayName: tenant.tenant.settings.friendlyName ?? tenant.tenant.name
                ),
                now: deployment.now
            )
        } catch { throw CommandFailure(.wrongUse, "\(quoted(letter.recipient)): \(error).") }
        try await deployment.store.enqueue([mail], events: [deployment.event(mail.id.text, of: mail.tenant)])
        deployment.console.answer(
            Details(["mail": .string(mail.id.text), "message_id": .string(mail.messageID)]),
            as: deployment.invocation.format
        )
        return .done
    }

    private static func letter(_ invocation: Invocation) -> Letter {
        Letter(.test, to: invocation.word("ADDRESS") ?? "", languages: [invocation.value("language") ?? "en"])
    }

    private static func compose(
        _ invocation: Invocation,
        from sender: CorrespondentAddress,
        _ settings: Settings,
        _ tools: AdminTools
    ) throws -> FinishedMail {
        let letter = letter(invocation)
        let templates: MailTemplates
        do throws(TemplateFolder.Fault) {
            templates = try TemplateFolder.read(settings.mailTemplates.value)
        } catch { throw CommandFailure(.wrongUse, "mail_templates: \(error)") }
        do throws(MailFault) {
            // Nothing is kept, so that any key does.
            return try Mailroom(key: tools.random(32), sender: sender, random: tools.random).compose(
                letter,
                head: LetterHead(
                    tenant: TenantID(number: 0),
                    name: invocation.value("tenant") ?? "",
                    displayName: sender.name.isEmpty ? "Latchkey" : sender.name
                ),
                templates: templates,
                now: tools.now()
            )
        } catch { throw CommandFailure(.wrongUse, "\(quoted(letter.recipient)): \(error).") }
    }

    private static func failure(_ error: MailRelayError) -> CommandFailure {
        switch error {
        case .badMail, .permanent: CommandFailure(.failed, "\(error). Nothing was sent.")
        case .temporary: CommandFailure(.unavailable, "\(error). Nothing was sent; try again.")
        case .unavailable: CommandFailure(.unavailable, "\(error). Look at mail in the settings, and at the network.")
        }
    }

    // MARK: list

    private static func list(_ tools: AdminTools) -> Command {
        Command(
            "list",
            "list the mails that wait to be sent, oldest first",
            flags: [
                AdminProgram.tenantFlag, Flag("dead", "those that were given up instead, which are kept for 30 days"),
                Flag("recipients", "show to whom they go; they are sealed, so that this needs the master key"),
                Flag("limit", "COUNT", "how many at most; 50 unless given"), .output(ofList: true),
            ],
            examples: ["latchkey-admin mail list", "latchkey-admin mail list --dead --recipients --tenant acme"],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                var tenant: TenantID?
                if let name = invocation.value("tenant") { tenant = try await deployment.tenant(named: name).tenant.id }
                let mails = try await deployment.store.mails(
                    dead: invocation.isSet("dead"),
                    of: tenant,
                    limit: try Limit.read(invocation)
                )
                var key: [UInt8]?
                if invocation.isSet("recipients") {
                    key = try await deployment.deploymentKeys("the mails are sealed by it").key(for: .mail)
                }
                let names = Dictionary(
                    try await deployment.store.tenants().map { ($0.id, $0.name) },
                    uniquingKeysWith: { first, _ in first }
                )
                console.answer(
                    Listing(
                        columns.filter { $0.name != "to" || key != nil },
                        rows: mails.map { Shape.mail($0, names[$0.mail.tenant] ?? "", key: key) }
                    ),
                    as: invocation.format
                )
                return .done
            }
        }
    }

    private static let columns = [
        Column("id", title: "ID"), Column("tenant"), Column("kind"), Column("to"),
        Column("created_at", title: "CREATED", .time), Column("tries"), Column("due_at", title: "DUE", .time),
        Column("died_at", title: "GIVEN UP", .time), Column("failure"),
    ]

    // MARK: retry

    private static func retry(_ tools: AdminTools) -> Command {
        Command(
            "retry",
            "send mails again that were given up",
            words: [Word("MAIL", isOptional: true, "its id, mail_…")],
            flags: [AdminProgram.tenantFlag, Flag("all", "all that were given up"), .output()],
            examples: [
                "latchkey-admin mail retry mail_0aB3cD4eF5gH6iJ7kL8mN9",
                "latchkey-admin mail retry --all --tenant acme",
            ],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let wanted = invocation.word("MAIL")
                guard (wanted != nil) != invocation.isSet("all") else {
                    throw CommandFailure(.wrongUse, "Name one mail, or say --all.")
                }
                var tenant: TenantID?
                if let name = invocation.value("tenant") { tenant = try await deployment.tenant(named: name).tenant.id }
                let dead = try await deployment.store.mails(dead: true, of: tenant, limit: most).map(\.mail)
                let chosen = dead.filter { wanted == nil || $0.id.text == wanted }
                if let wanted, chosen.isEmpty { throw CommandFailure.notFound("mail that was given up", wanted) }
                var count: Int64 = 0
                for mail in chosen {
                    // Another may have been faster.
                    guard try await deployment.store.revive(mail, now: deployment.now) else { continue }
                    count += 1
                    await deployment.audit(mail.id.text, of: mail.tenant)
                }
                console.answer(Details(["retried": .integer(count)]), as: invocation.format)
                return .done
            }
        }
    }

    /// Mails that one command brings back at most.
    private static let most = 100_000
}

extension Shape {
    static func mail(_ queued: QueuedMail, _ tenant: String, key: [UInt8]?) -> JSONObject {
        var object: JSONObject = [
            "id": .string(queued.mail.id.text), "tenant": .string(tenant),
            "kind": .string(queued.mail.kind.rawValue), "message_id": .string(queued.mail.messageID),
            "created_at": .string(queued.mail.createdAt.rfc3339), "tries": .integer(Int64(queued.tries)),
        ]
        if let key {
            let recipient = try? Mailroom.recipient(of: queued.mail, key: key)
            object.set("to", .string(recipient ?? "(cannot be opened)"))
        }
        if let dueAt = queued.dueAt { object.set("due_at", .string(dueAt.rfc3339)) }
        if let diedAt = queued.diedAt { object.set("died_at", .string(diedAt.rfc3339)) }
        if let failure = queued.failure { object.set("failure", .string(failure)) }
        return object
    }
}
