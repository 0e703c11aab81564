import Encodings
import Identity
import Tenancy
import Terminal

/// `tenant delete`.
enum TenantDeletion {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "delete",
            "remove a tenant with all that is its own, after writing it out",
            words: [Word("NAME", "the tenant")],
            flags: [
                Flag("export", "FOLDER", "where it is written to first: a new folder; NAME and the time unless given"),
                Flag("no-export", "write nothing out"), .yes, .output(),
            ],
            examples: [
                "latchkey-admin tenant delete acme", "latchkey-admin tenant delete acme --export /srv/gone/acme --yes",
            ],
            exits: [.notFound, .conflict, .unavailable]
        ) { invocation, console in
            guard !invocation.isSet("no-export") || !invocation.isSet("export") else {
                throw CommandFailure(.wrongUse, "--export and --no-export exclude each other.")
            }
            return try await Deployment.run(invocation, console, tools) { try await delete($0) }
        }
    }

    private static func delete(_ deployment: Deployment) async throws -> ExitCode {
        let (invocation, console) = (deployment.invocation, deployment.console)
        let name = invocation.word("NAME") ?? ""
        var tenant = try await deployment.tenant(named: name)
        let held = try await deployment.store.holdings(of: tenant.tenant.id)
        let folder = invocation.isSet("no-export") ? nil : exportFolder(name, deployment)
        if let folder, PrivateFile.exists(folder) {
            throw CommandFailure(.conflict, "\(printable(folder)) exists. Name another folder with --export.")
        }
        try console.confirm(
            typing: name,
            what: [
                "\(held.users) users, \(held.passkeys) passkeys and \(held.clients) applications of \(name) go, with its "
                    + "keys and its audit log; free for others: "
                    + tenant.domains.map(\.host).joined(separator: ", ") + ".",
                folder.map { "Before that it is written to \(printable($0))." } ?? "Nothing is written out before.",
            ],
            invocation.answers
        )
        if tenant.tenant.suspendedAt == nil {
            try await deployment.setSuspension(since: deployment.now, of: tenant)
            tenant = try await deployment.tenant(named: name)
        } else {
            // The log goes with the tenant: what is written out of it says who removed it.
            await deployment.audit(name, of: tenant.tenant.id)
        }
        await waitUntilNobodyWrites(tenant.tenant, deployment)
        do {
            if let folder { try await TenantFolder.write(tenant, to: folder, deployment) }
        } catch {
            console.note("Nothing was removed. \(name) is suspended; \(AdminProgram.name) tenant resume takes it back.")
            throw error
        }
        var parts = 0
        while try await deployment.store.removePart(of: tenant.tenant.id, limit: 500) {
            parts += 1
            console.progress("\(parts * 500) rows of each kind")
        }
        console.progress("")
        console.answer(
            Details([
                "tenant": .string(name), "users": .integer(Int64(held.users)),
                "passkeys": .integer(Int64(held.passkeys)), "clients": .integer(Int64(held.clients)),
                "export": folder.map(JSONValue.string) ?? .null,
            ]),
            as: invocation.format
        )
        return .done
    }

    private static func exportFolder(_ name: String, _ deployment: Deployment) -> String {
        if let folder = deployment.invocation.value("export") { return folder }
        let time = deployment.now.rfc3339.prefix { $0 != "." && $0 != "Z" }.map { $0 == ":" ? "-" : $0 }
        return "./\(name)-\(String(time))"
    }

    /// Servers know of the suspension after at most 5 seconds, and a request that began before may take 5 more.
    private static func waitUntilNobodyWrites(_ tenant: Tenant, _ deployment: Deployment) async {
        let seconds = 11 - (deployment.now.seconds - (tenant.suspendedAt ?? deployment.now).seconds)
        guard seconds > 0 else { return }
        deployment.console.note("Waiting \(seconds) s, until every server knows that it is suspended …")
        await deployment.tools.pause(Int(seconds))
    }
}
