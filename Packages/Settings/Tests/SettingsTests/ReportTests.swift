import Settings
import Testing

@Suite("The example files of the handbook")
struct HandbookTests {
    @Test("1. Embedded")
    func embedded() throws {
        let settings = try load(
            "data_dir: ./latchkey-data          # store, master key; $STATE_DIRECTORY under systemd\n",
            environment: [:]
        )
        #expect(settings.store.value == .sqlite(path: "./latchkey-data/latchkey.db"))
    }

    @Test("2. One server behind Caddy or nginx on the same machine")
    func oneServer() throws {
        let settings = try load(
            """
            listen: localhost:8080             # both loopback addresses; write "[::1]:8080" in quotes
            admin_listen: 127.0.0.1:9090       # /metrics, /healthz, /readyz, /tls/allowed
            trusted_proxies: [127.0.0.1/32, "::1/128"]      # "unix" for proxies on a unix: listener
            store: sqlite:/var/lib/latchkey/latchkey.db
            challenges: memory                 # "memory:" means the same, but YAML needs the quotes then
            master_key_file: /etc/latchkey/master.key       # not in the folder that the backup copies
            mail: off                          # smtps://USER:PASSWORD@smtp.acme.example, better in mail_file
            mail_from: Acme <no-reply@acme.example>
            log: { format: json, level: info }

            """,
            environment: [:]
        )
        #expect(settings.listen.value == [.loopback(port: 8080)])
        #expect(settings.trustedProxies.value.count == 2)
        #expect(settings.masterKeyFile.value == "/etc/latchkey/master.key")
        #expect(settings.mail.value == .off)
        #expect(settings.mailFrom.value == nil || settings.mailFrom.value?.name == "Acme")
        #expect(settings.warnings.isEmpty)
        #expect(settings.notBuilt(in: [.adminListener]).isEmpty)
    }

    @Test("3. Several servers on PostgreSQL and Redis, behind a proxy")
    func severalServers() throws {
        let settings = try load(
            """
            listen: 0.0.0.0:8080
            admin_listen: 0.0.0.0:9090         # reachable by the monitoring network only
            trusted_proxies: [10.0.0.0/24]
            store_file: /run/secrets/store_url              # postgres://latchkey:…@db1,db2/latchkey?sslmode=verify-full
            challenges_file: /run/secrets/redis_url         # rediss://latchkey:…@redis:6379/0
            master_key_file: /run/secrets/master_key
            mail_file: /run/secrets/mail_url
            mail_from: Acme <no-reply@acme.example>
            rate_limits: { passkey_challenges: 120/minute }
            log: { format: json, level: info }

            """,
            environment: [:],
            files: [
                "/run/secrets/store_url": "postgres://latchkey:s3cret@db1,db2/latchkey?sslmode=verify-full\n",
                "/run/secrets/redis_url": "rediss://latchkey:s3cret@redis:6379/0\n",
                "/run/secrets/mail_url": "smtps://acme:s3cret@smtp.acme.example\n",
            ]
        )
        #expect(settings.rateLimits.passkeyChallenges.value.description == "120/minute")
        #expect(settings.warnings.isEmpty)
        #expect(!settings.report().contains("s3cret"))
        #expect(
            settings.notBuilt(in: [.adminListener, .rateLimits]) == [
                "store is postgres://latchkey:***@db1,db2/latchkey?sslmode=verify-full, but this version has no PostgreSQL yet. Use sqlite:PATH.",
                "challenges is rediss://latchkey:***@redis:6379/0, but this version has no Redis yet. Use memory.",
                "mail is set, but this version cannot send mail yet. Remove it (/run/secrets/mail_url, named by l.yaml:7:12).",
            ]
        )
        #expect(settings.notBuilt(in: Set(SettingsFeature.allCases)).isEmpty)
    }
}

@Suite("config check and config example")
struct ReportTests {
    @Test("Every setting stands once in the report, with its value and source")
    func everySetting() throws {
        let settings = try load("log: {level: debug}")
        let keys = settings.entries.map(\.key)
        #expect(Set(keys) == Set(SettingKey.allCases).subtracting([.rateLimits]))
        #expect(keys.count == Set(keys).count)
        let lines = settings.report().split(separator: "\n").map(String.init)
        #expect(lines.count == keys.count)
        #expect(
            lines.contains { $0.hasPrefix("log.level ") && $0.contains(" debug ") && $0.hasSuffix("  l.yaml:1:14") }
        )
        #expect(lines.contains { $0.hasPrefix("data_dir ") && $0.hasSuffix("  STATE_DIRECTORY") })
        #expect(lines.contains { $0.hasPrefix("challenges ") && $0.hasSuffix("  default") })
    }

    @Test(
        "Passwords are masked wherever they stand",
        arguments: [
            ("store", "postgres://u:s3cret@h/d", "postgres://u:***@h/d"),
            ("store", "postgres://u@h/d?password=s3cret&x=y", "postgres://u@h/d?password=***&x=y"),
            ("store", "postgres://h/d?sslpassword=s3cret", "postgres://h/d?sslpassword=***"),
            ("store", "postgres://u:s3cret%40@a,b:1/d", "postgres://u:***@a,b:1/d"),
            ("store", "postgres://u@h/d", "postgres://u@h/d"),
            ("challenges", "redis://:s3cret@h", "redis://:***@h"),
            ("challenges", "rediss://u:s3cret@h:1/2", "rediss://u:***@h:1/2"),
            ("challenges", "redis+unix://u:s3cret@/r.sock", "redis+unix://u:***@/r.sock"),
            ("store", "sqlite:/x", "sqlite:/x"),
        ]
    )
    func masking(name: String, text: String, shown: String) throws {
        let settings = try load(flags: [name: [text]])
        #expect(settings.entries.first { $0.key.name == name }?.value == shown)
        #expect(!settings.report().contains("s3cret"))
    }

    @Test("What the report shows can be written in the file again")
    func reportReadsBack() throws {
        let settings = try load("mail: off\nmail_from: A <a@b>\nadmin_listen: 127.0.0.1:1")
        for entry in settings.entries where entry.value != "none" {
            let again = try load("\(entry.key.name): \"\(entry.value)\"", environment: state)
            #expect(again.entries.first { $0.key == entry.key }?.value == entry.value, "\(entry)")
        }
    }

    @Test("The example file passes the check as it stands")
    func exampleFile() throws {
        let settings = try load(Settings.exampleFile(), environment: [:])
        #expect(settings.dataDirectory.value == "/var/lib/latchkey")
        #expect(settings.warnings.isEmpty)
        #expect(settings.notBuilt(in: []).isEmpty)
    }

    @Test("It also passes with every setting switched on, names every setting, and shows the defaults")
    func exampleFileSwitchedOn() throws {
        let text = Settings.exampleFile()
        let on = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let margin = line.prefix { $0 == " " }
            let rest = line.dropFirst(margin.count)
            return rest.hasPrefix("#") && !rest.hasPrefix("# ") && rest != "#" ? margin + rest.dropFirst() : line
        }.joined(separator: "\n")
        let settings = try load(on, environment: [:])
        let unset = settings.entries.filter { $0.source == .default }.map(\.key)
        #expect(unset.isEmpty, "\(unset)")
        let defaults = try load()
        #expect(settings.limits.body.value == defaults.limits.body.value)
        #expect(settings.rateLimits.management.value == defaults.rateLimits.management.value)
        #expect(settings.deadlines.pool.value == defaults.deadlines.pool.value)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }
}

@Suite("SIGHUP: what is in force at once and what needs a restart")
struct ChangeTests {
    private func changes(_ old: String, _ new: String) throws -> SettingsChanges {
        try load(old).changes(to: load(new))
    }

    @Test("Certificates, log level and limits at once, the rest after a restart")
    func kinds() throws {
        let changes = try changes(
            "tls: {certificate: a, key: b}",
            """
            tls: {certificate: c, key: b}
            log: {level: debug, format: text}
            limits: {body: 128KiB}
            rate_limits: {token: off}
            deadlines: {head: 5s}
            listen: localhost:1
            """
        )
        #expect(changes.live == [.tlsCertificate, .rateToken, .limitBody, .logLevel])
        #expect(changes.waiting == [.listen, .deadlineHead, .logFormat])
        #expect(
            changes.description == """
                in force now: tls.certificate, rate_limits.token, limits.body, log.level
                needs a restart: listen, deadlines.head, log.format
                """
        )
    }

    @Test("TLS switched on or off needs a restart")
    func tlsSwitch() throws {
        #expect(try changes("", "tls: {certificate: c, key: b}").waiting == [.tlsCertificate, .tlsKey])
        #expect(try changes("tls: {certificate: c, key: b}", "").live.isEmpty)
    }

    @Test("A changed password is seen though reports mask it; a changed source is none")
    func secrets() throws {
        #expect(try changes("store: postgres://u:a@h/d", "store: postgres://u:b@h/d").waiting == [.store])
        #expect(try changes("challenges: redis://:a@h", "challenges: redis://:b@h").waiting == [.challenges])
        #expect(try changes("log: {level: info}", "") == SettingsChanges.none)
    }
}

extension SettingsChanges {
    fileprivate static let none = SettingsChanges(live: [], waiting: [])
}

@Suite("Damaged configuration files")
struct DamageTests {
    @Test("With one bit flipped at every place the example file is read or refused, and never traps")
    func flipped() throws {
        let whole = Array(
            "listen: [localhost:8080, \"[::1]:80\"]\ntrusted_proxies: 10.0.0.0/8\nstore: postgres://u:p@h:1,[::1]:2/d\nmail_from: A <a@b>\nrate_limits: {token: 1/2m}\nlimits: {head: 16KiB}\ndeadlines: {head: 5s}\ndns_servers: 192.0.2.1:53\nmds: {url: https://u.example/%41}\n"
                .utf8
        )
        _ = try load(String(decoding: whole, as: UTF8.self))
        var refused = 0
        for index in whole.indices {
            for bit in 0..<8 {
                var bytes = whole
                bytes[index] ^= 1 << bit
                var files = TestFiles()
                files.files["f"] = bytes
                do throws(SettingsError) {
                    _ = try Settings(SettingsSources(mode: .serve, environment: state, file: "f", files: files))
                        .report()
                } catch {
                    refused += 1
                    #expect(!error.description.isEmpty)
                }
            }
        }
        #expect(refused > 500)
    }
}
