import Settings
import Testing

@Suite("Forms of values")
struct ValueTests {
    @Test(
        "Addresses to listen on",
        arguments: [
            ("localhost:8080", "localhost:8080"), ("127.0.0.1:0", "127.0.0.1:0"), ("[::1]:65535", "[::1]:65535"),
            ("[2001:DB8:0::1]:80", "[2001:db8::1]:80"), ("unix:/run/l.sock", "unix:/run/l.sock"),
            ("unix:rel", "unix:rel"),
        ]
    )
    func listen(text: String, shown: String) throws {
        let settings = try load(flags: ["listen": [text]])
        #expect(settings.listen.value.map(\.description) == [shown])
    }

    @Test(
        "What is no address to listen on",
        arguments: [
            "localhost", "localhost:", ":80", "8080", "localhost:65536", "localhost:-1", "localhost:+1", "localhost:8o",
            "::1:80", "[::1]", "[::1]80", "[127.0.0.1]:80", "127.1:80", "127.0.0.256:80", "example.com:80", "unix:",
            "[::1%lo]:80", "http://localhost:80", "localhost:80/", "", " localhost:80x", "[:80", "localhost:1:2",
            "unix:/" + String(repeating: "x", count: 107),
        ]
    )
    func badListen(text: String) {
        #expect(problems("listen: \"\(text)\"").count == 1)
    }

    @Test("Networks of proxies, and what they contain")
    func networks() throws {
        let settings = try load(
            "trusted_proxies: [127.0.0.1/32, \"::1/128\", 10.0.0.0/12, \"2001:db8::/33\", 192.0.2.7, unix]"
        )
        #expect(
            settings.trustedProxies.value.map(\.description) == [
                "127.0.0.1/32", "::1/128", "10.0.0.0/12", "2001:db8::/33", "192.0.2.7/32", "unix",
            ]
        )
        func contains(_ index: Int, _ address: String) -> Bool {
            guard case .network(let range) = settings.trustedProxies.value[index], let bytes = IPAddress(address)?.bytes
            else { return false }
            return range.contains(bytes)
        }
        #expect(contains(0, "127.0.0.1") && !contains(0, "127.0.0.2") && contains(0, "::ffff:127.0.0.1"))
        #expect(contains(1, "::1") && !contains(1, "::2") && !contains(1, "0.0.0.1"))
        #expect(contains(2, "10.15.255.255") && !contains(2, "10.16.0.0") && !contains(2, "11.0.0.0"))
        #expect(contains(3, "2001:db8:7fff::1") && !contains(3, "2001:db8:8000::"))
        #expect(contains(4, "192.0.2.7") && !contains(4, "192.0.2.6"))
    }

    @Test(
        "What is no network",
        arguments: [
            "x", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8", "/8", "10.0.0/8", "*", "0.0.0.0/0",
            "::/0", "",
        ]
    )
    func badNetworks(text: String) {
        #expect(problems("trusted_proxies: [\"\(text)\"]").count == 1)
    }

    @Test(
        "Stores",
        arguments: [
            ("sqlite:/var/x.db", StoreLocation.sqlite(path: "/var/x.db")), ("sqlite:x.db", .sqlite(path: "x.db")),
            ("sqlite::memory:", .sqlite(path: ":memory:")),
            ("postgres://db/latchkey", .postgres(uri: "postgres://db/latchkey")),
            ("postgresql:///latchkey?host=/run", .postgres(uri: "postgresql:///latchkey?host=/run")),
            ("postgres://u:p%40@a:1,[::1]:2,c/d", .postgres(uri: "postgres://u:p%40@a:1,[::1]:2,c/d")),
        ]
    )
    func stores(text: String, value: StoreLocation) throws {
        #expect(try load(flags: ["store": [text]]).store.value == value)
    }

    @Test(
        "What is no store",
        arguments: [
            "", "memory", "sqlite", "sqlite:", "sqlite://x", "postgres:db", "postgres:/db", "postgres://a:x/d",
            "postgres://a b/d", "postgres://a%zz/d", "/var/x.db", "redis://x",
        ]
    )
    func badStores(text: String) {
        #expect(problems("store: \"\(text)\"").count == 1)
    }

    @Test(
        "Challenges",
        arguments: [
            ("memory", ChallengeLocation.memory), ("memory:", .memory), ("store", .store), ("store:", .store),
            ("redis://r", .redis(uri: "redis://r", isTLS: false)),
            ("rediss://u:p@r:6379/0", .redis(uri: "rediss://u:p@r:6379/0", isTLS: true)),
            ("redis://[::1]:6379", .redis(uri: "redis://[::1]:6379", isTLS: false)),
            ("rediss://r/1?ca=/etc/ca.pem", .redis(uri: "rediss://r/1?ca=/etc/ca.pem", isTLS: true)),
            ("redis+unix:///run/redis.sock", .redis(uri: "redis+unix:///run/redis.sock", isTLS: false)),
            ("redis+unix://u:p@/r.sock?db=3", .redis(uri: "redis+unix://u:p@/r.sock?db=3", isTLS: false)),
        ]
    )
    func challenges(text: String, value: ChallengeLocation) throws {
        #expect(try load(flags: ["challenges": [text]]).challenges.value == value)
    }

    @Test(
        "What keeps no challenges",
        arguments: [
            "off", "redis:", "redis://", "redis:r", "redis://r:x", "redis://r/db", "redis://r/0/1", "redis://r?x",
            "redis://[r]", "sqlite:x", "Memory", "redis://r?ca=/x", "rediss://r?ca=", "rediss://r?db=1",
            "redis+unix://",
            "redis+unix:///", "redis+unix://host/path", "redis+unix://u@/path", "redis+unix:///path?db=x",
        ]
    )
    func badChallenges(text: String) {
        #expect(problems("challenges: \"\(text)\"").count == 1)
    }

    @Test(
        "Senders of mail",
        arguments: [
            ("Acme <no-reply@acme.example>", "Acme", "no-reply@acme.example"), ("a@b", "", "a@b"),
            ("\\\"Acme, Inc.\\\" <a@b>", "Acme, Inc.", "a@b"), ("<a@b>", "", "a@b"),
        ]
    )
    func senders(text: String, name: String, address: String) throws {
        let from = try load("mail_from: \"\(text)\"").mailFrom.value
        #expect(from?.name == name)
        #expect(from?.address == address)
    }

    @Test(
        "What is no sender",
        arguments: ["", "a", "@", "a@", "@b", "a@b@c", "x <a@b", "x <a@b> y", "a b@c", "a@b, c@d", "a@b\\r\\nBcc: x@y"]
    )
    func badSenders(text: String) {
        #expect(problems("mail_from: \"\(text)\"").count == 1)
    }

    @Test(
        "Rates are written as they are read",
        arguments: [
            ("120/minute", RateLimit.rate(count: 120, seconds: 60, burst: 120), "120/minute"),
            ("1/s", .rate(count: 1, seconds: 1, burst: 1), "1/second"),
            ("5/2h", .rate(count: 5, seconds: 7200, burst: 5), "5/2hours"),
            ("10/15minutes", .rate(count: 10, seconds: 900, burst: 10), "10/15minutes"),
            ("100/day", .rate(count: 100, seconds: 86400, burst: 100), "100/day"),
            ("50/second burst 100", .rate(count: 50, seconds: 1, burst: 100), "50/second burst 100"),
            ("off", .off, "off"),
        ]
    )
    func rates(text: String, value: RateLimit, shown: String) throws {
        let settings = try load("rate_limits: {signup: \(text)}")
        #expect(settings.rateLimits.signup.value == value)
        #expect(value.description == shown)
        #expect(try load("rate_limits: {signup: \(shown)}").rateLimits.signup.value == value)
    }

    @Test(
        "What is no rate",
        arguments: [
            "120", "0/minute", "-1/minute", "120/", "/minute", "120/0minutes", "120/minute/x", "1e3/minute",
            "120 / minute", "50/second burst 10", "50/second burst", "50/second burst x", "9999999999/minute", "on",
            "120/9999999minutes", "",
        ]
    )
    func badRates(text: String) {
        #expect(problems("rate_limits: {signup: \"\(text)\"}").count == 1)
    }

    @Test("The defaults of contract 1.4")
    func defaultRates() throws {
        let rates = try load().rateLimits
        #expect(rates.passkeyChallenges.value.description == "60/minute")
        #expect(rates.token.value.description == "120/minute")
        #expect(rates.passwordIdentifierIP.value.description == "10/15minutes")
        #expect(rates.passwordIdentifier.value == .inARow(count: 100))
        #expect(rates.passwordIP.value.description == "100/day")
        #expect(rates.signup.value.description == "50/hour")
        #expect(rates.recoveryMail.value.description == "5/hour")
        #expect(rates.recoveryCodes.value.description == "10/hour")
        #expect(rates.management.value == .rate(count: 50, seconds: 1, burst: 100))
        #expect(rates.myAccount.value.description == "20/second")
        #expect(
            try load("rate_limits: {password_identifier: 50}").rateLimits.passwordIdentifier.value == .inARow(count: 50)
        )
    }

    @Test("Sizes and times, with and without units")
    func quantities() throws {
        let settings = try load(
            "limits: {head: 32KiB, body: 65536, fields: 50}\ndeadlines: {head: 2m, pool: 100ms, drain: 25s}"
        )
        #expect(settings.limits.head.value == 32768)
        #expect(settings.limits.body.value == 65536)
        #expect(settings.limits.fields.value == 50)
        #expect(settings.limits.managementBody.value == 1 << 20)
        #expect(settings.limits.importBody.value == 100 << 20)
        #expect(settings.deadlines.head.value == .seconds(120))
        #expect(settings.deadlines.pool.value == .milliseconds(100))
        #expect(settings.deadlines.drain.value == .seconds(25))
        #expect(settings.deadlines.request.value == .seconds(30))
        for bad in ["1.5KiB", "-1", "1KB", "KiB", "99999999999GiB", "999999999GiB"] {
            #expect(problems("limits: {head: \"\(bad)\"}").count == 1)
        }
        for bad in ["10", "10 s", "1h", "s", "-1s", "0s", "1.5s", "999999999m", "9999999999999999999s"] {
            #expect(problems("deadlines: {head: \"\(bad)\"}").count == 1)
        }
    }

    @Test("Switches, words and servers")
    func others() throws {
        #expect(try load("store_prepare: off").storePrepare.value == false)
        #expect(try load("store_prepare: false").storePrepare.value == false)
        #expect(try load("admin_listen: off").adminListen.value.isEmpty)
        #expect(try load("admin_listen: 127.0.0.1:9090").adminListen.value.map(\.description) == ["127.0.0.1:9090"])
        #expect(try load("tls: {certificate: off, key: off}").tlsKey.value == nil)
        #expect(
            try load("dns_servers: [192.0.2.53, \"[::1]:5353\"]").dnsServers.value.map(\.description) == [
                "192.0.2.53:53", "[::1]:5353",
            ]
        )
        #expect(try load("dns_servers: system").dnsServers.value.isEmpty)
        #expect(try load("mds: {url: \"https://mds.example/x?y#z\"}").metadataURL.value?.host == "mds.example")
        #expect(LogLevel.debug < .info && LogLevel.warning < .error)
    }
}
