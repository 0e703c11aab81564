public import HTTPWire

/// Where a server listens.
public enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// Port 0 lets the system choose; ``HTTPServer/boundAddresses`` says what it chose.
    case ip(IPAddress, port: UInt16)
    /// A socket file. One that is left over from a process that has ended is replaced.
    case unix(path: String)

    public var description: String {
        switch self {
        case .ip(let address, let port): PeerAddress.ip(address, port: port).description
        case .unix(let path): "unix:\(path)"
        }
    }
}

/// Two PEM files: the certificate with its chain, leaf first, and the private key.
public struct TLSFiles: Hashable, Sendable {
    public var certificate: String
    public var key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// One address, and how it is served.
public struct ListenerConfiguration: Hashable, Sendable {
    public var address: ListenAddress
    /// Plain HTTP when `nil`.
    public var tls: TLSFiles?
    /// What ``HTTPRequest/listener`` says of requests that come here.
    public var name: String

    public init(address: ListenAddress, tls: TLSFiles? = nil, name: String = "public") {
        self.address = address
        self.tls = tls
        self.name = name
    }
}

/// What clients may take: time, connections, requests.
///
/// Every deadline is absolute: it is set when a phase begins, and a client that sends a byte now and then does not move
/// it.
public struct ServerLimits: Hashable, Sendable {
    /// Lengths of the parts of a head.
    public var wire = WireLimits()
    /// From the connection to the end of the TLS handshake.
    public var handshake = Duration.seconds(10)
    /// From the first byte of a request, or from a new connection, to the end of the head.
    public var head = Duration.seconds(10)
    /// From the first byte of a request to the end of its body.
    public var request = Duration.seconds(30)
    /// In which a client must take 16 KiB of the answer, or what is left of it.
    public var writeProgress = Duration.seconds(10)
    /// Between two requests of one connection. Longer than a proxy's own, so that it is the proxy that closes.
    public var idle = Duration.seconds(60)
    /// How long bytes are read and dropped after a last answer, so that the client can read it.
    public var linger = Duration.seconds(2)
    /// After so many requests a connection is closed.
    public var requestsPerConnection = 1_000
    /// Open connections of one event loop; further ones are closed at once.
    public var connectionsPerLoop = 10_000
    /// Open connections of one address (of one /64, for IPv6).
    public var connectionsPerAddress = 512
    /// Whose connections are not counted by address: proxies, and this machine.
    public var addressesWithoutLimit = ["127.0.0.0/8", "::1/128"].compactMap { AddressRange($0) }
    /// Requests that are being handled, over all loops; further ones get 503.
    public var requestsInFlight = 4_096

    public init() {}
}

/// What a server tells its operator.
public enum ServerEvent: Hashable, Sendable {
    /// Certificate and key were read again, and new connections get them.
    case certificateReloaded(path: String)
    /// They could not be read; the old ones stay in use.
    case certificateNotReloaded(ServerError)
    /// A connection could not be accepted, for lack of descriptors or memory.
    case cannotAccept(reason: String)
}

/// Why a server cannot start, or cannot use a certificate.
public enum ServerError: Error, Hashable, Sendable {
    case cannotListen(ListenAddress, reason: String)
    case cannotUseCertificate(path: String, reason: String)
    case cannotUseKey(path: String, reason: String)
    /// The system refused a descriptor or a thread.
    case outOfResources(reason: String)
}

/// How a server runs.
public struct ServerConfiguration: Sendable {
    public var listeners: [ListenerConfiguration]
    /// How many event loops, each with its thread; as many as there are cores when `nil`.
    public var loopCount: Int?
    public var limits = ServerLimits()
    /// How often certificate and key are looked at for a change. Zero: only ``HTTPServer/reloadTLS()`` reads them again.
    public var certificateCheckInterval = Duration.seconds(2)
    /// Answers for requests that never come to the handler.
    public var faultResponse: FaultResponse = plainFaultResponse
    /// Hears what happens. Called on threads of the server; it must not wait.
    public var onEvent: @Sendable (ServerEvent) -> Void = { _ in }

    public init(listeners: [ListenerConfiguration], loopCount: Int? = nil) {
        self.listeners = listeners
        self.loopCount = loopCount
    }
}
