import Encodings
import Identity
import PublicSuffix
import Tenancy
import Terminal

/// `domain list|show|create|set|delete|verify|default` (HTTP contract 11.6).
enum DomainCommands {
    private static let word = Word("DOMAIN", "its name or id")
    private static let force = Flag("force", "leave passkeys behind that nobody could use any more")

    static func command(_ tools: TenantTools) -> Command {
        Command(
            "domain",
            "the tenant's custom domains",
            group: TenantProgram.Group.things,
            commands: [
                list(tools), show(tools), create(tools), verify(tools), set(tools), makeDefault(tools), delete(tools),
            ]
        )
    }

    private static func list(_ tools: TenantTools) -> Command {
        Command(
            "list",
            "list the custom domains",
            flags: [.output(ofList: true), .fields],
            examples: ["latchkey-tenant domain list"],
            exits: [.notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let columns = [
                    Column("domain"), Column("relying_party_identifier", title: "RP ID"), Column("status"),
                    Column("is_default", title: "DEFAULT"), Column("custom_domain_id", title: "ID"),
                ]
                try session.answer(Listing(columns, rows: try await session.domains()))
                return .done
            }
        }
    }

    private static func show(_ tools: TenantTools) -> Command {
        Command(
            "show",
            "show one, with the record that proves it, and what is odd about its related origins",
            words: [word],
            flags: [.output(), .fields],
            examples: ["latchkey-tenant domain show id.acme.example"],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let domain = try await session.domain(invocation.word("DOMAIN") ?? "")
                try session.answer(domain)
                lint(domain, session)
                return .done
            }
        }
    }

    private static func create(_ tools: TenantTools) -> Command {
        Command(
            "create",
            "add a custom domain, and say which record proves it",
            words: [
                Word("HOST[:PORT]", "the name that clients and people go to"),
                Word("MEMBER=JSON", isOptional: true, isRepeated: true, "more of it; names as in the Management API"),
            ],
            flags: [.output(), .fields],
            examples: ["latchkey-tenant domain create id.acme.example"],
            exits: [.notAllowed, .conflict]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let begun: JSONObject = [
                    "domain": .string(invocation.word("HOST[:PORT]") ?? ""), "type": "self_managed_certs",
                ]
                let body = try MemberWords.patch(invocation.words("MEMBER=JSON")).applied(to: begun)
                let made = try await session.call("POST", "custom-domains", body: .object(body)).json.object ?? [:]
                try session.answer(made)
                tellRecord(made, session)
                return .done
            }
        }
    }

    private static func verify(_ tools: TenantTools) -> Command {
        Command(
            "verify",
            "look for the record that proves a domain; it serves from then on",
            words: [word],
            flags: [.output(), .fields],
            examples: ["latchkey-tenant domain verify id.acme.example"],
            exits: [.notFound, .notAllowed, .conflict, .answerIsNo]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let domain = try await session.domain(invocation.word("DOMAIN") ?? "")
                let path = "custom-domains/\(Session.encoded(domain.text("custom_domain_id")))/verify"
                let answer = try await session.call("POST", path).json.object ?? [:]
                try session.answer(answer)
                guard answer.text("status") != "ready" else { return .done }
                let problem = answer["verification"]?.object?["error_msg"]?.string
                console.note(printable(problem ?? "It is not proven yet."))
                tellRecord(answer, session)
                return .answerIsNo
            }
        }
    }

    private static func set(_ tools: TenantTools) -> Command {
        Command(
            "set",
            "change a domain's RP IDs, related origins and other members",
            words: [
                word, Word("MEMBER=JSON", isOptional: true, isRepeated: true, TenantProgram.memberWord.summary),
            ],
            flags: [
                Flag("rp-id", "ID", "the RP ID of new passkeys: the domain's name, or a parent of it"),
                Flag("legacy-rp-id", "ID", isRepeated: true, "the RP IDs of before, all of them; \"\" for none"),
                Flag("origin", "URL", isRepeated: true, "the related origins, all of them; \"\" for none"), force,
                .output(), .fields,
            ],
            examples: [
                "latchkey-tenant domain set id.acme.example --rp-id acme.example --legacy-rp-id id.acme.example",
                "latchkey-tenant domain set id.acme.example --origin https://shop.example",
            ],
            exits: [.notFound, .notAllowed, .conflict]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let domain = try await session.domain(invocation.word("DOMAIN") ?? "")
                var body = try MemberWords.body(invocation.words("MEMBER=JSON"), of: domain).object ?? [:]
                if let id = invocation.value("rp-id") { body.set("relying_party_identifier", .string(id)) }
                for (flag, member) in [
                    ("legacy-rp-id", "legacy_relying_party_identifiers"), ("origin", "related_origins"),
                ] where invocation.isSet(flag) {
                    body.set(member, .array(invocation.values(flag).filter { !$0.isEmpty }.map { .string($0) }))
                }
                guard !body.isEmpty else {
                    throw CommandFailure(
                        .wrongUse,
                        "nothing is to change. Use --rp-id, --legacy-rp-id, --origin or MEMBER=JSON."
                    )
                }
                let path = "custom-domains/\(Session.encoded(domain.text("custom_domain_id")))"
                let query = invocation.isSet("force") ? [("force", "true")] : []
                let changed =
                    try await session.call("PATCH", path, query: query, body: .object(body)).json.object ?? [:]
                try session.answer(changed)
                lint(changed, session)
                return .done
            }
        }
    }

    private static func makeDefault(_ tools: TenantTools) -> Command {
        Command(
            "default",
            "make a domain the one that is meant where none is named",
            words: [Word("DOMAIN", "its name; the canonical domain's takes it back")],
            flags: [.output(), .fields],
            examples: ["latchkey-tenant domain default id.acme.example"],
            exits: [.notFound, .notAllowed, .conflict]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let body: JSONValue = ["domain": .string(invocation.word("DOMAIN") ?? "")]
                let answer = try await session.call("PATCH", "custom-domains/default", body: body)
                try session.answer(answer.json.object ?? [:])
                return .done
            }
        }
    }

    private static func delete(_ tools: TenantTools) -> Command {
        Command(
            "delete",
            "take a custom domain away",
            words: [word],
            flags: [force, .yes],
            examples: ["latchkey-tenant domain delete old.acme.example"],
            exits: [.notFound, .notAllowed, .conflict]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let domain = try await session.domain(invocation.word("DOMAIN") ?? "")
                try console.confirm(
                    typing: domain.text("domain"),
                    what: ["\(domain.text("domain")) goes: requests to it are refused from then on."],
                    invocation.answers
                )
                let path = "custom-domains/\(Session.encoded(domain.text("custom_domain_id")))"
                let query = invocation.isSet("force") ? [("force", "true")] : []
                _ = try await session.call("DELETE", path, query: query)
                console.note("Domain \(quoted(domain.text("domain"))) is deleted.")
                return .done
            }
        }
    }

    private static func tellRecord(_ domain: JSONObject, _ session: Session) {
        guard session.invocation.format == .table, domain.text("status") != "ready",
            let method = domain["verification"]?.object?["methods"]?.array?.first?.object
        else { return }
        session.console.note("Make this TXT record, then: \(TenantProgram.name) domain verify \(domain.text("domain"))")
        session.console.note("  \(printable(method.text("domain")))  TXT  \"\(printable(method.text("record")))\"")
    }

    /// Says what clients will not do with the related origins.
    private static func lint(_ domain: JSONObject, _ session: Session) {
        guard let suffixes = try? PublicSuffixList() else { return }
        let id = domain.text("relying_party_identifier")
        let origins = domain["related_origins"]?.array?.compactMap(\.string) ?? []
        for finding in RelatedOrigins.lint(origins, relyingPartyID: id, suffixes: suffixes) {
            session.console.warn(session.invocation.program, "\(printable(finding.origin)) \(finding.sentence).")
        }
    }
}

extension Session {
    func domains() async throws(CommandFailure) -> [JSONObject] {
        try await all("custom-domains", "custom_domains")
    }

    /// A custom domain by its name or id.
    func domain(_ name: String) async throws(CommandFailure) -> JSONObject {
        let domains = try await domains()
        let wanted = name.lowercased()
        guard
            let domain = domains.first(where: { $0.text("domain") == wanted || $0.text("custom_domain_id") == name })
        else { throw .notFound("domain", name, among: domains.map { $0.text("domain") }) }
        return domain
    }
}
