/// The buckets of contract 1.4.
public struct RateLimits: Hashable, Sendable {
    public let passkeyChallenges: Setting<RateLimit>
    public let token: Setting<RateLimit>
    /// Failures, and how long the identifier is then locked for that address.
    public let passwordIdentifierIP: Setting<RateLimit>
    /// Failures in a row, whenever.
    public let passwordIdentifier: Setting<RateLimit>
    public let passwordIP: Setting<RateLimit>
    public let signup: Setting<RateLimit>
    public let recoveryMail: Setting<RateLimit>
    /// By identifier; an address has five times as many.
    public let recoveryCodes: Setting<RateLimit>
    public let management: Setting<RateLimit>
    public let myAccount: Setting<RateLimit>

    init(_ resolver: inout Resolver) {
        func standard(_ count: Int, _ seconds: Int, burst: Int? = nil) -> RateLimit {
            .rate(count: count, seconds: seconds, burst: burst ?? count)
        }
        resolver.checkRateLimits()
        passkeyChallenges = resolver.rate(.ratePasskeyChallenges, default: standard(60, 60))
        token = resolver.rate(.rateToken, default: standard(120, 60))
        passwordIdentifierIP = resolver.rate(.ratePasswordIdentifierIP, default: standard(10, 900))
        passwordIdentifier = resolver.rate(.ratePasswordIdentifier, default: .inARow(count: 100), isInARow: true)
        passwordIP = resolver.rate(.ratePasswordIP, default: standard(100, 86400))
        signup = resolver.rate(.rateSignup, default: standard(50, 3600))
        recoveryMail = resolver.rate(.rateRecoveryMail, default: standard(5, 3600))
        recoveryCodes = resolver.rate(.rateRecoveryCodes, default: standard(10, 3600))
        management = resolver.rate(.rateManagement, default: standard(50, 1, burst: 100))
        myAccount = resolver.rate(.rateMyAccount, default: standard(20, 1))
    }
}

/// Sizes in bytes, and counts.
public struct Limits: Hashable, Sendable {
    public let head: Setting<Int>
    public let fields: Setting<Int>
    public let target: Setting<Int>
    public let trailer: Setting<Int>
    public let body: Setting<Int>
    public let managementBody: Setting<Int>
    public let importBody: Setting<Int>
    public let requestsPerConnection: Setting<Int>
    public let connections: Setting<Int>
    public let connectionsPerAddress: Setting<Int>
    public let requestsInFlight: Setting<Int>
    public let challenges: Setting<Int>

    init(_ resolver: inout Resolver) {
        head = resolver.bytes(.limitHead, default: 16 << 10, in: 1 << 10...1 << 20)
        fields = resolver.count(.limitFields, default: 100, in: 10...1000)
        target = resolver.bytes(.limitTarget, default: 8 << 10, in: 256...1 << 16)
        trailer = resolver.bytes(.limitTrailer, default: 4 << 10, in: 256...1 << 16)
        body = resolver.bytes(.limitBody, default: 64 << 10, in: 16 << 10...16 << 20)
        managementBody = resolver.bytes(.limitManagementBody, default: 1 << 20, in: 64 << 10...64 << 20)
        importBody = resolver.bytes(.limitImportBody, default: 100 << 20, in: 1 << 20...4 << 30)
        requestsPerConnection = resolver.count(.limitRequestsPerConnection, default: 1000, in: 1...100_000_000)
        connections = resolver.count(.limitConnections, default: 10_000, in: 10...1_000_000)
        connectionsPerAddress = resolver.count(.limitConnectionsPerAddress, default: 1000, in: 1...1_000_000)
        requestsInFlight = resolver.count(.limitRequestsInFlight, default: 1000, in: 1...100_000)
        challenges = resolver.count(.limitChallenges, default: 100_000, in: 100...10_000_000)
    }
}

/// Times from the beginning of a phase to its end.
public struct Deadlines: Hashable, Sendable {
    public let tlsHandshake: Setting<Duration>
    public let head: Setting<Duration>
    public let request: Setting<Duration>
    public let handling: Setting<Duration>
    public let write: Setting<Duration>
    public let keepAlive: Setting<Duration>
    public let drain: Setting<Duration>
    public let connect: Setting<Duration>
    public let pool: Setting<Duration>
    public let store: Setting<Duration>
    public let challenges: Setting<Duration>

    init(_ resolver: inout Resolver) {
        let network = Duration.seconds(1)...Duration.seconds(300)
        let inside = Duration.milliseconds(10)...Duration.seconds(60)
        tlsHandshake = resolver.time(.deadlineTLSHandshake, default: .seconds(10), in: network)
        head = resolver.time(.deadlineHead, default: .seconds(10), in: network)
        request = resolver.time(.deadlineRequest, default: .seconds(30), in: network)
        handling = resolver.time(.deadlineHandling, default: .seconds(5), in: inside)
        write = resolver.time(.deadlineWrite, default: .seconds(10), in: network)
        keepAlive = resolver.time(.deadlineKeepAlive, default: .seconds(60), in: .seconds(1) ... .seconds(3600))
        drain = resolver.time(.deadlineDrain, default: .seconds(20), in: network)
        connect = resolver.time(.deadlineConnect, default: .seconds(1), in: inside)
        pool = resolver.time(.deadlinePool, default: .milliseconds(250), in: inside)
        store = resolver.time(.deadlineStore, default: .seconds(1), in: inside)
        challenges = resolver.time(.deadlineChallenges, default: .milliseconds(200), in: inside)
    }
}
