import Encodings
import Terminal

/// `rp status|cut-over`: the way of the tenant's users from one RP ID to another.
enum RelyingPartyCommands {
    static func command(_ tools: TenantTools) -> Command {
        Command(
            "rp",
            "move passkeys to another RP ID",
            group: TenantProgram.Group.look,
            commands: [status(tools), cutOver(tools)]
        )
    }

    private static func status(_ tools: TenantTools) -> Command {
        Command(
            "status",
            "show how many users of each RP ID of before could do without it",
            flags: [
                Flag("who", "name those who could not, at most 100 of each"), .output(ofList: true), .fields,
            ],
            examples: ["latchkey-tenant rp status", "latchkey-tenant rp status --who -o csv"],
            exits: [.notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let isNaming = invocation.isSet("who")
                var rows: [JSONObject] = []
                for domain in try await session.domains() {
                    let answer = try await session.relyingParties(domain, naming: isNaming ? 100 : 0)
                    for legacy in answer["legacy"]?.array?.compactMap(\.object) ?? [] {
                        rows += isNaming ? people(legacy, domain) : [row(legacy, domain)]
                    }
                }
                let columns =
                    isNaming
                    ? [Column("user_id", title: "USER ID"), Column("name"), Column("domain"), Column("from")]
                    : [
                        Column("domain"), Column("from"), Column("to"), Column("users"), Column("covered"),
                        Column("percent"),
                    ]
                try session.answer(Listing(columns, rows: rows))
                if rows.isEmpty {
                    console.note(
                        isNaming ? "Nobody would be left behind." : "No custom domain has an RP ID of before."
                    )
                }
                return .done
            }
        }
    }

    private static func row(_ legacy: JSONObject, _ domain: JSONObject) -> JSONObject {
        [
            "domain": .string(domain.text("domain")), "from": .string(legacy.text("relying_party_identifier")),
            "to": .string(domain.text("relying_party_identifier")), "users": legacy["users"] ?? .null,
            "covered": legacy["covered"] ?? .null, "percent": legacy["covered_percent"] ?? .null,
        ]
    }

    private static func people(_ legacy: JSONObject, _ domain: JSONObject) -> [JSONObject] {
        (legacy["left_behind"]?.array?.compactMap(\.object) ?? []).map { person in
            var person = person
            person.set("domain", .string(domain.text("domain")))
            person.set("from", .string(legacy.text("relying_party_identifier")))
            return person
        }
    }

    private static func cutOver(_ tools: TenantTools) -> Command {
        Command(
            "cut-over",
            "take an RP ID of before off its domain, when its users can do without",
            words: [Word("DOMAIN", "its name or id"), Word("ID", "the RP ID of before")],
            flags: [
                Flag("threshold", "PERCENT", "how many percent of its users must be covered; 99 unless given"),
                .yes, .output(), .fields,
            ],
            examples: [
                "latchkey-tenant rp cut-over id.new.example old.example",
                "latchkey-tenant rp cut-over id.new.example old.example --threshold 99.5 --yes",
            ],
            exits: [.notFound, .notAllowed, .conflict]
        ) { invocation, console in
            let threshold = try threshold(invocation)
            return try await Session.run(invocation, console, tools) { session in
                let domain = try await session.domain(invocation.word("DOMAIN") ?? "")
                let name = invocation.word("ID") ?? ""
                let answer = try await session.relyingParties(domain, naming: 0)
                let all = answer["legacy"]?.array?.compactMap(\.object) ?? []
                guard let legacy = all.first(where: { $0.text("relying_party_identifier") == name }) else {
                    throw CommandFailure.notFound(
                        "RP ID of before",
                        name,
                        among: all.map { $0.text("relying_party_identifier") }
                    )
                }
                let (users, covered) = (legacy["users"]?.integer ?? 0, legacy["covered"]?.integer ?? 0)
                let percent = legacy["covered_percent"]?.number ?? 0
                guard percent >= threshold else {
                    throw CommandFailure(
                        .conflict,
                        "\(covered) of \(users) users with a passkey under \(name) could sign in without it, and "
                            + "\(threshold) % are asked for: \(users - covered) would be left behind."
                    )
                }
                if covered < users {
                    try console.confirm(
                        typing: name,
                        what: [
                            "\(users - covered) of \(users) users have passkeys under \(name) alone, and could not sign in "
                                + "with a passkey any more. rp status --who names them."
                        ],
                        invocation.answers
                    )
                }
                let rest = domain["legacy_relying_party_identifiers"]?.array?.filter { $0.string != name } ?? []
                let changed = try await session.call(
                    "PATCH",
                    "custom-domains/\(Session.encoded(domain.text("custom_domain_id")))",
                    query: covered < users ? [("force", "true")] : [],
                    body: ["legacy_relying_party_identifiers": .array(rest)]
                )
                try session.answer(changed.json.object ?? [:])
                return .done
            }
        }
    }

    private static func threshold(_ invocation: Invocation) throws(CommandFailure) -> Double {
        guard let text = invocation.value("threshold") else { return 99 }
        guard let percent = Double(text), (0...100).contains(percent) else {
            throw CommandFailure(
                .wrongUse,
                "--threshold is \(quoted(text)), which it cannot be. Use 0 to 100, as 99.5."
            )
        }
        return percent
    }
}

extension Session {
    fileprivate func relyingParties(
        _ domain: JSONObject,
        naming users: Int
    ) async throws(CommandFailure) -> JSONObject {
        try await get(
            "custom-domains/\(Session.encoded(domain.text("custom_domain_id")))/relying-parties",
            query: users > 0 ? [("users", String(users))] : []
        )
    }
}
