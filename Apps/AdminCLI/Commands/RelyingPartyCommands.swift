import Encodings
import Identity
import Tenancy
import Terminal

/// `rp status|cut-over`: the way of a tenant's users from one RP ID to another.
enum RelyingPartyCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "rp",
            "move a tenant's passkeys to another RP ID",
            group: AdminProgram.Group.people,
            flags: [AdminProgram.tenantFlag],
            commands: [status(tools), cutOver(tools)]
        )
    }

    private static func status(_ tools: AdminTools) -> Command {
        Command(
            "status",
            "show how many users of each RP ID of before could do without it",
            flags: [
                Flag("who", "name those who could not, as many as --limit says"),
                Flag("limit", "COUNT", "how many to name; 50 unless given"), .output(ofList: true),
            ],
            examples: [
                "latchkey-admin rp status --tenant acme", "latchkey-admin rp status --who --limit 1000 -o csv",
            ],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                if invocation.isSet("who") {
                    try await who(tenant, deployment)
                } else {
                    try await coverage(tenant, deployment)
                }
                return .done
            }
        }
    }

    private static func coverage(_ tenant: TenantConfiguration, _ deployment: Deployment) async throws {
        var rows: [JSONObject] = []
        for domain in tenant.domains {
            for legacy in domain.legacyRelyingPartyIDs {
                let coverage = try await deployment.administration.coverage(of: legacy, on: domain)
                rows.append([
                    "domain": .string(domain.host), "from": .string(legacy), "to": .string(domain.relyingPartyID),
                    "users": .integer(coverage.users), "covered": .integer(coverage.covered),
                    "left_behind": .integer(coverage.leftBehind), "percent": .string(coverage.percent),
                ])
            }
        }
        let columns = [
            Column("domain"), Column("from"), Column("to"), Column("users"), Column("covered"),
            Column("left_behind", title: "LEFT BEHIND"), Column("percent"),
        ]
        deployment.console.answer(Listing(columns, rows: rows), as: deployment.invocation.format)
        if rows.isEmpty { deployment.console.note("No domain of \(tenant.tenant.name) has an RP ID of before.") }
    }

    private static func who(_ tenant: TenantConfiguration, _ deployment: Deployment) async throws {
        var limit = try Limit.read(deployment.invocation)
        var rows: [JSONObject] = []
        for domain in tenant.domains {
            for legacy in domain.legacyRelyingPartyIDs where limit > 0 {
                let users = try await deployment.administration.usersLeftBehind(
                    under: legacy,
                    on: domain,
                    limit: limit
                )
                limit -= users.count
                rows += users.map { user in
                    var row = Shape.user(user, in: tenant)
                    row.set("domain", .string(domain.host))
                    row.set("from", .string(legacy))
                    return row
                }
            }
        }
        let columns = [
            Column("user_id", title: "USER ID"), Column("name"), Column("email"), Column("domain"), Column("from"),
            Column("last_login", title: "LAST LOGIN", .time),
        ]
        deployment.console.answer(Listing(columns, rows: rows), as: deployment.invocation.format)
    }

    private static func cutOver(_ tools: AdminTools) -> Command {
        Command(
            "cut-over",
            "take an RP ID of before off its domain, when its users can do without",
            words: [Word("DOMAIN", "its name or id"), Word("ID", "the RP ID of before")],
            flags: [
                Flag("threshold", "PERCENT", "how many percent of its users must be covered; 99 unless given"),
                .yes, .output(),
            ],
            examples: [
                "latchkey-admin rp cut-over login.acme.example old.acme.example",
                "latchkey-admin rp cut-over login.acme.example old.acme.example --threshold 99.5 --yes",
            ],
            exits: [.notFound, .conflict, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let threshold = try Threshold.read(invocation)
                let tenant = try await deployment.tenant()
                let domain = try tenant.domain(called: invocation.word("DOMAIN") ?? "")
                let legacy = invocation.word("ID") ?? ""
                guard domain.legacyRelyingPartyIDs.contains(legacy) else {
                    throw CommandFailure.notFound("RP ID of before", legacy, among: domain.legacyRelyingPartyIDs)
                }
                let before = try await deployment.administration.coverage(of: legacy, on: domain)
                if before.basisPoints >= threshold, before.leftBehind > 0 {
                    try console.confirm(
                        typing: legacy,
                        what: [
                            "\(before.leftBehind) of \(before.users) users have passkeys under \(legacy) alone, and could "
                                + "not sign in with a passkey any more. rp status --who names them."
                        ],
                        invocation.answers
                    )
                }
                let recorder = deployment.administration.recording(
                    deployment.event("\(domain.host) \(legacy)", of: tenant.tenant.id)
                )
                let (changed, _) = try await recorder.cutOver(
                    from: legacy,
                    on: domain.id,
                    threshold: threshold,
                    in: tenant,
                    now: deployment.now
                )
                console.answer(Details(Shape.domain(changed), times: ["created_at"]), as: invocation.format)
                return .done
            }
        }
    }
}

/// The value of `--threshold`, in hundredths of a percent.
enum Threshold {
    static func read(_ invocation: Invocation) throws(CommandFailure) -> Int64 {
        guard let text = invocation.value("threshold") else { return 9900 }
        guard let percent = Double(text), (0...100).contains(percent) else {
            throw CommandFailure(
                .wrongUse,
                "--threshold is \(quoted(text)), which it cannot be. Use 0 to 100, as 99.5."
            )
        }
        return Int64((percent * 100).rounded())
    }
}
