import Encodings
import Identity
import Tenancy
import Terminal

/// `client create|list|show|set`.
enum ClientCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "client",
            "make the applications of a tenant, look at them and set them",
            group: AdminProgram.Group.setUp,
            flags: [AdminProgram.tenantFlag],
            commands: [create(tools), list(tools), show(tools), set(tools)]
        )
    }

    private static func create(_ tools: AdminTools) -> Command {
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
                Flag("id-token-alg", choices: TokenAlgorithm.allCases.map(\.rawValue), "how its ID tokens are signed"),
                Flag("web-origin", "URL", isRepeated: true, "an origin whose pages may call with this client"),
                Flag("callback", "URL", isRepeated: true, "where the hosted pages may send the browser back"),
                Flag("connection", "NAME", isRepeated: true, "whose users it signs in; all unless given"), .output(),
            ],
            examples: [
                "latchkey-admin client create --tenant acme --name \"My app\" --type spa --grant passkey,refresh "
                    + "--web-origin https://app.acme.example",
                "latchkey-admin client create --name Backend --type non_interactive -o json",
            ],
            exits: [.notFound, .conflict, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { try await create($0) }
        }
    }

    private static func create(_ deployment: Deployment) async throws -> ExitCode {
        let invocation = deployment.invocation
        let tenant = try await deployment.tenant()
        var document: JSONObject = [
            "name": .string(invocation.value("name") ?? ""), "app_type": .string(invocation.value("type") ?? ""),
        ]
        let grants = try GrantTypeNames.read(invocation.values("grant"))
        if invocation.isSet("grant") {
            document.set("grant_types", .array(grants.map { .string($0.rawValue) }))
        }
        if let algorithm = invocation.value("id-token-alg") {
            document.set("jwt_configuration", ["alg": .string(algorithm)])
        }
        for (flag, member) in [("web-origin", "web_origins"), ("callback", "callbacks")] where invocation.isSet(flag) {
            document.set(member, .array(invocation.values(flag).map { .string($0) }))
        }
        document = try MemberWords.patch(invocation.words("MEMBER=JSON")).applied(to: document)
        var connections: [ConnectionID]?
        if invocation.isSet("connection") {
            connections = try invocation.values("connection").map { try tenant.connection(called: $0).id }
        }
        let created = try await deployment.administration.createClient(
            document,
            enabling: connections,
            in: tenant,
            now: deployment.now
        )
        await deployment.audit(created.client.id.text, of: tenant.tenant.id)
        var answer: JSONObject = ["client_id": .string(created.client.id.text)]
        if let secret = created.secret { answer.set("client_secret", .string(secret)) }
        deployment.console.answer(Details(answer), as: invocation.format)
        if created.secret != nil, invocation.format == .table {
            deployment.console.note("The client_secret is shown now and never again.")
        }
        return .done
    }

    private static func list(_ tools: AdminTools) -> Command {
        Command(
            "list",
            "list a tenant's clients",
            flags: [.output(ofList: true)],
            examples: ["latchkey-admin client list --tenant acme"],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let clients = tenant.clients.values.sorted {
                    ($0.createdAt, $0.id.text) < ($1.createdAt, $1.id.text)
                }
                let columns = [
                    Column("name"), Column("client_id", title: "CLIENT ID"), Column("app_type", title: "TYPE"),
                    Column("token_endpoint_auth_method", title: "AUTHENTICATION"),
                    Column("grant_types", title: "GRANTS"),
                ]
                console.answer(
                    Listing(columns, rows: clients.map { Shape.client($0, of: tenant.tenant) }),
                    as: invocation.format
                )
                return .done
            }
        }
    }

    private static func show(_ tools: AdminTools) -> Command {
        Command(
            "show",
            "show a client",
            words: [Word("CLIENT", "its name or client_id")],
            flags: [.output()],
            examples: ["latchkey-admin client show \"My app\""],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let client = try tenant.client(invocation.word("CLIENT") ?? "")
                console.answer(Details(Shape.client(client, of: tenant.tenant)), as: invocation.format)
                return .done
            }
        }
    }

    private static func set(_ tools: AdminTools) -> Command {
        Command(
            "set",
            "change a client",
            words: [Word("CLIENT", "its name or client_id"), MemberWords.word],
            flags: [.output()],
            examples: [
                #"latchkey-admin client set "My app" jwt_configuration.alg=ES256 name="Our app""#,
                #"latchkey-admin client set "My app" web_origins='["https://app.acme.example"]'"#,
            ],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let client = try tenant.client(invocation.word("CLIENT") ?? "")
                let changed = try await deployment.administration.setClient(
                    client.id,
                    try MemberWords.patch(invocation.words("MEMBER=JSON")),
                    in: tenant,
                    now: deployment.now
                )
                await deployment.audit(client.id.text, of: tenant.tenant.id)
                console.answer(Details(Shape.client(changed, of: tenant.tenant)), as: invocation.format)
                return .done
            }
        }
    }
}
