import Encodings
import Identity
import Terminal

/// `user list|show`.
enum UserCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "user",
            "look at a tenant's users",
            group: AdminProgram.Group.people,
            flags: [AdminProgram.tenantFlag],
            commands: [list(tools), show(tools)]
        )
    }

    private static func list(_ tools: AdminTools) -> Command {
        Command(
            "list",
            "list users, newest first",
            flags: [
                Flag("limit", "COUNT", "how many at most; 50 unless given"),
                Flag("before", "USER", "go on behind this user of the last list"), .output(ofList: true),
            ],
            examples: [
                "latchkey-admin user list --tenant acme", "latchkey-admin user list --limit 1000 -o csv",
            ],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                var cursor: UserID?
                if let name = invocation.value("before") { cursor = try await deployment.user(name, in: tenant).id }
                let users = try await deployment.store.users(
                    of: tenant.tenant.id,
                    before: cursor,
                    limit: try Limit.read(invocation)
                )
                let columns = [
                    Column("user_id", title: "USER ID"), Column("name"), Column("email"), Column("phone_number"),
                    Column("username"), Column("connection"), Column("blocked"),
                    Column("created_at", title: "CREATED", .time), Column("last_login", title: "LAST LOGIN", .time),
                ]
                console.answer(
                    Listing(columns, rows: users.map { Shape.user($0, in: tenant) }),
                    as: invocation.format
                )
                return .done
            }
        }
    }

    private static func show(_ tools: AdminTools) -> Command {
        Command(
            "show",
            "show a user",
            words: [Word("USER", "an id, mail address, phone number or user name")],
            flags: [.output()],
            examples: ["latchkey-admin user show ana@example.com"],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let user = try await deployment.user(invocation.word("USER") ?? "", in: tenant)
                let passkeys = try await deployment.store.passkeys(
                    of: user.id,
                    relyingPartyID: nil,
                    tenant: tenant.tenant.id
                )
                var object = Shape.user(user, in: tenant)
                object.set("passkeys", .array(passkeys.map { .string($0.id.text) }))
                console.answer(
                    Details(object, times: ["created_at", "updated_at", "last_login"]),
                    as: invocation.format
                )
                return .done
            }
        }
    }
}

/// The value of `--limit`.
enum Limit {
    static func read(_ invocation: Invocation) throws(CommandFailure) -> Int {
        guard let text = invocation.value("limit") else { return 50 }
        guard let limit = Int(text), (1...10000).contains(limit) else {
            throw CommandFailure(.wrongUse, "--limit is \(quoted(text)), which it cannot be. Use 1 to 10000.")
        }
        return limit
    }
}
