import Encodings
import Identity
import Tenancy
import Terminal

/// `client list|show|create|set|delete|rotate-secret` (HTTP contract 11.4).
enum ClientCommands {
    private static let things = ThingCommands(
        name: "client",
        path: "clients",
        id: "client_id",
        word: Word("CLIENT", "its name or client_id"),
        find: { (session, name) throws(CommandFailure) in try await session.client(name) }
    )

    static func command(_ tools: TenantTools) -> Command {
        Command(
            "client",
            "the applications",
            group: TenantProgram.Group.things,
            commands: [
                list(tools), things.show(tools, example: "\"My app\""), create(tools),
                things.set(
                    tools,
                    examples: [
                        #""My app" jwt_configuration.alg=ES256 name="Our app""#,
                        #""My app" web_origins='["https://app.acme.example"]'"#,
                    ]
                ),
                things.delete(
                    tools,
                    example: "\"My app\"",
                    consequences: ["Its grants go with it, and its refresh tokens are worth nothing from then on."]
                ),
                rotateSecret(tools),
            ]
        )
    }

    private static func list(_ tools: TenantTools) -> Command {
        Command(
            "list",
            "list the clients",
            flags: [.output(ofList: true), .fields],
            examples: ["latchkey-tenant client list -o csv --fields name,client_id"],
            exits: [.notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let columns = [
                    Column("name"), Column("client_id", title: "CLIENT ID"), Column("app_type", title: "TYPE"),
                    Column("grant_types", title: "GRANTS"),
                ]
                try session.answer(Listing(columns, rows: try await session.clients()))
                return .done
            }
        }
    }

    private static func create(_ tools: TenantTools) -> Command {
        Command(
            "create",
            "make a client",
            words: [
                Word("MEMBER=JSON", isOptional: true, isRepeated: true, "more of it; names as in the Management API")
            ],
            flags: [
                Flag("name", "TEXT", isRequired: true, "what people call it"),
                Flag(
                    "type",
                    choices: ["native", "spa", "regular_web", "non_interactive"],
                    isRequired: true,
                    "what kind of application it is"
                ),
                Flag(
                    "grant",
                    "GRANT",
                    isRepeated: true,
                    "passkey, code, refresh, password, m2m or a full grant type; unless given, its type's own"
                ),
                Flag("web-origin", "URL", isRepeated: true, "an origin whose pages may call with this client"),
                Flag("callback", "URL", isRepeated: true, "where the hosted pages may send the browser back"),
                Flag("connection", "NAME", isRepeated: true, "whose users it signs in; all unless given"), .output(),
                .fields,
            ],
            examples: [
                "latchkey-tenant client create --name \"My app\" --type spa --grant passkey,refresh "
                    + "--web-origin https://app.acme.example",
                "latchkey-tenant client create --name Backend --type non_interactive -o json",
            ],
            exits: [.notFound, .notAllowed, .conflict]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { try await create($0) }
        }
    }

    private static func create(_ session: Session) async throws -> ExitCode {
        let invocation = session.invocation
        var document: JSONObject = [
            "name": .string(invocation.value("name") ?? ""), "app_type": .string(invocation.value("type") ?? ""),
        ]
        let grants = try GrantTypeNames.read(invocation.values("grant"))
        if invocation.isSet("grant") {
            document.set("grant_types", .array(grants.map { .string($0.rawValue) }))
        }
        for (flag, member) in [("web-origin", "web_origins"), ("callback", "callbacks")] where invocation.isSet(flag) {
            document.set(member, .array(invocation.values(flag).map { .string($0) }))
        }
        document = try MemberWords.patch(invocation.words("MEMBER=JSON")).applied(to: document)
        // Looked for first, so that a wrong name leaves no client behind.
        let connections = try await connections(session, document)
        let made = try await session.call("POST", "clients", body: .object(document)).json.object ?? [:]
        let id = made.text("client_id")
        for connection in connections {
            _ = try await session.call(
                "PATCH",
                "connections/\(Session.encoded(connection.text("id")))/clients",
                body: [["client_id": .string(id), "status": true]]
            )
        }
        var answer: JSONObject = ["client_id": .string(id)]
        if let secret = made["client_secret"] { answer.set("client_secret", secret) }
        try session.answer(answer)
        if made["client_secret"] != nil, invocation.format == .table {
            session.console.note("The client_secret is shown now and never again.")
        }
        return .done
    }

    /// Those whose users the new client signs in: the named ones, or all when it can sign users in.
    private static func connections(_ session: Session, _ document: JSONObject) async throws -> [JSONObject] {
        if session.invocation.isSet("connection") {
            var named: [JSONObject] = []
            for name in session.invocation.values("connection") { named.append(try await session.connection(name)) }
            return named
        }
        let type = document.text("app_type")
        let grants = document["grant_types"]?.array?.compactMap(\.string)
        let signsIn =
            grants.map { $0.contains { $0 != "client_credentials" && $0 != "refresh_token" } }
            ?? (type != "non_interactive")
        guard signsIn else { return [] }
        return try await session.all("connections", "connections").filter {
            $0.text("name") != Connection.conformanceName
        }
    }

    private static func rotateSecret(_ tools: TenantTools) -> Command {
        Command(
            "rotate-secret",
            "give a client a new secret; the old one is worth nothing at once",
            words: [Word("CLIENT", "its name or client_id")],
            flags: [.yes, .output(), .fields],
            examples: ["latchkey-tenant client rotate-secret Backend"],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let client = try await session.client(invocation.word("CLIENT") ?? "")
                try console.confirm(
                    typing: client.text("name"),
                    what: ["The secret of client \(quoted(client.text("name"))) is worth nothing from then on."],
                    invocation.answers
                )
                let path = "clients/\(Session.encoded(client.text("client_id")))/rotate-secret"
                let made = try await session.call("POST", path).json.object ?? [:]
                try session.answer([
                    "client_id": made["client_id"] ?? .null, "client_secret": made["client_secret"] ?? .null,
                ])
                if invocation.format == .table { console.note("The client_secret is shown now and never again.") }
                return .done
            }
        }
    }
}
