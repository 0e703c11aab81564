import Encodings
import Identity
import Terminal

/// `session list|show|delete` (HTTP contract 11.11).
enum SessionCommands {
    private static let times: Set<String> = [
        "created_at", "updated_at", "authenticated_at", "last_interacted_at", "idle_expires_at", "expires_at",
    ]

    static func command(_ tools: TenantTools) -> Command {
        Command(
            "session",
            "a user's sessions",
            group: TenantProgram.Group.things,
            commands: [list(tools), show(tools), delete(tools)]
        )
    }

    private static func list(_ tools: TenantTools) -> Command {
        Command(
            "list",
            "list a user's sessions that hold",
            words: [UserCommands.word],
            flags: [.output(ofList: true), .fields],
            examples: ["latchkey-tenant session list ana@acme.example"],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let user = try await session.user(invocation.word("USER") ?? "")
                let path = "users/\(Session.encoded(user.text("user_id")))/sessions"
                let columns = [
                    Column("id"), Column("clients"), Column("methods"), Column("address"),
                    Column("authenticated_at", title: "SIGNED IN", .time),
                    Column("last_interacted_at", title: "LAST SEEN", .time),
                    Column("expires_at", title: "UNTIL", .time),
                ]
                let rows = try await session.all(path, "sessions")
                try session.answer(Listing(columns, rows: invocation.format == .json ? rows : rows.map(flat)))
                return .done
            }
        }
    }

    /// What a table shows of the objects inside.
    private static func flat(_ session: JSONObject) -> JSONObject {
        var row = session
        let clients = session["clients"]?.array?.compactMap { $0.object?.text("client_id") } ?? []
        let methods = session["authentication"]?.object?["methods"]?.array?.compactMap { $0.object?.text("name") } ?? []
        row.set("clients", .string(clients.joined(separator: " ")))
        row.set("methods", .string(methods.joined(separator: " ")))
        row.set("address", .string(session["device"]?.object?.text("last_ip") ?? ""))
        return row
    }

    private static func show(_ tools: TenantTools) -> Command {
        Command(
            "show",
            "show one",
            words: [Word("SESSION", "its id, ses_…")],
            flags: [.output(), .fields],
            examples: ["latchkey-tenant session show ses_01K2mN3pQ4rS5tU6vW7xY8"],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let path = "sessions/" + Session.encoded(invocation.word("SESSION") ?? "")
                try session.answer(try await session.get(path), times: times)
                return .done
            }
        }
    }

    private static func delete(_ tools: TenantTools) -> Command {
        Command(
            "delete",
            "end a session, or all of a user, with the refresh tokens",
            words: [Word("SESSION", "its id, ses_…, or the user whose sessions end")],
            flags: [Flag("keep-tokens", "let refresh tokens go on by themselves"), .yes, .output()],
            examples: [
                "latchkey-tenant session delete ses_01K2mN3pQ4rS5tU6vW7xY8",
                "latchkey-tenant session delete ana@acme.example --yes",
            ],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            let name = invocation.word("SESSION") ?? ""
            let keeps = invocation.isSet("keep-tokens")
            return try await Session.run(invocation, console, tools) { session in
                guard SessionID(name) == nil else {
                    let path = "sessions/" + Session.encoded(name)
                    // Of one that is not there, nothing is said otherwise.
                    _ = try await session.get(path)
                    _ = try await session.call(keeps ? "DELETE" : "POST", keeps ? path : path + "/revoke")
                    try session.answer(["id": .string(name), "tokens_revoked": .bool(!keeps)])
                    return .done
                }
                let user = try await session.user(name)
                let path = "users/" + Session.encoded(user.text("user_id"))
                let shown = user["name"]?.string ?? user.text("user_id")
                let count = try await session.all(path + "/sessions", "sessions").count
                try console.confirm(
                    typing: shown,
                    what: [
                        "\(count) \(count == 1 ? "session" : "sessions") of user \(quoted(shown)) "
                            + (count == 1 ? "ends" : "end") + (keeps ? "." : ", and all of the user's refresh tokens.")
                    ],
                    invocation.answers
                )
                _ = try await session.call(
                    "POST",
                    path + "/revoke-access",
                    body: ["preserve_refresh_tokens": .bool(keeps)]
                )
                try session.answer(["user_id": user["user_id"] ?? .null, "tokens_revoked": .bool(!keeps)])
                return .done
            }
        }
    }
}
