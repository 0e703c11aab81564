import Encodings
import Glibc
import Identity
import PublicSuffix
import Settings
import Tenancy
import Terminal

/// One command at work on an open store.
struct Deployment: Sendable {
    let invocation: Invocation
    let console: Console
    let tools: AdminTools
    let settings: Settings
    let store: any CredentialDatabase
    let administration: TenantAdministration

    var now: UnixTime { tools.now() }

    /// Reads the settings, opens the store as its owner, runs `body`, and closes it.
    static func run(
        _ invocation: Invocation,
        _ console: Console,
        _ tools: AdminTools,
        _ body: (Deployment) async throws -> ExitCode
    ) async throws -> ExitCode {
        try await run(invocation, console, tools, preparing: { _ in }) { deployment, _ in try await body(deployment) }
    }

    /// The same, with what `prepare` reads before the process becomes the owner of the data, who may read less.
    static func run<Prepared>(
        _ invocation: Invocation,
        _ console: Console,
        _ tools: AdminTools,
        preparing prepare: (Settings) async throws -> Prepared,
        _ body: (Deployment, Prepared) async throws -> ExitCode
    ) async throws -> ExitCode {
        do {
            let settings = try readSettings(invocation, console)
            let prepared = try await prepare(settings)
            let suffixes = try publicSuffixes(settings)
            try becomeOwner(settings, tools)
            let store = try await tools.openStore(settings)
            let deployment = Deployment(
                invocation: invocation,
                console: console,
                tools: tools,
                settings: settings,
                store: store,
                administration: TenantAdministration(
                    store: store,
                    metadata: store,
                    names: NameAuthority(publicSuffixes: suffixes),
                    random: tools.random
                )
            )
            let result: Result<ExitCode, any Error>
            do {
                result = .success(try await body(deployment, prepared))
            } catch {
                result = .failure(error)
            }
            await store.close()
            return try result.get()
        } catch {
            throw CommandFailure(any: error)
        }
    }

    /// The list of the settings; where none was named and Debian's is not there, libpsl's own.
    static func publicSuffixes(_ settings: Settings) throws(CommandFailure) -> PublicSuffixList {
        do throws(PublicSuffixError) {
            return try PublicSuffixList(path: settings.publicSuffixList.value)
        } catch {
            if settings.publicSuffixList.source == .default, let list = try? PublicSuffixList() { return list }
            throw CommandFailure(.failed, "\(error)")
        }
    }

    /// Gives up root for whom the data of the embedded store belongs to.
    static func becomeOwner(_ settings: Settings, _ tools: AdminTools) throws {
        guard case .sqlite(let path) = settings.store.value else { return }
        try tools.becomeOwner(String(path.prefix { $0 != "?" }))
    }

    /// The server's configuration, with this command's flags above it; its warnings are told.
    static func readSettings(_ invocation: Invocation, _ console: Console) throws -> Settings {
        let settings = try settings(invocation, console)
        for warning in settings.warnings { console.warn(invocation.program, "\(warning)") }
        return settings
    }

    /// The same, with the warnings left to the caller; `serve` is what the server itself would make of it.
    static func settings(
        _ invocation: Invocation,
        _ console: Console,
        mode: SettingsMode = .admin
    ) throws(SettingsError) -> Settings {
        var flags: [String: [String]] = [:]
        for (flag, setting) in [
            ("store", "store"), ("store-file", "store_file"), ("master-key-file", "master_key_file"),
        ] {
            if let values = invocation.flags[flag] { flags[setting] = values }
        }
        return try Settings(
            SettingsSources(
                mode: mode,
                flags: flags,
                environment: console.environment,
                file: invocation.value("config")
            )
        )
    }

    /// Writes down that the operator changed something. The change itself is done by then, so that a failure is told
    /// and fails nothing.
    func audit(_ target: String, of tenant: TenantID, user: UserID? = nil) async {
        await append([event(target, of: tenant, user: user)])
    }

    /// The same for a change that concerns several tenants.
    func audit(_ target: String, of tenants: [Tenant]) async {
        await append(tenants.map { event(target, of: $0.id) })
    }

    private func append(_ events: [AuditEvent]) async {
        do throws(StoreError) {
            try await store.append(ceremonies: [], events: events)
        } catch {
            console.warn(invocation.program, "the change is made, and the audit log did not take it: \(error)")
        }
    }

    /// The event of a change, for the calls that write it in the change's own transaction.
    func event(_ target: String, of tenant: TenantID, user: UserID? = nil) -> AuditEvent {
        AuditEvent(
            tenant: tenant,
            types: ["sapi"],
            at: now,
            user: user,
            device: Device(address: "", userAgent: "\(AdminProgram.name)/\(AdminProgram.version)"),
            details: [
                "command": .string(invocation.path.joined(separator: " ")), "target": .string(target),
                "operator": .string("uid \(getuid())"),
            ]
        )
    }
}
