import Encodings
import Identity
import Tenancy
import Terminal

/// `tenant suspend|resume`.
enum TenantLifeCommands {
    static func commands(_ tools: AdminTools) -> [Command] { [suspend(tools), resume(tools)] }

    private static func suspend(_ tools: AdminTools) -> Command {
        Command(
            "suspend",
            "take a tenant out of service: everything of it but /.well-known/ answers 403, and nothing is lost",
            words: [Word("NAME", "the tenant")],
            flags: [.output()],
            examples: ["latchkey-admin tenant suspend acme"],
            exits: [.notFound, .conflict, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant(named: invocation.word("NAME") ?? "")
                if tenant.tenant.suspendedAt == nil {
                    try await deployment.setSuspension(since: deployment.now, of: tenant)
                    console.note("Servers know within 5 seconds. \(AdminProgram.name) tenant resume takes it back.")
                }
                return try await answer(tenant.tenant, deployment)
            }
        }
    }

    private static func resume(_ tools: AdminTools) -> Command {
        Command(
            "resume",
            "put a suspended tenant back into service",
            words: [Word("NAME", "the tenant")],
            flags: [.output()],
            examples: ["latchkey-admin tenant resume acme"],
            exits: [.notFound, .conflict, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                let tenant = try await deployment.tenant(named: invocation.word("NAME") ?? "")
                if tenant.tenant.suspendedAt != nil { try await deployment.setSuspension(since: nil, of: tenant) }
                return try await answer(tenant.tenant, deployment)
            }
        }
    }

    private static func answer(_ tenant: Tenant, _ deployment: Deployment) async throws -> ExitCode {
        let tenant = try await deployment.tenant(named: tenant.name)
        deployment.console.answer(
            Details(Shape.tenant(tenant), times: ["created_at", "updated_at"]),
            as: deployment.invocation.format
        )
        return .done
    }
}

extension Deployment {
    /// Suspends the tenant or lets it serve again, with the record of it.
    func setSuspension(since: UnixTime?, of tenant: TenantConfiguration) async throws {
        let recorder = administration.recording(event(tenant.tenant.name, of: tenant.tenant.id))
        try await recorder.setSuspension(since: since, of: tenant, now: now)
    }
}
