import COSE
import Encodings
import Foundation
import Programs
import SoftwareAuthenticator
import Testing

/// What docs/operations.md says of going further was done here, as far as it says so.
@Suite("Going further with engines that are there", .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"))
struct FurtherTests {
    @Test("Tables that were divided by tenant_id are served as before")
    func partitions() async throws {
        let url = try await PostgreSQL.shared.freshURL()
        let database = PostgreSQL.database(of: url)
        let server = try await LatchkeyServer.start(["LATCHKEY_STORE": url])
        let apps = [
            try await Site.make("acme", on: server, domain: "login.acme.example").client("App"),
            try await Site.make("beta", on: server, domain: "login.beta.example").client("App"),
        ]
        var people = [Authenticator(), Authenticator()]
        var tokens: [String] = []
        for index in apps.indices {
            tokens.append(try await apps[index].signUp(with: &people[index]).token("refresh_token"))
        }
        try await server.stop()
        // All that grow but `passkey` and its attestations, whose numbers are unique by themselves.
        for table in [
            "user_account", "identifier", "user_handle", "user_activity", "session", "refresh_family", "refresh_token",
            "ceremony", "audit_event",
        ] {
            let parts = (0..<4).map {
                """
                CREATE TABLE \(table)_\($0) PARTITION OF \(table) FOR VALUES WITH (MODULUS 4, REMAINDER \($0));
                ALTER TABLE \(table)_\($0) OWNER TO latchkey;
                """
            }
            let divided = try await PostgreSQL.shared.sql(
                """
                ALTER TABLE \(table) RENAME TO whole;
                CREATE TABLE \(table) (LIKE whole INCLUDING ALL) PARTITION BY HASH (tenant_id);
                ALTER TABLE \(table) OWNER TO latchkey;
                \(parts.joined(separator: "\n"))
                INSERT INTO \(table) SELECT * FROM whole;
                DROP TABLE whole;
                """,
                in: database
            )
            try #require(divided.exit == 0, "\(table): \(divided)")
        }
        let again = try await server.restarted(["LATCHKEY_STORE": url])
        for index in apps.indices {
            let app = apps[index].at(apps[index].site.on(again))
            try await app.signIn(with: &people[index])
            #expect(try await app.refresh(tokens[index]).status == 200)
            var somebody = Authenticator()
            let new = try await app.signUp(with: &somebody)
            try await app.signIn(with: &somebody)
            #expect(try await app.refresh(try new.token("refresh_token")).status == 200)
        }
        try await again.stop()
    }

    @Test(
        "A Redis in cluster mode holds every key of a deployment on one node",
        .enabled(if: Redis.isInstalled, "\(Redis.missing)")
    )
    func cluster() async throws {
        let redis = try await Redis.start([
            "--save", "", "--cluster-enabled", "yes", "--cluster-port", "\(try freePort())",
        ])
        let slots = try await redis.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
        try #require(slots.output.contains("OK"), "\(slots)")
        let isUp = try await eventually(seconds: 90) {
            try await redis.command("CLUSTER", "INFO").output.contains("cluster_state:ok")
        }
        #expect(isUp)
        let server = try await LatchkeyServer.start([
            "LATCHKEY_CHALLENGES": redis.url, "LATCHKEY_RATE_LIMITS": "", "LATCHKEY_RATE_LIMITS_TOKEN": "1000/minute",
        ])
        let app = try await Site.make("acme", on: server, domain: "login.acme.example").client("App")
        var ana = Authenticator()
        try await app.signUp(with: &ana)
        try await app.signIn(with: &ana)
        _ = try await app.challenge()
        // Keys have bytes of all kinds in them: their common beginning is text.
        let keys = try await redis.command("--no-raw", "KEYS", "*").output
        let prefix = try #require(keys.firstMatch(of: /latchkey:\{[0-9a-f]+\}:/), "\(keys)")
        let slot = try await redis.command("CLUSTER", "KEYSLOT", String(prefix.output)).line
        let inSlot = try await redis.command("CLUSTER", "COUNTKEYSINSLOT", slot).line
        #expect(try await redis.command("DBSIZE").line == inSlot)
        #expect((Int(inSlot) ?? 0) >= 3, "\(keys)")
        try await server.stop()
    }
}
