import Encodings
import Identity
import Terminal

/// `session list|revoke`.
enum SessionCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "session",
            "look at a user's sessions and end them",
            group: AdminProgram.Group.people,
            flags: [AdminProgram.tenantFlag],
            commands: [list(tools), revoke(tools)]
        )
    }

    private static func list(_ tools: AdminTools) -> Command {
        Command(
            "list",
            "list a user's sessions that hold, oldest first",
            words: [Word("USER", "an id, mail address, phone number or user name")],
            flags: [Flag("limit", "COUNT", "how many at most; 50 unless given"), .output(ofList: true)],
            examples: ["latchkey-admin session list ana@example.com"],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let user = try await deployment.user(invocation.word("USER") ?? "", in: tenant)
                let sessions = try await deployment.store.sessions(
                    of: user.id,
                    after: nil,
                    limit: try Limit.read(invocation),
                    tenant: tenant.tenant.id,
                    now: deployment.now
                )
                let columns = [
                    Column("id"), Column("client"), Column("methods"), Column("address"),
                    Column("authenticated_at", title: "SIGNED IN", .time),
                    Column("last_interacted_at", title: "LAST SEEN", .time),
                    Column("expires_at", title: "UNTIL", .time),
                ]
                console.answer(
                    Listing(columns, rows: sessions.map { document($0, in: tenant) }),
                    as: invocation.format
                )
                return .done
            }
        }
    }

    private static func revoke(_ tools: AdminTools) -> Command {
        Command(
            "revoke",
            "end a session, or all of a user, with the refresh tokens",
            words: [Word("SESSION", "its id, ses_…, or the user whose sessions end")],
            flags: [
                Flag("keep-tokens", "let refresh tokens go on by themselves"), .output(),
            ],
            examples: [
                "latchkey-admin session revoke ses_01K2mN3pQ4rS5tU6vW7xY8",
                "latchkey-admin session revoke ana@example.com",
            ],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant()
                let name = invocation.word("SESSION") ?? ""
                let tokens = !invocation.isSet("keep-tokens")
                let (withdrawal, user): (Withdrawal, UserID)
                if let id = SessionID(name) {
                    guard let session = try await deployment.store.session(id, of: tenant.tenant.id) else {
                        throw CommandFailure.notFound("session", name)
                    }
                    (withdrawal, user) = (.session(id, tokens: tokens), session.user)
                } else {
                    user = try await deployment.user(name, in: tenant).id
                    withdrawal = .sessions(of: user, tokens: tokens)
                }
                try await deployment.store.withdraw(
                    withdrawal,
                    of: tenant.tenant.id,
                    audit: deployment.event(name, of: tenant.tenant.id, user: user)
                )
                console.answer(
                    Details(["user_id": .string(user.subject), "revoked": true, "tokens_revoked": .bool(tokens)]),
                    as: invocation.format
                )
                return .done
            }
        }
    }

    private static func document(_ session: Session, in tenant: TenantConfiguration) -> JSONObject {
        [
            "id": .string(session.id.text), "client_id": .string(session.client.text),
            "client": .string(tenant.clients[session.client]?.name ?? session.client.text),
            "methods": .string(session.amr.joined(separator: " ")), "address": .string(session.device.address),
            "user_agent": .string(session.device.userAgent), "created_at": .string(session.createdAt.rfc3339),
            "authenticated_at": .string(session.authenticatedAt.rfc3339),
            "last_interacted_at": .string(session.lastInteraction.rfc3339),
            "idle_expires_at": .string(session.idleExpiresAt.rfc3339),
            "expires_at": .string(session.expiresAt.rfc3339),
        ]
    }
}
