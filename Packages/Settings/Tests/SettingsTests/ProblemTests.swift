import Settings
import Testing

@Suite("What is wrong, where, and what would be right")
struct ProblemTests {
    @Test(
        "Each mistake in the file is one line with file, line and column",
        arguments: [
            (
                "challenges: redos:x",
                "l.yaml:1:13: challenges is \"redos:x\", which it cannot be. Use memory for one server, or redis://host:port for several."
            ),
            (
                "challenges: \"redos:\"",
                "l.yaml:1:13: challenges is \"redos:\", which it cannot be. Use memory for one server, or redis://host:port for several."
            ),
            ("chalenges: memory", "l.yaml:1:1: \"chalenges\" is no setting. Did you mean \"challenges\"?"),
            ("\n\nlog:\n  lvel: info", "l.yaml:4:3: \"log.lvel\" is no setting. Did you mean \"log.level\"?"),
            ("level: info", "l.yaml:1:1: \"level\" is no setting. Did you mean \"log.level\"?"),
            ("data-dir: x", "l.yaml:1:1: \"data-dir\" is no setting. Did you mean \"data_dir\"?"),
            ("port: 80", "l.yaml:1:1: \"port\" is no setting. `latchkey-server config example` lists them all."),
            ("limits: {store: 1}", "l.yaml:1:10: \"limits.store\" is no setting. Did you mean \"deadlines.store\"?"),
            ("log: json", "l.yaml:1:6: log is \"json\", which it cannot be. Write a map of format, level."),
            (
                "limits: 5",
                "l.yaml:1:9: limits is 5, which it cannot be. Write a map of head, fields, target …."
            ),
            (
                "listen: 8080",
                "l.yaml:1:9: listen is 8080, which it cannot be. Write host:port, as localhost:8080, 0.0.0.0:8080 or \"[::1]:8080\", or unix:/PATH."
            ),
            (
                "listen: [localhost:80, localhost]",
                "l.yaml:1:24: listen is \"localhost\", which it cannot be. Write host:port, as localhost:8080, 0.0.0.0:8080 or \"[::1]:8080\", or unix:/PATH."
            ),
            (
                "listen: \"*:80\"",
                "l.yaml:1:9: listen is \"*:80\", which it cannot be. Write 0.0.0.0:80 for every IPv4 address, \"[::]:80\" for every IPv6 one."
            ),
            (
                "listen: []",
                "l.yaml:1:9: listen is an empty list, which it cannot be. Write host:port, as localhost:8080, 0.0.0.0:8080 or \"[::1]:8080\", or unix:/PATH."
            ),
            (
                "trusted_proxies: [0.0.0.0/0]",
                "l.yaml:1:19: trusted_proxies is \"0.0.0.0/0\", which it cannot be. It would let everybody choose a client address. Name the networks of your proxies, as 10.0.0.0/24."
            ),
            (
                "trusted_proxies: \"::/0\"",
                "l.yaml:1:18: trusted_proxies is \"::/0\", which it cannot be. It would let everybody choose a client address. Name the networks of your proxies, as 10.0.0.0/24."
            ),
            (
                "trusted_proxies: 10.0.0.7/24",
                "l.yaml:1:18: trusted_proxies is \"10.0.0.7/24\", which it cannot be. Write 10.0.0.0/24 for the network, or 10.0.0.7/32 for this address."
            ),
            (
                "store: mysql://db/x",
                "l.yaml:1:8: store is \"mysql://db/x\", which it cannot be. Use sqlite:PATH for one server, or postgres://host/database for several."
            ),
            (
                "store: mysql://u:s3cret@db/x",
                "l.yaml:1:8: store is \"mysql://u:***@db/x\", which it cannot be. Use sqlite:PATH for one server, or postgres://host/database for several."
            ),
            (
                "store: sqlite:///var/x",
                "l.yaml:1:8: store is \"sqlite:///var/x\", which it cannot be. Write the path alone: sqlite:/var/x."
            ),
            (
                "store: true",
                "l.yaml:1:8: store is true, which it cannot be. Use sqlite:PATH for one server, or postgres://host/database for several."
            ),
            (
                "store:",
                "l.yaml:1:7: store is nothing, which it cannot be. Use sqlite:PATH for one server, or postgres://host/database for several."
            ),
            (
                "store: {a: b}",
                "l.yaml:1:8: store is a map, which it cannot be. Use sqlite:PATH for one server, or postgres://host/database for several."
            ),
            (
                "store_prepare: maybe",
                "l.yaml:1:16: store_prepare is \"maybe\", which it cannot be. Use on, or off behind PgBouncer in transaction mode."
            ),
            (
                "mail: smtp.example.com",
                "l.yaml:1:7: mail is \"smtp.example.com\", which it cannot be. Use smtps://USER:PASSWORD@HOST, smtp://HOST, or off."
            ),
            (
                "mail: u:s3cret@smtp.example.com",
                "l.yaml:1:7: mail is \"u:***@smtp.example.com\", which it cannot be. Use smtps://USER:PASSWORD@HOST, smtp://HOST, or off."
            ),
            (
                "mail: smtp://mail.example",
                "l.yaml:1:7: mail is set, and mail_from is not. Write NAME <ADDRESS>, as Acme <no-reply@acme.example>."
            ),
            (
                "mail_from: nobody",
                "l.yaml:1:12: mail_from is \"nobody\", which it cannot be. Write NAME <ADDRESS>, as Acme <no-reply@acme.example>."
            ),
            (
                "mds: {url: http://x.example/}",
                "l.yaml:1:12: mds.url is \"http://x.example/\", which it cannot be. Write an https:// address, or off."
            ),
            (
                "dns_servers: [one.one.one.one]",
                "l.yaml:1:15: dns_servers is \"one.one.one.one\", which it cannot be. Write address:port, as 192.0.2.53:53, or system."
            ),
            (
                "rate_limits: {token: 120}",
                "l.yaml:1:22: rate_limits.token is 120, which it cannot be. Write number/time, as 120/minute, or off."
            ),
            (
                "rate_limits: {token: 120/fortnight}",
                "l.yaml:1:22: rate_limits.token is \"120/fortnight\", which it cannot be. Write number/time, as 120/minute, or off."
            ),
            (
                "rate_limits: on",
                "l.yaml:1:14: rate_limits is \"on\", which it cannot be. Write off, or a map, as { token: 120/minute }."
            ),
            (
                "rate_limits: {tokens: off}",
                "l.yaml:1:15: \"rate_limits.tokens\" is no setting. Did you mean \"rate_limits.token\"?"
            ),
            (
                "limits: {head: 1B}",
                "l.yaml:1:16: limits.head is \"1B\", which it cannot be. Write bytes, as 65536, 64KiB or 1MiB, from 1KiB to 1MiB."
            ),
            (
                "limits: {fields: many}",
                "l.yaml:1:18: limits.fields is \"many\", which it cannot be. Write a number, from 10 to 1000."
            ),
            (
                "deadlines: {head: 10}",
                "l.yaml:1:19: deadlines.head is 10, which it cannot be. Write a number and ms, s or m, as 10s or 250ms, from 1s to 5m."
            ),
            (
                "log: {level: loud}",
                "l.yaml:1:14: log.level is \"loud\", which it cannot be. Use debug, info, warning or error."
            ),
            ("log: {format: xml}", "l.yaml:1:15: log.format is \"xml\", which it cannot be. Use text or json."),
            ("tls: {key: /k}", "l.yaml:1:12: tls.key is set, and tls.certificate is not. Set both."),
            ("tls: {certificate: /c}", "l.yaml:1:20: tls.certificate is set, and tls.key is not. Set both."),
            (
                "tls: {certificate: 1, key: /k}",
                "l.yaml:1:20: tls.certificate is 1, which it cannot be. Write the path of a PEM file, or off."
            ),
            ("store: a\nstore: b", "l.yaml:2:1: the key \"store\" stands twice, first on line 1. Keep one."),
            (
                "log: {level: info}\nlog.level: info",
                "l.yaml:2:1: log.level is set, and so is log.level (l.yaml:1:14). Keep one."
            ),
            ("a: [", "l.yaml:2:1: not YAML: while parsing a flow node, did not find expected node content."),
            (
                "challenges: memory: ",
                "l.yaml:1:19: not YAML: mapping values are not allowed in this context. Put quotes around text that has \": \" in it or ends in \":\"."
            ),
            (
                "- listen",
                "l.yaml:1:1: the file is a list, which it cannot be. Write settings, one on a line, as listen: localhost:8080."
            ),
            (
                "data_dir: \"a\\u202eb\\e\"\nlog: 1",
                "l.yaml:2:6: log is 1, which it cannot be. Write a map of format, level."
            ),
            (
                "log: {format: \"a\\u202eb\\e\"}",
                "l.yaml:1:15: log.format is \"a?b?\", which it cannot be. Use text or json."
            ),
        ]
    )
    func inTheFile(file: String, line: String) {
        let lines = problems(file)
        #expect(lines.contains(line), "\(lines)")
    }

    @Test("A wrong variable or flag is named")
    func elsewhere() {
        #expect(
            problems(environment: state.merging(["LATCHKEY_CHALLENGES": "redos:"]) { $1 }) == [
                """
                LATCHKEY_CHALLENGES: challenges is "redos:", which it cannot be. \
                Use memory for one server, or redis://host:port for several.
                """
            ]
        )
        #expect(
            problems(flags: ["log.level": ["loud"]]) == [
                "--log-level: log.level is \"loud\", which it cannot be. Use debug, info, warning or error."
            ]
        )
    }

    @Test("A flag for no setting is not ignored")
    func unknownFlag() {
        #expect(
            problems(flags: ["log.levl": ["info"]]) == [
                "--log-levl: \"log.levl\" is no setting. Did you mean \"log.level\"?"
            ]
        )
    }

    @Test("A map with all its members commented out is one with nothing in it")
    func emptyMap() throws {
        #expect(try load("limits:\n#  head: 1KiB\nrate_limits:\nlog: {}\n").limits.head.source == .default)
    }

    @Test("Everything wrong is told at once")
    func allAtOnce() {
        let lines = problems("chalenges: memory\nlog: {level: loud, format: xml}\nlisten: 1\n")
        #expect(lines.count == 4)
    }

    @Test("dev listens on this machine only")
    func devIsLocal() {
        #expect(problems(mode: .dev, flags: ["listen": ["localhost:9000", "127.0.0.2:1", "unix:/x"]]).isEmpty)
        #expect(
            problems(mode: .dev, flags: ["listen": ["0.0.0.0:80"]]) == [
                """
                --listen: dev is for this machine only, and listen is 0.0.0.0:80. \
                Use localhost:PORT, or `latchkey-server serve`.
                """
            ]
        )
    }

    @Test("A scheme that an adapter of this build answers is right, and the others are listed")
    func ownAdapter() throws {
        #expect(
            try load("store: etcd://x", storeSchemes: ["etcd"]).store.value == .other(scheme: "etcd", url: "etcd://x")
        )
        #expect(
            problems("store: mysql://x", storeSchemes: ["etcd"]) == [
                "l.yaml:1:8: store is \"mysql://x\", which it cannot be. This build knows sqlite:, postgres:, etcd:."
            ]
        )
    }
}

@Suite("What is odd but stops nothing")
struct WarningTests {
    private func warnings(_ environment: [String: String]) throws -> [String] {
        try load(environment: state.merging(environment) { $1 }).warnings.map(\.description)
    }

    @Test("An unknown variable is a warning with the nearest name")
    func unknownVariables() throws {
        #expect(
            try warnings(["LATCHKEY_CHALENGES": "x", "OTHER": "y", "LATCHKEY_ZZZ": "z"]) == [
                "LATCHKEY_CHALENGES is no setting and is ignored. Did you mean LATCHKEY_CHALLENGES?",
                "LATCHKEY_ZZZ is no setting and is ignored.",
            ]
        )
    }

    @Test("What Kubernetes adds is said to be so")
    func kubernetes() throws {
        #expect(
            try warnings(["LATCHKEY_PORT": "tcp://10.0.0.1:8080"]) == [
                "LATCHKEY_PORT is no setting and is ignored. Kubernetes makes it for a service named latchkey."
            ]
        )
        #expect(
            try warnings(["LATCHKEY_PORT_8080_TCP_ADDR": "10.0.0.1", "LATCHKEY_SERVICE_HOST": "10.0.0.1"]).count == 2
        )
    }

    @Test("Variables of the other commands are known")
    func otherCommands() throws {
        #expect(
            try warnings([
                "LATCHKEY_URL": "x", "LATCHKEY_CLIENT_ID": "x", "LATCHKEY_CLIENT_SECRET": "x",
                "LATCHKEY_CLIENT_SECRET_FILE": "x", "LATCHKEY_CONTEXT": "x",
            ]).isEmpty
        )
    }

    @Test("A listener for other machines needs TLS or a proxy")
    func plainListener() throws {
        #expect(try warnings(["LATCHKEY_LISTEN": "0.0.0.0:80"]).count == 1)
        #expect(try warnings(["LATCHKEY_LISTEN": "0.0.0.0:80", "LATCHKEY_TRUSTED_PROXIES": "10.0.0.0/8"]).isEmpty)
        #expect(
            try warnings(["LATCHKEY_LISTEN": "[::]:80", "LATCHKEY_TLS_CERTIFICATE": "c", "LATCHKEY_TLS_KEY": "k"])
                .isEmpty
        )
    }

    @Test("A password in a flag is accepted with a warning that does not show it")
    func passwordInFlag() throws {
        let settings = try load(mode: .admin, flags: ["store": ["postgres://u:s3cret@db/x"]])
        #expect(
            settings.warnings.map(\.description) == [
                "--store holds a password, which other users of this machine can see. Name a file with it in LATCHKEY_STORE_FILE."
            ]
        )
        #expect(try load(mode: .admin, flags: ["store": ["sqlite:/x"]]).warnings.isEmpty)
    }
}
