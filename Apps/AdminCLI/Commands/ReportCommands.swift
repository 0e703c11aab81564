import Encodings
import Identity
import Terminal

/// `report adoption`.
enum ReportCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "report",
            "see how far a deployment has come",
            group: AdminProgram.Group.why,
            commands: [adoption(tools)]
        )
    }

    private static func adoption(_ tools: AdminTools) -> Command {
        Command(
            "adoption",
            "count who signs in with passkeys, and which factors that can be phished are left, by connection",
            flags: [
                Flag("tenant", "NAME", "the tenant; all of them unless given"),
                Flag(
                    "way",
                    choices: Way.allCases.map(\.rawValue),
                    "name those users instead: with a password alone, both, a passkey alone, or nothing"
                ), Flag("limit", "COUNT", "how many --way names at most; 50 unless given"), .output(ofList: true),
            ],
            examples: [
                "latchkey-admin report adoption", "latchkey-admin report adoption --tenant acme -o json",
                "latchkey-admin report adoption --tenant acme --way password --limit 1000 -o csv",
            ],
            exits: [.notFound, .unavailable]
        ) { invocation, console in
            try await Deployment.run(invocation, console, tools) { deployment in
                if let way = invocation.value("way").flatMap(Way.init) {
                    try await name(way, try await deployment.tenant(), deployment)
                } else {
                    try await count(deployment)
                }
                return .done
            }
        }
    }

    /// By what somebody gets in.
    private enum Way: String, CaseIterable {
        case password, both, passkey, nothing

        init(_ user: WaysIn) {
            switch (user.passkeys.contains { !$0.isSuspended }, user.hasPassword) {
            case (true, true): self = .both
            case (true, false): self = .passkey
            case (false, true): self = .password
            case (false, false): self = .nothing
            }
        }
    }

    // MARK: Counting

    /// Users that the database counts at once.
    private static let page = 2000

    private static func count(_ deployment: Deployment) async throws {
        var tenants: [TenantConfiguration] = []
        if deployment.invocation.value("tenant") != nil {
            tenants = [try await deployment.tenant()]
        } else {
            for tenant in try await deployment.store.tenants() {
                if let found = try await deployment.store.configuration(of: tenant.id) { tenants.append(found) }
            }
        }
        var rows: [JSONObject] = []
        for tenant in tenants {
            let counts = try await adoption(of: tenant.tenant.id, deployment.store)
            for connection in tenant.connections {
                let count = counts[connection.id]
                guard connection.name != Connection.conformanceName || count != nil else { continue }
                rows.append(row(tenant.tenant.name, connection, count ?? AdoptionCount()))
            }
        }
        let columns = [
            Column("tenant"), Column("connection"), Column("users", .number),
            Column("passkey_only", title: "PASSKEY", .number),
            Column("passkey_and_password", title: "BOTH", .number), Column("password_only", title: "PASSWORD", .number),
            Column("nothing", .number), Column("blocked", .number),
            Column("with_passkey_percent", title: "%", .number),
        ]
        deployment.console.answer(Listing(columns, rows: rows), as: deployment.invocation.format)
        tellWhatIsNext(rows, deployment.console)
    }

    private static func adoption(
        of tenant: TenantID,
        _ store: any AdoptionStore
    ) async throws -> [ConnectionID: AdoptionCount] {
        var counts: [ConnectionID: AdoptionCount] = [:]
        var last: UserID?
        repeat {
            let found = try await store.adoption(of: tenant, after: last, limit: page)
            for (connection, count) in found.counts { counts[connection, default: AdoptionCount()] += count }
            last = found.last
        } while last != nil
        return counts
    }

    private static func row(_ tenant: String, _ connection: Connection, _ count: AdoptionCount) -> JSONObject {
        func number(_ count: Int) -> JSONValue { .integer(Int64(count)) }
        let active = count.users - count.blocked
        let withPasskey = count.passkeyOnly + count.passkeyAndPassword
        return [
            "tenant": .string(tenant), "connection": .string(connection.name), "users": number(count.users),
            "blocked": number(count.blocked), "passkey_only": number(count.passkeyOnly),
            "passkey_and_password": number(count.passkeyAndPassword), "password_only": number(count.passwordOnly),
            "nothing": number(count.nothing), "passkeys": number(count.passkeys),
            "with_passkey_percent": active > 0 ? number(withPasskey * 100 / active) : .null,
            "phishable_factors": ["password": number(count.passkeyAndPassword + count.passwordOnly)],
            "passwords_enabled": .bool(connection.options.passwordsEnabled),
            "could_retire_password": number(count.couldRetirePassword),
        ]
    }

    private static func tellWhatIsNext(_ rows: [JSONObject], _ console: Console) {
        func sum(_ member: String) -> Int64 { rows.reduce(0) { $0 + ($1[member]?.integer ?? 0) } }
        let passwords = sum("passkey_and_password") + sum("password_only")
        if passwords == 0 {
            console.note("No factor that can be phished is left.")
        } else {
            console.note(
                "Passwords, which can be phished, are left with \(passwords) users; "
                    + "\(sum("could_retire_password")) of them could do without: they have two passkeys, or one that is "
                    + "backed up."
            )
        }
        if sum("nothing") > 0 {
            console.note("\(sum("nothing")) users have no way in: \(AdminProgram.name) report adoption --way nothing")
        }
    }

    // MARK: Naming

    private static func name(_ way: Way, _ tenant: TenantConfiguration, _ deployment: Deployment) async throws {
        let limit = try Limit.read(deployment.invocation)
        var rows: [JSONObject] = []
        var last: UserID?
        while rows.count < limit {
            let users = try await deployment.store.waysIn(of: tenant.tenant.id, after: last, limit: page)
            for user in users where !user.isBlocked && Way(user) == way && rows.count < limit {
                rows.append([
                    "user_id": .string(user.user.subject),
                    "name": .string(user.identifiers.first?.entered ?? user.name ?? ""),
                    "connection": .string(tenant.connection(user.connection)?.name ?? ""),
                    "passkeys": .integer(Int64(user.passkeys.count { !$0.isSuspended })),
                    "password": .bool(user.hasPassword),
                ])
            }
            guard users.count == page else { break }
            last = users.last?.user
        }
        let columns = [
            Column("user_id", title: "USER"), Column("name"), Column("connection"), Column("passkeys", .number),
            Column("password"),
        ]
        deployment.console.answer(Listing(columns, rows: rows), as: deployment.invocation.format)
    }
}
