import Accounts
import Encodings
import HTTPServer
import Identity
import Pages
import Passkeys
import Tokens
import WebAuthn

/// The way back in for whoever lost what they signed in with (contract 8.2, 9.5): from the sign-in page by a code, mailed
/// or printed, to a new passkey and a look through the others. It belongs to the browser that asked, by a cookie; the link
/// in the mail only brings the code there, so that whoever opens it elsewhere uses nothing up.
struct RecoverPages: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/u/recover", shape: .page, run: askPage),
            Endpoint(.post, "/u/recover", shape: .page, run: start),
            Endpoint(.get, "/u/recover/code", shape: .page, run: codePage),
            Endpoint(.post, "/u/recover/code", shape: .page, run: enter),
            Endpoint(.post, "/u/recover/options", run: options),
            Endpoint(.post, "/u/recover/verify", shape: .unverified, run: verify),
            Endpoint(.get, "/u/review-passkeys", shape: .page, run: reviewPage),
        ]
    }

    private var check: RecoveryCheck { RecoveryCheck(services: services, surface: .hosted) }

    // MARK: Whose account

    private func askPage(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let visit = try HostedVisit(try exchange.query().string("state"), services.hosted, &exchange)
        return ask(visit, identifier: visit.transaction.loginHint ?? "", error: nil, exchange)
    }

    private func start(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let form = try exchange.form()
        let visit = try HostedVisit(try form.string("state"), services.hosted, &exchange)
        let token = try form.string("csrf_token")
        guard services.hosted.isFormToken(token, of: visit.browser, in: exchange.context) else { throw .startAgain }
        do throws(APIError) {
            if let name = form.repeated { throw .repeated(name) }
            try await services.limits.count(.passkeyChallenges, &exchange)
            let identifier = try form.requiredString("username")
            let session = try await start(identifier, visit, &exchange)
            var response = HTTPResponse.redirect(visit.address("/u/recover/code"))
            response.headers.add("Set-Cookie", BrowserCookies(exchange).recovery(session))
            return response
        } catch {
            guard error.status != 500 else { throw error }
            let typed = (try? form.string("username")) ?? nil
            return ask(visit, identifier: typed ?? "", error: error, exchange)
        }
    }

    private func start(
        _ identifier: String,
        _ visit: HostedVisit,
        _ exchange: inout Exchange
    ) async throws(APIError) -> String {
        let connection: Connection
        do throws(DirectoryError) {
            connection = try exchange.context.connection(realm: visit.transaction.connection, for: visit.client)
        } catch { throw APIError(AccountError.directory(error)) }
        let name = PasswordLogin.countedName(identifier)
        let isSent = await services.limits.mayMail(name, &exchange)
        do throws(PasskeyError) {
            return try await services.recoveryRequest.start(
                identifier,
                countedAs: name,
                in: connection,
                isSent: isSent,
                surface: .hosted,
                client: visit.client,
                in: exchange.context
            )
        } catch { throw APIError(error, at: .browserOptions) }
    }

    // MARK: The code

    /// Also where the link of the mail leads: it fills the code in, and uses nothing up.
    private func codePage(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let query = try exchange.query()
        guard try await isOpen(exchange) else { return HostedPages.message("recover-elsewhere", status: 400, exchange) }
        return code(typed: try query.string("code"), error: nil, try query.string("state"), &exchange)
    }

    private func enter(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let form = try exchange.form()
        guard try await isOpen(exchange) else { return HostedPages.message("recover-elsewhere", status: 400, exchange) }
        let state = try form.string("state")
        do throws(APIError) {
            if let name = form.repeated { throw .repeated(name) }
            let code = try RecoveryCheck.code(form)
            let leave = try await prove(code, &exchange)
            return passkey(leave, code, state, &exchange)
        } catch {
            guard error.status != 500 else { throw error }
            return self.code(typed: nil, error: error, state, &exchange)
        }
    }

    private func isOpen(_ exchange: Exchange) async throws(APIError) -> Bool {
        guard let session = exchange.cookie(BrowserCookies(exchange).recoveryName) else { return false }
        do throws(PasskeyError) {
            return try await services.recoveryRequest.open(session, in: exchange.context) != nil
        } catch { throw APIError(error, at: .browserOptions) }
    }

    private func prove(
        _ code: RecoveryRequest.Code,
        _ exchange: inout Exchange
    ) async throws(APIError) -> Recovery.Leave {
        let session = exchange.cookie(BrowserCookies(exchange).recoveryName) ?? ""
        let leave = try await check.prove(code, session: session, client: nil, &exchange)
        exchange.client = leave.client
        return leave
    }

    // MARK: The new passkey

    private func options(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let parameters = Parameters(try exchange.jsonBody())
        try await services.limits.count(.passkeyChallenges, &exchange)
        let leave = try await prove(try RecoveryCheck.code(parameters), &exchange)
        do throws(PasskeyError) {
            let begun = try await services.recovery.begin(leave, in: exchange.context)
            return HostedPasskeyCalls.options(begun) { begun.options.write(to: &$0) }
        } catch { throw APIError(error, at: .browserOptions) }
    }

    private func verify(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let body = try exchange.jsonBody()
        let answer = try BrowserAnswer(body)
        try await services.limits.count(.token, &exchange)
        let leave = try await prove(try RecoveryCheck.code(Parameters(body)), &exchange)
        guard let session = answer.session ?? exchange.header("x-auth-session") else {
            throw .missing("auth_session")
        }
        let signIn = SignIn(services: services, surface: .browserVerify)
        let asked = exchange
        return try await signIn.answering(answer.response, in: asked.context) { () async throws(APIError) in
            try await finish(answer.response, session, leave, asked)
        }
    }

    /// What was recovered is signed in, here and nowhere else.
    private func finish(
        _ response: JSONObject,
        _ session: String,
        _ leave: Recovery.Leave,
        _ exchange: Exchange
    ) async throws(APIError) -> HTTPResponse {
        let context = exchange.context
        let hosted: HostedSession
        let done: Recovery.Done
        let ceremony: CeremonyID
        do throws(PasskeyError) {
            let pending = try await services.recovery.take(session: session, for: leave, in: context)
            ceremony = pending.id
            let verified = try await services.recovery.verify(response, answering: pending, in: context)
            hosted = HostedSession(verified.authentication, leave.client, services, exchange)
            done = try await services.recovery.store(
                verified,
                session: RecoverySession(hosted.session, cookieHash: hosted.cookieHash, refresh: nil),
                in: context
            )
        } catch { throw APIError(error, at: .browserVerify) }
        var answer = EnrollPasskeyPage.verified(done, ceremony)
        answer.headers.add("Set-Cookie", hosted.cookie)
        answer.headers.add("Set-Cookie", BrowserCookies(exchange).clearedRecovery)
        return answer
    }

    // MARK: The others

    private func reviewPage(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let query = try exchange.query()
        let secret = try query.string("ticket") ?? ""
        let state = visited(try query.string("state"), &exchange)
        let review: PasswordReset.Review
        do throws(AccountError) {
            review = try await services.passwordReset.review(secret, in: exchange.context)
        } catch {
            guard error == .ticketInvalid else { throw APIError(error) }
            return HostedPages.message("link-over", status: 400, exchange)
        }
        let language = HostedPages.language(nil, exchange)
        let page = Page(
            .reviewPasskeys,
            [
                "review": .text(secret), "state": .text(state ?? ""),
                "passkeys": .list(review.passkeys.map { ResetPages.describe($0, language) }),
            ]
        )
        return HostedPages.response(page, exchange)
    }

    // MARK: Pages

    private func ask(
        _ visit: HostedVisit,
        identifier: String,
        error: APIError?,
        _ exchange: Exchange
    ) -> HTTPResponse {
        let values: [String: PageValue] = [
            "state": .text(visit.state), "username": .text(identifier),
            "csrf_token": .text(services.hosted.formToken(for: visit.browser, in: exchange.context)),
        ]
        return page(.recoverAsk, values, error, locales: visit.transaction.locales, exchange)
    }

    private func code(
        typed: String?,
        error: APIError?,
        _ state: String?,
        _ exchange: inout Exchange
    ) -> HTTPResponse {
        let values: [String: PageValue] = [
            "state": .text(visited(state, &exchange) ?? ""), "code": .text(String((typed ?? "").prefix(20))),
        ]
        return page(.recoverCode, values, error, locales: nil, exchange)
    }

    private func passkey(
        _ leave: Recovery.Leave,
        _ code: RecoveryRequest.Code,
        _ state: String?,
        _ exchange: inout Exchange
    ) -> HTTPResponse {
        let connection = exchange.context.configuration.connection(leave.user.connection)
        var values: [String: PageValue] = [
            "state": .text(visited(state, &exchange) ?? ""), "script": .text("pages.js"),
            "user": .text(leave.user.displayIdentifier(connection?.options.precedence ?? [])),
        ]
        switch code {
        case .mailed(let text): values["code"] = .text(text)
        case .printed(let text): values["recovery_code"] = .text(text)
        }
        return page(.recoverPasskey, values, nil, locales: nil, exchange)
    }

    /// The sign-in that it all began in, as long as that is this browser's and not over: without it, the person goes
    /// back to the application by themselves.
    private func visited(_ state: String?, _ exchange: inout Exchange) -> String? {
        guard let visit = try? HostedVisit(state, services.hosted, &exchange) else { return nil }
        return visit.state
    }

    private func page(
        _ name: Page.Name,
        _ values: [String: PageValue],
        _ error: APIError?,
        locales: String?,
        _ exchange: Exchange
    ) -> HTTPResponse {
        let language = HostedPages.language(locales, exchange)
        var values = values
        if let error { values["error"] = .text(Page.reason(error.reason, in: language)) }
        let status = error.map { $0.status == 429 || $0.status == 503 ? $0.status : 400 } ?? 200
        var response = HostedPages.response(Page(name, values), status: status, locales: locales, exchange)
        if let retryAfter = error?.retryAfter { response.headers.add("Retry-After", String(retryAfter)) }
        return response
    }
}
