import Accounts
import Encodings
import HTTPServer
import Identity
import Pages
import Passkeys
import Tokens

/// The pages on which people sign in and sign up, and the files that they load (contract 8.2). With a password they work
/// without JavaScript.
struct SignInPages: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/u/login", shape: .page, run: loginPage),
            Endpoint(.post, "/u/login", shape: .page, run: logIn),
            Endpoint(.get, "/u/signup", shape: .page, run: signUpPage),
            Endpoint(.post, "/u/signup", shape: .page, run: signUp),
            Endpoint(.get, "/u/upgrade", shape: .page, run: upgradePage),
            Endpoint(.post, "/u/upgrade", shape: .page, run: decline),
            Endpoint(.get, "/u/assets/{name}", shape: .page, run: asset),
            // For web apps, whose pages are of other origins.
            Endpoint(.get, "/latchkey.js", cors: .everyone, shape: .page) { (exchange) throws(APIError) in
                let module = PageAsset.module
                var response = HTTPResponse(status: 200, headers: HTTPHeaders(), body: module.body)
                response.headers.add("Content-Type", module.contentType)
                response.headers.add("Cross-Origin-Resource-Policy", "cross-origin")
                return exchange.cacheable(response, tag: module.entityTag, "public, max-age=300")
            },
        ]
    }

    // MARK: Sign in

    private func loginPage(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let visit = try HostedVisit(try exchange.query().string("state"), services.hosted, &exchange)
        return try loginPage(visit, username: visit.transaction.loginHint, error: nil, exchange)
    }

    private func logIn(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let form = try exchange.form()
        let visit = try visit(form, &exchange)
        let username = try? form.string("username")
        do throws(APIError) {
            let entered = try Self.entered(form)
            return try await signIn(entered, visit, &exchange)
        } catch {
            guard error.status != 500 else { throw error }
            return try loginPage(visit, username: username, error: error, exchange)
        }
    }

    /// What a form asks of somebody who signs in.
    private struct Entered {
        let username: String
        let password: String
        /// Whether the page found that the browser makes passkeys without asking.
        let mayUpgrade: Bool
        /// Whether the page found that the device makes passkeys.
        let mayAsk: Bool
    }

    private static func entered(_ form: Parameters) throws(APIError) -> Entered {
        if let name = form.repeated { throw .repeated(name) }
        return Entered(
            username: try form.requiredString("username"),
            password: try form.requiredString("password"),
            mayUpgrade: try form.string("upgrade") == "1",
            mayAsk: try form.string("ask") == "1"
        )
    }

    /// By password, all the way back to the application.
    private func signIn(
        _ entered: Entered,
        _ visit: HostedVisit,
        _ exchange: inout Exchange
    ) async throws(APIError) -> HTTPResponse {
        let verified = try await PasswordCheck(services: services).verify(
            username: entered.username,
            password: entered.password,
            realm: visit.transaction.connection,
            client: visit.client,
            in: exchange.context,
            &exchange
        )
        let hosted = HostedSession(verified.authentication, visit.client, services, exchange)
        do throws(AccountError) {
            try await services.passwordLogin.store(
                verified,
                session: hosted.session,
                refresh: nil,
                cookieHash: hosted.cookieHash,
                replacedCookieHash: hosted.replacedCookieHash,
                client: visit.client,
                in: exchange.context
            )
        } catch { throw APIError(error) }
        var isOffered = entered.mayUpgrade ? await offers(verified, hosted.session, visit, exchange.context) : false
        if !isOffered, entered.mayAsk {
            isOffered =
                await services.question(
                    for: verified.user,
                    in: hosted.session,
                    passwordChangedAt: verified.passwordChangedAt,
                    visit,
                    exchange
                ) != nil
        }
        var response = HTTPResponse.redirect(visit.address(isOffered ? "/u/upgrade" : "/authorize/resume"))
        response.headers.add("Set-Cookie", hosted.cookie)
        return response
    }

    /// Whether a passkey is offered after the password (contract 9.4). Nobody's sign-in fails for want of it.
    private func offers(
        _ verified: PasswordLogin.Verified,
        _ session: Session,
        _ visit: HostedVisit,
        _ context: RequestContext
    ) async -> Bool {
        do throws(PasskeyError) {
            let begun = try await services.enrollment.offerUpgrade(
                to: verified.user,
                in: session,
                passwordChangedAt: verified.passwordChangedAt,
                at: .hosted,
                client: visit.client,
                context
            )
            return begun != nil
        } catch { return false }
    }

    private func loginPage(
        _ visit: HostedVisit,
        username: String?,
        error: APIError?,
        _ exchange: Exchange
    ) throws(APIError) -> HTTPResponse {
        let options = try directory(visit, exchange).options
        let takesPasswords = options.passwordsEnabled && !visit.transaction.needsPasskey
        // Who shows anew that it is them is not new.
        let isProof = visit.transaction.isForAccount && visit.transaction.prompts.contains(.login)
        let maySignUp = !options.signupDisabled && !isProof
        return page(
            .login,
            [
                "username": .text(username ?? ""), "passwords": .flag(takesPasswords),
                "reset": .flag(takesPasswords), "recover": .flag(!isProof && isRecoverable(options, exchange)),
                "passkeys": .flag(takesPasskeys(options, exchange)), "signup": .flag(maySignUp),
            ],
            error,
            visit,
            exchange
        )
    }

    // MARK: Sign up

    private func signUpPage(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let visit = try HostedVisit(try exchange.query().string("state"), services.hosted, &exchange)
        return try signUpPage(visit, entered: Parameters(JSONObject()), error: nil, exchange)
    }

    private func signUp(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let form = try exchange.form()
        let visit = try visit(form, &exchange)
        do throws(APIError) {
            if let name = form.repeated { throw .repeated(name) }
            try await services.limits.count(.signup, &exchange)
            let password = try form.requiredString("password")
            let user = try await newUser(form, password, visit, exchange)
            guard let identifier = user.identifiers.first else { throw .internalError }
            let entered = Entered(
                username: identifier.entered,
                password: password,
                mayUpgrade: try form.string("upgrade") == "1",
                mayAsk: try form.string("ask") == "1"
            )
            return try await signIn(entered, visit, &exchange)
        } catch {
            guard error.status != 500 else { throw error }
            return try signUpPage(visit, entered: form, error: error, exchange)
        }
    }

    private func newUser(
        _ form: Parameters,
        _ password: String,
        _ visit: HostedVisit,
        _ exchange: Exchange
    ) async throws(APIError) -> User {
        var attributes = JSONObject()
        for kind in IdentifierKind.allCases {
            if let text = try form.string(kind.rawValue) { attributes.set(kind.rawValue, .string(text)) }
        }
        do throws(AccountError) {
            return try await services.passwordSignUp.run(
                attributes,
                metadata: nil,
                password: password,
                realm: visit.transaction.connection,
                client: visit.client,
                in: exchange.context
            )
        } catch .userExists {
            // As `/dbconnections/signup`: told only where the tenant wants it.
            let tells = exchange.context.settings.signupTellsUserExists
            throw APIError(400, "invalid_request", "Invalid sign up", tells ? "user_exists" : "sign_up_failed")
        } catch { throw APIError(error) }
    }

    private func signUpPage(
        _ visit: HostedVisit,
        entered: Parameters,
        error: APIError?,
        _ exchange: Exchange
    ) throws(APIError) -> HTTPResponse {
        let options = try directory(visit, exchange).options
        guard !options.signupDisabled else {
            return try loginPage(
                visit,
                username: visit.transaction.loginHint,
                error: APIError(400, "invalid_request", "Signup is disabled", "signup_disabled"),
                exchange
            )
        }
        let language = HostedPages.language(visit.transaction.locales, exchange)
        let fields = SignupRules(options).fields.map { field -> [String: PageValue] in
            let typed = (try? entered.string(field.kind.rawValue)) ?? nil
            return SignUpField(field).values(typed ?? "", in: language)
        }
        return page(
            .signup,
            [
                "fields": .list(fields), "passwords": .flag(options.passwordsEnabled),
                "passkeys": .flag(takesPasskeys(options, exchange)),
            ],
            error,
            visit,
            exchange
        )
    }

    // MARK: The rest

    private func upgradePage(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let visit = try HostedVisit(try exchange.query().string("state"), services.hosted, &exchange)
        var values: [String: PageValue] = [:]
        if let question = try await services.question(visit, exchange) {
            let language = HostedPages.language(visit.transaction.locales, exchange)
            values["kind"] = .text(question.rawValue)
            values["ask"] = .text(Page.sentence("upgrade.ask.\(question.rawValue)", in: language))
        }
        return page(.upgrade, values, nil, visit, exchange)
    }

    /// Who does not want a passkey now is not asked again for 30 days.
    private func decline(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let visit = try visit(try exchange.form(), &exchange)
        var response = HTTPResponse.redirect(visit.address("/authorize/resume"))
        if let user = try await services.signedIn(exchange)?.user {
            let mark = services.hosted.mark(of: user.id, in: exchange.context)
            let known = exchange.cookie(BrowserCookies.declinedName)
            response.headers.add("Set-Cookie", BrowserCookies(exchange).declined(mark, known: known))
        }
        return response
    }

    private func asset(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let name = exchange.request.parameters["name"] ?? ""
        guard let asset = PageAsset.all.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { throw .notFound }
        var headers = HTTPHeaders()
        headers.add("Content-Type", asset.contentType)
        return HTTPResponse(status: 200, headers: headers, body: asset.body)
    }

    /// The sign-in that a form belongs to; the form is the page's own.
    private func visit(_ form: Parameters, _ exchange: inout Exchange) throws(APIError) -> HostedVisit {
        let visit = try HostedVisit(try form.string("state"), services.hosted, &exchange)
        let token = try form.string("csrf_token")
        guard services.hosted.isFormToken(token, of: visit.browser, in: exchange.context) else { throw .startAgain }
        return visit
    }

    private func directory(_ visit: HostedVisit, _ exchange: Exchange) throws(APIError) -> Connection {
        do throws(DirectoryError) {
            return try exchange.context.connection(realm: visit.transaction.connection, for: visit.client)
        } catch { throw APIError(.directory(error)) }
    }

    /// Whether somebody who lost their passkey gets a new one by a code.
    private func isRecoverable(_ options: ConnectionOptions, _ exchange: Exchange) -> Bool {
        takesPasskeys(options, exchange) && options.recoveryMethods.contains { $0 != .passkey }
    }

    private func takesPasskeys(_ options: ConnectionOptions, _ exchange: Exchange) -> Bool {
        exchange.context.settings.passkeysEnabled && options.passkeysEnabled
    }

    private func page(
        _ name: Page.Name,
        _ values: [String: PageValue],
        _ error: APIError?,
        _ visit: HostedVisit,
        _ exchange: Exchange
    ) -> HTTPResponse {
        let language = HostedPages.language(visit.transaction.locales, exchange)
        var values = values
        values["state"] = .text(visit.state)
        values["csrf_token"] = .text(services.hosted.formToken(for: visit.browser, in: exchange.context))
        values["script"] = .text("pages.js")
        if let error { values["error"] = .text(Page.reason(error.reason, in: language)) }
        let status = error.map { $0.status == 429 || $0.status == 503 ? $0.status : 400 } ?? 200
        var response = HostedPages.response(
            Page(name, values),
            status: status,
            formTarget: CallbackURL.formTarget(of: visit.transaction.redirectURI),
            locales: visit.transaction.locales,
            exchange
        )
        if let retryAfter = error?.retryAfter { response.headers.add("Retry-After", String(retryAfter)) }
        return response
    }
}

/// A field of the sign-up form.
private struct SignUpField {
    private let field: SignupRules.Field

    init(_ field: SignupRules.Field) { self.field = field }

    func values(_ typed: String, in language: PageLanguage) -> [String: PageValue] {
        [
            "name": .text(field.kind.rawValue), "label": .text(Page.sentence(label, in: language)),
            "type": .text(type), "autocomplete": .text(autocomplete), "value": .text(typed),
            "required": .flag(field.isRequired),
        ]
    }

    private var label: String {
        switch field.kind {
        case .email: "field.email"
        case .phoneNumber: "field.phone_number"
        case .username: "field.user_name"
        }
    }

    private var type: String {
        switch field.kind {
        case .email: "email"
        case .phoneNumber: "tel"
        case .username: "text"
        }
    }

    /// What password managers read (HTML §4.10.18.7): the name that an account goes by is its username, whatever it is.
    private var autocomplete: String {
        switch field.kind {
        case .email: "username email"
        case .phoneNumber: "tel"
        case .username: "username"
        }
    }
}
