import Encodings
import Identity
import Terminal

/// `key list`.
enum KeyCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "key",
            "look at a tenant's signing keys",
            group: AdminProgram.Group.keys,
            flags: [AdminProgram.tenantFlag],
            commands: [
                Command(
                    "list",
                    "list the signing keys that are not retired, oldest first",
                    flags: [.output(ofList: true)],
                    examples: ["latchkey-admin key list --tenant acme"],
                    exits: [.notFound, .unavailable]
                ) { invocation, console in
                    try await Deployment.run(invocation, console, tools) { deployment in
                        let tenant = try await deployment.tenant()
                        let keys = try await deployment.store.signingKeys(of: tenant.tenant.id)
                        let columns = [
                            Column("kid", title: "KID"), Column("alg", title: "ALG"), Column("state"),
                            Column("created_at", title: "CREATED", .time),
                            Column("activated_at", title: "ACTIVE SINCE", .time),
                        ]
                        console.answer(Listing(columns, rows: keys.map(Shape.signingKey)), as: invocation.format)
                        return .done
                    }
                }
            ]
        )
    }
}
