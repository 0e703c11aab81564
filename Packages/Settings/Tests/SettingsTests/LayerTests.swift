import Settings
import Testing

@Suite("Flags over environment over file over default")
struct LayerTests {
    @Test("Each layer goes over the ones below it, and every value knows where it comes from")
    func layers() throws {
        let file = "log:\n  level: warning\nchallenges: store\n"
        let variables = state.merging(["LATCHKEY_LOG_LEVEL": "error"]) { $1 }
        var settings = try load()
        #expect(settings.logLevel == Setting(value: .info, source: .default))
        settings = try load(file)
        #expect(settings.logLevel == Setting(value: .warning, source: .file("l.yaml", line: 2, column: 10)))
        settings = try load(file, environment: variables)
        #expect(settings.logLevel == Setting(value: .error, source: .environment("LATCHKEY_LOG_LEVEL")))
        settings = try load(file, flags: ["log.level": ["debug"]], environment: variables)
        #expect(settings.logLevel == Setting(value: .debug, source: .flag("--log-level")))
        #expect(settings.challenges.value == .store)
    }

    @Test("An empty variable counts as not set")
    func emptyVariable() throws {
        let settings = try load("log: {level: debug}", environment: state.merging(["LATCHKEY_LOG_LEVEL": ""]) { $1 })
        #expect(settings.logLevel.value == .debug)
    }

    @Test("Names follow from the key: dots become _ in variables, - in flags")
    func names() {
        #expect(SettingKey.tlsCertificate.variable == "LATCHKEY_TLS_CERTIFICATE")
        #expect(SettingKey.dataDirectory.variable == "LATCHKEY_DATA_DIR")
        #expect(SettingKey.ratePasskeyChallenges.variable == "LATCHKEY_RATE_LIMITS_PASSKEY_CHALLENGES")
        #expect(SettingKey.tlsCertificate.flag == "--tls-certificate")
        #expect(SettingKey.masterKeyFile.flag == "--master-key-file")
        let variables = Set(SettingKey.allCases.map(\.variable))
        #expect(variables.count == SettingKey.allCases.count)
        #expect(!variables.contains("LATCHKEY_PORT"))
    }

    @Test("The server runs from variables alone")
    func variablesAlone() throws {
        let settings = try load(environment: [
            "LATCHKEY_LISTEN": "127.0.0.1:8443", "LATCHKEY_STORE": "sqlite:/data/l.db",
            "LATCHKEY_CHALLENGES": "memory:",
            "LATCHKEY_MASTER_KEY_FILE": "/data/key", "LATCHKEY_RATE_LIMITS": "off",
            "LATCHKEY_TLS_CERTIFICATE": "/data/c.pem", "LATCHKEY_TLS_KEY": "/data/k.pem",
        ])
        #expect(settings.listen.value.map(\.description) == ["127.0.0.1:8443"])
        #expect(settings.store.value == .sqlite(path: "/data/l.db"))
        #expect(settings.challenges.value == .memory)
        #expect(settings.masterKeyFile.value == "/data/key")
        #expect(settings.rateLimits.token.value == .off)
        #expect(settings.rateLimits.management.value == .off)
        #expect(settings.tlsCertificate.value == "/data/c.pem")
        #expect(settings.dataDirectory.value == nil)
        #expect(settings.warnings.isEmpty)
    }

    @Test(
        "Lists are separated by commas in variables, repeated or separated in flags, and lists or one value in the file"
    )
    func lists() throws {
        let expected = ["localhost:1", "[::1]:2", "unix:/run/l"]
        let variable = "localhost:1, [::1]:2,unix:/run/l"
        #expect(
            try load(environment: state.merging(["LATCHKEY_LISTEN": variable]) { $1 }).listen.value.map(\.description)
                == expected
        )
        #expect(
            try load(flags: ["listen": ["localhost:1", "[::1]:2,unix:/run/l"]]).listen.value.map(\.description)
                == expected
        )
        #expect(
            try load("listen: [localhost:1, \"[::1]:2\", unix:/run/l]").listen.value.map(\.description) == expected
        )
        #expect(try load("listen: localhost:1").listen.value.map(\.description) == ["localhost:1"])
    }

    @Test("rate_limits as a whole and bucket by bucket: the higher layer wins, and in one layer the bucket")
    func rateLimitLayers() throws {
        let file = "rate_limits: {token: 5/minute}"
        var settings = try load(file)
        #expect(settings.rateLimits.token.value == .rate(count: 5, seconds: 60, burst: 5))
        #expect(settings.rateLimits.signup.value == .rate(count: 50, seconds: 3600, burst: 50))
        settings = try load(file, environment: state.merging(["LATCHKEY_RATE_LIMITS": "off"]) { $1 })
        #expect(settings.rateLimits.token == Setting(value: .off, source: .environment("LATCHKEY_RATE_LIMITS")))
        let both = ["LATCHKEY_RATE_LIMITS": "off", "LATCHKEY_RATE_LIMITS_TOKEN": "7/hour"]
        settings = try load(file, environment: state.merging(both) { $1 })
        #expect(settings.rateLimits.token.value == .rate(count: 7, seconds: 3600, burst: 7))
        #expect(settings.rateLimits.signup.value == .off)
        settings = try load(
            "rate_limits: off",
            environment: state.merging(["LATCHKEY_RATE_LIMITS_TOKEN": "7/hour"]) { $1 }
        )
        #expect(settings.rateLimits.token.value == .rate(count: 7, seconds: 3600, burst: 7))
        #expect(settings.rateLimits.signup.value == .off)
    }

    @Test("The data folder is set, or systemd's, or ./latchkey-data under dev, or none")
    func dataFolder() throws {
        #expect(
            try load().dataDirectory == Setting(value: "/var/lib/latchkey", source: .environment("STATE_DIRECTORY"))
        )
        #expect(try load(environment: ["STATE_DIRECTORY": "/a:/b"]).dataDirectory.value == "/a")
        #expect(try load("data_dir: ./x").store.value == .sqlite(path: "./x/latchkey.db"))
        #expect(try load("data_dir: ./x").masterKeyFile.value == "./x/master.key")
        #expect(try load(mode: .dev, environment: [:]).dataDirectory.value == "./latchkey-data")
        #expect(
            problems(environment: [:]) == [
                "store is not set, nor is data_dir, where it would be. Set data_dir: /var/lib/latchkey, or store: sqlite:PATH.",
                """
                master_key_file is not set, nor is data_dir, where it would be. \
                Set it to the file that `latchkey-admin master-key create FILE` makes.
                """,
            ]
        )
        #expect(problems(mode: .admin, flags: ["store": ["sqlite:/x"]], environment: [:]).isEmpty)
        #expect(problems(mode: .admin, environment: [:]).count == 1)
    }

    @Test("Defaults that depend on the mode")
    func modes() throws {
        #expect(try load().mail.value == .off)
        #expect(try load(mode: .dev, environment: [:]).mail.value == .terminal)
        #expect(try load(mode: .dev, environment: ["LATCHKEY_MAIL": "off"]).mail.value == .off)
        #expect(try load().logFormat.value == .json)
        #expect(try load(logsToTerminal: true).logFormat.value == .text)
    }
}

@Suite("Which file is read")
struct FileChoiceTests {
    private let usual = [SettingsSources.defaultFile: "log: {level: debug}", "a": "log: {level: error}"]

    private func settings(
        _ mode: SettingsMode = .serve,
        file: String? = nil,
        variable: String? = nil,
        files: TestFiles
    ) throws(SettingsError) -> Settings {
        let environment = variable.map { state.merging(["LATCHKEY_CONFIG": $0]) { $1 } } ?? state
        return try Settings(SettingsSources(mode: mode, environment: environment, file: file, files: files))
    }

    @Test("The usual one when it exists, except under dev; the named one always")
    func choice() throws {
        let files = TestFiles(usual)
        #expect(try settings(files: files).logLevel.value == .debug)
        #expect(try settings(files: files).file == SettingsSources.defaultFile)
        #expect(try settings(files: TestFiles()).file == nil)
        #expect(try settings(.dev, files: files).file == nil)
        #expect(try settings(.dev, file: "a", files: files).logLevel.value == .error)
        #expect(try settings(variable: "a", files: files).logLevel.value == .error)
        #expect(try settings(file: "a", variable: "b", files: files).logLevel.value == .error)
        #expect(try settings(.admin, files: files).logLevel.value == .debug)
    }

    @Test("A named file that is not there, and any file that cannot be read, stop the start")
    func unreadable() {
        func lines(_ file: String?, _ files: TestFiles) -> [String] {
            do throws(SettingsError) {
                _ = try settings(file: file, files: files)
                return []
            } catch {
                return error.problems.map(\.description)
            }
        }
        #expect(
            lines("b", TestFiles()) == ["b: the configuration file cannot be read: there is no such file."]
        )
        #expect(
            lines(nil, TestFiles(unreadable: [SettingsSources.defaultFile])) == [
                "/etc/latchkey/latchkey.yaml: the configuration file cannot be read: permission denied."
            ]
        )
    }

    @Test("The real reader tells what it cannot read")
    func realReader() throws {
        let reader = PosixFileReader()
        #expect(throws: SettingsFileError.notFound) { try reader.read("/nowhere/at/all") }
        #expect(throws: SettingsFileError.unreadable("it is a folder")) { try reader.read("/") }
        #expect(throws: SettingsFileError.unreadable("larger than 1 MiB")) { try reader.read("/dev/zero") }
        #expect(try reader.read("/dev/null").isEmpty)
        let own = try reader.read(#filePath)
        #expect(String(decoding: own, as: UTF8.self).contains("The real reader"))
    }
}

@Suite("_file twins of what can hold a secret")
struct SecretFileTests {
    private let uri = "postgres://latchkey:s3cret@db1,db2/latchkey?sslmode=verify-full"

    @Test("The value is the file's one line, and its source names both")
    func twins() throws {
        let settings = try load(
            "store_file: /run/s\nchallenges_file: /run/c\nmail_file: /run/m\nmail_from: a@b.example\n",
            files: [
                "/run/s": uri + "\n", "/run/c": "rediss://u:p@redis:6379/0\r\n",
                "/run/m": "smtps://u:p%40@mail.example",
            ]
        )
        #expect(settings.store.value == .postgres(uri: uri))
        #expect(settings.challenges.value == .redis(uri: "rediss://u:p@redis:6379/0", isTLS: true))
        guard case .smtp(let server) = settings.mail.value else {
            Issue.record("\(settings.mail.value)")
            return
        }
        #expect(server.password == "p@")
        #expect(settings.store.source.description == "/run/s, named by l.yaml:1:13")
        #expect(
            try load(environment: state.merging(["LATCHKEY_STORE_FILE": "/s"]) { $1 }, files: ["/s": "sqlite:/x"])
                .store.value == .sqlite(path: "/x")
        )
        #expect(try load(flags: ["store_file": ["/s"]], files: ["/s": "sqlite:/x"]).store.value == .sqlite(path: "/x"))
    }

    @Test("Both in one source are an error; a higher source goes over a lower one")
    func both() throws {
        #expect(
            problems("store: sqlite:/x\nstore_file: /s\n") == [
                "l.yaml:2:13: store_file is set, and so is store (l.yaml:1:8). Keep one."
            ]
        )
        #expect(
            problems(environment: state.merging(["LATCHKEY_MAIL": "off", "LATCHKEY_MAIL_FILE": "/m"]) { $1 }) == [
                "LATCHKEY_MAIL_FILE: LATCHKEY_MAIL_FILE is set, and so is LATCHKEY_MAIL (LATCHKEY_MAIL). Keep one."
            ]
        )
        #expect(try load("store_file: /s", flags: ["store": ["sqlite:/y"]]).store.value == .sqlite(path: "/y"))
    }

    @Test("A bad secret file is named, and what it holds is not shown")
    func bad() {
        #expect(
            problems("store_file: /s") == [
                "l.yaml:1:13: store_file names \"/s\", which cannot be read: there is no such file."
            ]
        )
        #expect(
            problems("store_file: /s", files: ["/s": "\n"]) == [
                "l.yaml:1:13: store_file names \"/s\", which must hold one line of text."
            ]
        )
        #expect(
            problems("store_file: /s", files: ["/s": "a\nb"]) == [
                "l.yaml:1:13: store_file names \"/s\", which must hold one line of text."
            ]
        )
        #expect(
            problems("store_file: /s", files: ["/s": "hunter2"]) == [
                """
                /s, named by l.yaml:1:13: store is what the file holds, which it cannot be. \
                Use sqlite:PATH for one server, or postgres://host/database for several.
                """
            ]
        )
        #expect(
            problems("store_file: [a]") == [
                "l.yaml:1:13: store_file is a list, which it cannot be. Write the path of a file."
            ]
        )
    }

    @Test("master_key_file is a setting of its own, without a twin")
    func masterKey() {
        #expect(SettingKey.masterKeyFile.fileTwin == nil)
        #expect(problems("master_key: x").count == 1)
    }
}
