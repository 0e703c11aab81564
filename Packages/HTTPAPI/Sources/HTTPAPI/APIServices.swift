public import Identity
public import Passkeys
public import Tenancy
public import Tokens

/// The use cases that the routes call, wired by the app.
public struct APIServices: Sendable {
    let directory: TenantDirectory
    let ceremonies: Ceremonies
    let signUp: SignUp
    let login: Login
    let enrollment: Enrollment
    let conformance: Conformance
    let issuer: TokenIssuer
    let refresh: RefreshExchange
    let revocation: Revocation
    let clients: ClientAuthentication
    let userInfo: UserInfo
    let sessions: SessionAccess
    let keys: KeyRing
    let credentials: any CredentialStore
    let random: RandomSource
    let limits: RateGuard

    /// - Parameters:
    ///   - store: where everything durable is.
    ///   - ceremonies: what all ceremonies share.
    ///   - directory: the tenants, by host.
    ///   - keys: the tenants' signing keys.
    ///   - rateLimits: asked for each limited request, so that they can change while the server runs.
    ///   - rateCounter: counts for all servers together; `nil`: this one counts for itself.
    ///   - random: unpredictable bytes.
    public init(
        store: any CredentialDatabase,
        ceremonies: Ceremonies,
        directory: TenantDirectory,
        keys: KeyRing,
        rateLimits: @escaping @Sendable () -> RateLimits,
        rateCounter: (any RateCounter)? = nil,
        random: @escaping RandomSource
    ) {
        self.directory = directory
        self.ceremonies = ceremonies
        self.keys = keys
        self.random = random
        credentials = store
        signUp = SignUp(ceremonies)
        login = Login(ceremonies)
        enrollment = Enrollment(ceremonies)
        conformance = Conformance(ceremonies)
        issuer = TokenIssuer(keys: keys, random: random)
        refresh = RefreshExchange(store: store, issuer: issuer, random: random, note: { ceremonies.refusals.add($0) })
        revocation = Revocation(store: store)
        clients = ClientAuthentication(replays: store)
        let verifier = AccessTokenVerifier(keys: keys)
        userInfo = UserInfo(verifier: verifier, users: store)
        sessions = SessionAccess(sessions: store, users: store, verifier: verifier)
        limits = RateGuard(limits: rateLimits, limiter: RateLimiter(), shared: rateCounter)
    }
}
