import HTTPServer
import Identity
import Pages
import Tokens

/// Where people say whether an application of somebody else may act for them (contract 8.1). It is asked for each time:
/// nothing is remembered of it.
struct ConsentPage: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/u/consent", shape: .page, run: page),
            Endpoint(.post, "/u/consent", shape: .page, run: decide),
        ]
    }

    private func page(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let visit = try HostedVisit(try exchange.query().string("state"), services.hosted, &exchange)
        let scopes = (visit.transaction.scope ?? "").split(separator: " ").map(String.init)
        let api = visit.transaction.audience.flatMap { audience in
            exchange.context.configuration.resourceServers.first { $0.identifier.utf8.elementsEqual(audience.utf8) }
        }
        let items: [[String: PageValue]] = scopes.map { scope in
            let known = api?.scopes.first { $0.value.utf8.elementsEqual(scope.utf8) }
            return ["scope": .text(known?.description.nonEmptyText ?? scope)]
        }
        return HostedPages.response(
            Page(
                .consent,
                [
                    "state": .text(visit.state),
                    "csrf_token": .text(services.hosted.formToken(for: visit.browser, in: exchange.context)),
                    "application": .text(visit.client.name), "scopes": .list(items),
                ]
            ),
            formTarget: CallbackURL.formTarget(of: visit.transaction.redirectURI),
            locales: visit.transaction.locales,
            exchange
        )
    }

    private func decide(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let form = try exchange.form()
        let visit = try HostedVisit(try form.string("state"), services.hosted, &exchange)
        let token = try form.string("csrf_token")
        guard services.hosted.isFormToken(token, of: visit.browser, in: exchange.context) else { throw .startAgain }
        guard try form.string("decision") == "allow" else {
            return AuthorizeRoutes.answer(
                .consentDenied,
                visit.transaction.state,
                to: visit.transaction.redirectURI,
                visit.transaction.usesFormPost,
                exchange
            )
        }
        return try await AuthorizeRoutes(services: services).proceed(
            visit.transaction,
            visit.client,
            visit.state,
            hasConsent: true,
            &exchange
        )
    }
}

extension String {
    fileprivate var nonEmptyText: String? { isEmpty ? nil : self }
}
