// The types of requests and answers are HTTPWire's; whoever imports this module gets them with it.
@_exported public import HTTPWire

/// What a server does with requests.
public protocol HTTPHandler: Sendable {
    /// Asked when a head is complete and nothing of its body was read.
    func limits(for head: HTTPRequestHead) -> RequestLimits

    /// Answers one request. It runs on the connection's event loop: what waits must `await`, what computes for longer
    /// than some hundred microseconds belongs on a pool of threads.
    ///
    /// The task is cancelled when its deadline is over or its client has gone; what it returns is then dropped.
    ///
    /// Whoever implements it may, but need not, say `nonisolated(nonsending)` too, which saves a change of executors.
    nonisolated(nonsending) func handle(_ request: HTTPRequest) async -> HTTPResponse
}

/// What one request may take.
public struct RequestLimits: Hashable, Sendable {
    /// The longest body, in bytes; a longer one is refused with 413, when it is announced even before it is sent.
    public var body: Int
    /// How long the handler may take before the client gets 503.
    public var deadline: Duration

    public init(body: Int = 64 << 10, deadline: Duration = .seconds(5)) {
        self.body = body
        self.deadline = deadline
    }
}

/// A request that is complete.
public struct HTTPRequest: Sendable {
    public var head: HTTPRequestHead
    public var body: [UInt8]
    /// The other end of the connection, which may be a proxy.
    public var peer: PeerAddress
    /// Whether the connection is TLS that this server ends.
    public var isTLS: Bool
    /// The name of the listener that it came to.
    public var listener: String
    /// What the router found for the `{…}` of the route's pattern.
    public var parameters: PathParameters

    /// Makes a request; a server does it, and tests of handlers do.
    public init(
        head: HTTPRequestHead,
        body: [UInt8] = [],
        peer: PeerAddress = .unixSocket,
        isTLS: Bool = false,
        listener: String = "",
        parameters: PathParameters = PathParameters()
    ) {
        self.head = head
        self.body = body
        self.peer = peer
        self.isTLS = isTLS
        self.listener = listener
        self.parameters = parameters
    }

    public var method: HTTPMethod { head.method }
    /// The path as it was sent, not decoded.
    public var path: String { head.path }
    public var headers: HTTPHeaders { head.headers }
}

/// The decoded segments of a path that a pattern named.
public struct PathParameters: Hashable, Sendable {
    private struct Parameter: Hashable {
        let name: String
        let value: String
    }

    private var parameters: [Parameter] = []

    public init() {}

    /// The segment at `{name}`.
    public subscript(name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    mutating func append(_ name: String, _ value: String) {
        parameters.append(Parameter(name: name, value: value))
    }
}
