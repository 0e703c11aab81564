import Identity
import StoreContract
import StorePostgres
import StoreSQL
import Testing

@Suite("A PostgreSQL server that takes no writes", .enabled(if: TestServer.isThere, TestServer.isMissing))
struct ReadOnlyTests {
    @Test("Writes are refused as read-only and reads go on; it is not well until a write succeeds again, by itself")
    func readOnly() async throws {
        let url = try TestServer.freshURL()
        let database = TestServer.database(url)
        let store = try await PostgresStore.open(url, options: .patient())
        let promises = CredentialDatabaseContract.promises
        for promise in promises.prefix(2) { try await promise.verify(store) }
        let tenants = try await store.tenants()
        let server = try #require(TestServer.shared)
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)'"
        #expect(server.psql("ALTER DATABASE \(database) SET default_transaction_read_only = on"))
        #expect(server.psql(end))
        for _ in 0..<3 {
            let error = await #expect(throws: StoreError.self) {
                try await store.append(ceremonies: [], events: [Self.event(of: tenants[0].id)])
            }
            guard case .readOnly? = error else {
                Issue.record("a write is \(String(describing: error))")
                break
            }
            #expect(try await store.tenants() == tenants)
            guard case .readOnly? = await #expect(throws: StoreError.self, performing: { try await store.check() })
            else {
                Issue.record("it is not well")
                break
            }
        }
        let refused = await #expect(throws: PostgresOpenError.self) { _ = try await PostgresStore.open(url) }
        #expect(refused?.description.contains("takes no writes") == true, "\(String(describing: refused))")

        #expect(server.psql("ALTER DATABASE \(database) RESET default_transaction_read_only"))
        var isWell = false
        for _ in 0..<1200 where !isWell {
            isWell = (try? await store.check()) != nil
            if !isWell { try await Task.sleep(for: .milliseconds(50)) }
        }
        #expect(isWell)
        try await store.append(ceremonies: [], events: [Self.event(of: tenants[0].id)])
        await store.close()
    }

    @Test(
        "A word of the URL that libpq does not take is no outage",
        arguments: ["sslmode=bogus", "target_session_attrs=x"]
    )
    func wrongWord(_ words: String) async throws {
        let url = try TestServer.freshURL() + "&" + words
        let error = await #expect(throws: PostgresOpenError.self) { _ = try await PostgresStore.open(url) }
        #expect(error?.isTemporary == false, "\(String(describing: error))")
        #expect(error?.description.contains("invalid") == true, "\(String(describing: error))")
    }

    private static func event(of tenant: TenantID) -> AuditEvent {
        AuditEvent(
            tenant: tenant,
            types: ["s"],
            at: UnixTime(seconds: 1_800_000_000),
            device: Device(address: "", userAgent: "")
        )
    }
}
