import Accounts
import Encodings
import HTTPServer
import Identity
import Pages

/// Where a forgotten password is replaced (contract 9.2): by the link of a mail or an administrator's ticket, without a
/// sign-in and without JavaScript. The ticket is a secret of its own, so that the forms need no other.
struct ResetPages: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/u/reset-password", shape: .page, run: show),
            Endpoint(.post, "/u/reset-password", shape: .page, run: submit),
            Endpoint(.post, "/u/reset-password/passkeys", shape: .page, run: review),
            // Where password managers look for it (W3C Change Password URL).
            Endpoint(.get, "/.well-known/change-password") { (exchange) async throws(APIError) in
                var response = HTTPResponse(status: 302)
                response.headers.add("Location", exchange.context.base + "/u/reset-password")
                response.headers.add("Cache-Control", "no-store")
                return response
            },
        ]
    }

    private func show(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        guard let ticket = try exchange.query().string("ticket") else { return Self.ask(exchange) }
        do throws(AccountError) {
            return Self.form(try await services.passwordReset.open(ticket, in: exchange.context), ticket, exchange)
        } catch { return try Self.refusal(error, exchange) }
    }

    private func submit(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let form = try exchange.form()
        if let name = form.repeated { throw .repeated(name) }
        guard let ticket = try form.string("ticket") else { return try await send(form, &exchange) }
        let password = try form.string("password") ?? ""
        let context = exchange.context
        do throws(AccountError) {
            let done = try await services.passwordReset.finish(ticket, password: password, in: context)
            return Self.done(done, exchange)
        } catch {
            guard let reason = Self.reason(error) else { return try Self.refusal(error, exchange) }
            return try await again(ticket, reason, exchange)
        }
    }

    /// The form once more, with what is wrong; the ticket is good still.
    private func again(_ ticket: String, _ reason: String, _ exchange: Exchange) async throws(APIError) -> HTTPResponse
    {
        do throws(AccountError) {
            let open = try await services.passwordReset.open(ticket, in: exchange.context)
            return Self.form(open, ticket, error: "reason." + reason, exchange)
        } catch { return try Self.refusal(error, exchange) }
    }

    // MARK: Asking for a link

    private func send(_ form: Parameters, _ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let email = try form.string("email") ?? ""
        guard let connection = exchange.context.configuration.resetDirectory else {
            return HostedPages.message("reset-sent", exchange)
        }
        let isSent = await services.limits.mayMail(PasswordLogin.countedName(email), &exchange)
        do throws(AccountError) {
            try await services.resetRequest.run(
                email: email,
                in: connection,
                languages: exchange.languages,
                isSent: isSent,
                client: nil,
                at: exchange.context
            )
        } catch {
            guard case .invalid = error else { return try Self.refusal(error, exchange) }
            return Self.ask(error: "reason.invalid_identifier", email: email, exchange)
        }
        return HostedPages.message("reset-sent", exchange)
    }

    // MARK: Looking through the passkeys

    private func review(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let form = try exchange.form()
        let ticket = try form.string("ticket") ?? ""
        let chosen = form.object.members.compactMap { member in
            member.name.hasPrefix("remove-") ? PasskeyID(String(member.name.dropFirst("remove-".count))) : nil
        }
        do throws(AccountError) {
            try await services.passwordReset.review(ticket, removing: chosen, in: exchange.context)
        } catch { return try Self.refusal(error, exchange) }
        let visit = try? HostedVisit(try? form.string("state"), services.hosted, &exchange)
        return HostedPages.message("reset-reviewed", goingOn: visit?.address("/authorize/resume"), exchange)
    }

    // MARK: Pages

    private static func ask(error: String? = nil, email: String = "", _ exchange: Exchange) -> HTTPResponse {
        let language = HostedPages.language(nil, exchange)
        let text = error.map { Page.sentence($0, in: language) } ?? ""
        let page = Page(.resetAsk, ["email": .text(email), "error": .text(text)])
        return HostedPages.response(page, status: error == nil ? 200 : 400, exchange)
    }

    private static func form(
        _ open: PasswordReset.Open,
        _ ticket: String,
        error: String? = nil,
        _ exchange: Exchange
    ) -> HTTPResponse {
        let options = open.connection.options
        let language = HostedPages.language(nil, exchange)
        let text = error.map { Page.sentence($0, in: language) } ?? ""
        let page = Page(
            .resetPassword,
            [
                "ticket": .text(ticket), "error": .text(text), "clears": .flag(open.clears),
                "username": .text(open.user.displayIdentifier(options.precedence)),
                "length": .text(String(options.password.minimumLength)),
            ]
        )
        return HostedPages.response(page, status: error == nil ? 200 : 400, exchange)
    }

    private static func done(_ done: PasswordReset.Done, _ exchange: Exchange) -> HTTPResponse {
        let language = HostedPages.language(nil, exchange)
        let passkeys = done.passkeys.map { describe($0, language) }
        let page = Page(
            .resetDone,
            [
                "review": .text(done.review ?? ""), "passkeys": .list(passkeys), "cleared": .flag(done.isCleared),
                "result": .text(done.resultURL ?? ""),
            ]
        )
        return HostedPages.response(page, exchange)
    }

    /// Its name, its date, and how it came to be.
    static func describe(_ passkey: Passkey, _ language: PageLanguage) -> [String: PageValue] {
        let date = String(passkey.createdAt.rfc3339.prefix(10))
        let made = Page.sentence("made.\(passkey.enrolledBy.rawValue)", in: language, ["date": .text(date)])
        let name = passkey.name ?? Page.sentence("passkey.unnamed", in: language)
        return ["id": .text(passkey.id.text), "name": .text(name), "made": .text(made)]
    }

    /// What is wrong with a password, as a text has it; `nil` for what is no fault of it.
    private static func reason(_ error: AccountError) -> String? {
        switch error {
        case .passwordUsedBefore: "password_used_before"
        case .passwordTooWeak, .passwordTooCommon, .passwordHasPersonalInfo: "invalid_password"
        case .invalid: "missing_parameter"
        default: nil
        }
    }

    private static func refusal(_ error: AccountError, _ exchange: Exchange) throws(APIError) -> HTTPResponse {
        guard error == .ticketInvalid else { throw APIError(error) }
        return HostedPages.message("reset-gone", status: 400, exchange)
    }
}

extension TenantConfiguration {
    /// The user directory whose passwords are asked for where no application says which: the default one, or the only one.
    fileprivate var resetDirectory: Connection? {
        let withPasswords = connections.filter(\.options.passwordsEnabled)
        if let name = tenant.settings.defaultDirectory {
            return withPasswords.first { $0.name.utf8.elementsEqual(name.utf8) }
        }
        return withPasswords.count == 1 ? withPasswords.first : nil
    }
}
