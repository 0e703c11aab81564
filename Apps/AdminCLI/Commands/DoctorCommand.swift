import Identity
import Settings
import Terminal
import Transfer

/// `doctor`.
enum DoctorCommand {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "doctor",
            "look at the deployment from its parts and from outside, and say what is wrong and what to do",
            group: AdminProgram.Group.why,
            flags: [
                Flag("tenant", "NAME", "the names of this tenant alone; of all unless given"),
                Flag(
                    "connect",
                    "HOST:PORT",
                    "ask there for the public names: before DNS leads to them, or at one of several proxies"
                ),
                Flag("ca", "FILE", "the authorities to trust, PEM; the system's unless given"),
                Flag("offline", "ask for no public name: what the configuration and its servers say alone"),
                .output(),
            ],
            examples: [
                "latchkey-admin doctor", "latchkey-admin doctor --offline -o json",
                "latchkey-admin doctor --tenant acme --connect 192.0.2.7:443",
            ],
            exits: [.notFound, .answerIsNo]
        ) { invocation, console in
            do {
                return try await run(invocation, console, tools)
            } catch {
                throw CommandFailure(any: error)
            }
        }
    }

    private static func run(
        _ invocation: Invocation,
        _ console: Console,
        _ tools: AdminTools
    ) async throws -> ExitCode {
        let outside = try Outside(invocation, tools)
        var report = FindingReport(console, invocation.format)
        let settings: Settings
        do throws(SettingsError) {
            settings = try Deployment.settings(invocation, console, mode: .serve)
        } catch {
            report.add(error.problems.map { Finding(.configuration, .failed, "", "\($0)") })
            return report.end()
        }
        report.add(ConfigurationCheck.findings(settings, now: tools.now()))
        report.add(MailCheck.findings(settings, tools))
        try Deployment.becomeOwner(settings, tools)
        let (store, found) = await StoreCheck.open(settings, tools)
        report.add(found)
        guard let store else { return report.end() }
        do {
            report.add(await StoreCheck.findings(store, settings))
            report.add(await ChallengeCheck.findings(store, settings))
            for tenant in try await tenants(invocation, store) {
                report.add(try await TenantCheck(tenant, settings, store, outside, tools.now).findings())
            }
        } catch {
            await store.close()
            throw error
        }
        await store.close()
        if !report.findings.contains(where: { $0.check == .tenant }) {
            report.add([
                Finding(
                    .tenant,
                    .skipped,
                    "",
                    "there is none yet",
                    remedy: "Make one with: \(AdminProgram.name) tenant create NAME --domain HOST"
                )
            ])
        }
        return report.end()
    }

    private static func tenants(
        _ invocation: Invocation,
        _ store: any CredentialDatabase
    ) async throws -> [TenantConfiguration] {
        let all = try await store.tenants()
        let name = invocation.value("tenant")
        if let name, !all.contains(where: { $0.name == name }) {
            throw CommandFailure.notFound("tenant", name, among: all.map(\.name))
        }
        var found: [TenantConfiguration] = []
        for tenant in all where name == nil || tenant.name == name {
            if let configuration = try await store.configuration(of: tenant.id) { found.append(configuration) }
        }
        return found
    }
}

/// How the public names are asked for, as somebody outside would.
struct Outside: Sendable {
    /// `nil`: not at all.
    private let client: WebClient?
    private let ask: @Sendable (WebRequest, WebClient) throws(TransferError) -> WebResponse

    init(_ invocation: Invocation, _ tools: AdminTools) throws(CommandFailure) {
        var client = WebClient(
            maximumSize: 1 << 20,
            connectTimeout: 5_000,
            timeout: 15_000,
            authorities: invocation.value("ca"),
            agent: "\(AdminProgram.name)/\(AdminProgram.version)"
        )
        if let file = invocation.value("ca") { _ = try ReadableFile.read(file, limit: 16 << 20) }
        if let place = invocation.value("connect") {
            guard let colon = place.lastIndex(of: ":"), colon > place.startIndex,
                let port = UInt16(place[place.index(after: colon)...]), port > 0,
                place.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else {
                throw CommandFailure(
                    .wrongUse,
                    "--connect is \(quoted(place)), which it cannot be. Write HOST:PORT, as 192.0.2.7:443."
                )
            }
            client.connectingTo = place
        }
        self.client = invocation.isSet("offline") ? nil : client
        ask = tools.ask
    }

    var isOff: Bool { client == nil }

    /// Gets what is at an address; a name of this machine alone is asked for here.
    func get(
        _ address: String,
        _ headers: [WebHeader] = [],
        isLoopback: Bool = false
    ) -> Result<WebResponse, TransferError> {
        guard var client else { return .failure(.unavailable(reason: "nobody is asked")) }
        if isLoopback { client.connectingTo = nil }
        do throws(TransferError) {
            return .success(try ask(WebRequest("GET", address, headers: headers), client))
        } catch {
            return .failure(error)
        }
    }
}
