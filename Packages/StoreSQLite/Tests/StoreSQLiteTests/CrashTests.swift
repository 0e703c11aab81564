import Glibc
import Identity
import StoreContract
import StoreSQLite
import Testing

@Suite("Processes that die, and processes that meet")
struct CrashTests {
    @Test("After kill -9 under load nothing that was acknowledged is lost, and nothing is there by half")
    func kills() async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/latchkey.db"
            let acknowledged = Lines(path: path + ".acknowledged")
            for round in 1...3 {
                let child = try ChildProcess("writer", test: "writesUntilKilled", path: path)
                var waited = 0
                while acknowledged.all.count < round * 150, waited < 3000 {
                    try await Task.sleep(for: .milliseconds(20))
                    waited += 1
                }
                child.kill()
                #expect(try await child.wait() == nil)
                let lines = acknowledged.all
                #expect(lines.count >= round * 150)
                let store = try await SQLiteStore.open(path: path)
                let tenants = try await store.tenants()
                #expect(Set(lines).subtracting(tenants.map(\.name)).isEmpty)
                for tenant in tenants {
                    let configuration = try await store.configuration(of: tenant.id)
                    #expect(configuration?.domains.count == 1)
                    #expect(configuration?.connections.count == 1)
                    #expect(configuration?.clients.count == 1)
                }
                #expect(try await store.version() == Int64(tenants.count) + 1)
                await store.close()
            }
        }
    }

    @Test("Writes until it is killed", .enabled(if: ChildProcess.path(for: "writer") != nil, "a child's part"))
    func writesUntilKilled() async throws {
        let path = try #require(ChildProcess.path(for: "writer"))
        let acknowledged = Lines(path: path + ".acknowledged")
        let store = try await SQLiteStore.open(path: path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    // Not without end: the parent looks at every one, and may be slow to kill.
                    for _ in 0..<100 {
                        let new = NewTenant.random()
                        _ = try await store.create(new)
                        acknowledged.append(new.name)
                    }
                    try await Task.sleep(for: .seconds(600))
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Processes that open an empty store at once all get it")
    func processesAtOnce() async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/deep/latchkey.db"
            let children = try (0..<4).map { _ in
                try ChildProcess("opener", test: "opensAndWrites", path: path)
            }
            for child in children { #expect(try await child.wait() == 0) }
            let secrets = Lines(path: path + ".secrets").all
            #expect(secrets.count == 4)
            #expect(Set(secrets).count == 1)
        }
    }

    @Test("Opens and writes", .enabled(if: ChildProcess.path(for: "opener") != nil, "a child's part"))
    func opensAndWrites() async throws {
        let path = try #require(ChildProcess.path(for: "opener"))
        let store = try await SQLiteStore.open(path: path)
        let secret = try await store.deploymentSecret(
            orStoring: DeploymentSecret(
                masterKeyID: "process-\(getpid())",
                sealedDataKey: [1, 2, 3],
                createdAt: UnixTime(seconds: 1)
            )
        )
        Lines(path: path + ".secrets").append(secret.masterKeyID)
        await store.close()
    }
}

extension NewTenant {
    /// A tenant with one of most things.
    static func random() -> NewTenant {
        let none = TenantID(number: 0)
        let now = UnixTime(seconds: 1_800_000_000)
        let name = "t-\(UInt64.random(in: 0 ... .max))"
        let bytes = (0..<24).map { _ in UInt8.random(in: 0...255) }
        let client = Client(
            id: ClientID(random: bytes),
            tenant: none,
            name: "App",
            appType: "native",
            grantTypes: [.webAuthn],
            authenticationMethod: .none,
            refreshToken: .publicDefault,
            createdAt: now
        )
        return NewTenant(
            name: name,
            settings: TenantSettings(),
            domain: Domain(
                id: DomainID(random: bytes),
                tenant: none,
                host: name,
                isCanonical: true,
                status: .ready,
                relyingPartyID: name,
                createdAt: now
            ),
            connections: [
                Connection(
                    id: ConnectionID(random: bytes),
                    tenant: none,
                    name: Connection.defaultName,
                    enabledClients: [client.id],
                    createdAt: now
                )
            ],
            clients: [client],
            resourceServers: [],
            grants: [],
            createdAt: now
        )
    }
}
