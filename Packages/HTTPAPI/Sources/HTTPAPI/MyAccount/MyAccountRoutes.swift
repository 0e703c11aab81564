import Encodings
import HTTPServer
import Identity
import Passkeys
import Tokens
import WebAuthn

/// The My Account API (contract 10): users look after their own ways to sign in, by the app they use.
struct MyAccountRoutes: Sendable {
    let services: APIServices

    /// Whether the path is one of the My Account API.
    static func serves(_ path: String) -> Bool { path.hasPrefix("/me/") }

    var endpoints: [Endpoint] {
        func scope(_ verb: String) -> String { "\(verb):me:authentication_methods" }
        return [
            Endpoint(
                .get,
                "/me/v1/factors",
                cors: .clients,
                shape: .account,
                run: action("read:me:factors", factors)
            ),
            Endpoint(
                .get,
                "/me/v1/authentication-methods",
                cors: .clients,
                shape: .account,
                run: action(scope("read"), list)
            ),
            Endpoint(
                .post,
                "/me/v1/authentication-methods",
                cors: .clients,
                shape: .account,
                run: action(scope("create"), start)
            ),
            Endpoint(
                .post,
                "/me/v1/authentication-methods/{id}/verify",
                cors: .clients,
                shape: .account,
                run: action(scope("create"), finish)
            ),
            Endpoint(
                .get,
                "/me/v1/authentication-methods/{id}",
                cors: .clients,
                shape: .account,
                run: action(scope("read"), read)
            ),
            Endpoint(
                .patch,
                "/me/v1/authentication-methods/{id}",
                cors: .clients,
                shape: .account,
                run: action(scope("update"), rename)
            ),
            Endpoint(
                .delete,
                "/me/v1/authentication-methods/{id}",
                cors: .clients,
                shape: .account,
                run: action(scope("delete"), delete)
            ),
        ]
    }

    // MARK: What there is

    private func factors(_ call: AccountCall) async throws(APIError) -> HTTPResponse {
        var types: [String] = []
        if call.settings.passkeysEnabled, call.options?.passkeysEnabled == true { types.append("passkey") }
        if call.options?.passwordsEnabled == true { types.append("password") }
        var factors = types.map { JSONValue.object(["type": .string($0), "usage": ["primary"]]) }
        if call.own.takesRecoveryCodes { factors.append(["type": "recovery-code", "usage": ["secondary"]]) }
        let shown = factors
        return .json { $0.value(["factors": .array(shown)]) }
    }

    private func list(_ call: AccountCall) async throws(APIError) -> HTTPResponse {
        let type = try call.queryType()
        let passkeys = try await call.own.passkeys()
        var methods = passkeys.map { AccountMethod.passkey($0) }
        if let password = try await call.own.password() { methods.append(password) }
        if let codes = try await call.own.recoveryCodes() { methods.append(.recoveryCodes(codes)) }
        methods.sort { $0.createdAt > $1.createdAt }
        let shown = methods.filter { type == nil || $0.type == type }.prefix(20).map { JSONValue.object($0.document) }
        let signals = await services.ceremonies.signals(for: call.user, having: passkeys, in: call.context)
        return .json(capacity: 4096) { json in
            json.beginObject()
            json.name("authentication_methods")
            json.value(.array(shown))
            if let signals { Signals.write(signals, to: &json) }
            json.endObject()
        }
    }

    private func read(_ call: AccountCall) async throws(APIError) -> HTTPResponse {
        let method = try await call.method()
        return .json(capacity: 1024) { $0.value(.object(method.document)) }
    }

    // MARK: A new one

    /// What a request for a new method asks.
    private struct Wish {
        let isForRecoveryCodes: Bool
        let excludesOwn: Bool
        let isUpgrade: Bool

        init(_ parameters: Parameters, _ call: AccountCall) throws(APIError) {
            let type = try parameters.requiredString("type")
            isForRecoveryCodes = type == "recovery-code"
            guard isForRecoveryCodes || type == "passkey" else { throw .methodNotEnabled }
            if let name = try parameters.string("connection") {
                guard call.connection?.name.utf8.elementsEqual(name.utf8) == true else { throw .invalid("connection") }
            }
            if let identity = try parameters.string("identity_user_id") {
                guard identity.utf8.elementsEqual(call.user.id.hex.utf8) else { throw .invalid("identity_user_id") }
            }
            let excludes = parameters["use_exclude_credentials"]
            guard excludes == nil || excludes?.bool != nil else { throw .invalid("use_exclude_credentials") }
            let mediation = try parameters.string("mediation")
            guard mediation == nil || mediation == "conditional" else { throw .invalid("mediation") }
            excludesOwn = excludes?.bool ?? true
            isUpgrade = mediation != nil
        }
    }

    private func start(_ call: AccountCall) async throws(APIError) -> HTTPResponse {
        let wish = try Wish(Parameters(try call.exchange.jsonBody()), call)
        if wish.isForRecoveryCodes { return try await makeRecoveryCodes(call) }
        let begun: Begun<CreationOptions>
        do throws(PasskeyError) {
            begun = try await services.enrollment.begin(
                conditional: wish.isUpgrade,
                excludesOwn: wish.excludesOwn,
                user: call.user,
                session: call.session,
                at: .account,
                client: call.client,
                in: call.context
            )
        } catch { throw APIError(error, at: .account) }
        var response = HTTPResponse.json(status: 202, capacity: 1024) { json in
            json.beginObject()
            json.member("auth_session", begun.session)
            json.name("authn_params_public_key")
            begun.options.write(to: &json)
            if wish.isUpgrade { json.member("mediation", "conditional") }
            json.endObject()
        }
        // Both mobile clients read the id from here.
        response.headers.add("Location", call.location(of: AccountCall.pendingPasskey))
        response.headers.add("X-Ceremony-Id", begun.ceremony.text)
        return response
    }

    /// Codes are good at once, for whoever is shown them may look away before saying that they have them.
    private func makeRecoveryCodes(_ call: AccountCall) async throws(APIError) -> HTTPResponse {
        guard call.own.takesRecoveryCodes, let connection = call.connection else { throw .methodNotEnabled }
        let made: RecoveryCodes.Made
        do throws(PasskeyError) {
            made = try await services.recoveryCodes.make(
                for: call.user,
                in: call.session,
                of: connection,
                call.context,
                audit: { call.own.event("create", .recoveryCodes($0)) }
            )
        } catch { throw APIError(error, at: .account) }
        let id = AccountMethod.recoveryCodes(made.set).id
        var response = HTTPResponse.json(status: 202, capacity: 512) { json in
            json.beginObject()
            json.member("id", id)
            json.member("auth_session", made.session)
            // One, for clients that know of one.
            json.member("recovery_code", made.codes.first ?? "")
            json.name("recovery_codes")
            json.value(.array(made.codes.map { .string($0) }))
            json.endObject()
        }
        response.headers.add("Location", call.location(of: id))
        return response
    }

    /// Says that the codes were seen; nothing changes by it.
    private func confirm(_ set: RecoveryCodeSet, _ call: AccountCall) throws(APIError) -> HTTPResponse {
        let session = try Parameters(try call.exchange.jsonBody()).requiredString("auth_session")
        guard RecoveryCodes.isSession(session, of: set) else {
            throw APIError(PasskeyError.sessionInvalid, at: .account)
        }
        let method = AccountMethod.recoveryCodes(set)
        var response = HTTPResponse.json(status: 201, capacity: 256) { $0.value(.object(method.document)) }
        response.headers.add("Location", call.location(of: method.id))
        return response
    }

    private func finish(_ call: AccountCall) async throws(APIError) -> HTTPResponse {
        if let set = try await call.namedRecoveryCodes() { return try confirm(set, call) }
        guard call.id.utf8.elementsEqual(AccountCall.pendingPasskey.utf8) else { throw .methodNotFound }
        let parameters = Parameters(try call.exchange.jsonBody())
        let session = try parameters.requiredString("auth_session")
        guard let answer = try parameters.object("authn_response") else { throw .missing("authn_response") }
        let signIn = SignIn(services: services, surface: .account)
        let passkey = try await signIn.answering(answer, in: call.context) { () async throws(APIError) in
            try await enroll(session, answer, signIn, call)
        }
        let signals = await services.ceremonies.signals(for: call.user, in: call.context)
        let method = AccountMethod.passkey(passkey)
        var response = HTTPResponse.json(status: 201, capacity: 2048) { json in
            json.beginObject()
            for member in method.document.members {
                json.name(member.name)
                json.value(member.value)
            }
            if let signals { Signals.write(signals, to: &json) }
            json.endObject()
        }
        response.headers.add("Location", call.location(of: method.id))
        return response
    }

    private func enroll(
        _ session: String,
        _ answer: JSONObject,
        _ signIn: SignIn,
        _ call: AccountCall
    ) async throws(APIError) -> Passkey {
        let taken = try await signIn.take(session, .account, realm: nil, client: call.client, in: call.context)
        guard case .enrollment(let pending) = taken else {
            throw APIError(PasskeyError.sessionInvalid, at: .account)
        }
        do throws(PasskeyError) {
            return try await services.enrollment.finish(
                answer,
                answering: pending,
                user: call.user,
                session: call.session,
                in: call.context
            )
        } catch { throw APIError(error, at: .account) }
    }

    // MARK: Changes

    private func rename(_ call: AccountCall) async throws(APIError) -> HTTPResponse {
        let body = try call.exchange.jsonBody()
        if let other = body.members.first(where: { !$0.name.utf8.elementsEqual("name".utf8) }) {
            throw .invalid(APIError.bounded(other.name))
        }
        let name = try Parameters(body).requiredString("name")
        guard (1...100).contains(name.unicodeScalars.count) else { throw .invalid("name") }
        var passkey = try await call.freshlyProven()
        try await call.own.rename(passkey, to: name)
        passkey.name = name
        let document = AccountMethod.passkey(passkey).document
        return .json(capacity: 1024) { $0.value(.object(document)) }
    }

    private func delete(_ set: RecoveryCodeSet, _ call: AccountCall) async throws(APIError) -> HTTPResponse {
        guard let connection = call.connection else { throw .methodNotFound }
        let isDone: Bool
        do throws(PasskeyError) {
            isDone = try await services.recoveryCodes.remove(
                set,
                of: call.user,
                in: call.session,
                of: connection,
                call.context,
                audit: call.own.event("delete", .recoveryCodes(set))
            )
        } catch { throw APIError(error, at: .account) }
        guard isDone else { throw .methodNotFound }
        return HTTPResponse(status: 204)
    }

    private func delete(_ call: AccountCall) async throws(APIError) -> HTTPResponse {
        if let set = try await call.namedRecoveryCodes() { return try await delete(set, call) }
        let passkey = try await call.freshlyProven()
        try await call.own.remove(passkey)
        return HTTPResponse(status: 204)
    }

    // MARK: Who may call

    /// Lets the caller in, then runs `body`. The order: token, rate limit, scope; then what was asked. What is refused is
    /// written down, but for a ceremony, which has its own record, and for reading.
    private func action(
        _ scope: String,
        _ body: @escaping @Sendable (AccountCall) async throws(APIError) -> HTTPResponse
    ) -> @Sendable (inout Exchange) async throws(APIError) -> HTTPResponse {
        { (exchange: inout Exchange) async throws(APIError) in
            let caller = try await caller(exchange)
            exchange.client = caller.client
            try await services.limits.count(.myAccount, of: caller.user.id.hex, &exchange)
            let call = AccountCall(services: services, exchange: exchange, caller: caller)
            do throws(APIError) {
                try call.require(scope)
                return try await body(call)
            } catch {
                note(error, call)
                throw error
            }
        }
    }

    private func caller(_ exchange: Exchange) async throws(APIError) -> MyAccountAccess.Caller {
        let base = exchange.context.base
        // Another scheme (DPoP, say) brings a token all the same, and one that is not taken.
        guard exchange.bearerToken != nil || exchange.header("authorization") == nil else {
            throw APIError(TokenError.invalidToken, base: base)
        }
        do throws(TokenError) {
            return try await services.myAccount.caller(exchange.bearerToken, in: exchange.context)
        } catch { throw APIError(error, base: base) }
    }

    private func note(_ error: APIError, _ call: AccountCall) {
        let method = call.exchange.request.method
        guard method != .get, method != .head, error.status < 500, error.ceremony == nil else { return }
        services.ceremonies.refusals.add(call.own.event(refusedFor: error.reason, method: method))
    }
}
