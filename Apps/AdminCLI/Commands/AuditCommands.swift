import Audit
import Cryptography
import Encodings
import Identity
import Terminal
import Tokens

/// `audit tail|verify|export`.
enum AuditCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "audit",
            "see what happened to a tenant's security, take it out, and prove that nobody changed it",
            group: AdminProgram.Group.why,
            commands: [tail(tools), verify(tools), export(tools)]
        )
    }

    // MARK: tail

    private static func tail(_ tools: AdminTools) -> Command {
        Command(
            "tail",
            "show the newest events, the newest last, in the words of the log types of the Management API",
            flags: [
                AdminProgram.tenantFlag, Flag("limit", "COUNT", "how many at most; 50 unless given"),
                Flag("type", "TYPE", isRepeated: true, "only events of this type: s, f, sapi, …"),
                Flag("follow", "go on with what comes, until interrupted"), .output(ofList: true),
            ],
            examples: ["latchkey-admin audit tail", "latchkey-admin audit tail --tenant acme --type sapi --follow"],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            let types = Set(invocation.values("type"))
            guard !invocation.isSet("follow") || invocation.format != .json else {
                throw CommandFailure(.wrongUse, "--follow never ends, and JSON needs an end. Use -o csv or a table.")
            }
            return try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant().tenant.id
                let limit = try Limit.read(invocation)
                let newest = try await newest(limit, types, deployment, tenant)
                console.answer(Listing(columns, rows: newest.map(Shape.event)), as: invocation.format)
                guard invocation.isSet("follow") else { return .done }
                try await follow(after: try await lastID(deployment, tenant), types, deployment, tenant)
            }
        }
    }

    private static let columns = [
        Column("date", .time), Column("types"), Column("user_id", title: "USER"), Column("client_id", title: "CLIENT"),
        Column("ip", title: "ADDRESS"), Column("details"),
    ]
    /// Events that are looked at for those of a type.
    private static let most = 100_000

    private static func newest(
        _ limit: Int,
        _ types: Set<String>,
        _ deployment: Deployment,
        _ tenant: TenantID
    ) async throws -> [StoredAuditEvent] {
        let count = types.isEmpty ? limit : most
        let events = try await deployment.store.newestEvents(of: tenant, limit: count)
        return events.filter { matches($0, types) }.prefix(limit).reversed()
    }

    private static func lastID(_ deployment: Deployment, _ tenant: TenantID) async throws -> TimeOrderedID? {
        try await deployment.store.newestEvents(of: tenant, limit: 1).first?.id
    }

    private static func matches(_ event: StoredAuditEvent, _ types: Set<String>) -> Bool {
        types.isEmpty || !types.isDisjoint(with: event.event.types)
    }

    /// Shows what comes, until the process is ended.
    private static func follow(
        after start: TimeOrderedID?,
        _ types: Set<String>,
        _ deployment: Deployment,
        _ tenant: TenantID
    ) async throws -> Never {
        var cursor = start
        while true {
            try await Task.sleep(for: .seconds(1))
            let events = try await deployment.store.events(of: tenant, after: cursor, through: nil, limit: 1000)
            cursor = events.last?.id ?? cursor
            let shown = events.filter { matches($0, types) }
            guard !shown.isEmpty else { continue }
            let text = Listing(columns, rows: shown.map(Shape.event)).rendered(as: deployment.invocation.format)
            // Without the heading, which is there already.
            deployment.console.output.write(String(text.drop { $0 != "\n" && $0 != "\r\n" }.dropFirst()))
        }
    }

    // MARK: export

    private static func export(_ tools: AdminTools) -> Command {
        Command(
            "export",
            "write the audit log with its seals, one JSON object a line",
            flags: [
                AdminProgram.tenantFlag,
                Flag("since", "AGE", "from the batch that holds this time on: 30s, 15m, 2h, 7d; unless given, all"),
            ],
            examples: [
                "latchkey-admin audit export --tenant acme > acme.jsonl",
                "latchkey-admin audit export --since 7d | gzip > week.jsonl.gz",
            ],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant().tenant
                let since = try invocation.value("since").map { (age) throws(CommandFailure) in
                    deployment.now.adding(milliseconds: -(try Age.milliseconds(age)))
                }
                let export = AuditExport(store: deployment.store)
                try await export.write(tenant.id, named: tenant.name, since: since, now: deployment.now) { line in
                    console.answer(line)
                }
                return .done
            }
        }
    }

    // MARK: verify

    private static func verify(_ tools: AdminTools) -> Command {
        Command(
            "verify",
            "prove that the audit log is what was sealed: the store's own, or an export, which needs nothing else",
            words: [Word("FILE", isOptional: true, "an export; the store unless given")],
            flags: [
                AdminProgram.tenantFlag,
                Flag(
                    "key",
                    "THUMBPRINT",
                    isRepeated: true,
                    "a key that may have signed; for the store its own unless given, for an export any"
                ), .output(),
            ],
            examples: [
                "latchkey-admin audit verify --tenant acme",
                "latchkey-admin audit verify acme.jsonl --key kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
            ],
            exits: [.notFound, .unavailable, .answerIsNo]
        ) { invocation, console in
            let keys = Set(invocation.values("key"))
            if let file = invocation.word("FILE") {
                return try await judge(AuditVerification(expectedKeys: keys), invocation, console) { take in
                    try LineFile.read(file, take)
                }
            }
            return try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant().tenant
                let keysOfDeployment = try await deployment.deploymentKeys("the key of the seals is derived by it")
                let secret = keysOfDeployment.key(for: .auditLog)
                let own = AuditKey.thumbprint(try AuditKey(from: secret, of: tenant.id).publicKey)
                let verification = AuditVerification(expectedKeys: keys.isEmpty ? [own] : keys)
                return try await judge(verification, invocation, console) { take in
                    let export = AuditExport(store: deployment.store)
                    do {
                        try await export.write(tenant.id, named: tenant.name, now: deployment.now, to: take)
                    } catch StoreError.corrupt(let reason) {
                        throw CommandFailure(.answerIsNo, "an event cannot be read: \(reason). It was changed.")
                    }
                }
            }
        }
    }

    private static func judge(
        _ verification: AuditVerification,
        _ invocation: Invocation,
        _ console: Console,
        _ lines: ((String) throws -> Void) async throws -> Void
    ) async throws -> ExitCode {
        var verification = verification
        do {
            try await lines { line in try verification.take(line) }
            try verification.finish()
        } catch let fault as AuditFault {
            let good = verification.lastSeal.map { " Up to seal \($0.number) of \($0.at) all is as it was sealed." }
            throw CommandFailure(.answerIsNo, "the audit log is not what was sealed: \(fault).\(good ?? "")")
        }
        console.answer(Details(Shape.verified(verification)), as: invocation.format)
        return .done
    }
}
