import Encodings
import HTTPServer
import Identity
import Passkeys
import Tokens
import WebAuthn

/// The browser and React Native API: the shape of common WebAuthn libraries, with a cookie or a bearer token
/// (contract 12).
struct BrowserRoutes: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        [
            Endpoint(.post, "/register/options", cors: .credentials, run: registerOptions),
            Endpoint(.post, "/register/verify", cors: .credentials, shape: .unverified, run: registerVerify),
            Endpoint(.post, "/login/options", cors: .credentials, run: loginOptions),
            Endpoint(.post, "/login/verify", cors: .credentials, shape: .unverified, run: loginVerify),
            Endpoint(.get, "/api/me", cors: .credentials, run: me),
            Endpoint(.post, "/api/logout", cors: .credentials, run: logOut),
            Endpoint(.post, "/logout", cors: .credentials, run: logOut),
        ]
    }

    // MARK: Registration

    private func registerOptions(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let parameters = Parameters(try body(exchange))
        try await services.limits.count(.passkeyChallenges, &exchange)
        let client = try browserClient(try parameters.string("client_id"), &exchange)
        let username = try parameters.string("username")
        let displayName = try parameters.string("displayName")
        let realm = try parameters.string("realm")
        let mediation = try parameters.string("mediation")
        guard mediation == nil || mediation == "conditional" else { throw .invalid("mediation") }
        let signedIn = try await mayEnroll(exchange)
        if signedIn == nil { try await services.limits.count(.signup, &exchange) }
        do throws(PasskeyError) {
            let begun: Begun<CreationOptions>
            if let signedIn {
                begun = try await services.enrollment.begin(
                    username: username,
                    conditional: mediation != nil,
                    user: signedIn.user,
                    session: signedIn.session,
                    at: .browser,
                    client: client,
                    in: exchange.context
                )
            } else {
                guard mediation == nil else { throw .upgradeNotOffered }
                guard let username else { throw .missingIdentifier("username") }
                begun = try await services.signUp.begin(
                    .username(username, displayName: displayName),
                    at: .browser,
                    realm: realm,
                    client: client,
                    in: exchange.context
                )
            }
            return options(begun, exchange) { begun.options.write(to: &$0) }
        } catch { throw APIError(error, at: .browserOptions) }
    }

    private func registerVerify(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let (answer, client) = try await verifyRequest(&exchange)
        let signIn = SignIn(services: services, surface: .browserVerify)
        let decision = try decide(answer, client, exchange)
        let asked = exchange
        return try await signIn.answering(answer.response, in: asked.context) { () async throws(APIError) in
            let taken = try await take(answer, signIn, client, asked)
            switch taken {
            case .enrollment(let pending):
                guard let signedIn = try await mayEnroll(asked) else {
                    throw APIError(PasskeyError.sessionInvalid, at: .browserVerify)
                }
                return try await enroll(answer, pending, signedIn, client, asked)
            case .signUp:
                return try await finish(taken, answer, decision, signIn, client, asked)
            case .login, .recovery:
                throw APIError(PasskeyError.sessionInvalid, at: .browserVerify)
            }
        }
    }

    // MARK: Login

    private func loginOptions(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let parameters = Parameters(try body(exchange))
        try await services.limits.count(.passkeyChallenges, &exchange)
        let client = try browserClient(try parameters.string("client_id"), &exchange)
        let username = try parameters.string("username")
        let realm = try parameters.string("realm")
        let mediation = try parameters.string("mediation")
        let relyingPartyID = try parameters.string("rp_id")
        guard mediation == nil || mediation == "conditional" else { throw .invalid("mediation") }
        do throws(PasskeyError) {
            let begun = try await services.login.begin(
                username: username,
                conditional: mediation != nil,
                relyingPartyID: relyingPartyID,
                at: .browser,
                realm: realm,
                client: client,
                in: exchange.context
            )
            return options(begun, exchange) { begun.options.write(to: &$0) }
        } catch { throw APIError(error, at: .browserOptions) }
    }

    private func loginVerify(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let (answer, client) = try await verifyRequest(&exchange)
        let signIn = SignIn(services: services, surface: .browserVerify)
        let decision = try decide(answer, client, exchange)
        let taken = try await take(answer, signIn, client, exchange)
        guard case .login = taken else { throw APIError(PasskeyError.sessionInvalid, at: .browserVerify) }
        // Another proof in the same session may make this passkey's UV count (contract 4.5). One that is no good is
        // none: this request brings its own.
        var session: Session?
        if proof(exchange) != nil { session = try? await signedIn(exchange)?.session }
        return try await finish(taken, answer, decision, signIn, client, alongside: session, exchange)
    }

    // MARK: Session

    private func me(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        guard let proof = proof(exchange) else { throw APIError(TokenError.notSignedIn, base: exchange.context.base) }
        let signedIn: SessionAccess.SignedIn
        do throws(TokenError) {
            signedIn = try await services.sessions.signedIn(proof, in: exchange.context)
        } catch {
            switch error {
            // Whatever is wrong with the proof, the answer is the same here (contract 12.5).
            case .notSignedIn, .invalidToken, .userBlocked:
                var refusal = APIError(error, base: exchange.context.base)
                refusal.status = 401
                refusal.error = "invalid_token"
                refusal.description = "Not signed in"
                refusal.reason = "no_session"
                refusal.challenge = refusal.challenge ?? "Bearer realm=\"\(exchange.context.base)\""
                throw refusal
            default: throw APIError(error, base: exchange.context.base)
            }
        }
        exchange.client = exchange.context.configuration.clients[signedIn.session.client]
        let passkeys: [Passkey]
        do throws(StoreError) {
            passkeys = try await services.credentials.passkeys(
                of: signedIn.user.id,
                relyingPartyID: nil,
                tenant: exchange.context.tenant
            )
        } catch { throw APIError(error) }
        let me = Me(
            user: signedIn.user,
            session: signedIn.session,
            passkeys: passkeys,
            precedence: precedence(signedIn.user, exchange),
            signals: await services.ceremonies.signals(for: signedIn.user, having: passkeys, in: exchange.context)
        )
        return .json(capacity: 2048) { me.write(to: &$0) }
    }

    private func logOut(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        if !exchange.request.body.isEmpty, exchange.contentType != "application/json" {
            throw sendsSession(exchange) ? .crossSite : .unsupportedMediaType
        }
        try refuseCrossSite(exchange, client: nil)
        do throws(TokenError) {
            try await services.sessions.logOut(proof(exchange), in: exchange.context)
        } catch { throw APIError(error, base: exchange.context.base) }
        var response = HTTPResponse(status: 204, headers: HTTPHeaders(), body: [])
        response.headers.add("Set-Cookie", BrowserCookies(exchange).clearedSession)
        return response
    }

    // MARK: What they share

    private func browserClient(_ id: String?, _ exchange: inout Exchange) throws(APIError) -> Client {
        let client: Client
        do throws(TokenError) {
            client = try ClientAuthentication.browserClient(id, in: exchange.context)
        } catch { throw APIError(error, base: exchange.context.base) }
        exchange.client = client
        try refuseCrossSite(exchange, client: client)
        return client
    }

    private func verifyRequest(_ exchange: inout Exchange) async throws(APIError) -> (BrowserAnswer, Client) {
        let answer = try BrowserAnswer(try body(exchange))
        try await services.limits.count(.token, &exchange)
        let client = try browserClient(answer.clientID, &exchange)
        if answer.session == nil, exchange.header("x-auth-session") == nil,
            exchange.cookie(BrowserCookies.ceremonyName) != nil
        {
            try refuseOtherSites(exchange, client)
        }
        return (answer, client)
    }

    private func decide(
        _ answer: BrowserAnswer,
        _ client: Client,
        _ exchange: Exchange
    ) throws(APIError) -> GrantDecision {
        do throws(PasskeyError) {
            try services.ceremonies.admit(realm: answer.realm, client: client, in: exchange.context)
        } catch { throw APIError(error, at: .browserVerify) }
        do throws(TokenError) {
            return try GrantDecision.session(scope: answer.scope, client: client, in: exchange.context)
        } catch { throw APIError(error, base: exchange.context.base) }
    }

    /// Finds the ceremony by the body, the header, the cookie, or the challenge that was signed.
    private func take(
        _ answer: BrowserAnswer,
        _ signIn: SignIn,
        _ client: Client,
        _ exchange: Exchange
    ) async throws(APIError) -> TakenCeremony {
        guard
            let session = answer.session ?? exchange.header("x-auth-session")
                ?? exchange.cookie(BrowserCookies.ceremonyName) ?? answer.challenge
        else { throw .missing("auth_session") }
        return try await signIn.take(session, .browser, realm: answer.realm, client: client, in: exchange.context)
    }

    private func finish(
        _ taken: TakenCeremony,
        _ answer: BrowserAnswer,
        _ decision: GrantDecision,
        _ signIn: SignIn,
        _ client: Client,
        alongside session: Session? = nil,
        _ exchange: Exchange
    ) async throws(APIError) -> HTTPResponse {
        let cookies = BrowserCookies(exchange)
        let setsCookie = isWebOrigin(exchange, client)
        let new = setsCookie ? SessionAccess.newCookie(random: services.random) : nil
        let old = exchange.cookie(cookies.sessionName).flatMap { SessionAccess.hash(ofCookie: $0) }
        let signedIn = try await signIn.finish(
            taken,
            answer.response,
            decision,
            client: client,
            cookie: new.map { SignIn.Cookie(hash: $0.hash, replaced: old) },
            alongside: session,
            in: exchange.context
        )
        let signals = await services.ceremonies.signals(for: signedIn.user, in: exchange.context)
        var response = HTTPResponse.json(capacity: 2048) { json in
            json.beginObject()
            json.name("verified")
            json.bool(true)
            json.member("token", signedIn.tokens.accessToken)
            json.name("expires_in")
            json.integer(signedIn.tokens.expiresIn)
            if let refresh = signedIn.tokens.refreshToken { json.member("refresh_token", refresh) }
            write(signedIn.user, signedIn.passkey, exchange, to: &json)
            if let signals { Signals.write(signals, to: &json) }
            json.endObject()
        }
        if let new {
            let isPersistent = exchange.context.settings.sessionCookieIsPersistent
            let age = signedIn.session.expiresAt.milliseconds(since: exchange.context.now) / 1000
            response.headers.add("Set-Cookie", cookies.session(new.text, maximumAge: isPersistent ? age : nil))
        }
        response.headers.add("Set-Cookie", cookies.clearedCeremony)
        response.headers.add("X-Ceremony-Id", signedIn.ceremony.text)
        return response
    }

    /// A passkey more for somebody who is signed in: the session goes on as it is, and the token is one more of it.
    private func enroll(
        _ answer: BrowserAnswer,
        _ pending: Enrollment.Pending,
        _ signedIn: SessionAccess.SignedIn,
        _ client: Client,
        _ exchange: Exchange
    ) async throws(APIError) -> HTTPResponse {
        let context = exchange.context
        let prepared: PreparedTokens
        do throws(TokenError) {
            let decision = try GrantDecision.session(scope: nil, client: client, in: context)
            prepared = try await services.issuer.prepare(decision, of: signedIn, client: client, in: context)
        } catch { throw APIError(error, base: context.base) }
        let passkey: Passkey
        do throws(PasskeyError) {
            passkey = try await services.enrollment.finish(
                answer.response,
                answering: pending,
                user: signedIn.user,
                session: signedIn.session,
                in: context
            )
        } catch { throw APIError(error, at: .browserVerify) }
        let tokens: TokenResponse
        do throws(TokenError) {
            tokens = try await services.issuer.sign(prepared)
        } catch { throw APIError(error, base: context.base) }
        let signals = await services.ceremonies.signals(for: signedIn.user, in: context)
        var response = HTTPResponse.json(capacity: 2048) { json in
            json.beginObject()
            json.name("verified")
            json.bool(true)
            json.member("token", tokens.accessToken)
            json.name("expires_in")
            json.integer(tokens.expiresIn)
            write(signedIn.user, passkey, exchange, to: &json)
            if let signals { Signals.write(signals, to: &json) }
            json.endObject()
        }
        response.headers.add("Set-Cookie", BrowserCookies(exchange).clearedCeremony)
        response.headers.add("X-Ceremony-Id", pending.id.text)
        return response
    }

    private func options<Options>(
        _ begun: Begun<Options>,
        _ exchange: Exchange,
        _ write: (inout JSONWriter) -> Void
    ) -> HTTPResponse {
        var response = HTTPResponse.json(capacity: 1024, write)
        response.headers.add("X-Auth-Session", begun.session)
        let seconds = begun.expiresAt.milliseconds(since: exchange.context.now) / 1000
        response.headers.add("Set-Cookie", BrowserCookies(exchange).ceremony(begun.session, seconds: seconds))
        response.headers.add("X-Ceremony-Id", begun.ceremony.text)
        return response
    }

    private func write(_ user: User, _ passkey: Passkey, _ exchange: Exchange, to json: inout JSONWriter) {
        let username = user.displayIdentifier(precedence(user, exchange))
        json.name("user")
        json.beginObject()
        json.member("id", user.id.subject)
        json.member("username", username)
        json.member("displayName", user.profile.name ?? username)
        json.endObject()
        json.name("credential")
        json.beginObject()
        json.name("id")
        json.base64URL(passkey.record.id)
        json.member("deviceType", passkey.record.backupEligible == true ? "multiDevice" : "singleDevice")
        json.name("backedUp")
        json.bool(passkey.record.backupState)
        json.member("transports", passkey.record.transports)
        json.member("aaguid", passkey.record.aaguid.description)
        json.endObject()
    }

    private func precedence(_ user: User, _ exchange: Exchange) -> [IdentifierKind] {
        exchange.context.configuration.connection(user.connection)?.options.precedence ?? IdentifierKind.allCases
    }

    // MARK: Who is signed in, and from where

    private func proof(_ exchange: Exchange) -> SessionAccess.Proof? {
        if let token = exchange.bearerToken { return .bearer(token) }
        return exchange.cookie(BrowserCookies(exchange).sessionName).map { .cookie($0) }
    }

    /// Who is signed in; nobody when a cookie is over. A bearer token that is no good is an error: it was meant.
    private func signedIn(_ exchange: Exchange) async throws(APIError) -> SessionAccess.SignedIn? {
        guard let proof = proof(exchange) else { return nil }
        do throws(TokenError) {
            return try await services.sessions.signedIn(proof, in: exchange.context)
        } catch {
            if case .cookie = proof, error == .notSignedIn || error == .invalidToken || error == .userBlocked {
                return nil
            }
            throw APIError(error, base: exchange.context.base)
        }
    }

    /// Who is signed in and may be given a passkey here: not by the word of a token that a third party holds, who could
    /// plant one with it (contract 10).
    private func mayEnroll(_ exchange: Exchange) async throws(APIError) -> SessionAccess.SignedIn? {
        let signedIn = try await signedIn(exchange)
        if let holder = signedIn?.claims?.client {
            guard exchange.context.configuration.clients[holder]?.isFirstParty == true else {
                throw APIError(PasskeyError.clientNotFirstParty, at: .browserOptions)
            }
        }
        return signedIn
    }

    /// Refuses a request that a browser sent with its session from a page that may not (contract 12).
    ///
    /// The ceremony's cookie counts only where the ceremony is found by it: an app whose HTTP client keeps cookies
    /// sends it along with `X-Auth-Session`, and has no origin to name.
    private func refuseCrossSite(_ exchange: Exchange, client: Client?) throws(APIError) {
        guard sendsSession(exchange) else { return }
        try refuseOtherSites(exchange, client)
    }

    /// Whether the session's cookie is what says who asks.
    private func sendsSession(_ exchange: Exchange) -> Bool {
        exchange.bearerToken == nil && exchange.cookie(BrowserCookies(exchange).sessionName) != nil
    }

    /// The body. A type that pages of other sites can send without being asked first is refused as theirs, where the
    /// browser's session goes along.
    private func body(_ exchange: Exchange) throws(APIError) -> JSONObject {
        if sendsSession(exchange), !exchange.request.body.isEmpty, exchange.contentType != "application/json" {
            throw .crossSite
        }
        return try exchange.jsonBody()
    }

    private func refuseOtherSites(_ exchange: Exchange, _ client: Client?) throws(APIError) {
        if exchange.header("sec-fetch-site") == "same-origin" { return }
        guard let origin = exchange.origin, isAllowed(origin, exchange, client) else { throw .crossSite }
    }

    /// Whether the request comes from a web page that may have a cookie.
    private func isWebOrigin(_ exchange: Exchange, _ client: Client) -> Bool {
        guard let origin = exchange.origin else { return false }
        return isAllowed(origin, exchange, client)
    }

    private func isAllowed(_ origin: String, _ exchange: Exchange, _ client: Client?) -> Bool {
        if origin.utf8.elementsEqual(exchange.context.base.utf8) { return true }
        if let client { return AllowedOrigins([client]).allowsCookies(origin) }
        return AllowedOrigins(exchange.context.configuration.clients.values).allowsCookies(origin)
    }
}
