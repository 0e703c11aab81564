import Accounts
import Audit
import Cryptography
import DNS
import HTTPAPI
import HTTPServer
import Identity
import Passkeys
import PublicSuffix
import Settings
import Storage
import Synchronization
import Tenancy
import Terminal
import Threads
import Tokens

/// The parts of a running server, wired by the settings: stores, keys, use cases. It holds no rules.
final class Deployment: Sendable {
    let store: any CredentialDatabase
    let challenges: OpenedChallenges
    let keys: KeyRing
    private let rotation: KeyRotation
    private let sealer: AuditSealer
    let directory: TenantDirectory
    let services: APIServices
    /// Does what outlasts a request.
    let jobs: JobWorker
    let refusals: RefusalLog
    let metadata: MetadataCache
    /// `nil` where mail is off.
    let mail: MailDelivery?
    private let watch: DeploymentWatch
    /// The store has begun anew with other keys than those that were opened here.
    private let isReplaced = Atomic<Bool>(false)
    let signingPool: BlockingPool
    private let hashingPool: BlockingPool
    private let namePool: BlockingPool
    let names: NameAuthority
    let liveRateLimits: Live<HTTPAPI.RateLimits>

    /// Opens the stores and the keys. Nothing of a store is changed when its keys cannot be opened.
    init(_ settings: Settings, schema: SchemaPolicy, masterKeys: MasterKeys, log: Log) async throws {
        let random: RandomSource = { Random.bytes($0) }
        do throws(StorageError) {
            store = try await openStore(
                settings.store.value.url,
                schema: schema,
                prepares: settings.storePrepare.value,
                // As many as a sign-in that meets others needs at once; the first sign-ins do not wait for handshakes.
                readyConnections: 4
            )
        } catch { throw CommandFailure(error.description, exit: error.isTemporary ? .unavailable : .failed) }
        let deployment: DeploymentKeys
        do throws(MasterKeyError) {
            deployment = try await DeploymentKeys.open(masterKeys, store: store, now: SystemClock.now(), random: random)
            try await MasterKeyRotation(store: store, random: random).verifySeals(deployment)
        } catch {
            await store.close()
            throw CommandFailure(error)
        }
        do throws(StorageError) {
            challenges = try openChallenges(
                settings.challenges.value.url,
                in: store,
                prefix: deployment.cachePrefix,
                capacity: settings.limits.challenges.value,
                deadline: settings.deadlines.challenges.value
            ) { log.write(.warning, $0) }
        } catch {
            await store.close()
            throw CommandFailure(error.description, exit: error.isTemporary ? .unavailable : .failed)
        }
        let hasher: PasswordHasher
        let breached: BreachedPasswords
        do {
            breached = try Self.breachedPasswords(settings)
            let suffixes = try Self.publicSuffixes(settings)
            (signingPool, hashingPool, namePool) = try Self.pools()
            names = Self.names(suffixes, settings, namePool)
            hasher = try PasswordHasher(pool: hashingPool, random: random)
            mail = try MailDelivery.make(settings, store: store, keys: deployment, log: log, random: random)
        } catch {
            challenges.close()
            await store.close()
            throw error
        }
        rotation = KeyRotation(store: store, deployment: deployment, pool: signingPool, random: random)
        sealer = AuditSealer(store: store, secret: deployment.key(for: .auditLog))
        keys = KeyRing(store: store, deployment: deployment, pool: signingPool, random: random)
        directory = TenantDirectory(store: store)
        watch = DeploymentWatch(deployment, store: store)
        refusals = RefusalLog(store)
        metadata = MetadataCache(store)
        let rateLimits = Live(settings.servedRateLimits)
        liveRateLimits = rateLimits
        jobs = JobWorker(store: store, random: random, clock: SystemClock.now)
        services = APIServices(
            store: store,
            ceremonies: Ceremonies(
                challenges: challenges.cache,
                users: store,
                credentials: store,
                decoys: DecoyCredentials(key: deployment.key(for: .decoyCredentials)),
                refusals: refusals,
                metadata: metadata,
                random: random
            ),
            directory: directory,
            deployment: deployment,
            keys: keys,
            keyRotation: rotation,
            hasher: hasher,
            breachedPasswords: { breached },
            names: names,
            mail: mail?.mailroom,
            rateLimits: { rateLimits.value },
            rateCounter: challenges.rateCounter,
            random: random
        )
    }

    /// For signatures; for password hashes, which have one thread of lowest priority and a short queue, so that sign-ins
    /// with passkeys do not wait for them; and for names that are looked up, which somebody may ask for many times over.
    private static func pools() throws(CommandFailure) -> (BlockingPool, BlockingPool, BlockingPool) {
        var started: [BlockingPool] = []
        func start(_ pool: () throws(ThreadError) -> BlockingPool) throws(CommandFailure) -> BlockingPool {
            do throws(ThreadError) {
                let pool = try pool()
                started.append(pool)
                return pool
            } catch {
                for pool in started { pool.stop() }
                throw CommandFailure("The system has no thread left: error \(error.code).", exit: .unavailable)
            }
        }
        return (
            try start { () throws(ThreadError) in try BlockingPool(name: "signing", threadCount: 2) },
            try start { () throws(ThreadError) in
                try BlockingPool(
                    name: "passwords",
                    threadCount: 1,
                    queueLimit: PasswordHasher.queueLimit,
                    isBackground: true
                )
            },
            try start { () throws(ThreadError) in
                try BlockingPool(name: "names", threadCount: 2, queueLimit: 8, isBackground: true)
            }
        )
    }

    /// The list of the settings; where none was named and Debian's is not there, libpsl's own.
    private static func publicSuffixes(_ settings: Settings) throws(CommandFailure) -> PublicSuffixList {
        do throws(PublicSuffixError) {
            return try PublicSuffixList(path: settings.publicSuffixList.value)
        } catch {
            if settings.publicSuffixList.source == .default, let list = try? PublicSuffixList() { return list }
            throw CommandFailure("\(error)", exit: .failed)
        }
    }

    /// Whose names are: the public suffix list, and TXT records from the name servers of the settings. A lookup is over in
    /// 3 s: whoever waits for it has 5.
    private static func names(
        _ suffixes: PublicSuffixList,
        _ settings: Settings,
        _ pool: BlockingPool
    ) -> NameAuthority {
        let resolver = Resolver(servers: settings.dnsServers.value.map(\.description), timeout: 3000)
        return NameAuthority(publicSuffixes: suffixes) { name in
            do throws(ResolverError) {
                return .found(
                    try await pool.run(
                        refused: { _ in .unavailable(reason: "too many names are looked up at once") }
                    ) { () throws(ResolverError) in try resolver.textRecords(of: name) }
                )
            } catch { return .unavailable(reason: error.description) }
        }
    }

    private static func breachedPasswords(_ settings: Settings) throws(CommandFailure) -> BreachedPasswords {
        guard let path = settings.breachedPasswords.value else { return BreachedPasswords() }
        do throws(BreachedPasswords.FileError) {
            return try BreachedPasswords(contentsOf: path)
        } catch {
            switch error {
            case .unreadable(let code):
                throw CommandFailure(
                    "breached_passwords is \(path), which cannot be read: error \(code).",
                    exit: .failed
                )
            case .tooMany:
                throw CommandFailure(
                    "breached_passwords is \(path), which has more than \(BreachedPasswords.limit) lines.",
                    exit: .failed
                )
            }
        }
    }

    /// Whether the stores answer, and the store is still the one whose keys were opened.
    func check() async -> [(name: String, isWell: Bool)] {
        async let store = isWell { () throws(StoreError) in try await self.store.check() }
        async let cache = isWell { () throws(StoreError) in try await self.challenges.cache.check() }
        let isOurs = !isReplaced.load(ordering: .relaxed)
        return await [("store", store && isOurs), ("cache", cache)]
    }

    /// Looks whether the store's keys are still those that were opened.
    ///
    /// - Parameter masterKeyFile: is read again when the store was sealed anew.
    /// - Returns: what was found; nothing while the store does not answer.
    func lookAtKeys(_ masterKeyFile: String) async -> DeploymentWatch.Finding? {
        let finding = try? await watch.look { () throws(MasterKeyError) in try MasterKeyFile.read(masterKeyFile) }
        if let finding { isReplaced.store(finding == .replaced, ordering: .relaxed) }
        return finding
    }

    /// How the stores do, those that can say so.
    var observed: [StoreMetrics.Store] {
        [("store", store as? any StoreObservable), ("cache", challenges.cache as? any StoreObservable)]
            .compactMap { name, store in store.map { StoreMetrics.Store(name: name, vitals: $0.vitals) } }
    }

    private func isWell(_ body: () async throws(StoreError) -> Void) async -> Bool {
        do throws(StoreError) {
            try await body()
            return true
        } catch { return false }
    }

    /// How often one sweep asks the store to look further: a very large one is walked over several sweeps.
    private static let callsPerSweep = 200

    /// Removes what is over, a bounded amount at a time.
    func sweep() async {
        let now = SystemClock.now()
        var calls = 1
        while (try? await store.removeExpired(now: now)) == true, calls < Self.callsPerSweep { calls += 1 }
        // Ceremony records are kept for 30 days, and so are logs.
        let oldest = now.adding(seconds: -30 * 86400)
        try? await store.removeCeremonies(endedBefore: oldest)
        try? await store.removeSealedEvents(before: oldest)
    }

    /// Seals the audit logs of all tenants, as far as they are old enough.
    ///
    /// - Throws: what the store throws.
    func sealAudit() async throws(StoreError) {
        _ = try await sealer.seal(now: SystemClock.now())
    }

    /// Retires signing keys whose last token is over.
    func retireKeys() async {
        let store = store
        _ = try? await rotation.retireThoseOver(
            { (tenant) throws(StoreError) in try await store.configuration(of: tenant) },
            now: SystemClock.now()
        )
    }

    func close() async {
        signingPool.stop()
        hashingPool.stop()
        namePool.stop()
        mail?.stop()
        challenges.close()
        await store.close()
    }
}
