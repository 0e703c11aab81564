import Encodings
import Tenancy
import Terminal

/// `passkey list|show|create|set|delete` (HTTP contract 11.10).
enum PasskeyCommands {
    private static let passkey = Word("PASSKEY", "its id, passkey|dev_…")
    private static let times: Set<String> = ["created_at", "enrolled_at", "last_auth_at"]

    static func command(_ tools: TenantTools) -> Command {
        Command(
            "passkey",
            "a user's passkeys",
            group: TenantProgram.Group.things,
            commands: [list(tools), show(tools), create(tools), set(tools), delete(tools)]
        )
    }

    private static func list(_ tools: TenantTools) -> Command {
        Command(
            "list",
            "list a user's passkeys",
            words: [UserCommands.word],
            flags: [.output(ofList: true), .fields],
            examples: ["latchkey-tenant passkey list ana@acme.example"],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let path = try await path(session)
                let columns = [
                    Column("id"), Column("name"), Column("relying_party_identifier", title: "RP ID"),
                    Column("credential_device_type", title: "DEVICE"),
                    Column("credential_backed_up", title: "SYNCED"), Column("created_at", title: "CREATED", .time),
                    Column("last_auth_at", title: "LAST USED", .time),
                ]
                try session.answer(Listing(columns, rows: try await session.allByNumber(path)))
                return .done
            }
        }
    }

    private static func show(_ tools: TenantTools) -> Command {
        Command(
            "show",
            "show one",
            words: [UserCommands.word, passkey],
            flags: [.output(), .fields],
            examples: ["latchkey-tenant passkey show ana@acme.example 'passkey|dev_0aB3cD4eF5gH6iJ7'"],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                try session.answer(try await session.get(try await onePath(session)), times: times)
                return .done
            }
        }
    }

    private static func create(_ tools: TenantTools) -> Command {
        Command(
            "create",
            "bring a passkey that was made elsewhere for an RP ID of this tenant",
            words: [
                UserCommands.word,
                Word("MEMBER=JSON", isOptional: true, isRepeated: true, "more of it; names as in the Management API"),
            ],
            flags: [
                Flag("key-id", "ID", isRequired: true, "the credential's id, in base64url"),
                Flag("public-key", "KEY", isRequired: true, "COSE or SubjectPublicKeyInfo, in base64"),
                Flag("rp-id", "NAME", isRequired: true, "the RP ID that it was made for"),
                Flag(
                    "user-handle",
                    "HANDLE",
                    "the handle that it was made for, in base64url; the user's own unless given"
                ),
                Flag("name", "TEXT", "what the user calls it"), .output(), .fields,
            ],
            examples: [
                "latchkey-tenant passkey create ana@acme.example --key-id 4LmQ --public-key pQECAyYg --rp-id acme.example"
            ],
            exits: [.notFound, .notAllowed, .conflict]
        ) { invocation, console in
            let patch = try MemberWords.patch(invocation.words("MEMBER=JSON"))
            return try await Session.run(invocation, console, tools) { session in
                var document: JSONObject = ["type": "passkey"]
                for (flag, member) in [
                    ("key-id", "key_id"), ("public-key", "public_key"), ("rp-id", "relying_party_identifier"),
                    ("user-handle", "user_handle"), ("name", "name"),
                ] {
                    if let text = invocation.value(flag) { document.set(member, .string(text)) }
                }
                let path = try await path(session)
                let body = JSONValue.object(patch.applied(to: document))
                try session.answer(try await session.call("POST", path, body: body).json.object ?? [:], times: times)
                return .done
            }
        }
    }

    private static func set(_ tools: TenantTools) -> Command {
        Command(
            "set",
            "give one another name",
            words: [UserCommands.word, passkey, TenantProgram.memberWord],
            flags: [.output(), .fields],
            examples: [
                "latchkey-tenant passkey set ana@acme.example 'passkey|dev_0aB3cD4eF5gH6iJ7' name=\"Old phone\""
            ],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            let patch = try MemberWords.patch(invocation.words("MEMBER=JSON"))
            return try await Session.run(invocation, console, tools) { session in
                let path = try await onePath(session)
                let body = JSONValue.object(patch.applied(to: [:]))
                try session.answer(try await session.call("PATCH", path, body: body).json.object ?? [:], times: times)
                return .done
            }
        }
    }

    private static func delete(_ tools: TenantTools) -> Command {
        Command(
            "delete",
            "remove one for good, and end the refresh tokens of its sign-ins",
            words: [UserCommands.word, passkey],
            flags: [.yes],
            examples: ["latchkey-tenant passkey delete ana@acme.example 'passkey|dev_0aB3cD4eF5gH6iJ7'"],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let path = try await onePath(session)
                let passkey = try await session.get(path)
                let shown = passkey["name"]?.string ?? passkey.text("id")
                try console.confirm(
                    typing: shown,
                    what: [
                        "1 passkey goes, and the refresh tokens of its sign-ins with it.",
                        "The person's device keeps its half, which signs in nowhere then.",
                    ],
                    invocation.answers
                )
                _ = try await session.call("DELETE", path)
                console.note("Passkey \(quoted(shown)) is deleted.")
                return .done
            }
        }
    }

    private static func path(_ session: Session) async throws(CommandFailure) -> String {
        let user = try await session.user(session.invocation.word("USER") ?? "")
        return "users/\(Session.encoded(user.text("user_id")))/authentication-methods"
    }

    /// The id may be given without what stands before every one.
    private static func onePath(_ session: Session) async throws(CommandFailure) -> String {
        let name = session.invocation.word("PASSKEY") ?? ""
        let id = name.contains("|") ? name : "passkey|" + name
        return try await path(session) + "/" + Session.encoded(id)
    }
}
