import Accounts
import Encodings
import HTTPServer
import Identity
import Pages
import Passkeys
import Tokens

/// Where people look after their own account: passkeys, sessions, password, and what happened lately (contract 8.2). It
/// belongs to no application; who is not signed in is led to the sign-in and back. All but a new passkey works without
/// JavaScript.
///
/// What adds or removes a way to sign in needs a fresh proof (contract, section 10), and leads to it.
struct AccountPage: Sendable {
    let services: APIServices

    static let path = "/u/passkeys"
    /// How many sessions and events are shown, and sessions looked through for the newest.
    static let maximumSessions = 50
    static let maximumSessionsRead = 1000
    static let maximumEvents = 20

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, Self.path, shape: .page, run: show),
            Endpoint(.get, Self.path + "/proof", shape: .page, run: prove),
            Endpoint(.post, Self.path + "/rename", shape: .page, run: action(rename)),
            Endpoint(.post, Self.path + "/remove", shape: .page, run: action(remove)),
            Endpoint(.post, Self.path + "/sessions", shape: .page, run: action(endSessions)),
            Endpoint(.post, Self.path + "/password", shape: .page, run: action(setPassword)),
            Endpoint(.post, Self.path + "/retire-password", shape: .page, run: action(retirePassword)),
        ]
    }

    /// What the page says when it is shown after something was done; a text `account.done.…` each.
    enum Done: String, CaseIterable {
        case added, renamed, removed, ended, password, retired, proven
    }

    /// Where a sign-in for this page leads.
    static func address(after transaction: AuthorizationTransaction) -> String {
        transaction.prompts.contains(.login) ? "\(path)?done=\(Done.proven.rawValue)" : path
    }

    // MARK: Who comes

    private func show(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        guard let signedIn = try await services.signedIn(exchange) else { return try signIn(exchange) }
        let own = try services.account(of: signedIn, in: exchange.context)
        exchange.client = own.client
        let done = try exchange.query().string("done").flatMap(Done.init(rawValue:))
        return try await page(own, done: done, error: nil, exchange)
    }

    /// To the sign-in, and back to the page.
    private func signIn(_ exchange: Exchange) throws(APIError) -> HTTPResponse {
        let context = exchange.context
        guard let connection = context.accountDirectory, let client = context.accountClient(of: connection) else {
            throw .unknownClientPage
        }
        return try lead(client, connection, proof: nil, exchange)
    }

    /// To a sign-in by which somebody shows that it is still them, with a passkey if they have one.
    private func prove(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        guard let signedIn = try await services.signedIn(exchange) else { return try signIn(exchange) }
        let own = try services.account(of: signedIn, in: exchange.context)
        guard let connection = own.connection else { throw .unknownClientPage }
        let passkeys = try await own.passkeys()
        let proof = AccountProof(
            name: own.user.displayIdentifier(connection.options.precedence),
            needsPasskey: !passkeys.isEmpty
        )
        return try lead(own.client, connection, proof: proof, exchange)
    }

    private func lead(
        _ client: Client,
        _ connection: Connection,
        proof: AccountProof?,
        _ exchange: Exchange
    ) throws(APIError) -> HTTPResponse {
        let context = exchange.context
        let transaction = AuthorizationTransaction(
            accountPage: context.base + Self.path,
            client: client,
            connection: connection.name,
            proof: proof,
            in: context
        )
        let (browser, isNew) = browser(exchange)
        guard let state = services.hosted.text(of: transaction, for: browser, in: context) else {
            throw .internalError
        }
        var response = HTTPResponse.redirect("/u/login?state=\(state)")
        if isNew { response.headers.add("Set-Cookie", BrowserCookies(exchange).transaction(browser.text)) }
        return response
    }

    private func browser(_ exchange: Exchange) -> (HostedSeal.Browser, isNew: Bool) {
        let known = HostedSeal.Browser(cookie: exchange.cookie(BrowserCookies(exchange).transactionName))
        return (known ?? services.hosted.newBrowser(), known == nil)
    }

    // MARK: Changes

    /// A form that the page's own visitor sent.
    private struct Wish {
        let own: OwnAccount
        let form: Parameters
        var exchange: Exchange
    }

    private func rename(_ wish: inout Wish) async throws(APIError) -> Done {
        let passkey = try await passkey(of: wish)
        let name = (try wish.form.string("name") ?? "").trimmingSpaces
        try await wish.own.rename(passkey, to: name)
        return .renamed
    }

    private func remove(_ wish: inout Wish) async throws(APIError) -> Done {
        try await wish.own.remove(try await passkey(of: wish))
        return .removed
    }

    /// The passkey that a form names, for who may change it.
    private func passkey(of wish: Wish) async throws(APIError) -> Passkey {
        let id = try wish.form.requiredString("passkey")
        let passkeys = try await wish.own.passkeys()
        try wish.own.requireFreshProof(having: passkeys)
        guard let passkey = passkeys.first(where: { $0.id.text.utf8.elementsEqual(id.utf8) }) else {
            throw .methodNotFound
        }
        try wish.own.requireNoProbation(having: passkeys, changing: passkey)
        return passkey
    }

    /// Ends one session, or all but this one. Nobody signs in by it, so that it needs no proof.
    private func endSessions(_ wish: inout Wish) async throws(APIError) -> Done {
        let (own, context) = (wish.own, wish.own.context)
        if try wish.form.string("others") != nil {
            try await endOtherSessions(own)
            return .ended
        }
        guard let id = SessionID(try wish.form.requiredString("session")) else { throw .invalid("session") }
        do throws(StoreError) {
            // One of somebody else is as good as none, and one that is over is over.
            guard let session = try await services.sessionStore.session(id, of: context.tenant),
                session.user == own.user.id
            else { return .ended }
            try await services.access.withdraw(
                .session(id, tokens: true),
                of: context.tenant,
                audit: own.event("slo", ["session_id": .string(id.text)])
            )
        } catch { throw APIError(error) }
        return .ended
    }

    private func endOtherSessions(_ own: OwnAccount) async throws(APIError) {
        do throws(StoreError) {
            try await services.access.withdraw(
                .otherSessions(of: own.user.id, than: own.session.id),
                of: own.context.tenant,
                audit: own.event("slo", ["others_than": .string(own.session.id.text)])
            )
        } catch { throw APIError(error) }
    }

    /// A new password in the place of the old one: by the proof of a passkey, or by the old password where there is
    /// none. Who has none stays without; whoever else is signed in is so no more.
    private func setPassword(_ wish: inout Wish) async throws(APIError) -> Done {
        let own = wish.own
        let passkeys = try await own.passkeys()
        try own.requireFreshProof(having: passkeys)
        try own.requireNoProbation(having: passkeys)
        guard try await own.password() != nil else { throw .methodNotFound }
        if passkeys.isEmpty { try await checkOldPassword(&wish) }
        let entered = try wish.form.requiredString("password")
        do throws(UserAdministrationError) {
            _ = try await services.users.change(
                own.user.id,
                ["password": .string(entered)],
                in: own.context.configuration,
                now: own.context.now,
                audit: own.event("scp")
            )
        } catch { throw Self.refusal(error) }
        try await endOtherSessions(own)
        return .password
    }

    private func checkOldPassword(_ wish: inout Wish) async throws(APIError) {
        let own = wish.own
        guard let connection = own.connection, let name = own.user.identifiers.first else { throw .methodNotFound }
        let verified = try await PasswordCheck(services: services).verify(
            username: name.entered,
            password: try wish.form.requiredString("current_password"),
            realm: connection.name,
            client: own.client,
            in: own.context,
            &wish.exchange
        )
        guard verified.user.id == own.user.id else { throw .methodNotFound }
    }

    private static func refusal(_ error: UserAdministrationError) -> APIError {
        switch error {
        case .account(.passwordUsedBefore):
            APIError(400, "invalid_request", "Password has previously been used", "password_used_before")
        case .account(.invalid): APIError(400, "invalid_request", "Password is too weak", "invalid_password")
        case .account(let fault): APIError(fault)
        case .store(let failure): APIError(failure)
        case .passwordsOff, .noUser: .methodNotFound
        case .document, .notBuilt, .userExists: .invalid("password")
        case .changedMeanwhile: .temporarilyUnavailable(retryAfter: 1)
        }
    }

    /// The end of a password, where enough passkeys sign in instead of it.
    private func retirePassword(_ wish: inout Wish) async throws(APIError) -> Done {
        let own = wish.own
        let passkeys = try await own.passkeys()
        try own.requireFreshProof(having: passkeys)
        try own.requireNoProbation(having: passkeys)
        guard let password = try await own.password() else { throw .methodNotFound }
        guard own.mayRetirePassword(having: passkeys) else { throw .tooFewPasskeys }
        let outcome: RetirePasswordOutcome
        do throws(StoreError) {
            outcome = try await services.passkeys.retirePassword(
                of: own.user.id,
                having: OwnAccount.passkeysInsteadOfPassword,
                tenant: own.context.tenant,
                audit: own.event("delete", password)
            )
        } catch { throw APIError(error) }
        switch outcome {
        case .retired: return .retired
        case .notFound: throw .methodNotFound
        case .tooFewPasskeys: throw .tooFewPasskeys
        }
    }

    // MARK: Who may send a form

    private func action(
        _ body: @escaping @Sendable (inout Wish) async throws(APIError) -> Done
    ) -> @Sendable (inout Exchange) async throws(APIError) -> HTTPResponse {
        { (exchange: inout Exchange) async throws(APIError) in try await perform(body, &exchange) }
    }

    private func perform(
        _ body: @Sendable (inout Wish) async throws(APIError) -> Done,
        _ exchange: inout Exchange
    ) async throws(APIError) -> HTTPResponse {
        let form = try exchange.form()
        if let name = form.repeated { throw .repeated(name) }
        let (browser, isNew) = browser(exchange)
        let token = try form.string("csrf_token")
        guard !isNew, services.hosted.isFormToken(token, of: browser, in: exchange.context) else { throw .startAgain }
        guard let signedIn = try await services.signedIn(exchange) else { return try signIn(exchange) }
        let own = try services.account(of: signedIn, in: exchange.context)
        exchange.client = own.client
        try await services.limits.count(.myAccount, of: own.user.id.hex, &exchange)
        var wish = Wish(own: own, form: form, exchange: exchange)
        do throws(APIError) {
            let done = try await body(&wish)
            return .redirect("\(Self.path)?done=\(done.rawValue)")
        } catch {
            guard error.status < 500 else { throw error }
            if error.error == "insufficient_user_authentication" { return .redirect(Self.path + "/proof") }
            services.ceremonies.refusals.add(own.event(refusedFor: error.reason, method: .post))
            return try await page(own, done: nil, error: error, exchange)
        }
    }

    // MARK: The page

    private func page(
        _ own: OwnAccount,
        done: Done?,
        error: APIError?,
        _ exchange: Exchange
    ) async throws(APIError) -> HTTPResponse {
        let language = HostedPages.language(nil, exchange)
        let (browser, isNew) = browser(exchange)
        let contents = try await AccountPageContents(own)
        var values = contents.values(in: language)
        values["csrf_token"] = .text(services.hosted.formToken(for: browser, in: exchange.context))
        values["script"] = .text("pages.js")
        if let done { values["done"] = .text(Page.sentence("account.done.\(done.rawValue)", in: language)) }
        if let error { values["error"] = .text(Page.reason(error.reason, in: language)) }
        var response = HostedPages.response(
            Page(.passkeys, values),
            status: error.map { $0.status == 401 ? 400 : $0.status } ?? 200,
            exchange
        )
        if let retryAfter = error?.retryAfter { response.headers.add("Retry-After", String(retryAfter)) }
        if isNew { response.headers.add("Set-Cookie", BrowserCookies(exchange).transaction(browser.text)) }
        return response
    }
}

extension OwnAccount {
    /// So many passkeys let a password go: each is the way back in when the other is lost.
    static let passkeysInsteadOfPassword = 2

    /// Whether the password can be done without.
    func mayRetirePassword(having passkeys: [Passkey]) -> Bool {
        passkeys.count { $0.suspendedAt == nil && context.domain.serves($0.relyingPartyID) }
            >= Self.passkeysInsteadOfPassword
    }
}

extension String {
    /// Without spaces at its beginning and end.
    fileprivate var trimmingSpaces: String {
        let start = drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }
}
