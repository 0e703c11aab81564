import Encodings
public import HTTPServer
public import Identity
import Tenancy

/// The HTTP API of the contract: finds tenant and endpoint, runs it, and gives every answer the headers it needs.
public final class API: HTTPHandler {
    private let services: APIServices
    private let proxies: TrustedProxies
    private let health: Health
    private let clock: @Sendable () -> UnixTime
    private let metrics: APIMetrics
    private let log: @Sendable (RequestSummary) -> Void
    private let storeTime: Duration
    private let handlingTime: Duration
    private let table: RouteTable<Endpoint>

    /// - Parameters:
    ///   - services: the use cases.
    ///   - proxies: whose forwarding headers are believed.
    ///   - health: what `/healthz` and `/readyz` answer.
    ///   - metrics: what is counted.
    ///   - clock: the time.
    ///   - storeTime: what a request may wait for stores, over all its calls.
    ///   - handlingTime: what a request may take from when it is there; an import has a minute at least.
    ///   - log: hears of every request when it is over; it must not wait.
    public init(
        services: APIServices,
        proxies: TrustedProxies,
        health: Health,
        metrics: APIMetrics,
        clock: @escaping @Sendable () -> UnixTime,
        storeTime: Duration = .seconds(1),
        handlingTime: Duration = .seconds(5),
        log: @escaping @Sendable (RequestSummary) -> Void
    ) {
        self.services = services
        self.proxies = proxies
        self.health = health
        self.metrics = metrics
        self.clock = clock
        self.log = log
        self.storeTime = storeTime
        self.handlingTime = handlingTime
        var table = RouteTable<Endpoint>()
        let endpoints =
            TokenRoutes(services: services).endpoints + PasskeyRoutes(services: services).endpoints
            + DatabaseRoutes(services: services).endpoints + RecoveryRoutes(services: services).endpoints
            + AuthorizeRoutes(services: services).endpoints + SignInPages(services: services).endpoints
            + ResetPages(services: services).endpoints
            + ConsentPage(services: services).endpoints + HostedPasskeyCalls(services: services).endpoints
            + RecoverPages(services: services).endpoints + NotMePage(services: services).endpoints
            + EnrollPasskeyPage(services: services).endpoints + AccountPage(services: services).endpoints
            + LogoutRoutes(services: services).endpoints
            + UserInfoRoutes(services: services).endpoints + DiscoveryRoutes(services: services).endpoints
            + AssociationRoutes().endpoints
            + MyAccountRoutes(services: services).endpoints
            + BrowserRoutes(services: services).endpoints + ConformanceRoutes(services: services).endpoints
            + ManagementAPI(services: services).endpoints
        for endpoint in endpoints { table.add(endpoint.method, endpoint.path, endpoint) }
        self.table = table
    }

    /// A method and a path that are served; in the path `{name}` stands for one segment.
    public struct Route: Hashable, Sendable {
        public let method: HTTPMethod
        public let path: String
    }

    /// Every route that requests are looked up in.
    public var routes: [Route] { table.values.map { Route(method: $0.method, path: $0.path) } }

    public func limits(for head: HTTPRequestHead) -> RequestLimits {
        guard ManagementAPI.serves(head.path) else { return RequestLimits(body: 64 << 10, deadline: handlingTime) }
        // Only for who says who they are; whether it is so is asked when the body is there.
        guard head.method == .post, head.path == JobRoutes.importPath, head.headers.contains("authorization") else {
            return RequestLimits(body: 1 << 20, deadline: handlingTime)
        }
        return RequestLimits(body: JobRoutes.maximumFile + (64 << 10), deadline: max(.seconds(60), handlingTime))
    }

    public func handle(_ request: HTTPRequest) async -> HTTPResponse {
        let now = clock()
        let id = RequestID.of(request.headers, random: services.random)
        if let response = await health.answer(request) {
            return CommonHeaders(id: id, path: request.path, isHTTPS: false, isLoopbackName: true).added(to: response)
        }
        let match = table.match(request.head)
        var call = Call(id: id, now: now, path: Self.path(request.head, match))
        let response = await StoreBudget.$current.withValue(StoreBudget(storeTime)) {
            await answer(request, match, &call)
        }
        let headers = CommonHeaders(
            id: id,
            path: call.path,
            isHTTPS: call.isHTTPS,
            isLoopbackName: call.isLoopbackName
        )
        metrics.count(endpoint: call.endpoint ?? "other", status: response.status, reason: call.refusal?.reason)
        log(
            RequestSummary(
                id: id,
                tenant: call.tenant,
                method: request.method.description,
                path: request.path,
                status: response.status,
                reason: call.refusal?.reason,
                detail: call.refusal?.detail,
                ceremony: call.refusal?.ceremony,
                address: call.address,
                sdk: Self.sdk(request.headers),
                milliseconds: clock().milliseconds(since: now)
            )
        )
        return headers.added(to: response)
    }

    /// What becomes known of a request on its way, for its headers, the log and the metrics.
    private struct Call {
        let id: String
        let now: UnixTime
        /// What was asked for, however it was written: headers and the suspension of a tenant go by it.
        let path: String
        var tenant: String?
        var address = ""
        var endpoint: String?
        var refusal: APIError?
        var isHTTPS = false
        var isLoopbackName = false
    }

    /// The path that was found, or that would have to be: decoded, without dot segments.
    private static func path(_ head: HTTPRequestHead, _ match: RouteTable<Endpoint>.Match) -> String {
        switch match {
        case .found(let endpoint, _): return endpoint.path
        case .otherMethods(_, let endpoints): return endpoints.first?.path ?? head.path
        case .malformed: return head.path
        case .none:
            guard let segments = try? RequestPath.segments(of: head.pathBytes) else { return head.path }
            return "/" + segments.joined(separator: "/")
        }
    }

    /// What the header `Auth0-Client` says, as the log may have it.
    private static func sdk(_ headers: HTTPHeaders) -> String? {
        headers.bytes(of: "auth0-client").map { bytes in
            String(
                decoding: bytes.prefix(1024).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") },
                as: UTF8.self
            )
        }
    }

    private func answer(
        _ request: HTTPRequest,
        _ match: RouteTable<Endpoint>.Match,
        _ call: inout Call
    ) async -> HTTPResponse {
        let forwarded: ForwardedRequest
        let context: RequestContext
        do throws(APIError) {
            forwarded = try ForwardedRequest(request.head, peer: request.peer, isTLS: request.isTLS, proxies: proxies)
            call.isHTTPS = forwarded.isHTTPS
            // On a name that no tenant has, too, HSTS would bind every port of it.
            call.isLoopbackName = forwarded.isHTTPS && HostName.isLoopback(HostName.withoutPort(forwarded.host))
            call.address = forwarded.addressText()
            let mayBePublished = if case .found(let endpoint, _) = match { endpoint.isPublished } else { false }
            context = try await self.context(forwarded, request, call.now, isPublished: mayBePublished)
        } catch {
            call.refusal = error
            return error.response()
        }
        call.tenant = context.configuration.tenant.name
        if context.configuration.tenant.suspendedAt != nil, !call.path.hasPrefix("/.well-known/") {
            call.refusal = .tenantSuspended
            return APIError.tenantSuspended.response()
        }
        switch match {
        case .found(let endpoint, let parameters):
            call.endpoint = endpoint.path
            var request = request
            request.parameters = parameters
            var exchange = Exchange(request: request, forwarded: forwarded, context: context, requestID: call.id)
            return await run(endpoint, &exchange, &call)
        case .otherMethods(let allowed, let endpoints):
            if request.method != .options { call.refusal = .methodNotAllowed }
            return otherMethod(request, allowed, endpoints, context)
        case .none:
            call.refusal = .notFound
            return Self.refusal(.notFound, in: .of(call.path))
        case .malformed:
            // `*` asks about the server as a whole (RFC 9110 §9.3.7).
            if request.method == .options, request.head.target == "*" { return HTTPResponse(status: 204) }
            call.refusal = .invalidHTTP
            let shape = RefusalShape.of(call.path)
            return Self.refusal(shape == .management ? .uri("Invalid encoding") : .invalidHTTP, in: shape)
        }
    }

    private func run(_ endpoint: Endpoint, _ exchange: inout Exchange, _ call: inout Call) async -> HTTPResponse {
        var response: HTTPResponse
        do throws(APIError) {
            response = try await endpoint.run(&exchange)
        } catch {
            var error = error
            if error.status == 401, error.challenge == nil, endpoint.shape == .unverified {
                // RFC 9110 §15.5.2; Basic would make browsers ask for a password.
                error.challenge = "Bearer realm=\"\(exchange.context.base)\""
            }
            call.refusal = error
            let hides = exchange.context.settings.hidePasskeyReasons
            response =
                switch endpoint.shape {
                case .oauth: error.response(hidingReasons: hides)
                case .unverified: error.unverified(hidingReasons: hides)
                case .conformance: error.conformanceResponse()
                case .account: error.accountResponse(hidingReasons: hides)
                case .management: error.managementResponse()
                case .page: HostedPages.refusal(error, exchange)
                }
        }
        if let rate = exchange.rate {
            response.headers.add("x-ratelimit-limit", String(rate.limit))
            response.headers.add("x-ratelimit-remaining", String(rate.remaining))
            response.headers.add("x-ratelimit-reset", String(rate.reset))
        }
        response.allow(
            origin: exchange.origin,
            endpoint.cors,
            to: exchange.client,
            of: exchange.context.configuration
        )
        return response
    }

    /// A refusal before anything of the endpoint was looked at.
    static func refusal(_ error: APIError, in shape: RefusalShape) -> HTTPResponse {
        switch shape {
        case .oauth, .unverified, .page: error.response()
        case .conformance: error.conformanceResponse()
        case .account: error.accountResponse()
        case .management: error.managementResponse()
        }
    }

    private func otherMethod(
        _ request: HTTPRequest,
        _ allowed: [HTTPMethod],
        _ endpoints: [Endpoint],
        _ context: RequestContext
    ) -> HTTPResponse {
        var response =
            request.method == .options
            ? HTTPResponse(status: 204)
            : Self.refusal(.methodNotAllowed, in: endpoints.first?.shape ?? .oauth)
        if request.method == .options, let endpoint = endpoints.first,
            request.headers.contains("access-control-request-method")
        {
            response.allow(
                origin: request.headers["origin"],
                endpoint.cors,
                to: nil,
                of: context.configuration
            )
            response.answerPreflight()
        }
        response.headers.add("Allow", allowed.map(\.description).joined(separator: ", "))
        return response
    }

    /// Finds the tenant by the host, and refuses what may not be served there (contract 1.1).
    private func context(
        _ forwarded: ForwardedRequest,
        _ request: HTTPRequest,
        _ now: UnixTime,
        isPublished: Bool
    ) async throws(APIError) -> RequestContext {
        let lookup: TenantLookup
        do throws(StoreError) {
            lookup = try await services.directory.lookup(host: forwarded.host, now: now)
        } catch { throw APIError(error) }
        guard case .tenant(let configuration) = lookup,
            let domain = configuration.publishingDomain(host: forwarded.host),
            isPublished || domain.host.utf8.elementsEqual(forwarded.host.utf8)
        else { throw .unknownHost }
        if domain.isLoopbackName {
            guard forwarded.isLoopbackClient else { throw .unknownHost }
        } else {
            guard forwarded.mayUsePlainHTTP else { throw .httpsRequired }
        }
        let scheme = domain.isLoopbackName && !forwarded.isHTTPS ? "http" : "https"
        let userAgent = request.headers["user-agent"] ?? ""
        let address = forwarded.addressText()
        return RequestContext(
            configuration: configuration,
            domain: domain,
            base: "\(scheme)://\(domain.host)",
            device: Device(
                address: address,
                userAgent: String(decoding: userAgent.utf8.prefix(256), as: UTF8.self)
            ),
            network: forwarded.client?.isIPv4 == false ? forwarded.addressText(counted: true) : address,
            languages: AcceptedLanguages.read(request.headers["accept-language"]),
            now: now
        )
    }
}
