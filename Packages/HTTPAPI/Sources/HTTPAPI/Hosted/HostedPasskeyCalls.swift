import Encodings
import HTTPServer
import Identity
import Passkeys
import Tokens
import WebAuthn

/// What the scripts of the hosted pages call: the shape of section 12, in a sign-in that was begun in this browser, or,
/// without a `state`, for who is signed in on the account page (contract 8.2). `X-CSRF-Token` says that it is the page
/// that asks.
struct HostedPasskeyCalls: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        [
            Endpoint(.post, "/u/passkey/register/options", run: registerOptions),
            Endpoint(.post, "/u/passkey/register/verify", shape: .unverified, run: registerVerify),
            Endpoint(.post, "/u/passkey/login/options", run: loginOptions),
            Endpoint(.post, "/u/passkey/login/verify", shape: .unverified, run: loginVerify),
        ]
    }

    // MARK: Sign in

    private func loginOptions(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let parameters = Parameters(try exchange.jsonBody())
        let visit = try visit(&exchange)
        try await services.limits.count(.passkeyChallenges, &exchange)
        let mediation = try parameters.string("mediation")
        guard mediation == nil || mediation == "conditional" else { throw .invalid("mediation") }
        do throws(PasskeyError) {
            let begun = try await services.login.begin(
                username: nil,
                conditional: mediation != nil,
                relyingPartyID: nil,
                at: .hosted,
                realm: visit.transaction.connection,
                client: visit.client,
                in: exchange.context
            )
            return Self.options(begun) { begun.options.write(to: &$0) }
        } catch { throw APIError(error, at: .browserOptions) }
    }

    private func loginVerify(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let answer = try BrowserAnswer(try exchange.jsonBody())
        let visit = try visit(&exchange)
        try await services.limits.count(.token, &exchange)
        let taken = try await take(answer, visit.client, exchange)
        guard case .login(let pending) = taken else { throw APIError(PasskeyError.sessionInvalid, at: .browserVerify) }
        // Another proof in the same session may make this passkey's UV count (contract 4.5).
        let session = try await services.signedIn(exchange)?.session
        let hosted: HostedSession
        let user: User
        do throws(PasskeyError) {
            let verified = try await services.login.verify(
                answer.response,
                answering: pending,
                alongside: session,
                in: exchange.context
            )
            user = verified.user
            hosted = HostedSession(verified.authentication, visit.client, services, exchange)
            try await services.login.store(
                verified,
                session: hosted.session,
                refresh: nil,
                cookieHash: hosted.cookieHash,
                replacedCookieHash: hosted.replacedCookieHash,
                in: exchange.context
            )
        } catch { throw APIError(error, at: .browserVerify) }
        // A phone beside this device, as the browser says: then it may be asked for a passkey of its own.
        var offersOwn = false
        if answer.response["authenticatorAttachment"]?.string == "cross-platform" {
            offersOwn =
                await services.question(for: user, in: hosted.session, passwordChangedAt: nil, visit, exchange) != nil
        }
        return await verified(user, cookie: hosted.cookie, pending.id, offersOwn: offersOwn, exchange)
    }

    // MARK: A new passkey

    /// For somebody new; with `mediation`, or without a profile, for who has just signed in (contract 9.4).
    private func registerOptions(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let parameters = Parameters(try exchange.jsonBody())
        guard try isInSignIn(exchange) else { return try await enrollmentOptions(&exchange) }
        let visit = try visit(&exchange)
        try await services.limits.count(.passkeyChallenges, &exchange)
        let mediation = try parameters.string("mediation")
        guard mediation == nil || mediation == "conditional" else { throw .invalid("mediation") }
        if mediation != nil { return try await upgradeOptions(conditional: true, visit, exchange) }
        guard let profile = try parameters.object("user_profile") else {
            // The question of the page that follows a sign-in.
            guard try await services.signedIn(exchange) != nil else { throw .missing("user_profile") }
            return try await upgradeOptions(conditional: false, visit, exchange)
        }
        try await services.limits.count(.signup, &exchange)
        do throws(PasskeyError) {
            let begun = try await services.signUp.begin(
                .profile(profile, metadata: nil),
                at: .hosted,
                realm: visit.transaction.connection,
                client: visit.client,
                in: exchange.context
            )
            return Self.options(begun) { begun.options.write(to: &$0) }
        } catch { throw APIError(error, at: .browserOptions) }
    }

    private func upgradeOptions(
        conditional: Bool,
        _ visit: HostedVisit,
        _ exchange: Exchange
    ) async throws(APIError) -> HTTPResponse {
        guard let signedIn = try await services.signedIn(exchange) else {
            throw APIError(PasskeyError.upgradeNotOffered, at: .browserOptions)
        }
        do throws(PasskeyError) {
            let begun = try await services.enrollment.begin(
                conditional: conditional,
                user: signedIn.user,
                session: signedIn.session,
                at: .hosted,
                client: visit.client,
                in: exchange.context
            )
            return Self.options(begun) { begun.options.write(to: &$0) }
        } catch { throw APIError(error, at: .browserOptions) }
    }

    /// For who is signed in, on the account page.
    private func enrollmentOptions(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let own = try await resident(&exchange)
        try await services.limits.count(.passkeyChallenges, &exchange)
        do throws(PasskeyError) {
            let begun = try await services.enrollment.begin(
                user: own.user,
                session: own.session,
                at: .hosted,
                client: own.client,
                in: exchange.context
            )
            return Self.options(begun) { begun.options.write(to: &$0) }
        } catch { throw APIError(error, at: .browserOptions) }
    }

    private func registerVerify(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let answer = try BrowserAnswer(try exchange.jsonBody())
        let visit: HostedVisit? = try isInSignIn(exchange) ? try visit(&exchange) : nil
        let client: Client
        if let visit { client = visit.client } else { client = try await resident(&exchange).client }
        try await services.limits.count(.token, &exchange)
        let signIn = SignIn(services: services, surface: .browserVerify)
        let asked = exchange
        return try await signIn.answering(answer.response, in: asked.context) { () async throws(APIError) in
            switch try await take(answer, client, asked) {
            case .signUp(let pending):
                guard let visit else { throw APIError(PasskeyError.sessionInvalid, at: .browserVerify) }
                return try await signUp(answer, pending, visit, asked)
            case .enrollment(let pending): return try await enroll(answer, pending, asked)
            case .login, .recovery: throw APIError(PasskeyError.sessionInvalid, at: .browserVerify)
            }
        }
    }

    private func signUp(
        _ answer: BrowserAnswer,
        _ pending: SignUp.Pending,
        _ visit: HostedVisit,
        _ exchange: Exchange
    ) async throws(APIError) -> HTTPResponse {
        let hosted: HostedSession
        let user: User
        do throws(PasskeyError) {
            let verified = try await services.signUp.verify(
                answer.response,
                answering: pending,
                in: exchange.context
            )
            user = verified.user
            hosted = HostedSession(verified.authentication, visit.client, services, exchange)
            try await services.signUp.store(
                verified,
                session: hosted.session,
                refresh: nil,
                cookieHash: hosted.cookieHash,
                replacedCookieHash: hosted.replacedCookieHash,
                in: exchange.context
            )
        } catch { throw APIError(error, at: .browserVerify) }
        return await verified(user, cookie: hosted.cookie, pending.id, exchange)
    }

    /// A passkey for who is signed in: asked for on the account page, or made without asking after a password.
    private func enroll(
        _ answer: BrowserAnswer,
        _ pending: Enrollment.Pending,
        _ exchange: Exchange
    ) async throws(APIError) -> HTTPResponse {
        guard let signedIn = try await services.signedIn(exchange) else {
            throw APIError(PasskeyError.sessionInvalid, at: .browserVerify)
        }
        do throws(PasskeyError) {
            _ = try await services.enrollment.finish(
                answer.response,
                answering: pending,
                user: signedIn.user,
                session: signedIn.session,
                in: exchange.context
            )
        } catch { throw APIError(error, at: .browserVerify) }
        return await verified(signedIn.user, cookie: nil, pending.id, exchange)
    }

    // MARK: What they share

    /// Whether a call belongs to a sign-in; else it is the account page's.
    private func isInSignIn(_ exchange: Exchange) throws(APIError) -> Bool {
        try exchange.query().string("state") != nil
    }

    /// Who is signed in, for a call that comes from the account page itself.
    private func resident(_ exchange: inout Exchange) async throws(APIError) -> OwnAccount {
        let browser = HostedSeal.Browser(cookie: exchange.cookie(BrowserCookies(exchange).transactionName))
        let token = exchange.header("x-csrf-token")
        guard let browser, services.hosted.isFormToken(token, of: browser, in: exchange.context) else {
            throw .crossSite
        }
        guard let signedIn = try await services.signedIn(exchange) else {
            throw APIError(TokenError.notSignedIn, base: exchange.context.base)
        }
        let own = try services.account(of: signedIn, in: exchange.context)
        exchange.client = own.client
        return own
    }

    /// The sign-in that a script's call belongs to; it comes from the page itself.
    private func visit(_ exchange: inout Exchange) throws(APIError) -> HostedVisit {
        let visit = try HostedVisit(try exchange.query().string("state"), services.hosted, &exchange)
        let token = exchange.header("x-csrf-token")
        guard services.hosted.isFormToken(token, of: visit.browser, in: exchange.context) else { throw .crossSite }
        return visit
    }

    private func take(
        _ answer: BrowserAnswer,
        _ client: Client,
        _ exchange: Exchange
    ) async throws(APIError) -> TakenCeremony {
        guard let session = answer.session ?? exchange.header("x-auth-session") ?? answer.challenge else {
            throw .missing("auth_session")
        }
        let signIn = SignIn(services: services, surface: .browserVerify)
        return try await signIn.take(session, .hosted, realm: nil, client: client, in: exchange.context)
    }

    static func options<Options>(
        _ begun: Begun<Options>,
        _ write: (inout JSONWriter) -> Void
    ) -> HTTPResponse {
        var response = HTTPResponse.json(capacity: 1024, write)
        response.headers.add("X-Auth-Session", begun.session)
        response.headers.add("X-Ceremony-Id", begun.ceremony.text)
        return response
    }

    private func verified(
        _ user: User,
        cookie: String?,
        _ ceremony: CeremonyID,
        offersOwn: Bool = false,
        _ exchange: Exchange
    ) async -> HTTPResponse {
        let signals = await services.ceremonies.signals(for: user, in: exchange.context)
        var response = HTTPResponse.json(capacity: 1024) { json in
            json.beginObject()
            json.name("verified")
            json.bool(true)
            if offersOwn {
                json.name("offers_passkey")
                json.bool(true)
            }
            if let signals { Signals.write(signals, to: &json) }
            json.endObject()
        }
        if let cookie { response.headers.add("Set-Cookie", cookie) }
        response.headers.add("X-Ceremony-Id", ceremony.text)
        return response
    }
}
