import Encodings
import Terminal

/// `settings show|set` (HTTP contract 11.13).
enum SettingsCommands {
    static func command(_ tools: TenantTools) -> Command {
        Command(
            "settings",
            "what holds for the whole tenant",
            group: TenantProgram.Group.policy,
            commands: [show(tools), set(tools)]
        )
    }

    private static func show(_ tools: TenantTools) -> Command {
        Command(
            "show",
            "show the tenant's settings",
            flags: [.output(), .fields],
            examples: ["latchkey-tenant settings show --fields friendly_name,session_lifetime"],
            exits: [.notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                try session.answer(try await session.get("tenants/settings"))
                return .done
            }
        }
    }

    private static func set(_ tools: TenantTools) -> Command {
        Command(
            "set",
            "change the tenant's settings",
            words: [TenantProgram.memberWord],
            flags: [.output(), .fields],
            examples: ["latchkey-tenant settings set friendly_name=Acme session_lifetime=24"],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let settings = try await session.get("tenants/settings")
                let body = try MemberWords.body(invocation.words("MEMBER=JSON"), of: settings)
                let changed = try await session.call("PATCH", "tenants/settings", body: body)
                try session.answer(changed.json.object ?? [:])
                return .done
            }
        }
    }
}
