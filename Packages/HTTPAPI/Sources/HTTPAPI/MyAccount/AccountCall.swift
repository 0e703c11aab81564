import Encodings
import HTTPServer
import Identity
import Passkeys
import Tokens

/// One request to the My Account API, let in.
struct AccountCall: Sendable {
    let services: APIServices
    let exchange: Exchange
    let caller: MyAccountAccess.Caller

    /// How a passkey is called that is being made (contract 10.1).
    static let pendingPasskey = "passkey|new"

    var context: RequestContext { exchange.context }
    var settings: TenantSettings { context.settings }
    var user: User { caller.user }
    var session: Session { caller.session }
    var client: Client { caller.client }
    var connection: Connection? { own.connection }
    var options: ConnectionOptions? { own.options }

    /// The account that the call is about.
    var own: OwnAccount {
        OwnAccount(services: services, context: context, user: user, session: session, client: client)
    }

    func require(_ scope: String) throws(APIError) {
        do throws(TokenError) {
            try caller.require(scope)
        } catch { throw APIError(error, base: context.base) }
    }

    // MARK: What was asked

    /// The method's id in the path, decoded.
    var id: String { exchange.request.parameters["id"] ?? "" }

    /// Types that may be asked for, and those that other services have beside them.
    private static let types = [
        "passkey", "password", "recovery-code", "totp", "phone", "email", "push-notification", "webauthn-platform",
        "webauthn-roaming",
    ]

    /// The query's `type`.
    ///
    /// - Throws: `invalid_parameter` for a type that there is nowhere.
    func queryType() throws(APIError) -> String? {
        let query = exchange.request.head.queryBytes ?? []
        guard let type = try Parameters(form: query, emptyIsAbsent: true).string("type") else { return nil }
        guard Self.types.contains(where: { $0.utf8.elementsEqual(type.utf8) }) else { throw .invalid("type") }
        return type
    }

    // MARK: What the user has

    /// The recovery codes that the path names.
    func namedRecoveryCodes() async throws(APIError) -> RecoveryCodeSet? {
        guard id.hasPrefix("recovery-code|"), let set = try await own.recoveryCodes(),
            AccountMethod.recoveryCodes(set).id.utf8.elementsEqual(id.utf8)
        else { return nil }
        return set
    }

    /// The method that the path names.
    ///
    /// - Throws: `method_not_found`, also for one of somebody else.
    func method() async throws(APIError) -> AccountMethod {
        if id.hasPrefix("password|"), let password = try await own.password(), password.id.utf8.elementsEqual(id.utf8) {
            return password
        }
        if let set = try await namedRecoveryCodes() { return .recoveryCodes(set) }
        guard let passkey = named(try await own.passkeys()) else { throw .methodNotFound }
        return .passkey(passkey)
    }

    /// The passkey that the path names, for who may change it: not by the word of another one that is on probation.
    ///
    /// - Returns: the passkey.
    /// - Throws: `insufficient_user_authentication`, `method_not_found`, `passkey_on_probation`, or `method_is_fixed` for a
    ///   password and for recovery codes.
    func freshlyProven() async throws(APIError) -> Passkey {
        let passkeys = try await own.passkeys()
        try own.requireFreshProof(having: passkeys)
        if let passkey = named(passkeys) {
            try own.requireNoProbation(having: passkeys, changing: passkey)
            return passkey
        }
        // What there is and is no passkey has no name, and a password is not removed.
        _ = try await method()
        throw .methodIsFixed
    }

    private func named(_ passkeys: [Passkey]) -> Passkey? {
        passkeys.first { AccountMethod.passkey($0).id.utf8.elementsEqual(id.utf8) }
    }

    // MARK: What is answered

    /// Where a method is read; the `|` of its id is percent-encoded.
    func location(of id: String) -> String {
        "\(context.base)/me/v1/authentication-methods/" + id.replacing("|", with: "%7C")
    }
}
