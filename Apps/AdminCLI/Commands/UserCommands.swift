import Accounts
import Encodings
import Identity
import Terminal

/// `user list|show|block|unblock|unlock|export`.
enum UserCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "user",
            "look at a tenant's users, block and unlock them, export them",
            group: AdminProgram.Group.people,
            flags: [AdminProgram.tenantFlag],
            commands: [
                list(tools), show(tools), block(tools), unblock(tools), unlock(tools), UserExport.command(tools),
            ]
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

extension UserCommands {
    private static let user = Word("USER", "an id, mail address, phone number or user name")

    private static func block(_ tools: AdminTools) -> Command {
        Command(
            "block",
            "let a user in no more, and end all sessions and refresh tokens",
            words: [user],
            flags: [.output()],
            examples: ["latchkey-admin user block eve@example.com"],
            exits: [.notFound, .conflict, .unavailable]
        ) { invocation, console in
            try await setBlocked(true, invocation, console, tools)
        }
    }

    private static func unblock(_ tools: AdminTools) -> Command {
        Command(
            "unblock",
            "let a blocked user in again",
            words: [user],
            flags: [.output()],
            examples: ["latchkey-admin user unblock eve@example.com"],
            exits: [.notFound, .conflict, .unavailable]
        ) { invocation, console in
            try await setBlocked(false, invocation, console, tools)
        }
    }

    private static func setBlocked(
        _ isBlocked: Bool,
        _ invocation: Invocation,
        _ console: Console,
        _ tools: AdminTools
    ) async throws -> ExitCode {
        try await Deployment.run(invocation, console, tools) { deployment in
            let tenant = try await deployment.tenant()
            let user = try await deployment.user(invocation.word("USER") ?? "", in: tenant)
            do throws(UserAdministrationError) {
                let changed = try await deployment.users.setBlocked(
                    isBlocked,
                    user.id,
                    in: tenant,
                    now: deployment.now,
                    audit: deployment.event(user.id.subject, of: tenant.tenant.id, user: user.id)
                )
                console.answer(
                    Details(
                        ["user_id": .string(user.id.subject), "blocked": .bool(changed.user.blockedAt != nil)]
                    ),
                    as: invocation.format
                )
                return .done
            } catch .store(let error) {
                throw error
            } catch .noUser {
                throw CommandFailure.notFound("user", user.id.subject)
            } catch {
                throw CommandFailure(.conflict, "the user was changed by somebody else at the same time. Try again.")
            }
        }
    }

    private static func unlock(_ tools: AdminTools) -> Command {
        Command(
            "unlock",
            "forget the wrong passwords that were tried for a user",
            words: [user],
            flags: [.output()],
            examples: ["latchkey-admin user unlock ana@example.com"],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let user = try await deployment.user(invocation.word("USER") ?? "", in: tenant)
                let names = user.identifiers.map(\.entered)
                try await deployment.users.unlock(
                    user,
                    audit: deployment.event(user.id.subject, of: tenant.tenant.id, user: user.id)
                )
                console.answer(
                    Details(
                        ["user_id": .string(user.id.subject), "unlocked": .array(names.map { .string($0) })]
                    ),
                    as: invocation.format
                )
                console.note("An address that tried too often itself is let in again after 15 minutes.")
                return .done
            }
        }
    }
}

extension Deployment {
    /// Changes users; passwords are none of its business.
    var users: UserAdministration {
        UserAdministration(store: store, tries: store, hasher: nil, random: tools.random)
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
