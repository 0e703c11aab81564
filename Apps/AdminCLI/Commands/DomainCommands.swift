import Encodings
import Identity
import PublicSuffix
import Tenancy
import Terminal

/// `domain add|list|show|set|verify|remove`.
enum DomainCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "domain",
            "give a tenant more domains",
            group: AdminProgram.Group.setUp,
            flags: [AdminProgram.tenantFlag],
            commands: [add(tools), list(tools), show(tools), set(tools), verify(tools), remove(tools)]
        )
    }

    private static let domainWord = Word("DOMAIN", "its name or id")
    private static let forceFlag = Flag("force", "leave passkeys behind that nobody could use any more")

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
                answer(domain, deployment)
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

    private static func show(_ tools: AdminTools) -> Command {
        Command(
            "show",
            "show a domain, and what is odd about its related origins",
            words: [domainWord],
            flags: [.output()],
            examples: ["latchkey-admin domain show login.acme.example"],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let domain = try tenant.domain(called: invocation.word("DOMAIN") ?? "")
                answer(domain, deployment)
                lint(domain, of: tenant, deployment)
                return .done
            }
        }
    }

    private static func set(_ tools: AdminTools) -> Command {
        Command(
            "set",
            "change a domain's RP IDs and related origins",
            words: [domainWord],
            flags: [
                Flag("rp-id", "ID", "the RP ID of new passkeys: the domain's name, or a parent of it"),
                Flag("legacy-rp-id", "ID", isRepeated: true, "the RP IDs of before, all of them; \"\" for none"),
                Flag("origin", "URL", isRepeated: true, "the related origins, all of them; \"\" for none"),
                forceFlag, .output(),
            ],
            examples: [
                "latchkey-admin domain set id.acme.example --rp-id acme.example --legacy-rp-id id.acme.example",
                "latchkey-admin domain set login.acme.example --origin https://shop.example",
            ],
            exits: [.notFound, .conflict, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let old = try tenant.domain(called: invocation.word("DOMAIN") ?? "")
                var patch = DocumentPatch()
                if let id = invocation.value("rp-id") { patch.set(["relying_party_identifier"], .string(id)) }
                for (flag, member) in [
                    ("legacy-rp-id", "legacy_relying_party_identifiers"), ("origin", "related_origins"),
                ] where invocation.isSet(flag) {
                    let values = invocation.values(flag).filter { !$0.isEmpty }
                    patch.set([member], .array(values.map { .string($0) }))
                }
                guard !patch.isEmpty else {
                    throw CommandFailure(.wrongUse, "nothing is to change. Use --rp-id, --legacy-rp-id or --origin.")
                }
                let recorder = deployment.administration.recording(deployment.event(old.host, of: tenant.tenant.id))
                let domain = try await recorder.setDomain(
                    old.id,
                    patch,
                    provenBy: .operatorsWord,
                    isForced: invocation.isSet("force"),
                    in: tenant,
                    now: deployment.now
                )
                answer(domain, deployment)
                if let changed = try await deployment.store.configuration(of: tenant.tenant.id) {
                    lint(domain, of: changed, deployment)
                }
                return .done
            }
        }
    }

    private static func verify(_ tools: AdminTools) -> Command {
        Command(
            "verify",
            "confirm that a domain is the tenant's, by your word",
            words: [domainWord],
            flags: [
                Flag("rp-id", "ID", isRepeated: true, "an RP ID that is the tenant's too: a parent, or one of before"),
                .output(),
            ],
            examples: [
                "latchkey-admin domain verify login.acme.example",
                "latchkey-admin domain verify login.acme.example --rp-id acme.example --tenant acme",
            ],
            exits: [.notFound, .conflict, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let old = try tenant.domain(called: invocation.word("DOMAIN") ?? "")
                let recorder = deployment.administration.recording(deployment.event(old.host, of: tenant.tenant.id))
                let domain = try await recorder.confirmDomain(
                    old.id,
                    alsoProving: invocation.values("rp-id"),
                    in: tenant,
                    now: deployment.now
                )
                answer(domain, deployment)
                return .done
            }
        }
    }

    private static func remove(_ tools: AdminTools) -> Command {
        Command(
            "remove",
            "take a custom domain away",
            words: [domainWord],
            flags: [forceFlag, .yes],
            examples: ["latchkey-admin domain remove old.acme.example --tenant acme"],
            exits: [.notFound, .conflict, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let domain = try tenant.domain(called: invocation.word("DOMAIN") ?? "")
                try console.confirm(
                    typing: domain.host,
                    what: ["\(domain.host) of \(tenant.tenant.name) goes: requests to it are refused from then on."],
                    invocation.answers
                )
                let recorder = deployment.administration.recording(deployment.event(domain.host, of: tenant.tenant.id))
                try await recorder.removeDomain(domain.id, isForced: invocation.isSet("force"), in: tenant)
                return .done
            }
        }
    }

    private static func answer(_ domain: Domain, _ deployment: Deployment) {
        deployment.console.answer(
            Details(Shape.domain(domain), times: ["created_at"]),
            as: deployment.invocation.format
        )
    }

    /// Says what clients will not do with the related origins of the domain's RP IDs.
    private static func lint(_ domain: Domain, of tenant: TenantConfiguration, _ deployment: Deployment) {
        guard let suffixes = deployment.administration.publicSuffixes else { return }
        for id in domain.relyingPartyIDs {
            let origins = RelatedOrigins.served(for: id, by: tenant.domains)
            for finding in RelatedOrigins.lint(origins, relyingPartyID: id, suffixes: suffixes) {
                deployment.console.warn(
                    deployment.invocation.program,
                    "https://\(id)\(AssociationFiles.Path.relatedOrigins): \(finding.origin) \(finding.sentence)."
                )
            }
        }
    }
}

extension TenantConfiguration {
    /// A domain by its host or id.
    func domain(called name: String) throws(CommandFailure) -> Domain {
        let id = DomainID(name)
        if let domain = domain(host: name.lowercased()) ?? domains.first(where: { $0.id == id }) { return domain }
        throw .notFound("domain", name, among: domains.map(\.host))
    }
}
