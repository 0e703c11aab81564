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
        do throws(TokenError) {
            return .json(try await services.userInfo.answer(exchange.bearerToken, in: exchange.context))
        } catch { throw APIError(error, base: exchange.context.base) }
    }
}
