import Encodings
import HTTPServer
import Identity
import Pages
import Passkeys
import WebAuthn

/// A new passkey by an operator's link (contract 8.2, 9.5): the page, and what its script calls. The link says whom it is
/// for and who may, so that no cookie does.
struct EnrollPasskeyPage: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/u/enroll-passkey", shape: .page, run: show),
            Endpoint(.post, "/u/enroll-passkey/options", run: options),
            Endpoint(.post, "/u/enroll-passkey/verify", shape: .unverified, run: verify),
        ]
    }

    private func show(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        // Without a link it is who is signed in that makes one (contract 14.4).
        guard let ticket = try exchange.query().string("ticket") else { return .redirect(AccountPage.path) }
        try await services.limits.count(.passkeyChallenges, &exchange)
        guard let leave = try await leave(ticket, exchange) else {
            return HostedPages.message("link-over", status: 400, exchange)
        }
        let connection = exchange.context.configuration.connection(leave.user.connection)
        let page = Page(
            .enrollPasskey,
            [
                "ticket": .text(ticket), "script": .text("pages.js"),
                "user": .text(leave.user.displayIdentifier(connection?.options.precedence ?? [])),
            ]
        )
        return HostedPages.response(page, exchange)
    }

    private func options(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let parameters = Parameters(try exchange.jsonBody())
        try await services.limits.count(.passkeyChallenges, &exchange)
        let leave = try await demand(parameters, exchange)
        do throws(PasskeyError) {
            let begun = try await services.recovery.begin(leave, in: exchange.context)
            return HostedPasskeyCalls.options(begun) { begun.options.write(to: &$0) }
        } catch { throw APIError(error, at: .browserOptions) }
    }

    private func verify(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let body = try exchange.jsonBody()
        let answer = try BrowserAnswer(body)
        try await services.limits.count(.token, &exchange)
        let leave = try await demand(Parameters(body), exchange)
        guard let session = answer.session ?? exchange.header("x-auth-session") else {
            throw .missing("auth_session")
        }
        let context = exchange.context
        do throws(PasskeyError) {
            let pending = try await services.recovery.take(session: session, for: leave, in: context)
            let verified = try await services.recovery.verify(answer.response, answering: pending, in: context)
            let done = try await services.recovery.store(verified, session: nil, in: context)
            return Self.verified(done, pending.id)
        } catch { throw APIError(error, at: .browserVerify) }
    }

    /// The end of a recovery on a page, with what the script goes on to: a look through the other passkeys.
    static func verified(_ done: Recovery.Done, _ ceremony: CeremonyID) -> HTTPResponse {
        var response = HTTPResponse.json(capacity: 256) { json in
            json.beginObject()
            json.name("verified")
            json.bool(true)
            json.member("passkey_id", done.passkey.id.text)
            if let review = done.review { json.member("review", review) }
            json.endObject()
        }
        response.headers.add("X-Ceremony-Id", ceremony.text)
        return response
    }

    private func demand(_ parameters: Parameters, _ exchange: Exchange) async throws(APIError) -> Recovery.Leave {
        guard let ticket = try parameters.string("ticket") else { throw .missing("ticket") }
        guard let leave = try await leave(ticket, exchange) else {
            throw APIError(PasskeyError.sessionInvalid, at: .browserVerify)
        }
        return leave
    }

    private func leave(_ ticket: String, _ exchange: Exchange) async throws(APIError) -> Recovery.Leave? {
        do throws(PasskeyError) {
            return try await services.recovery.leave(ofLink: ticket, in: exchange.context)
        } catch { throw APIError(error, at: .browserOptions) }
    }
}
