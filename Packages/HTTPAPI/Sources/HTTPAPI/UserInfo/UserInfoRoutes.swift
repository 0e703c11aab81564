import HTTPServer
import Identity
import Tokens

/// `GET` and `POST /userinfo` (contract 5.6).
struct UserInfoRoutes: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/userinfo", cors: .clients, run: userInfo),
            Endpoint(.post, "/userinfo", cors: .clients, run: userInfo),
        ]
    }

    private func userInfo(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let token = try token(exchange)
        do throws(TokenError) {
            let answer = try await services.userInfo.answer(token, in: exchange.context)
            exchange.client = exchange.context.configuration.clients[answer.client]
            return .json(answer.body)
        } catch { throw APIError(error, base: exchange.context.base) }
    }

    /// The token in the header, or in the body of a POST; in one of them alone (RFC 6750 §2).
    private func token(_ exchange: Exchange) throws(APIError) -> String? {
        guard exchange.request.method == .post, !exchange.request.body.isEmpty else { return exchange.bearerToken }
        let parameters = try exchange.parameters()
        if let name = parameters.repeated { throw .repeated(name) }
        guard let token = try parameters.string("access_token") else { return exchange.bearerToken }
        guard exchange.header("authorization") == nil else {
            throw APIError(400, "invalid_request", "More than one access token", "multiple_access_tokens")
        }
        return token
    }
}
