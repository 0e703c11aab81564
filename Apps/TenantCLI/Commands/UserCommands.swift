import Encodings
import Tenancy
import Terminal

/// `user list|show|create|set|delete|import|export` (HTTP contract 11.9, 11.17).
enum UserCommands {
    static let word = Word("USER", "an id, mail address, phone number, user name or name")
    static let times: Set<String> = ["created_at", "updated_at", "last_login", "last_password_reset"]

    static func command(_ tools: TenantTools) -> Command {
        Command(
            "user",
            "the people",
            group: TenantProgram.Group.things,
            commands: [
                list(tools), show(tools), create(tools), set(tools), delete(tools), UserImportCommand.command(tools),
                UserExportCommand.command(tools),
            ]
        )
    }

    private static func list(_ tools: TenantTools) -> Command {
        Command(
            "list",
            "list users, newest first, or search for some",
            flags: [
                Flag("search", "QUERY", "only those that match, as email:ana* AND blocked:false"),
                Flag("connection", "NAME", "of this connection only"),
                Flag("limit", "COUNT", "how many at most, up to 1000; 50 unless given"), .output(ofList: true), .fields,
            ],
            examples: [
                "latchkey-tenant user list --limit 10",
                "latchkey-tenant user list --search 'user_metadata.plan:gold AND created_at:[2026-01-01 TO *]' -o csv",
            ],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            let limit = try Limit.read(invocation)
            return try await Session.run(invocation, console, tools) { session in
                var query = [("sort", "created_at:-1")]
                if let search = invocation.value("search") { query.append(("q", search)) }
                if let name = invocation.value("connection") {
                    query.append(("connection", try await session.connection(name).text("name")))
                }
                let columns = [
                    Column("user_id", title: "USER ID"), Column("name"), Column("email"), Column("phone_number"),
                    Column("username"), Column("blocked"), Column("created_at", title: "CREATED", .time),
                    Column("last_login", title: "LAST LOGIN", .time),
                ]
                try session.answer(Listing(columns, rows: try await session.first(limit, of: "users", query: query)))
                return .done
            }
        }
    }

    private static func show(_ tools: TenantTools) -> Command {
        Command(
            "show",
            "show one",
            words: [word],
            flags: [.output(), .fields],
            examples: ["latchkey-tenant user show ana@acme.example"],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                try session.answer(try await session.user(invocation.word("USER") ?? ""), times: times)
                return .done
            }
        }
    }

    private static let password = Flag(
        "password",
        "with a password, from LATCHKEY_USER_PASSWORD, the file that LATCHKEY_USER_PASSWORD_FILE names, or a prompt"
    )

    private static func create(_ tools: TenantTools) -> Command {
        Command(
            "create",
            "make a user",
            words: [
                Word("MEMBER=JSON", isOptional: true, isRepeated: true, "more of it; names as in the Management API")
            ],
            flags: [
                Flag("email", "ADDRESS", "a mail address to sign in with"),
                Flag("phone", "NUMBER", "a phone number, as +46701234567"), Flag("username", "NAME", "a user name"),
                Flag("name", "TEXT", "what people call the user"),
                Flag("connection", "NAME", "whose user it is; the only one unless given"), password, .output(), .fields,
            ],
            examples: [
                "latchkey-tenant user create --email ana@acme.example --name Ana email_verified=true",
                "latchkey-tenant user create --username ana --connection Staff --password",
            ],
            exits: [.notFound, .notAllowed, .conflict]
        ) { invocation, console in
            let patch = try members(invocation)
            let password = try password(invocation, console)
            return try await Session.run(invocation, console, tools) { session in
                let directory = try await session.directory(invocation.value("connection"))
                var document: JSONObject = ["connection": .string(directory.text("name"))]
                for (flag, member) in [
                    ("email", "email"), ("phone", "phone_number"), ("username", "username"), ("name", "name"),
                ] {
                    if let text = invocation.value(flag) { document.set(member, .string(text)) }
                }
                if let password { document.set("password", .string(password)) }
                let body = JSONValue.object(patch.applied(to: document))
                let made = try await session.call("POST", "users", body: body).json.object ?? [:]
                try session.answer(["user_id": made["user_id"] ?? .null, "name": made["name"] ?? .null])
                return .done
            }
        }
    }

    private static func set(_ tools: TenantTools) -> Command {
        Command(
            "set",
            "change one; blocked=true ends sessions and refresh tokens too",
            words: [
                word,
                Word(
                    "MEMBER=JSON",
                    isOptional: true,
                    isRepeated: true,
                    "what to set; names as in the Management API, dots reach in, null removes"
                ),
            ],
            flags: [password, .output(), .fields],
            examples: [
                "latchkey-tenant user set ana@acme.example blocked=true",
                "latchkey-tenant user set ana@acme.example user_metadata.plan=gold name=\"Ana A\"",
            ],
            exits: [.notFound, .notAllowed, .conflict]
        ) { invocation, console in
            let patch = try members(invocation)
            let password = try password(invocation, console)
            guard !patch.isEmpty || password != nil else {
                throw CommandFailure(.wrongUse, "there is nothing to set: say MEMBER=JSON, as blocked=true.")
            }
            return try await Session.run(invocation, console, tools) { session in
                let user = try await session.user(invocation.word("USER") ?? "")
                var body = body(of: patch, in: user)
                if let password { body.set("password", .string(password)) }
                let path = "users/" + Session.encoded(user.text("user_id"))
                let changed = try await session.call("PATCH", path, body: .object(body)).json.object ?? [:]
                try session.answer(changed, times: times)
                return .done
            }
        }
    }

    /// The body of a change: metadata merge on the server at their first level, so that what goes there is `null`.
    private static func body(of patch: DocumentPatch, in user: JSONObject) -> JSONObject {
        let changed = patch.applied(to: user)
        var body = JSONObject()
        for change in patch.changes {
            guard let name = change.path.first else { continue }
            guard name == "user_metadata" || name == "app_metadata", change.path.count > 1 else {
                body.set(name, changed[name] ?? .null)
                continue
            }
            var metadata = body[name]?.object ?? JSONObject()
            metadata.set(change.path[1], changed[name]?.object?[change.path[1]] ?? .null)
            body.set(name, .object(metadata))
        }
        return body
    }

    private static func delete(_ tools: TenantTools) -> Command {
        Command(
            "delete",
            "delete one",
            words: [word],
            flags: [.yes],
            examples: ["latchkey-tenant user delete ana@acme.example"],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let user = try await session.user(invocation.word("USER") ?? "")
                let path = "users/" + Session.encoded(user.text("user_id"))
                let shown = user["name"]?.string ?? user.text("user_id")
                let passkeys = try await session.allByNumber(path + "/authentication-methods").count
                try console.confirm(
                    typing: shown,
                    what: [
                        "This deletes user \(quoted(shown)), \(user.text("user_id")).",
                        "\(passkeys) \(passkeys == 1 ? "passkey goes" : "passkeys go") too, with all sessions and tokens.",
                    ],
                    invocation.answers
                )
                _ = try await session.call("DELETE", path)
                console.note("User \(quoted(shown)) is deleted.")
                return .done
            }
        }
    }

    /// - Throws: `wrongUse` for a password, which every process of the machine could read there.
    private static func members(_ invocation: Invocation) throws(CommandFailure) -> DocumentPatch {
        let patch = try MemberWords.patch(invocation.words("MEMBER=JSON"))
        guard !patch.changes.contains(where: { $0.path.first == "password" }) else {
            throw CommandFailure(
                .wrongUse,
                "a password does not belong on a command line: add --password, and it is asked for."
            )
        }
        return patch
    }

    private static func password(_ invocation: Invocation, _ console: Console) throws(CommandFailure) -> String? {
        guard invocation.isSet("password") else { return nil }
        return try console.secret(
            variable: "LATCHKEY_USER_PASSWORD",
            prompt: "Password of the user",
            invocation.answers
        )
    }
}
