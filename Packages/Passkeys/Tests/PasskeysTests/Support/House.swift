import Cryptography
import Encodings
import Identity
import SoftwareAuthenticator
import Synchronization
import WebAuthn

@testable import Passkeys

/// One tenant with a native client and a directory, its use cases over a store in memory, and an authenticator.
final class House: Sendable {
    let store = MemoryStore()
    let refusals: RefusalLog
    let ceremonies: Ceremonies
    private let settings = Mutex(Setting())

    struct Setting: Sendable {
        var now = UnixTime(seconds: 1_800_000_000)
        var tenant = TenantSettings()
        var options = ConnectionOptions()
        var client = House.client("App00000000000000000000000000000")
        var domain = House.domain("login.example.com", isCanonical: true)
        var otherDomains: [Domain] = []
        var otherConnections: [Connection] = []
        var otherClients: [Client] = []
        var defaultIsEnabled = true
    }

    static let tenant = TenantID(number: 7)
    static let realm = Connection.defaultName
    static let decoyKey = [UInt8](repeating: 9, count: 32)

    init(_ change: (inout Setting) -> Void = { _ in }) {
        refusals = RefusalLog(store)
        ceremonies = Ceremonies(
            challenges: store,
            users: store,
            credentials: store,
            decoys: DecoyCredentials(key: House.decoyKey),
            refusals: refusals,
            random: { Random.bytes($0) }
        )
        set(change)
    }

    func set(_ change: (inout Setting) -> Void) {
        settings.withLock { change(&$0) }
    }

    func pass(seconds: Int64) {
        set { $0.now = $0.now.adding(seconds: seconds) }
    }

    var setting: Setting { settings.withLock { $0 } }
    var client: Client { setting.client }

    var connection: Connection {
        let setting = setting
        return Connection(
            id: ConnectionID("con_0000000000000000"),
            tenant: House.tenant,
            name: House.realm,
            enabledClients: setting.defaultIsEnabled ? [setting.client.id] + setting.otherClients.map(\.id) : [],
            options: setting.options,
            createdAt: UnixTime(seconds: 0)
        )
    }

    var context: RequestContext {
        let setting = setting
        let clients = [setting.client] + setting.otherClients
        return RequestContext(
            configuration: TenantConfiguration(
                tenant: Tenant(
                    id: House.tenant,
                    name: "acme",
                    settings: setting.tenant,
                    createdAt: UnixTime(seconds: 0),
                    updatedAt: UnixTime(seconds: 0)
                ),
                domains: [setting.domain] + setting.otherDomains,
                clients: Dictionary(uniqueKeysWithValues: clients.map { ($0.id, $0) }),
                connections: [connection] + setting.otherConnections,
                resourceServers: [],
                grants: [],
                version: 1
            ),
            domain: setting.domain,
            base: "https://" + setting.domain.host,
            device: Device(address: "192.0.2.1", userAgent: "Test/1"),
            now: setting.now
        )
    }

    static func client(_ id: String) -> Client {
        Client(
            id: ClientID(id),
            tenant: tenant,
            name: "App",
            appType: "native",
            grantTypes: [.webAuthn, .refreshToken],
            authenticationMethod: .none,
            refreshToken: .publicDefault,
            createdAt: UnixTime(seconds: 0)
        )
    }

    static func domain(_ host: String, rpID: String? = nil, isCanonical: Bool = false) -> Domain {
        Domain(
            id: DomainID("cd_" + host),
            tenant: tenant,
            host: host,
            isCanonical: isCanonical,
            status: .ready,
            relyingPartyID: rpID ?? HostName.withoutPort(host),
            createdAt: UnixTime(seconds: 0)
        )
    }

    var origin: String { "https://" + setting.domain.host }
    var signUp: SignUp { SignUp(ceremonies) }
    var login: Login { Login(ceremonies) }
    var enrollment: Enrollment { Enrollment(ceremonies, notices: Notices(mail: nil) { Random.bytes($0) }) }
}

// MARK: - Whole ceremonies

extension House {
    /// Begins a sign-up for an e-mail address.
    func beginSignUp(_ email: String, at surface: CeremonySurface = .token) async throws -> Begun<CreationOptions> {
        let applicant: Applicant =
            surface == .token
            ? .profile(["email": .string(email)], metadata: nil) : .username(email, displayName: nil)
        return try await signUp.begin(applicant, at: surface, realm: nil, client: client, in: context)
    }

    func take(
        _ session: String,
        at surface: CeremonySurface = .token,
        realm: String? = nil
    ) async throws -> TakenCeremony {
        try await ceremonies.take(session: session, at: surface, realm: realm, client: client, in: context)
    }

    func takeSignUp(_ session: String, at surface: CeremonySurface = .token) async throws -> SignUp.Pending {
        guard case .signUp(let pending) = try await take(session, at: surface) else { throw WrongPurpose() }
        return pending
    }

    func takeLogin(_ session: String, at surface: CeremonySurface = .token) async throws -> Login.Pending {
        guard case .login(let pending) = try await take(session, at: surface) else { throw WrongPurpose() }
        return pending
    }

    func takeEnrollment(_ session: String) async throws -> Enrollment.Pending {
        guard case .enrollment(let pending) = try await take(session, at: .browser) else { throw WrongPurpose() }
        return pending
    }

    struct WrongPurpose: Error {}

    /// A whole sign-up.
    @discardableResult
    func signUp(_ email: String, _ authenticator: inout Authenticator) async throws -> SignUp.Verified {
        let begun = try await beginSignUp(email)
        let answer = try authenticator.create(begun.options.json, origin: origin)
        let verified = try await signUp.verify(answer, answering: takeSignUp(begun.session), in: context)
        try await signUp.store(verified, session: session(verified.authentication), refresh: nil, in: context)
        return verified
    }

    func beginLogin(_ username: String? = nil) async throws -> Begun<RequestOptions> {
        try await login.begin(
            username: username,
            at: username == nil ? .token : .browser,
            realm: nil,
            client: client,
            in: context
        )
    }

    /// A login up to the proof.
    func verifyLogin(
        _ authenticator: inout Authenticator,
        username: String? = nil,
        alongside session: Session? = nil,
        fault: Fault? = nil
    ) async throws -> Login.Verified {
        let begun = try await beginLogin(username)
        let answer = try authenticator.get(begun.options.json, origin: origin, fault: fault)
        let pending = try await takeLogin(begun.session, at: username == nil ? .token : .browser)
        return try await login.verify(answer, answering: pending, alongside: session, in: context)
    }

    /// A whole login.
    @discardableResult
    func signIn(
        _ authenticator: inout Authenticator,
        username: String? = nil,
        alongside session: Session? = nil
    ) async throws -> Login.Verified {
        let verified = try await verifyLogin(&authenticator, username: username, alongside: session)
        try await login.store(verified, session: self.session(verified.authentication), refresh: nil, in: context)
        return verified
    }

    func session(_ authentication: Authentication) -> Session {
        let now = setting.now
        return Session(
            id: SessionID(TimeOrderedID(now: now, random: Random.bytes(10))),
            tenant: House.tenant,
            user: authentication.user.id,
            client: client.id,
            amr: authentication.amr,
            acr: authentication.acr,
            passkey: authentication.passkey,
            createdAt: now,
            authenticatedAt: authentication.at,
            lastInteraction: now,
            expiresAt: now.adding(seconds: 86400),
            idleExpiresAt: now.adding(seconds: 86400),
            device: Device(address: "192.0.2.1", userAgent: "Test/1")
        )
    }
}

/// The refusal that `body` ends with.
func refusal(_ body: () async throws -> Void) async -> Refusal? {
    do {
        try await body()
        return nil
    } catch PasskeyError.refused(let refusal) {
        return refusal
    } catch {
        return nil
    }
}

extension CreationOptions {
    var json: JSONObject { parsed { write(to: &$0) } }
}

extension RequestOptions {
    var json: JSONObject { parsed { write(to: &$0) } }
}

private func parsed(_ write: (inout JSONWriter) -> Void) -> JSONObject {
    var writer = JSONWriter()
    write(&writer)
    return (try? JSON.parse(writer.bytes))?.object ?? JSONObject()
}
