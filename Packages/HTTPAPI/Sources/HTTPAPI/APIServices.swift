public import Accounts
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
    let recovery: Recovery
    let recoveryRequest: RecoveryRequest
    let recoveryCodes: RecoveryCodes
    let notMe: NotMe
    let codes: CodeGrant
    let hosted: HostedSeal
    let passwordStore: any PasswordStore
    let passwordLogin: PasswordLogin
    let passwordSignUp: PasswordSignUp
    let resetRequest: ResetRequest
    let passwordReset: PasswordReset
    let conformance: Conformance
    let issuer: TokenIssuer
    let refresh: RefreshExchange
    let revocation: Revocation
    let clients: ClientAuthentication
    let userInfo: UserInfo
    let sessions: SessionAccess
    let keys: KeyRing
    let audit: any AuditLog
    let management: ManagementAccess
    let myAccount: MyAccountAccess
    let administration: TenantAdministration
    let signingKeys: any SigningKeyStore
    let keyRotation: KeyRotation
    let credentials: any CredentialStore
    let impact: any ImpactStore
    let handles: any UserStore
    let people: any UserAdministrationStore
    let passkeys: any PasskeyAdministrationStore
    let access: any AccessAdministrationStore
    let sessionStore: any SessionStore
    let users: UserAdministration
    let jobs: any JobStore
    let jobResults: JobResults
    let tickets: Tickets
    let events: any EventLog
    let random: RandomSource
    let limits: RateGuard

    /// - Parameters:
    ///   - store: where everything durable is.
    ///   - ceremonies: what all ceremonies share.
    ///   - directory: the tenants, by host.
    ///   - deployment: what the keys of the hosted pages are derived from.
    ///   - keys: the tenants' signing keys.
    ///   - keyRotation: moves them on.
    ///   - hasher: compares and computes password hashes.
    ///   - breachedPasswords: asked at each sign-up, so that the list can change while the server runs.
    ///   - names: what says whose a domain is.
    ///   - mail: writes mails; `nil` where mail is off.
    ///   - rateLimits: asked for each limited request, so that they can change while the server runs.
    ///   - rateCounter: counts for all servers together; `nil`: this one counts for itself.
    ///   - random: unpredictable bytes.
    public init(
        store: any CredentialDatabase,
        ceremonies: Ceremonies,
        directory: TenantDirectory,
        deployment: DeploymentKeys,
        keys: KeyRing,
        keyRotation: KeyRotation,
        hasher: PasswordHasher,
        breachedPasswords: @escaping @Sendable () -> BreachedPasswords = { BreachedPasswords() },
        names: NameAuthority = NameAuthority(),
        mail: (any MailWriter)? = nil,
        rateLimits: @escaping @Sendable () -> RateLimits,
        rateCounter: (any RateCounter)? = nil,
        random: @escaping RandomSource
    ) {
        self.directory = directory
        self.ceremonies = ceremonies
        self.keys = keys
        self.random = random
        self.keyRotation = keyRotation
        signingKeys = store
        credentials = store
        impact = store
        handles = store
        people = store
        passkeys = store
        access = store
        sessionStore = store
        jobs = store
        events = store
        jobResults = JobResults(store: store, random: random)
        tickets = Tickets(store: store, random: random)
        users = UserAdministration(
            store: store,
            tries: store,
            hasher: hasher,
            breached: breachedPasswords,
            random: random
        )
        audit = store
        passwordStore = store
        hosted = HostedSeal(deployment, random: random)
        signUp = SignUp(ceremonies)
        login = Login(ceremonies)
        let notices = Notices(mail: mail, random: random)
        let codeKey = deployment.key(for: .codes)
        enrollment = Enrollment(ceremonies, notices: notices)
        recovery = Recovery(ceremonies, tickets: store, store: store, notices: notices)
        recoveryRequest = RecoveryRequest(store: store, notices: notices, key: codeKey, random: random)
        recoveryCodes = RecoveryCodes(store: store, key: codeKey, random: random)
        notMe = NotMe(tickets: store, users: store, store: store, random: random)
        conformance = Conformance(ceremonies)
        passwordLogin = PasswordLogin(passwords: store, hasher: hasher, note: { ceremonies.refusals.add($0) })
        passwordSignUp = PasswordSignUp(
            users: store,
            passwords: store,
            hasher: hasher,
            breached: breachedPasswords,
            random: random
        )
        resetRequest = ResetRequest(store: store, mail: mail, random: random)
        passwordReset = PasswordReset(store: store, hasher: hasher, breached: breachedPasswords, random: random)
        issuer = TokenIssuer(keys: keys, random: random)
        codes = CodeGrant(
            codes: store,
            sessions: store,
            users: store,
            issuer: issuer,
            random: random,
            note: { ceremonies.refusals.add($0) }
        )
        refresh = RefreshExchange(store: store, issuer: issuer, random: random, note: { ceremonies.refusals.add($0) })
        revocation = Revocation(store: store)
        clients = ClientAuthentication(replays: store)
        let verifier = AccessTokenVerifier(keys: keys, codes: store)
        userInfo = UserInfo(verifier: verifier, users: store)
        administration = TenantAdministration(
            store: store,
            directory: directory,
            metadata: store,
            names: names,
            random: random
        )
        management = ManagementAccess(verifier: verifier)
        sessions = SessionAccess(sessions: store, users: store, verifier: verifier)
        myAccount = MyAccountAccess(sessions: sessions)
        limits = RateGuard(limits: rateLimits, limiter: RateLimiter(), shared: rateCounter)
    }
}
