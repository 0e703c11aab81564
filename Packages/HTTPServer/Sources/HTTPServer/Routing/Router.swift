public import HTTPWire

/// Finds the action for a request by its path and method.
///
/// Paths are compared segment by segment, decoded. A segment that is spelled out wins over `{name}`. HEAD works
/// wherever GET does; an unknown path is 404, a known one with another method 405 with `Allow`, a method that HTTP does
/// not know 501. OPTIONS goes to `preflight`, and otherwise gets 204 with `Allow`.
///
///     var router = Router(faultResponse: respond)
///     router.on(.get, "/me/v1/authentication-methods/{id}") { request in
///         … request.parameters["id"] …
///     }
public struct Router: HTTPHandler {
    public typealias Action = @Sendable (HTTPRequest) async -> HTTPResponse

    /// Answers an OPTIONS request for a known path, which has these methods, or leaves it to the router with `nil`.
    public typealias Preflight = @Sendable (_ request: HTTPRequest, _ allowed: [HTTPMethod]) async -> HTTPResponse?

    private struct Route: Sendable {
        let limits: RequestLimits
        let action: Action
    }

    private var table = RouteTable<Route>()
    private let faultResponse: FaultResponse
    private let preflight: Preflight
    private let defaultLimits: RequestLimits

    /// Makes a router without routes.
    ///
    /// - Parameters:
    ///   - defaultLimits: for paths and methods that have no route, so that their bodies are read before the 404.
    ///   - faultResponse: the bodies of 400, 404, 405 and 501; `Allow` is added here.
    ///   - preflight: answers OPTIONS.
    public init(
        defaultLimits: RequestLimits = RequestLimits(),
        faultResponse: @escaping FaultResponse = plainFaultResponse,
        preflight: @escaping Preflight = { _, _ in nil }
    ) {
        self.defaultLimits = defaultLimits
        self.faultResponse = faultResponse
        self.preflight = preflight
    }

    /// Adds a route. A second action for the same method and pattern replaces the first.
    ///
    /// - Parameters:
    ///   - method: the method it answers; GET answers HEAD too.
    ///   - pattern: a path, decoded, in which `{name}` stands for one whole segment that is not empty.
    ///   - limits: how long its bodies may be and how much time it has.
    ///   - action: what answers.
    public mutating func on(
        _ method: HTTPMethod,
        _ pattern: String,
        limits: RequestLimits = RequestLimits(),
        _ action: @escaping Action
    ) {
        table.add(method, pattern, Route(limits: limits, action: action))
    }

    public func limits(for head: HTTPRequestHead) -> RequestLimits {
        if case .found(let route, _) = table.match(head) { return route.limits }
        return defaultLimits
    }

    public nonisolated(nonsending) func handle(_ request: HTTPRequest) async -> HTTPResponse {
        if case .other = request.method { return faultResponse(.notImplemented, request.head) }
        if request.method == .options, request.head.target == "*" { return HTTPResponse(status: 204) }
        switch table.match(request.head) {
        case .malformed(let fault): return faultResponse(fault, request.head)
        case .none: return faultResponse(.notFound, request.head)
        case .found(let route, let parameters):
            var request = request
            request.parameters = parameters
            return await route.action(request)
        case .otherMethods(let allowed, _):
            var response: HTTPResponse
            if request.method == .options {
                if let answer = await preflight(request, allowed) { return answer }
                response = HTTPResponse(status: 204)
            } else {
                response = faultResponse(.methodNotAllowed(allowed: allowed), request.head)
            }
            response.headers.set("Allow", allowed.map(\.description).joined(separator: ", "))
            return response
        }
    }
}
