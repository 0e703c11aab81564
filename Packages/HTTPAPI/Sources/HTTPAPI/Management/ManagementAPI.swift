import Encodings
import HTTPServer
import Identity
import Passkeys
import Tenancy
import Tokens

/// The Management API v2 (contract 11): who may call, what every call obeys, and the endpoints.
struct ManagementAPI: Sendable {
    let services: APIServices

    /// Whether the path is one of the Management API.
    static func serves(_ path: String) -> Bool { path.hasPrefix("/api/v2/") }

    var endpoints: [Endpoint] {
        ClientRoutes(api: self).endpoints + ConnectionRoutes(api: self).endpoints
            + ResourceServerRoutes(api: self).endpoints + ClientGrantRoutes(api: self).endpoints
            + CustomDomainRoutes(api: self).endpoints
            + UserRoutes(api: self).endpoints + AuthenticationMethodRoutes(api: self).endpoints
            + AccessRoutes(api: self).endpoints + JobRoutes(api: self).endpoints + TicketRoutes(api: self).endpoints
            + LogRoutes(api: self).endpoints + SigningKeyRoutes(api: self).endpoints
            + TenantSettingsRoutes(api: self).endpoints
            + TenantFileRoutes(api: self).endpoints
    }

    /// The scopes that a call needs.
    enum Needs: Sendable {
        case any([String])
        case all([String])
    }

    typealias Action = @Sendable (inout ManagementCall) async throws(APIError) -> HTTPResponse

    /// Lets the caller in, then runs `body`. The order: token, rate limit, scope; then path, query and body.
    ///
    /// What changes something is written down: a success by `body`, in the transaction of the change; a refusal here.
    func action(
        _ needs: Needs,
        _ body: @escaping Action
    ) -> @Sendable (inout Exchange) async throws(APIError) -> HTTPResponse {
        { (exchange: inout Exchange) async throws(APIError) in
            let caller: ManagementAccess.Caller
            do throws(TokenError) {
                caller = try await services.management.caller(exchange.bearerToken, in: exchange.context)
            } catch { throw .unauthorized(error, base: exchange.context.base) }
            try await services.limits.count(.management, &exchange)
            do throws(APIError) {
                try check(needs, caller, exchange)
                var call = try await call(exchange, caller)
                return try await body(&call)
            } catch {
                if exchange.request.method != .get, exchange.request.method != .head, error.status < 500 {
                    services.ceremonies.refusals.add(ManagementCall.event("fapi", error.status, caller, exchange))
                }
                throw error
            }
        }
    }

    func action(
        _ scope: String,
        _ body: @escaping Action
    ) -> @Sendable (inout Exchange) async throws(APIError) -> HTTPResponse {
        action(.any([scope]), body)
    }

    private func check(
        _ needs: Needs,
        _ caller: ManagementAccess.Caller,
        _ exchange: Exchange
    ) throws(APIError) {
        switch needs {
        case .any(let scopes) where scopes.contains(where: caller.scope.contains): return
        case .all(let scopes) where scopes.allSatisfy(caller.scope.contains): return
        case .any(let scopes): throw .insufficientScope(scopes, all: false, base: exchange.context.base)
        case .all(let scopes): throw .insufficientScope(scopes, all: true, base: exchange.context.base)
        }
    }

    private func call(
        _ exchange: Exchange,
        _ caller: ManagementAccess.Caller
    ) async throws(APIError) -> ManagementCall {
        let configuration: TenantConfiguration?
        do throws(StoreError) {
            configuration = try await services.directory.current(exchange.context.configuration)
        } catch { throw APIError(error) }
        guard let configuration else { throw .nothingThere }
        if let host = exchange.header("auth0-custom-domain"), !host.isEmpty,
            configuration.domain(host: host.lowercased())?.status != .ready
        {
            throw .management(400, "inexistent_custom_domain", "Auth0-Custom-Domain names no domain of the tenant")
        }
        return ManagementCall(
            services: services,
            exchange: exchange,
            caller: caller,
            configuration: configuration,
            query: try ManagementQuery(exchange.request.head.queryBytes)
        )
    }
}
