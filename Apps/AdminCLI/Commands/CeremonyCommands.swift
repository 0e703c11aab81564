import Encodings
import Identity
import Terminal

/// `ceremony list|explain`.
enum CeremonyCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "ceremony",
            "see how sign-ups and sign-ins ended, and why",
            group: AdminProgram.Group.why,
            commands: [list(tools), explain(tools)]
        )
    }

    private static func list(_ tools: AdminTools) -> Command {
        Command(
            "list",
            "list ceremonies that ended, newest first, and count refusals by reason",
            flags: [
                AdminProgram.tenantFlag, Flag("failed", "only those that were refused"),
                Flag("since", "AGE", "only those that ended in this time: 30s, 15m, 2h, 7d"),
                Flag("limit", "COUNT", "how many at most; 50 unless given"), .output(ofList: true),
            ],
            examples: [
                "latchkey-admin ceremony list --failed --since 15m",
                "latchkey-admin ceremony list --tenant acme -o json",
            ],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let limit = try Limit.read(invocation)
                var since: UnixTime?
                if let text = invocation.value("since") {
                    since = deployment.now.adding(milliseconds: -(try Age.milliseconds(text)))
                }
                let ceremonies = try await read(deployment, tenant, since: since)
                let shown = ceremonies.prefix(limit).map { Shape.ceremony($0, in: tenant) }
                if invocation.format == .table { count(ceremonies, console) }
                let columns = [
                    Column("ended_at", title: "ENDED", .time), Column("id", title: "ID"), Column("purpose"),
                    Column("outcome"), Column("step"), Column("client"), Column("user_id", title: "USER"),
                ]
                console.answer(Listing(columns, rows: Array(shown)), as: invocation.format)
                if ceremonies.count > limit {
                    console.note("\(ceremonies.count - limit) more; --limit shows them.")
                }
                return .done
            }
        }
    }

    /// As many as are looked at for the counts.
    private static let most = 10000

    private static func read(
        _ deployment: Deployment,
        _ tenant: TenantConfiguration,
        since: UnixTime?
    ) async throws -> [CeremonyRecord] {
        var all: [CeremonyRecord] = []
        while all.count < most {
            let page = try await deployment.store.ceremonies(
                of: tenant.tenant.id,
                failedOnly: deployment.invocation.isSet("failed"),
                since: since,
                before: all.last?.id,
                limit: 500
            )
            all += page
            if page.count < 500 { break }
        }
        return all
    }

    /// The reasons of refusals, the most frequent first.
    private static func count(_ ceremonies: [CeremonyRecord], _ console: Console) {
        let refused = ceremonies.filter { $0.outcome != CeremonyRecord.accepted }
        guard !refused.isEmpty else { return }
        let counts = Dictionary(refused.map { ($0.outcome, 1) }, uniquingKeysWith: +)
        let rows = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { reason, count -> JSONObject in
            ["reason": .string(reason), "count": .integer(Int64(count))]
        }
        console.answer(Listing([Column("reason"), Column("count", .number)], rows: rows), as: .table)
        console.answer("")
    }

    private static func explain(_ tools: AdminTools) -> Command {
        Command(
            "explain",
            "say why a ceremony ended as it did, and which setting to change",
            words: [Word("ID", "the trace_id of the refusal, cer_…")],
            flags: [.output()],
            examples: ["latchkey-admin ceremony explain cer_06BkPq3vN2xS9aLmT4wYzE"],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let text = invocation.word("ID") ?? ""
                guard let id = CeremonyID(text) else {
                    throw CommandFailure(.wrongUse, "\(quoted(text)) is no id of a ceremony: cer_ and 22 characters.")
                }
                guard let ceremony = try await deployment.store.ceremony(id) else {
                    throw CommandFailure(
                        .notFound,
                        "ceremony \(quoted(text)) not found. It never ended, or it is older than 30 days."
                    )
                }
                guard let tenant = try await deployment.store.configuration(of: ceremony.tenant) else {
                    throw CommandFailure(.notFound, "the tenant of ceremony \(quoted(text)) is gone.")
                }
                var object: JSONObject = ["tenant": .string(tenant.tenant.name)]
                for member in Shape.ceremony(ceremony, in: tenant).members { object.set(member.name, member.value) }
                if ceremony.outcome != CeremonyRecord.accepted {
                    let explanation = CeremonyExplanation.of(ceremony.outcome)
                    object.set("meaning", .string(explanation.meaning))
                    object.set("remedy", .string(explanation.remedy))
                }
                console.answer(Details(object, times: ["started_at", "ended_at"]), as: invocation.format)
                return .done
            }
        }
    }
}

/// The value of `--since`.
enum Age {
    /// Reads `30s`, `15m`, `2h`, `7d`.
    static func milliseconds(_ text: String) throws(CommandFailure) -> Int64 {
        let units: [Character: Int64] = ["s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000]
        guard let last = text.last, let unit = units[last], let count = Int64(text.dropLast()),
            (0...36500).contains(count) || unit < 86_400_000 && (0...100_000_000).contains(count)
        else {
            throw CommandFailure(.wrongUse, "--since is \(quoted(text)), which it cannot be. Use 30s, 15m, 2h or 7d.")
        }
        return count * unit
    }
}
