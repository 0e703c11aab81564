import Encodings
import Identity
import Tenancy
import Terminal

/// `connection list|show|set`.
enum ConnectionCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "connection",
            "look at a tenant's user directories and set them",
            group: AdminProgram.Group.setUp,
            flags: [AdminProgram.tenantFlag],
            commands: [list(tools), show(tools), set(tools)]
        )
    }

    private static func list(_ tools: AdminTools) -> Command {
        Command(
            "list",
            "list a tenant's connections",
            flags: [.output(ofList: true)],
            examples: ["latchkey-admin connection list --tenant acme"],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                guard invocation.format == .table else {
                    let columns = [Column("name"), Column("id"), Column("strategy"), Column("enabled_clients")]
                    console.answer(
                        Listing(columns, rows: tenant.connections.map(Shape.connection)),
                        as: invocation.format
                    )
                    return .done
                }
                let rows = tenant.connections.map { connection -> JSONObject in
                    [
                        "name": .string(connection.name), "id": .string(connection.id.text),
                        "passkeys": .bool(connection.options.passkeysEnabled),
                        "passwords": .bool(connection.options.passwordsEnabled),
                        "clients": .integer(Int64(connection.enabledClients.count)),
                    ]
                }
                let columns = [
                    Column("name"), Column("id", title: "ID"), Column("passkeys"), Column("passwords"),
                    Column("clients", .number),
                ]
                console.answer(Listing(columns, rows: rows), as: .table)
                return .done
            }
        }
    }

    private static func show(_ tools: AdminTools) -> Command {
        Command(
            "show",
            "show a connection",
            words: [Word("CONNECTION", "its name or id")],
            flags: [.output()],
            examples: ["latchkey-admin connection show Username-Password-Authentication"],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let connection = try tenant.connection(called: invocation.word("CONNECTION") ?? "")
                console.answer(Details(Shape.connection(connection)), as: invocation.format)
                return .done
            }
        }
    }

    private static func set(_ tools: AdminTools) -> Command {
        Command(
            "set",
            "change a connection",
            words: [Word("CONNECTION", "its name or id"), MemberWords.word],
            flags: [.output()],
            examples: [
                "latchkey-admin connection set Username-Password-Authentication "
                    + "options.passkey_options.webauthn.user_verification=required",
                "latchkey-admin connection set Username-Password-Authentication options.disable_signup=true",
            ],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let connection = try tenant.connection(called: invocation.word("CONNECTION") ?? "")
                let patch = try MemberWords.patch(invocation.words("MEMBER=JSON"))
                let changed = try await deployment.administration.setConnection(
                    connection.id,
                    try tenant.namingClients(in: patch, ["enabled_clients"]),
                    in: tenant,
                    now: deployment.now
                )
                await deployment.audit(connection.name, of: tenant.tenant.id)
                console.answer(Details(Shape.connection(changed)), as: invocation.format)
                return .done
            }
        }
    }
}

extension TenantConfiguration {
    /// `patch` with the names of clients in these top-level members replaced by their ids.
    func namingClients(in patch: DocumentPatch, _ members: [String]) throws(CommandFailure) -> DocumentPatch {
        var named = DocumentPatch()
        for change in patch.changes {
            var value = change.value
            if change.path.count == 1, members.contains(change.path[0]) {
                if let name = value.string {
                    value = .string(try client(name).id.text)
                } else if let names = value.array {
                    var ids: [JSONValue] = []
                    for name in names {
                        if let text = name.string {
                            ids.append(.string(try client(text).id.text))
                        } else {
                            ids.append(name)
                        }
                    }
                    value = .array(ids)
                }
            }
            named.set(change.path, value)
        }
        return named
    }
}
