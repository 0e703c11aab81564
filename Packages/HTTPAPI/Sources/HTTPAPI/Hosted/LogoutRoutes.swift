import Encodings
import HTTPServer
import Identity
import Pages
import Tokens

/// `GET /v2/logout`, and `GET` and `POST /oidc/logout` (contract 8.3; OpenID Connect RP-Initiated Logout 1.0).
struct LogoutRoutes: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/v2/logout", shape: .page, run: logOut),
            Endpoint(.get, "/oidc/logout", shape: .page) { (exchange) async throws(APIError) in
                try await endSession(try exchange.query(), &exchange)
            },
            Endpoint(.post, "/oidc/logout", shape: .page) { (exchange) async throws(APIError) in
                try await endSession(try exchange.form(), &exchange)
            },
        ]
    }

    /// Ends the browser's session, wherever the way goes on to.
    private func logOut(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let parameters = try exchange.query()
        if let name = parameters.repeated { throw .repeated(name) }
        let allowed: [String]
        if let id = try parameters.string("client_id") {
            exchange.client = exchange.context.configuration.clients[ClientID(id)]
            allowed = exchange.client?.allowedLogoutURLs ?? []
        } else {
            allowed = exchange.context.settings.allowedLogoutURLs
        }
        let returnTo = try parameters.string("returnTo")
        try await end(exchange)
        let response: HTTPResponse
        if let returnTo {
            response =
                CallbackURL.isRegistered(returnTo, among: allowed)
                ? .redirect(returnTo) : HostedPages.message("bad-return", status: 400, exchange)
        } else if let first = allowed.first(where: { !$0.utf8.contains(UInt8(ascii: "*")) }) {
            response = .redirect(first)
        } else {
            response = HostedPages.message("signed-out", exchange)
        }
        return Self.clearing(response, exchange)
    }

    // MARK: RP-Initiated Logout

    /// What such a request says.
    private struct Request {
        let hint: IDTokenHint?
        let client: Client?
        let redirectURI: String?
        let state: String?

        /// Where the way goes on to, when it is the client's.
        var target: String? {
            guard let redirectURI, let client, CallbackURL.isRegistered(redirectURI, among: client.allowedLogoutURLs)
            else { return nil }
            return state.map { CallbackURL.adding([("state", $0)], to: redirectURI) } ?? redirectURI
        }
    }

    private func endSession(_ parameters: Parameters, _ exchange: inout Exchange) async throws(APIError) -> HTTPResponse
    {
        if let name = parameters.repeated { throw .repeated(name) }
        let request = try await read(parameters, exchange)
        exchange.client = request.client
        let session = try await services.signedIn(exchange)?.session
        let isOwn = session.map { $0.id == request.hint?.session } ?? true
        let isConfirmed = try isConfirmed(parameters, exchange)
        guard isOwn || isConfirmed else { return try ask(parameters, request, exchange) }
        try await end(exchange)
        if let target = request.target { return Self.clearing(.redirect(target), exchange) }
        let isRefused = request.redirectURI != nil
        let page = HostedPages.message(isRefused ? "bad-return" : "signed-out", status: isRefused ? 400 : 200, exchange)
        return Self.clearing(page, exchange)
    }

    private func read(_ parameters: Parameters, _ exchange: Exchange) async throws(APIError) -> Request {
        let context = exchange.context
        var hint: IDTokenHint?
        if let text = try parameters.string("id_token_hint") {
            do throws(TokenError) {
                hint = try await IDTokenHint.read(text, keys: services.keys, in: context)
            } catch { throw APIError(error, base: context.base) }
        }
        var client = hint.flatMap { context.configuration.clients[$0.client] }
        if let id = try parameters.string("client_id") {
            guard let named = context.configuration.clients[ClientID(id)] else { throw .unknownClientPage }
            // A token of another client says nothing for this one.
            guard client == nil || client?.id == named.id else { throw .invalid("client_id") }
            client = named
        }
        return Request(
            hint: hint,
            client: client,
            redirectURI: try parameters.string("post_logout_redirect_uri"),
            state: try parameters.string("state")
        )
    }

    private func browser(_ exchange: Exchange) -> HostedSeal.Browser? {
        HostedSeal.Browser(cookie: exchange.cookie(BrowserCookies(exchange).transactionName))
    }

    /// Whether the person said so on the page of ``ask(_:_:_:)``.
    private func isConfirmed(_ parameters: Parameters, _ exchange: Exchange) throws(APIError) -> Bool {
        guard exchange.request.method == .post, let browser = browser(exchange) else { return false }
        return services.hosted.isFormToken(try parameters.string("csrf_token"), of: browser, in: exchange.context)
    }

    /// Asks before anybody is signed out by a link that others may have made.
    private func ask(
        _ parameters: Parameters,
        _ request: Request,
        _ exchange: Exchange
    ) throws(APIError) -> HTTPResponse {
        let known = browser(exchange)
        let browser = known ?? services.hosted.newBrowser()
        var fields: [[String: PageValue]] = []
        for name in ["client_id", "post_logout_redirect_uri", "state", "id_token_hint"] {
            guard let value = try parameters.string(name) else { continue }
            fields.append(["name": .text(name), "value": .text(value)])
        }
        var response = HostedPages.response(
            Page(
                .logout,
                [
                    "csrf_token": .text(services.hosted.formToken(for: browser, in: exchange.context)),
                    "fields": .list(fields),
                ]
            ),
            formTarget: request.target.flatMap(CallbackURL.formTarget),
            locales: try parameters.string("ui_locales"),
            exchange
        )
        if known == nil {
            response.headers.add("Set-Cookie", BrowserCookies(exchange).transaction(browser.text))
        }
        return response
    }

    private func end(_ exchange: Exchange) async throws(APIError) {
        let cookie = exchange.cookie(BrowserCookies(exchange).sessionName)
        do throws(TokenError) {
            try await services.sessions.logOut(
                cookie.map { .cookie($0) },
                revokingRefreshTokens: !exchange.context.settings.keepRefreshTokensOnLogout,
                in: exchange.context
            )
        } catch { throw APIError(error, base: exchange.context.base) }
    }

    private static func clearing(_ response: HTTPResponse, _ exchange: Exchange) -> HTTPResponse {
        var response = response
        response.headers.add("Set-Cookie", BrowserCookies(exchange).clearedSession)
        return response
    }
}
