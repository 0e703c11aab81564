import Encodings
import HTTPServer
import Identity
import Pages
import Tokens

/// `GET` and `POST /authorize`, `GET /authorize/resume` (contract 8.1).
struct AuthorizeRoutes: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/authorize", shape: .page) { (exchange) async throws(APIError) in
                try await authorize(try exchange.query(), &exchange)
            },
            Endpoint(.post, "/authorize", shape: .page) { (exchange) async throws(APIError) in
                let form = try exchange.form()
                if let link = asLink(exchange) { return .redirect(link) }
                return try await authorize(form, &exchange)
            },
            Endpoint(.get, "/authorize/resume", shape: .page, run: resume),
        ]
    }

    // MARK: The request

    /// The request of a form as a link, where it came without cookies: so do forms of other sites, and a cookie that is set
    /// anew would end the sign-ins that are open in other tabs. The link comes with those that are there.
    private func asLink(_ exchange: Exchange) -> String? {
        let cookies = BrowserCookies(exchange)
        let body = exchange.request.body
        guard body.count <= Self.longestLink, exchange.cookie(cookies.transactionName) == nil,
            exchange.cookie(cookies.sessionName) == nil, body.allSatisfy(Self.isOfForm)
        else { return nil }
        return "/authorize?" + String(decoding: body, as: UTF8.self)
    }

    /// In bytes.
    private static let longestLink = 2048

    /// Whether a browser writes the byte into a form (URL Standard §5.2); all of them may stand in a query.
    private static func isOfForm(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "*-._+%&=".utf8.contains(byte)
        }
    }

    private func authorize(_ parameters: Parameters, _ exchange: inout Exchange) async throws(APIError) -> HTTPResponse
    {
        let (client, redirectURI) = try asker(parameters, &exchange)
        let asked = try Self.read(parameters)
        let usesFormPost = asked.responseMode == "form_post"
        let transaction: AuthorizationTransaction
        do throws(AuthorizationError) {
            if let name = parameters.repeated {
                throw .invalidRequest("Repeated parameter: \(APIError.bounded(name))")
            }
            transaction = try AuthorizationTransaction(
                asked,
                redirectURI: redirectURI,
                hintedUser: await hintedUser(asked.idTokenHint, exchange.context),
                client: client,
                in: exchange.context
            )
        } catch {
            return Self.answer(error, asked.state, to: redirectURI, usesFormPost, exchange)
        }
        let cookies = BrowserCookies(exchange)
        let known = HostedSeal.Browser(cookie: exchange.cookie(cookies.transactionName))
        let browser = known ?? services.hosted.newBrowser()
        guard let state = services.hosted.text(of: transaction, for: browser, in: exchange.context) else {
            throw .internalError
        }
        var response: HTTPResponse
        if exchange.request.method == .post, exchange.cookie(cookies.sessionName) == nil {
            // A form of another site comes without cookies; the way on from it has them.
            response = .redirect("/authorize/resume?state=\(state)")
        } else {
            response = try await proceed(transaction, client, state, &exchange)
        }
        if known == nil { response.headers.add("Set-Cookie", cookies.transaction(browser.text)) }
        return response
    }

    /// Who asks, and where the answer goes: until both are known nobody is redirected.
    private func asker(
        _ parameters: Parameters,
        _ exchange: inout Exchange
    ) throws(APIError) -> (Client, String) {
        if let name = parameters.repeated, name == "client_id" || name == "redirect_uri" { throw .repeated(name) }
        guard let id = try parameters.string("client_id"),
            let client = exchange.context.configuration.clients[ClientID(id)]
        else { throw .unknownClientPage }
        exchange.client = client
        guard let redirectURI = try parameters.string("redirect_uri"),
            CallbackURL.isRegistered(redirectURI, among: client.callbacks)
        else { throw .callbackMismatch }
        return (client, redirectURI)
    }

    private static func read(_ parameters: Parameters) throws(APIError) -> AuthorizationParameters {
        var read = AuthorizationParameters()
        read.responseType = try parameters.string("response_type")
        read.responseMode = try parameters.string("response_mode")
        read.scope = try parameters.string("scope")
        read.audience = try parameters.string("audience")
        read.state = try parameters.string("state")
        read.nonce = try parameters.string("nonce")
        read.challenge = try parameters.string("code_challenge")
        read.challengeMethod = try parameters.string("code_challenge_method")
        read.prompt = try parameters.string("prompt")
        read.maximumAge = try parameters.string("max_age")
        read.acrValues = try parameters.string("acr_values")
        read.idTokenHint = try parameters.string("id_token_hint")
        read.loginHint = try parameters.string("login_hint")
        read.connection = try parameters.string("connection")
        read.screenHint = try parameters.string("screen_hint")
        read.locales = try parameters.string("ui_locales")
        read.hasRequest = parameters["request"] != nil
        read.hasRequestURI = parameters["request_uri"] != nil
        read.hasRegistration = parameters["registration"] != nil
        return read
    }

    private func hintedUser(_ hint: String?, _ context: RequestContext) async -> UserID? {
        guard let hint else { return nil }
        return try? await IDTokenHint.read(hint, keys: services.keys, in: context)?.user
    }

    // MARK: What comes next

    private func resume(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let visit = try HostedVisit(try exchange.query().string("state"), services.hosted, &exchange)
        return try await proceed(visit.transaction, visit.client, visit.state, &exchange)
    }

    /// Takes a sign-in on by what the browser's session is now.
    func proceed(
        _ transaction: AuthorizationTransaction,
        _ client: Client,
        _ state: String,
        hasConsent: Bool = false,
        _ exchange: inout Exchange
    ) async throws(APIError) -> HTTPResponse {
        let signedIn = try await services.signedIn(exchange)
        let step = transaction.step(for: signedIn, client: client, hasConsent: hasConsent, in: exchange.context)
        switch step {
        case .code:
            guard let signedIn else { throw .startAgain }
            if transaction.isForAccount { return .redirect(AccountPage.address(after: transaction)) }
            return try await code(transaction, signedIn.session, exchange)
        case .consent:
            return .redirect("/u/consent?state=\(state)")
        case .signIn:
            return .redirect((transaction.startsWithSignUp ? "/u/signup" : "/u/login") + "?state=\(state)")
        case .refused(let error):
            // No application waits for an answer: the page says what is lacking.
            if transaction.isForAccount { return .redirect(AccountPage.path) }
            return Self.answer(
                error,
                transaction.state,
                to: transaction.redirectURI,
                transaction.usesFormPost,
                exchange
            )
        }
    }

    private func code(
        _ transaction: AuthorizationTransaction,
        _ session: Session,
        _ exchange: Exchange
    ) async throws(APIError) -> HTTPResponse {
        let code: String
        do throws(TokenError) {
            code = try await services.codes.newCode(for: transaction, session: session, in: exchange.context)
        } catch { throw APIError(error, base: exchange.context.base) }
        return Self.answer(
            [("code", code)],
            transaction.state,
            to: transaction.redirectURI,
            transaction.usesFormPost,
            exchange
        )
    }

    // MARK: Answers

    static func answer(
        _ error: AuthorizationError,
        _ state: String?,
        to redirectURI: String,
        _ usesFormPost: Bool,
        _ exchange: Exchange
    ) -> HTTPResponse {
        answer(
            [("error", error.code), ("error_description", error.description)],
            state,
            to: redirectURI,
            usesFormPost,
            exchange
        )
    }

    /// Sends the browser back to the application, as its request wanted it (RFC 6749 §4.1.2, RFC 9207).
    private static func answer(
        _ parameters: [(name: String, value: String)],
        _ state: String?,
        to redirectURI: String,
        _ usesFormPost: Bool,
        _ exchange: Exchange
    ) -> HTTPResponse {
        var parameters = parameters
        if let state { parameters.append(("state", state)) }
        parameters.append(("iss", exchange.context.issuer))
        guard usesFormPost else { return .redirect(CallbackURL.adding(parameters, to: redirectURI)) }
        return HostedPages.response(
            Page(
                .formPost,
                [
                    "action": .text(redirectURI), "script": .text("form-post.js"),
                    "fields": .list(parameters.map { ["name": .text($0.name), "value": .text($0.value)] }),
                ]
            ),
            formTarget: CallbackURL.formTarget(of: redirectURI),
            exchange
        )
    }
}

extension APIServices {
    /// Who the session's cookie says is signed in; nobody when it is over.
    func signedIn(_ exchange: Exchange) async throws(APIError) -> SessionAccess.SignedIn? {
        guard let cookie = exchange.cookie(BrowserCookies(exchange).sessionName) else { return nil }
        do throws(TokenError) {
            return try await sessions.signedIn(.cookie(cookie), in: exchange.context)
        } catch .notSignedIn {
            return nil
        } catch { throw APIError(error, base: exchange.context.base) }
    }
}
