/// Where a request came to, from where, and when: what every use case is told of it.
public struct RequestContext: Sendable {
    public let configuration: TenantConfiguration
    /// The domain whose host the request named.
    public let domain: Domain
    /// Scheme, name and port of the domain, without a trailing slash: `https://login.example.com`.
    public let base: String
    public let device: Device
    /// What the client is counted under where it has a share: its address, of IPv6 the /64.
    public let network: String
    /// Languages that whoever asks reads, best first (BCP 47).
    public let languages: [String]
    public let now: UnixTime

    public init(
        configuration: TenantConfiguration,
        domain: Domain,
        base: String,
        device: Device,
        network: String? = nil,
        languages: [String] = [],
        now: UnixTime
    ) {
        self.configuration = configuration
        self.domain = domain
        self.base = base
        self.device = device
        self.network = network ?? device.address
        self.languages = languages
        self.now = now
    }

    public var tenant: TenantID { configuration.tenant.id }
    public var settings: TenantSettings { configuration.tenant.settings }
    /// The `iss` of tokens: the base with a trailing slash.
    public var issuer: String { base + "/" }
}

/// Gives as many unpredictable bytes as it is asked for.
public typealias RandomSource = @Sendable (_ count: Int) -> [UInt8]
