import Encodings
import Identity
import Terminal

/// `grant set|list|create|delete`: what clients may ask for (HTTP contract 3.2), and for which APIs (11.8).
enum GrantCommands {
    static func command(_ tools: TenantTools) -> Command {
        Command(
            "grant",
            "what clients may ask for, and for which APIs",
            group: TenantProgram.Group.policy,
            commands: [set(tools), list(tools), create(tools), delete(tools)]
        )
    }

    private static func set(_ tools: TenantTools) -> Command {
        Command(
            "set",
            "say which grant types a client has, or with --api which scopes of an API",
            words: [
                Word("CLIENT", "its name or client_id"),
                Word(
                    "GRANT",
                    isOptional: true,
                    isRepeated: true,
                    "passkey, code, refresh, password, m2m or a full grant type"
                ),
            ],
            flags: [
                Flag("api", "API", "the API whose scopes are set"),
                Flag("scope", "SCOPE", isRepeated: true, "a scope of the API that its tokens may have"),
                .output(), .fields,
            ],
            examples: [
                "latchkey-tenant grant set \"My app\" passkey refresh",
                "latchkey-tenant grant set Backend --api https://api.acme.example/ --scope read:things",
            ],
            exits: [.notFound, .notAllowed, .conflict]
        ) { invocation, console in
            let types = try GrantTypeNames.read(invocation.words("GRANT"), of: "GRANT")
            guard invocation.isSet("api") != !types.isEmpty, invocation.isSet("api") || !invocation.isSet("scope")
            else {
                throw CommandFailure(.wrongUse, "name grants, or --api with its --scope, one of the two.")
            }
            return try await Session.run(invocation, console, tools) { session in
                let client = try await session.client(invocation.word("CLIENT") ?? "")
                if let api = invocation.value("api") {
                    try await setScopes(of: client, api, session)
                } else {
                    let body: JSONValue = ["grant_types": .array(types.map { .string($0.rawValue) })]
                    let path = "clients/" + Session.encoded(client.text("client_id"))
                    let changed = try await session.call("PATCH", path, body: body).json.object ?? [:]
                    try session.answer([
                        "client_id": changed["client_id"] ?? .null, "name": changed["name"] ?? .null,
                        "grant_types": changed["grant_types"] ?? .null,
                    ])
                }
                return .done
            }
        }
    }

    private static func setScopes(of client: JSONObject, _ api: String, _ session: Session) async throws {
        let server = try await session.resourceServer(api)
        let grants = try await session.all(
            "client-grants",
            "client_grants",
            query: [("client_id", client.text("client_id")), ("audience", server.text("identifier"))]
        )
        guard let grant = grants.first else {
            throw CommandFailure(
                .notFound,
                "client \(quoted(client.text("name"))) has no grant for \(quoted(api)). "
                    + "Make it: latchkey-tenant grant create --client … --api …"
            )
        }
        let body: JSONValue = ["scope": .array(session.invocation.values("scope").map { .string($0) })]
        let changed = try await session.call(
            "PATCH",
            "client-grants/" + Session.encoded(grant.text("id")),
            body: body
        )
        try session.answer(changed.json.object ?? [:])
    }

    private static func list(_ tools: TenantTools) -> Command {
        Command(
            "list",
            "list the clients' grants for APIs",
            flags: [
                Flag("client", "CLIENT", "of this client alone"), Flag("api", "API", "for this API alone"),
                .output(ofList: true), .fields,
            ],
            examples: ["latchkey-tenant grant list --client Backend"],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                var query: [(String, String)] = []
                if let name = invocation.value("client") {
                    query.append(("client_id", try await session.client(name).text("client_id")))
                }
                if let name = invocation.value("api") {
                    query.append(("audience", try await session.resourceServer(name).text("identifier")))
                }
                let grants = try await session.all("client-grants", "client_grants", query: query)
                let columns = [
                    Column("client_id", title: "CLIENT ID"), Column("audience"), Column("subject_type", title: "FOR"),
                    Column("scope"),
                ]
                try session.answer(Listing(columns, rows: grants))
                return .done
            }
        }
    }

    private static func create(_ tools: TenantTools) -> Command {
        Command(
            "create",
            "let a client get tokens for an API",
            flags: [
                Flag("client", "CLIENT", isRequired: true, "its name or client_id"),
                Flag("api", "API", isRequired: true, "its identifier, name or id"),
                Flag("scope", "SCOPE", isRepeated: true, "a scope that its tokens may have"),
                Flag("subject", choices: ["client", "user"], "whose tokens: its own, or its users'"), .output(),
                .fields,
            ],
            examples: [
                "latchkey-tenant grant create --client Backend --api https://api.acme.example/ --scope read:things"
            ],
            exits: [.notFound, .notAllowed, .conflict]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let client = try await session.client(invocation.value("client") ?? "")
                let server = try await session.resourceServer(invocation.value("api") ?? "")
                var body: JSONObject = [
                    "client_id": client["client_id"] ?? .null, "audience": server["identifier"] ?? .null,
                    "scope": .array(invocation.values("scope").map { .string($0) }),
                ]
                if let subject = invocation.value("subject") { body.set("subject_type", .string(subject)) }
                let made = try await session.call("POST", "client-grants", body: .object(body))
                try session.answer(made.json.object ?? [:])
                return .done
            }
        }
    }

    private static func delete(_ tools: TenantTools) -> Command {
        Command(
            "delete",
            "take a client's grant for an API away",
            words: [Word("GRANT_ID", "as grant list shows it with -o json")],
            flags: [.yes],
            examples: ["latchkey-tenant grant delete cgr_0123456789abcdef"],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let id = invocation.word("GRANT_ID") ?? ""
                try console.confirm(
                    typing: id,
                    what: ["This deletes grant \(quoted(id)): the client gets no more tokens by it."],
                    invocation.answers
                )
                _ = try await session.call("DELETE", "client-grants/" + Session.encoded(id))
                return .done
            }
        }
    }
}
