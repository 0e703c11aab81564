import Encodings
import HTTPServer
import Identity
import Pages
import Passkeys

/// Where the link of a notice leads (contract 9.4, 9.5): whoever says that it was not them ends it. The page only asks,
/// so that a scanner of mails, which opens every link, ends nothing.
struct NotMePage: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/u/not-me", shape: .page, run: show),
            Endpoint(.post, "/u/not-me", shape: .page, run: submit),
        ]
    }

    private func show(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let secret = try exchange.query().string("ticket") ?? ""
        try await services.limits.count(.passkeyChallenges, &exchange)
        guard let open = try await open(secret, exchange) else {
            return HostedPages.message("link-over", status: 400, exchange)
        }
        let page = Page(
            .notMe,
            [
                "ticket": .text(secret), "passkey": .flag(open.removesPasskey),
                "user": .text(open.user.displayIdentifier(open.connection.options.precedence)),
            ]
        )
        return HostedPages.response(page, exchange)
    }

    private func submit(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let form = try exchange.form()
        try await services.limits.count(.passkeyChallenges, &exchange)
        guard let open = try await open(try form.string("ticket") ?? "", exchange) else {
            return HostedPages.message("link-over", status: 400, exchange)
        }
        let done: NotMe.Done?
        do throws(PasskeyError) {
            done = try await services.notMe.run(open, in: exchange.context)
        } catch { throw APIError(error, at: .browserOptions) }
        guard let done else { return HostedPages.message("link-over", status: 400, exchange) }
        guard let reset = done.reset else {
            return HostedPages.message(open.removesPasskey ? "disowned" : "recovery-stopped", exchange)
        }
        // Whoever had the passkey made knows the password.
        return .redirect("/u/reset-password?ticket=\(reset)")
    }

    private func open(_ secret: String, _ exchange: Exchange) async throws(APIError) -> NotMe.Open? {
        do throws(PasskeyError) {
            return try await services.notMe.open(secret, in: exchange.context)
        } catch { throw APIError(error, at: .browserOptions) }
    }
}
