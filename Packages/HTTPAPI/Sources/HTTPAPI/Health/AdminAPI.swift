public import HTTPServer
public import Identity
public import Tenancy

/// The admin listener: metrics, health, and whether a name has a domain (contract 15). It needs no tenant, and the
/// public listener has none of it but health.
public struct AdminAPI: HTTPHandler {
    /// A number that another part of the server counts.
    public struct Gauge: Sendable {
        public let name: String
        public let help: String
        /// `counter` or `gauge`.
        public let kind: String
        public let value: Int

        public init(name: String, help: String, kind: String, value: Int) {
            self.name = name
            self.help = help
            self.kind = kind
            self.value = value
        }
    }

    private let health: Health
    private let metrics: APIMetrics
    private let directory: TenantDirectory
    private let clock: @Sendable () -> UnixTime
    private let gauges: @Sendable () -> [Gauge]
    private let stores: @Sendable () -> [StoreMetrics.Store]

    /// - Parameters:
    ///   - health: what `/healthz` and `/readyz` answer.
    ///   - metrics: what is counted.
    ///   - directory: knows the domains.
    ///   - clock: the time.
    ///   - stores: how the store and the cache do; those that can say so.
    ///   - gauges: what other parts count.
    public init(
        health: Health,
        metrics: APIMetrics,
        directory: TenantDirectory,
        clock: @escaping @Sendable () -> UnixTime,
        stores: @escaping @Sendable () -> [StoreMetrics.Store] = { [] },
        gauges: @escaping @Sendable () -> [Gauge]
    ) {
        self.health = health
        self.metrics = metrics
        self.directory = directory
        self.clock = clock
        self.gauges = gauges
        self.stores = stores
    }

    public func limits(for head: HTTPRequestHead) -> RequestLimits { RequestLimits(body: 1024) }

    public func handle(_ request: HTTPRequest) async -> HTTPResponse {
        let headers = CommonHeaders(
            id: RequestID.of(request.headers),
            path: request.path,
            isHTTPS: false,
            isLoopbackName: false
        )
        return headers.added(to: await answer(request))
    }

    private func answer(_ request: HTTPRequest) async -> HTTPResponse {
        if let answer = await health.answer(request) { return answer }
        guard request.method == .get || request.method == .head else {
            var response = APIError.methodNotAllowed.response()
            response.headers.add("Allow", "GET, HEAD")
            return response
        }
        switch request.path {
        case "/metrics": return metricsText()
        case "/tls/allowed": return await tlsAllowed(request)
        default: return APIError.notFound.response()
        }
    }

    private func metricsText() -> HTTPResponse {
        var text = metrics.text() + StoreMetrics.text(stores())
        for gauge in gauges() {
            text +=
                "# HELP \(gauge.name) \(gauge.help)\n# TYPE \(gauge.name) \(gauge.kind)\n\(gauge.name) \(gauge.value)\n"
        }
        return HTTPResponse(
            status: 200,
            headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
            body: Array(text.utf8)
        )
    }

    /// For a proxy that gets certificates on demand: 200 for a ready domain, and for its RP IDs, whose hosts have to serve
    /// association files over HTTPS.
    private func tlsAllowed(_ request: HTTPRequest) async -> HTTPResponse {
        guard let query = request.head.queryBytes, let parameters = try? Parameters(form: query),
            parameters.repeated == nil, let name = try? parameters.string("domain")
        else { return APIError.missing("domain").response() }
        let host = name.lowercased()
        let configuration = try? await directory.configuration(host: host, now: clock())
        guard configuration?.publishingDomain(host: host) != nil else { return APIError.notFound.response() }
        return HTTPResponse(status: 200)
    }
}
