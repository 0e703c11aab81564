import Accounts
import CacheInMemory
import Cryptography
import HTTPAPI
import Identity
import Passkeys
import Programs
import Storage
import Tenancy
import Threads
import Tokens

/// The table in which the server looks requests up, asked of an API that answers nobody.
enum ServedRoutes {
    static func all() async throws -> [(method: String, path: String)] {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let store = try await openStore("sqlite:" + folder.file("latchkey.db"))
        let pool = try BlockingPool(name: "signing", threadCount: 1)
        let now = UnixTime(seconds: 1_800_000_000)
        let random: RandomSource = { Random.bytes($0) }
        let masterKeys = try MasterKeys(parsing: MasterKeys.newFileText(now: now, random: random))
        let deployment = try await DeploymentKeys.open(masterKeys, store: store, now: now, random: random)
        let health = Health { [] }
        let services = APIServices(
            store: store,
            ceremonies: Ceremonies(
                challenges: InMemoryChallengeCache(),
                users: store,
                credentials: store,
                decoys: DecoyCredentials(key: deployment.key(for: .decoyCredentials)),
                refusals: RefusalLog(store),
                random: random
            ),
            directory: TenantDirectory(store: store),
            deployment: deployment,
            keys: KeyRing(store: store, deployment: deployment, pool: pool, random: random),
            keyRotation: KeyRotation(store: store, deployment: deployment, pool: pool, random: random),
            hasher: try PasswordHasher(pool: pool, random: random),
            rateLimits: { .off },
            random: random
        )
        let api = API(
            services: services,
            proxies: TrustedProxies(),
            health: health,
            metrics: APIMetrics(),
            clock: { now },
            log: { _ in }
        )
        let routes = api.routes.map { (method: "\($0.method)", path: $0.path) }
        pool.stop()
        await store.close()
        return routes
    }
}
