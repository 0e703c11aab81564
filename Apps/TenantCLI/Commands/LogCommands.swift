import Encodings
import Terminal

/// `log list|show|tail` (HTTP contract 11.14).
enum LogCommands {
    static func command(_ tools: TenantTools) -> Command {
        Command(
            "log",
            "what happened: sign-ins, refusals with their reasons, changes",
            group: TenantProgram.Group.look,
            commands: [list(tools), show(tools), tail(tools)]
        )
    }

    private static let type = Flag("type", "TYPE", isRepeated: true, "only entries of this type: s, fp, sapi, …")
    private static let failed = Flag("failed", "only what was refused")
    private static let columns = [
        Column("date", .time), Column("type"), Column("description"), Column("user_name", title: "USER"),
        Column("client_name", title: "CLIENT"), Column("ip", title: "ADDRESS"), Column("reason"),
    ]

    private static func list(_ tools: TenantTools) -> Command {
        Command(
            "list",
            "list the newest entries, the newest first",
            flags: [
                Flag("user", "USER", "of this user only"), type, failed,
                Flag("search", "QUERY", "only those that match, as ip:203.0.113.7 AND date:[2026-01-01 TO *]"),
                Flag("limit", "COUNT", "how many at most, up to 1000; 50 unless given"), .output(ofList: true), .fields,
            ],
            examples: [
                "latchkey-tenant log list --failed --limit 20",
                "latchkey-tenant log list --user ana@acme.example -o csv --fields date,type,ip",
            ],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            let limit = try Limit.read(invocation)
            return try await Session.run(invocation, console, tools) { session in
                var path = "logs"
                var terms: [String] = []
                if let search = invocation.value("search") { terms.append("(\(search))") }
                if invocation.isSet("type") {
                    terms.append(any(invocation.values("type").map { "type:\(SearchWords.whole($0))" }))
                }
                if invocation.isSet("failed") { terms.append(any(refusals.map { "type:\($0)" })) }
                if let name = invocation.value("user") {
                    let id = try await session.user(name).text("user_id")
                    if terms.isEmpty {
                        path = "users/\(Session.encoded(id))/logs"
                    } else {
                        terms.append("user_id:\(SearchWords.whole(id))")
                    }
                }
                let query = terms.isEmpty ? [] : [("q", terms.joined(separator: " AND "))]
                let rows = try await session.first(limit, of: path, query: query).map(explained)
                try session.answer(Listing(columns, rows: rows))
                return .done
            }
        }
    }

    private static func show(_ tools: TenantTools) -> Command {
        Command(
            "show",
            "show one with all its details",
            words: [Word("ENTRY", "its log_id")],
            flags: [.output(), .fields],
            examples: ["latchkey-tenant log show 01K2mN3pQ4rS5tU6vW7xY8z0"],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let path = "logs/" + Session.encoded(invocation.word("ENTRY") ?? "")
                try session.answer(try await session.get(path), times: ["date"])
                return .done
            }
        }
    }

    // MARK: tail

    private static func tail(_ tools: TenantTools) -> Command {
        Command(
            "tail",
            "show the newest entries, then what comes as it comes, until interrupted",
            flags: [
                type, failed, Flag("limit", "COUNT", "how many to begin with, up to 1000; 10 unless given"),
                .output(ofList: true),
            ],
            examples: ["latchkey-tenant log tail", "latchkey-tenant log tail --failed -o json"],
            exits: [.notAllowed, .unavailable]
        ) { invocation, console in
            let limit = try Limit.read(invocation, unlessGiven: 10)
            var tail = Tail(invocation, console)
            while true {
                do {
                    _ = try await Session.run(invocation, console, tools) { session in
                        try await tail.run(session, showing: limit)
                    }
                } catch let failure as CommandFailure
                    where failure.exit == .notAllowed && tail.hasMoved
                {
                    // The token is over, as every one is once: the client signs in again.
                    tail.hasMoved = false
                }
            }
        }
    }

    /// How far the log was shown.
    private struct Tail {
        let invocation: Invocation
        let console: Console
        private var cursor: String?
        private var hasBegun = false
        /// Whether anything was read since the client signed in.
        var hasMoved = false

        init(_ invocation: Invocation, _ console: Console) {
            self.invocation = invocation
            self.console = console
        }

        /// Tries of a server that does not answer before it is given up.
        private static let tries = 30

        mutating func run(_ session: Session, showing limit: Int) async throws(CommandFailure) -> Never {
            if !hasBegun {
                let newest = try await session.first(limit, of: "logs")
                cursor = newest.first?.text("log_id")
                show(newest.reversed())
                (hasBegun, hasMoved) = (true, true)
            }
            var failures = 0
            while true {
                await session.tools.pause(failures == 0 ? 1 : 5)
                do throws(CommandFailure) {
                    try await readOn(session)
                    failures = 0
                } catch {
                    guard error.exit == .unavailable, failures < Self.tries else { throw error }
                    failures += 1
                }
            }
        }

        private mutating func readOn(_ session: Session) async throws(CommandFailure) {
            while true {
                let query = [("take", "100")] + (cursor.map { [("from", $0)] } ?? [])
                guard let entries = try await session.call("GET", "logs", query: query).json.array else {
                    throw session.strange("logs")
                }
                hasMoved = true
                let rows = entries.compactMap(\.object)
                cursor = rows.last?.text("log_id") ?? cursor
                show(rows)
                if entries.count < 100 { return }
            }
        }

        private func show(_ entries: [JSONObject]) {
            let types = invocation.values("type")
            let rows = entries.filter { entry in
                (types.isEmpty || types.contains(entry.text("type")))
                    && (!invocation.isSet("failed") || isRefusal(entry.text("type")))
            }
            guard invocation.format != .json else {
                // A list without an end: one object a line.
                for row in rows {
                    console.output.write(String(decoding: JSONValue.object(row).serialized(), as: UTF8.self) + "\n")
                }
                return
            }
            let listing = Listing(columns, rows: rows.map(explained))
            let isTerminal = console.output.isTerminal
            let text = listing.rendered(as: invocation.format, localTime: isTerminal, width: console.output.width)
            // The heading stands above the first of them only.
            if !hasBegun {
                console.output.write(text)
            } else if !rows.isEmpty {
                console.output.write(String(text.drop { $0 != "\n" && $0 != "\r\n" }.dropFirst()))
            }
        }
    }

    // MARK: What was refused

    /// The types of refusals, as a search says them.
    private static let refusals = [
        "f*", "limit*", "passkey_challenge_failed", "gd_webauthn_enrollment_failed",
        "my_account_authentication_method_failed", "recovery_failed", "passkey_suspended",
    ]

    private static func isRefusal(_ type: String) -> Bool {
        refusals.contains { $0.hasSuffix("*") ? type.hasPrefix($0.dropLast()) : type == $0 }
    }

    private static func any(_ terms: [String]) -> String {
        terms.count == 1 ? terms[0] : "(" + terms.joined(separator: " OR ") + ")"
    }

    /// The entry with its reason beside the rest, where it has one.
    private static func explained(_ entry: JSONObject) -> JSONObject {
        let details = entry["details"]?.object
        guard let reason = details?["reason"]?.string ?? details?["error"]?.object?["message"]?.string else {
            return entry
        }
        var row = entry
        row.set("reason", .string(reason))
        return row
    }
}
