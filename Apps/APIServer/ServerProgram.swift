import Encodings
import HTTPServer
import Identity
import Settings
import Storage
import Terminal
import Threads
import Tokens

/// `latchkey-server`: its commands, flags and help.
@main
enum ServerProgram {
    static let version = "0.1.0"

    static func main() async {
        let environment = ProcessEnvironment.variables
        let console = Console.standard(environment: environment)
        let code = await program.run(Array(CommandLine.arguments.dropFirst()), on: console)
        // Not a return: the loops are joined, but Swift's own threads may still run under libcrypto's exit handler.
        ProcessEnvironment.exit(code.rawValue)
    }

    static let program = Program(
        "latchkey-server",
        "the passkey and token server",
        version: version,
        variables: [Variable("LATCHKEY_<SETTING>", "any setting; dots become _, lists are separated by commas")],
        examples: ["latchkey-server dev", "latchkey-server --config /etc/latchkey/latchkey.yaml"],
        standardCommand: "serve",
        commands: [serve, dev, health, config, versionCommand]
    )

    private static let settingFlags = [
        Flag("config", "FILE", group: "Settings", "read this configuration file"),
        Flag("listen", "ADDRESS", isRepeated: true, group: "Settings", "host:port or unix:PATH; may be given again"),
        Flag("admin-listen", "ADDRESS", isRepeated: true, group: "Settings", "where metrics and health are served"),
        Flag("data-dir", "DIR", group: "Settings", "where the embedded store and the master key live"),
        Flag("store", "URL", group: "Settings", "where users and credentials are kept: sqlite:FILE or postgres://…"),
        Flag("challenges", "URL", group: "Settings", "where challenges wait: memory, store or redis://HOST"),
        Flag("master-key-file", "FILE", group: "Settings", "the master key"),
        Flag("log-level", choices: LogLevel.allCases.map(\.rawValue), group: "Settings", "what is logged"),
        Flag("log-format", choices: LogFormat.allCases.map(\.rawValue), group: "Settings", "how it is logged"),
    ]

    private static let serve = Command(
        "serve",
        "answer requests; never makes a tenant",
        flags: settingFlags + [
            Flag("no-migrate", group: "Settings", "refuse a store whose schema is older, instead of upgrading it")
        ],
        examples: ["latchkey-server serve --config latchkey.yaml", "LATCHKEY_LISTEN=127.0.0.1:8080 latchkey-server"],
        exits: [.unavailable]
    ) { invocation, console in
        let reading = SettingsReading(invocation, mode: .serve, console: console)
        let settings = try reading.settings(warning: console)
        var server = RunningServer(settings: settings, log: reading.log(settings), reload: { try reading.settings() })
        server.schema = invocation.isSet("no-migrate") ? .refuseAny : .upgrade
        return try await server.run(signals: try Signals.stream(of: Signal.all))
    }

    private static let dev = Command(
        "dev",
        "run for development, on this machine: makes a tenant and shows a demo page",
        flags: settingFlags + [
            Flag("tls", group: "Development", "serve https://localhost:8443 with a local CA"),
            Flag(
                "domain",
                "NAME",
                group: "Development",
                "a public name that the tenant answers to as well, by a tunnel"
            ),
        ],
        examples: ["latchkey-server dev", "latchkey-server dev --tls"],
        exits: [.unavailable]
    ) { invocation, console in
        try await DevelopmentServer(invocation, console).run()
    }

    private static let health = Command(
        "health",
        "ask a running server if it is ready",
        flags: settingFlags,
        examples: ["latchkey-server health", "latchkey-server health --listen 127.0.0.1:8080"],
        exits: [.answerIsNo, .unavailable]
    ) { invocation, console in
        let settings = try SettingsReading(invocation, mode: .admin, console: console).settings(checksBuild: false)
        guard
            let address = settings.adminListen.value.first
                ?? (settings.tlsFiles == nil ? settings.listen.value.first : nil)
        else {
            throw CommandFailure(
                "health asks over plain HTTP, and this server speaks TLS alone. Set admin_listen, as 127.0.0.1:9090.",
                exit: .wrongUse
            )
        }
        guard let target = address.addresses.first else {
            throw CommandFailure("There is no address to ask.", exit: .wrongUse)
        }
        let answer: HTTPProbe.Answer
        do throws(HTTPProbe.Failure) {
            answer = try HTTPProbe.get("/readyz", at: target, timeout: .seconds(3))
        } catch {
            throw CommandFailure("\(address) does not answer: \(error.reason).", exit: .unavailable)
        }
        console.answer(String(decoding: answer.body, as: UTF8.self))
        return answer.status == 200 ? .done : .answerIsNo
    }

    private static let config = Command(
        "config",
        "show settings, or an example file",
        commands: [
            Command(
                "check",
                "show every setting and where it comes from",
                flags: settingFlags,
                examples: ["latchkey-server config check", "latchkey-server config check --config latchkey.yaml"]
            ) { invocation, console in
                let reading = SettingsReading(invocation, mode: .serve, console: console)
                let settings = try reading.settings(warning: console, checksBuild: false)
                // A right setting that this version does not use yet is no fault of the file.
                for missing in settings.notBuilt(in: SettingsReading.built) { console.warn("latchkey-server", missing) }
                console.output.write(settings.report())
                return .done
            },
            Command(
                "example",
                "print a commented configuration file",
                examples: ["latchkey-server config example", "latchkey-server config example > latchkey.yaml"]
            ) { _, console in
                console.output.write(Settings.exampleFile())
                return .done
            },
        ]
    )

    private static let versionCommand = Command(
        "version",
        "show the version",
        flags: [.output()],
        examples: ["latchkey-server version", "latchkey-server version -o json"]
    ) { invocation, console in
        if invocation.format == .json {
            console.answer(
                Details([
                    "version": .string(version), "adapters": ["sqlite", "postgres", "memory", "store", "redis"],
                ]),
                as: .json
            )
        } else {
            console.answer("latchkey-server \(version)")
        }
        return .done
    }
}
