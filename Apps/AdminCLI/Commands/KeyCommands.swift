import Encodings
import Identity
import Terminal
import Tokens

/// `key list|rotate|revoke`.
enum KeyCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "key",
            "look at a tenant's signing keys and move them on",
            group: AdminProgram.Group.keys,
            flags: [AdminProgram.tenantFlag],
            commands: [list(tools), rotate(tools), revoke(tools)]
        )
    }

    private static func list(_ tools: AdminTools) -> Command {
        Command(
            "list",
            "list the signing keys that are not retired, oldest first",
            flags: [.output(ofList: true)],
            examples: ["latchkey-admin key list --tenant acme"],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let keys = try await deployment.store.signingKeys(of: tenant.tenant.id)
                let columns = [
                    Column("kid", title: "KID"), Column("alg", title: "ALG"), Column("state"),
                    Column("created_at", title: "CREATED", .time),
                    Column("activated_at", title: "ACTIVE SINCE", .time),
                    Column("retiring_at", title: "RETIRING SINCE", .time),
                ]
                console.answer(Listing(columns, rows: keys.map(Shape.signingKey)), as: invocation.format)
                return .done
            }
        }
    }

    private static func rotate(_ tools: AdminTools) -> Command {
        Command(
            "rotate",
            "let the published key sign from now on, and publish a new one",
            flags: [
                Flag("alg", "ALG", isRepeated: true, "only keys of this algorithm; unless given, all of the tenant's"),
                Flag("plan", "show the timeline and change nothing"),
                Flag("now", "after a compromise: also when clients may not know the next key yet"), .yes,
                .output(ofList: true),
            ],
            examples: [
                "latchkey-admin key rotate --tenant acme --plan", "latchkey-admin key rotate --tenant acme",
                "latchkey-admin key rotate --tenant acme --alg RS256 --now",
            ],
            exits: [.notFound, .conflict, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                return try await deployment.withKeyRotation { rotation in
                    try await rotate(tenant, rotation, deployment)
                }
            }
        }
    }

    private static func rotate(
        _ tenant: TenantConfiguration,
        _ rotation: KeyRotation,
        _ deployment: Deployment
    ) async throws -> ExitCode {
        let (invocation, console, now) = (deployment.invocation, deployment.console, deployment.now)
        let isUrgent = invocation.isSet("now")
        var plans: [KeyRotation.Plan] = []
        for algorithm in try await algorithms(of: tenant, rotation, invocation) {
            plans.append(try await rotation.plan(algorithm, of: tenant, isUrgent: isUrgent, now: now))
        }
        if invocation.isSet("plan") {
            console.answer(Listing(columns, rows: plans.map { row($0, now: now) }), as: invocation.format)
            return .done
        }
        // All or none: what cannot be done is found before anything is.
        if !isUrgent, let young = plans.first(where: { now < $0.allowedAt }) {
            throw KeyRotationError.tooYoung(young.next.id, allowedAt: young.allowedAt)
        }
        let unknown = plans.filter { now < $0.knownAt }
        if isUrgent, !unknown.isEmpty {
            let until = unknown.map(\.knownAt).max() ?? now
            try console.confirm(
                typing: tenant.tenant.name,
                what: [
                    "\(unknown.count) of \(plans.count) next keys were published so lately that clients may not know them.",
                    "Until \(until.rfc3339) such a client refuses the tokens that the new key signs.",
                ],
                invocation.answers
            )
        }
        var done: [KeyRotation.Plan] = []
        for plan in plans {
            done.append(
                try await rotation.rotate(
                    plan.algorithm,
                    of: tenant,
                    isUrgent: isUrgent,
                    now: now,
                    audit: deployment.event(plan.next.id.text, of: tenant.tenant.id)
                )
            )
        }
        console.answer(Listing(columns, rows: done.map { row($0, now: now) }), as: invocation.format)
        return .done
    }

    private static func revoke(_ tools: AdminTools) -> Command {
        Command(
            "revoke",
            "take a leaked key out of use with every token that it signed; an active one is replaced first",
            words: [Word("KID", "its id, as key list shows it; after -- when it begins with -")],
            flags: [Flag("plan", "say which tokens die and when clients have the new key"), .yes, .output()],
            examples: [
                "latchkey-admin key revoke 4mZl…A --tenant acme --plan",
                "latchkey-admin key revoke 4mZl…A --tenant acme",
            ],
            exits: [.notFound, .conflict, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                return try await deployment.withKeyRotation { rotation in
                    try await revoke(tenant, rotation, deployment)
                }
            }
        }
    }

    private static func revoke(
        _ tenant: TenantConfiguration,
        _ rotation: KeyRotation,
        _ deployment: Deployment
    ) async throws -> ExitCode {
        let (invocation, console, now) = (deployment.invocation, deployment.console, deployment.now)
        let id = KeyID(invocation.word("KID") ?? "")
        let key = try await rotation.key(id, of: tenant.tenant.id)
        let next =
            key.state == .active ? try await rotation.plan(key.algorithm, of: tenant, isUrgent: true, now: now) : nil
        let lastEnd = (key.retiringAt ?? now).adding(seconds: key.tokenLifetime)
        var details: JSONObject = [
            "kid": .string(id.text), "alg": .string(key.algorithm.rawValue), "state": .string(key.state.rawValue),
            "tokens": .string(
                key.state == .published ? "none" : "every token that it signed, until \(lastEnd.rfc3339)"
            ),
        ]
        if let next {
            details.set("replaced_by", .string(next.next.id.text))
            details.set("known_to_clients_by", .string(next.knownAt.rfc3339))
        }
        if invocation.isSet("plan") {
            console.answer(Details(details), as: invocation.format)
            return .done
        }
        var what = [
            key.state == .published
                ? "1 published \(key.algorithm.rawValue) key goes; it has signed nothing."
                : "1 \(key.algorithm.rawValue) key goes, and with it every token that it signed (the last would have "
                    + "ended \(lastEnd.rfc3339)). Refresh tokens stay: clients get new tokens by them."
        ]
        if let next, now < next.knownAt {
            what.append(
                "Clients may not know the key that signs from now on until \(next.knownAt.rfc3339), and refuse its tokens."
            )
        }
        try console.confirm(typing: id.text, what: what, invocation.answers)
        try await rotation.revoke(
            id,
            of: tenant,
            now: now,
            audit: deployment.event(id.text, of: tenant.tenant.id)
        )
        details.set("revoked", true)
        console.answer(Details(details), as: invocation.format)
        return .done
    }

    private static func algorithms(
        of tenant: TenantConfiguration,
        _ rotation: KeyRotation,
        _ invocation: Invocation
    ) async throws -> [TokenAlgorithm] {
        let all = try await rotation.algorithms(of: tenant.tenant.id)
        guard invocation.isSet("alg") else { return all }
        return try invocation.values("alg").map { text in
            guard let algorithm = all.first(where: { $0.rawValue == text }) else {
                throw CommandFailure(
                    .wrongUse,
                    "--alg is \"\(text)\", of which the tenant has no keys. It has \(all.map(\.rawValue).joined(separator: ", "))."
                )
            }
            return algorithm
        }
    }

    private static let columns = [
        Column("alg", title: "ALG"), Column("current", title: "SIGNS NOW"), Column("next", title: "SIGNS NEXT"),
        Column("allowed_at", title: "MAY CHANGE FROM", .time), Column("changes_at", title: "CHANGES", .time),
        Column("current_leaves_at", title: "OLD KEY LEAVES", .time),
    ]

    private static func row(_ plan: KeyRotation.Plan, now: UnixTime) -> JSONObject {
        [
            "alg": .string(plan.algorithm.rawValue), "current": plan.current.map { .string($0.id.text) } ?? .null,
            "next": .string(plan.next.id.text), "allowed_at": .string(plan.allowedAt.rfc3339),
            "changes_at": .string(plan.changesAt.rfc3339), "current_leaves_at": .string(plan.currentEndsAt.rfc3339),
        ]
    }
}
