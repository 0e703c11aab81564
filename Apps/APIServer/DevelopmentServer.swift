import Cryptography
import HTTPServer
import Identity
import Settings
import Terminal
import Threads
import Tokens

/// `latchkey-server dev`: everything by itself, on loopback and in a folder of its own.
struct DevelopmentServer {
    private let invocation: Invocation
    private let console: Console

    init(_ invocation: Invocation, _ console: Console) {
        self.invocation = invocation
        self.console = console
    }

    func run() async throws -> ExitCode {
        let isTLS = invocation.isSet("tls")
        let standard = invocation.isSet("listen") || !isTLS ? [:] : ["listen": ["localhost:8443"]]
        let reading = SettingsReading(invocation, mode: .dev, console: console, standard: standard)
        let settings = try reading.settings(warning: console)
        guard case .loopback(let port) = settings.listen.value.first, settings.listen.value.count == 1 else {
            throw CommandFailure(
                "dev listens on both loopback addresses of one port: --listen localhost:PORT. For other addresses use serve.",
                exit: .wrongUse
            )
        }
        let folder = settings.dataDirectory.value ?? "./latchkey-data"
        try PrivateFile.makeFolder(folder)
        let masterKey = settings.masterKeyFile.value ?? folder + "/master.key"
        if !PrivateFile.exists(masterKey) {
            do throws(MasterKeyError) {
                try MasterKeyFile.create(masterKey, now: SystemClock.now(), random: { Random.bytes($0) })
            } catch { throw CommandFailure(error) }
        }
        let host = "localhost:\(port)"
        let development = Development(
            folder: folder,
            host: host,
            publicDomain: invocation.value("domain")?.lowercased(),
            isTLS: isTLS
        )
        let authority = LocalAuthority(folder: folder)
        let tenant = Live<Development.Tenant?>(nil)
        let banner = Banner(
            development: development,
            console: console,
            tenant: tenant,
            authority: isTLS ? authority : nil
        )
        let server = RunningServer(
            settings: settings,
            log: reading.log(settings),
            reload: { try reading.settings() },
            prepare: { deployment in
                tenant.value = try await development.makeTenant(deployment)
                return { DemoPages(api: $0) }
            },
            tls: isTLS ? try authority.files(for: ["localhost"], now: SystemClock.now()) : nil,
            whenReady: { banner.print() }
        )
        return try await server.run(signals: try Signals.stream(of: Signal.all))
    }
}

/// What `dev` prints when everything is ready. It names only commands that exist.
private struct Banner: Sendable {
    let development: Development
    let console: Console
    let tenant: Live<Development.Tenant?>
    let authority: LocalAuthority?

    func print() {
        guard let tenant = tenant.value else { return }
        let url = "\(development.isTLS ? "https" : "http")://\(development.host)/"
        console.note(
            "Latchkey \(ServerProgram.version), development mode: for this machine only, data in \(development.folder)"
        )
        console.note("")
        row("Open", url)
        row("Tenant", "\(Development.tenantName), RP ID localhost")
        row("App", "client_id \(tenant.appClient.text)  (native, passkey grant; no secret)")
        row(
            "Admin",
            "client_id \(tenant.managementClient.text)  client_secret in \(tenant.environmentFile) (mode 0600)"
        )
        if let authority {
            row("CA", "\(authority.authorityPath)  (trust it in the clients that speak to this server)")
        }
        if let domain = development.publicDomain {
            row("Public", "\(domain) is a public name: whoever reaches it by your tunnel reaches this server.")
        }
        row("Next", ". \(tenant.environmentFile) && \(adminCommand) ceremony list --tenant \(Development.tenantName)")
        console.note("")
    }

    private func row(_ name: String, _ text: String) {
        console.note("  \(name)\(String(repeating: " ", count: max(1, 11 - name.utf8.count)))\(text)")
    }

    /// The admin command beside this very program, when it is there.
    private var adminCommand: String {
        let beside = ProcessEnvironment.executableFolder.map { $0 + "/latchkey-admin" }
        return beside.flatMap { PrivateFile.exists($0) ? $0 : nil } ?? "latchkey-admin"
    }
}
