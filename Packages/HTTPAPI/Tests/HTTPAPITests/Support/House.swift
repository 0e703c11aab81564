import Accounts
import CacheInMemory
import Cryptography
import Encodings
import HTTPServer
import Identity
import Passkeys
import StoreSQLite
import Synchronization
import Tenancy
import Threads
import Tokens

@testable import HTTPAPI

/// One tenant with a native and a web client, its API over a real store, and a clock that stands still.
final class House: Sendable {
    let store: any CredentialDatabase
    let api: API
    let health: Health
    let metrics = APIMetrics()
    let directory: TenantDirectory
    let refusals: RefusalLog
    let lens: ConfigurationLens
    /// What was written to users.
    let mailbox = Mailbox()
    /// A public client with the passkey grant and `https://app.example.com` among its web origins.
    let app: Client
    /// A confidential client with the passkey grant, and its secret.
    let backend: Client
    let secret: String
    /// The client that the tenant began with, which may do everything over the Management API.
    let management: CreatedTenant
    private let setting: Setting

    static let host = "login.example.com"
    static let base = "https://login.example.com"
    static let webOrigin = "https://app.example.com"

    /// What tests turn while the API runs.
    final class Setting: Sendable {
        let now = Mutex(UnixTime(seconds: 1_800_000_000))
        let limits = Mutex(RateLimits.off)
        let wellness = Mutex([(name: "store", isWell: true), (name: "cache", isWell: true)])
        let requests = Mutex<[RequestSummary]>([])
        let records = Mutex<[String: [[UInt8]]]>([:])
    }

    private init(
        _ store: any CredentialDatabase,
        _ pool: BlockingPool,
        _ proxies: TrustedProxies,
        _ challenges: InMemoryChallengeCache.Limits,
        _ rateCounter: (any RateCounter)?
    ) async throws {
        let setting = Setting()
        let random: RandomSource = { Random.bytes($0) }
        let now = setting.now.withLock { $0 }
        let masterKeys = try MasterKeys(parsing: MasterKeys.newFileText(now: now, random: random))
        let deployment = try await DeploymentKeys.open(masterKeys, store: store, now: now, random: random)
        let keys = KeyRing(store: store, deployment: deployment, pool: pool, random: random)
        let lens = ConfigurationLens(store)
        let directory = TenantDirectory(store: lens)
        let refusals = RefusalLog(store)
        let health = Health { setting.wellness.withLock { $0 } }
        let services = APIServices(
            store: store,
            ceremonies: Ceremonies(
                challenges: InMemoryChallengeCache(limits: challenges),
                users: store,
                credentials: store,
                decoys: DecoyCredentials(key: deployment.key(for: .decoyCredentials)),
                refusals: refusals,
                random: random
            ),
            directory: directory,
            deployment: deployment,
            keys: keys,
            keyRotation: KeyRotation(store: store, deployment: deployment, pool: pool, random: random),
            hasher: try PasswordHasher(pool: pool, random: random),
            breachedPasswords: { BreachedPasswords(file: Array("Breached-2024\n".utf8)) },
            names: NameAuthority(textRecords: { name in
                .found(setting.records.withLock { $0[name] ?? [] })
            }),
            mail: mailbox,
            rateLimits: { setting.limits.withLock { $0 } },
            rateCounter: rateCounter,
            random: random
        )
        let administration = TenantAdministration(store: store, directory: directory, random: random)
        let tenant = try await administration.createTenant(
            TenantRequest(name: "acme", domain: House.host, relyingPartyID: "example.com"),
            now: now
        )
        let grants: JSONValue = [
            "refresh_token", "urn:okta:params:oauth:grant-type:webauthn", "password",
            "http://auth0.com/oauth/grant-type/password-realm",
        ]
        let app = try await administration.createClient(
            [
                "name": "App", "app_type": "native", "grant_types": grants,
                "jwt_configuration": ["alg": "ES256"], "web_origins": [.string(House.webOrigin)],
            ],
            in: try await House.configuration(lens),
            now: now
        )
        let backend = try await administration.createClient(
            [
                "name": "Backend", "app_type": "regular_web", "grant_types": grants,
                "jwt_configuration": ["alg": "ES256"],
            ],
            in: try await House.configuration(lens),
            now: now
        )
        self.store = store
        self.setting = setting
        self.health = health
        self.directory = directory
        self.refusals = refusals
        self.lens = lens
        self.app = app.client
        self.backend = backend.client
        secret = backend.secret ?? ""
        management = tenant
        api = API(
            services: services,
            proxies: proxies,
            health: health,
            metrics: metrics,
            clock: { setting.now.withLock { $0 } },
            // A loaded machine is no reason to refuse.
            storeTime: .seconds(60),
            log: { summary in setting.requests.withLock { $0.append(summary) } }
        )
    }

    private static func configuration(_ lens: ConfigurationLens) async throws -> TenantConfiguration {
        guard let tenant = try await lens.tenant(host: host), let found = try await lens.configuration(of: tenant)
        else {
            throw Missing()
        }
        return found
    }

    struct Missing: Error {}

    private static let gate = Gate(2)

    /// Runs `body` in a house of its own, and takes it down.
    static func with(
        proxies: TrustedProxies = TrustedProxies(),
        challenges: InMemoryChallengeCache.Limits = InMemoryChallengeCache.Limits(),
        rateCounter: (any RateCounter)? = nil,
        _ change: (inout ConfigurationLens.View) -> Void = { _ in },
        _ body: (House) async throws -> Void
    ) async throws {
        await gate.enter()
        let outcome: Result<Void, any Error>
        do {
            try await open(proxies, challenges, rateCounter, change, body)
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await gate.leave()
        try outcome.get()
    }

    private static func open(
        _ proxies: TrustedProxies,
        _ challenges: InMemoryChallengeCache.Limits,
        _ rateCounter: (any RateCounter)?,
        _ change: (inout ConfigurationLens.View) -> Void,
        _ body: (House) async throws -> Void
    ) async throws {
        try await Scratch.withFolder { folder in
            let store = try await SQLiteStore.open(
                path: folder + "/latchkey.db",
                options: SQLiteOptions(synchronous: .normal)
            )
            let pool = try BlockingPool(name: "signing", threadCount: 1)
            let outcome: Result<Void, any Error>
            do {
                let house = try await House(store, pool, proxies, challenges, rateCounter)
                house.change(change)
                try await body(house)
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            pool.stop()
            await store.close()
            try outcome.get()
        }
    }

    /// A second tenant in the same store, on `login.other.example`.
    func otherTenant() async throws -> CreatedTenant {
        try await TenantAdministration(store: store, directory: directory) { Random.bytes($0) }
            .createTenant(TenantRequest(name: "other", domain: "login.other.example"), now: now)
    }

    // MARK: What tests turn

    /// Changes the configuration as every later request finds it.
    func change(_ change: (inout ConfigurationLens.View) -> Void) {
        lens.change(change)
        directory.changed()
    }

    var now: UnixTime { setting.now.withLock { $0 } }

    /// Puts a TXT record into the DNS, as this house sees it.
    func publish(_ text: String, at name: String) {
        setting.records.withLock { $0[name, default: []].append(Array(text.utf8)) }
    }

    func pass(seconds: Int64) { setting.now.withLock { $0 = $0.adding(seconds: seconds) } }

    func limit(_ limits: RateLimits) { setting.limits.withLock { $0 = limits } }

    func setWell(_ name: String, _ isWell: Bool) {
        setting.wellness.withLock { parts in parts = parts.map { $0.name == name ? (name, isWell) : $0 } }
    }

    /// What the log was told, in order.
    var log: [RequestSummary] { setting.requests.withLock { $0 } }
}
