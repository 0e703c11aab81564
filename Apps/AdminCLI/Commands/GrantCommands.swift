import Encodings
import Identity
import Tenancy
import Terminal

/// `grant list|create`.
enum GrantCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "grant",
            "let clients get tokens for APIs",
            group: AdminProgram.Group.setUp,
            flags: [AdminProgram.tenantFlag],
            commands: [list(tools), create(tools)]
        )
    }

    private static func list(_ tools: AdminTools) -> Command {
        Command(
            "list",
            "list a tenant's client grants",
            flags: [.output(ofList: true)],
            examples: ["latchkey-admin grant list --tenant acme"],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                var rows = tenant.grants.map { Shape.grant($0, in: tenant) }
                var columns = [
                    Column("id", title: "ID"), Column("client_id", title: "CLIENT"), Column("audience"),
                    Column("subject_type", title: "FOR"), Column("scope"),
                ]
                if invocation.format == .table {
                    for (index, grant) in tenant.grants.enumerated() {
                        rows[index].set("client", .string(tenant.clients[grant.client]?.name ?? grant.client.text))
                        rows[index].set("scopes", .integer(Int64(grant.scope.count)))
                    }
                    columns[1] = Column("client")
                    columns[4] = Column("scopes", .number)
                }
                console.answer(Listing(columns, rows: rows), as: invocation.format)
                return .done
            }
        }
    }

    private static func create(_ tools: AdminTools) -> Command {
        Command(
            "create",
            "let a client get tokens for an API",
            flags: [
                Flag("client", "CLIENT", isRequired: true, "its name or client_id"),
                Flag("audience", "API", isRequired: true, "management, my-account, or an API's identifier"),
                Flag("scope", "SCOPE", isRepeated: true, "what it may ask for; all that the API has now unless given"),
                Flag("subject", choices: ["client", "user"], "for itself, or for users who sign in with it"),
                Flag("all-scopes", "scopes that the API gets later count too"), .output(),
            ],
            examples: [
                "latchkey-admin grant create --client \"My app\" --audience my-account",
                "latchkey-admin grant create --client Backend --audience management --scope read:users,read:logs",
            ],
            exits: [.notFound, .conflict, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let scopes = invocation.values("scope").flatMap {
                    $0.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
                }
                let grant = try await deployment.administration.createGrant(
                    client: try tenant.client(invocation.value("client") ?? "").id,
                    audience: try audience(invocation.value("audience") ?? "", in: tenant),
                    subject: invocation.value("subject").flatMap { ClientGrant.Subject(rawValue: $0) },
                    scope: invocation.isSet("scope") ? scopes : nil,
                    allowAllScopes: invocation.isSet("all-scopes"),
                    in: tenant,
                    now: deployment.now
                )
                await deployment.audit(grant.id.text, of: tenant.tenant.id)
                console.answer(Details(Shape.grant(grant, in: tenant)), as: invocation.format)
                return .done
            }
        }
    }

    private static func audience(_ name: String, in tenant: TenantConfiguration) throws(CommandFailure) -> String {
        switch name {
        case "management": return SystemAPI.management.rawValue
        case "my-account": return SystemAPI.myAccount.rawValue
        default: break
        }
        if tenant.resourceServer(audience: name) != nil { return name }
        let named = tenant.resourceServers.filter { $0.name.utf8.elementsEqual(name.utf8) }
        if let server = named.first, named.count == 1 { return server.identifier }
        throw .notFound(
            "API",
            name,
            among: ["management", "my-account"] + tenant.resourceServers.map(\.name)
                + tenant.resourceServers.map { tenant.audience($0.identifier) }
        )
    }
}
