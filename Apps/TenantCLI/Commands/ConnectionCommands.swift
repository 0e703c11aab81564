import Encodings
import Tenancy
import Terminal

/// `connection list|show|create|set|delete` (HTTP contract 11.5).
enum ConnectionCommands {
    private static let things = ThingCommands(
        name: "connection",
        path: "connections",
        id: "id",
        word: Word("CONNECTION", "its name or id"),
        find: { (session, name) throws(CommandFailure) in try await session.connection(name) }
    )

    static func command(_ tools: TenantTools) -> Command {
        Command(
            "connection",
            "the user directories",
            group: TenantProgram.Group.things,
            commands: [
                list(tools), things.show(tools, example: "Username-Password-Authentication"), create(tools),
                things.set(
                    tools,
                    examples: ["Staff options.authentication_methods.password.enabled=false"]
                ),
                things.delete(tools, example: "Staff", consequences: ["It can go only while it has no users."]),
            ]
        )
    }

    private static func list(_ tools: TenantTools) -> Command {
        Command(
            "list",
            "list the connections",
            flags: [.output(ofList: true), .fields],
            examples: ["latchkey-tenant connection list"],
            exits: [.notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let columns = [
                    Column("name"), Column("id"), Column("strategy"), Column("display_name", title: "TITLE"),
                ]
                try session.answer(Listing(columns, rows: try await session.all("connections", "connections")))
                return .done
            }
        }
    }

    private static func create(_ tools: TenantTools) -> Command {
        Command(
            "create",
            "make a user directory",
            words: [
                Word("MEMBER=JSON", isOptional: true, isRepeated: true, "more of it; names as in the Management API")
            ],
            flags: [
                Flag("name", "NAME", isRequired: true, "letters, digits and hyphens"),
                Flag("client", "CLIENT", isRepeated: true, "a client that its users may sign in with"),
                .output(), .fields,
            ],
            examples: ["latchkey-tenant connection create --name Staff --client \"My app\""],
            exits: [.notFound, .notAllowed, .conflict]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                var document: JSONObject = ["name": .string(invocation.value("name") ?? ""), "strategy": "auth0"]
                var clients: [JSONValue] = []
                for name in invocation.values("client") {
                    clients.append(.string(try await session.client(name).text("client_id")))
                }
                if !clients.isEmpty { document.set("enabled_clients", .array(clients)) }
                document = try MemberWords.patch(invocation.words("MEMBER=JSON")).applied(to: document)
                let made = try await session.call("POST", "connections", body: .object(document)).json.object ?? [:]
                try session.answer(["id": made["id"] ?? .null, "name": made["name"] ?? .null])
                return .done
            }
        }
    }
}
