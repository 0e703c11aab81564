import Encodings
import Identity
import Tenancy
import Terminal

/// `domain add|list`.
enum DomainCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "domain",
            "give a tenant more domains",
            group: AdminProgram.Group.setUp,
            flags: [AdminProgram.tenantFlag],
            commands: [add(tools), list(tools)]
        )
    }

    private static func add(_ tools: AdminTools) -> Command {
        Command(
            "add",
            "add a custom domain, confirmed at once",
            words: [Word("HOST[:PORT]", "the name that clients and people go to")],
            flags: [
                Flag("rp-id", "ID", "the RP ID of its passkeys: the domain's name, or a parent of it"),
                Flag("legacy-rp-id", "ID", isRepeated: true, "an RP ID of before, whose passkeys still sign in"),
                Flag("origin", "URL", isRepeated: true, "another site that may use the RP ID (related origin)"),
                .output(),
            ],
            examples: [
                "latchkey-admin domain add id.acme.example --rp-id acme.example --tenant acme",
                "latchkey-admin domain add login.acme.example --legacy-rp-id old.acme.example",
            ],
            exits: [.notFound, .conflict, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let domain = try await deployment.administration.addDomain(
                    invocation.words.first ?? "",
                    relyingPartyID: invocation.value("rp-id"),
                    legacyRelyingPartyIDs: invocation.values("legacy-rp-id"),
                    relatedOrigins: invocation.values("origin"),
                    in: tenant,
                    now: deployment.now
                )
                await deployment.audit(domain.host, of: tenant.tenant.id)
                console.answer(Details(Shape.domain(domain), times: ["created_at"]), as: invocation.format)
                return .done
            }
        }
    }

    private static func list(_ tools: AdminTools) -> Command {
        Command(
            "list",
            "list a tenant's domains",
            flags: [.output(ofList: true)],
            examples: ["latchkey-admin domain list --tenant acme"],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let columns = [
                    Column("domain"), Column("relying_party_identifier", title: "RP ID"), Column("primary"),
                    Column("status"), Column("related_origins"), Column("created_at", title: "CREATED", .time),
                ]
                console.answer(Listing(columns, rows: tenant.domains.map(Shape.domain)), as: invocation.format)
                return .done
            }
        }
    }
}
