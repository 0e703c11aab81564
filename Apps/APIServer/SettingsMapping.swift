import HTTPAPI
import HTTPServer
import Settings

extension Settings {
    /// The listeners of the server. `localhost` is two: both loopback addresses.
    func listeners(tls: TLSFiles?) -> [ListenerConfiguration] {
        listen.value.flatMap { $0.addresses }.map { ListenerConfiguration(address: $0, tls: tls) }
    }

    var adminListeners: [ListenerConfiguration] {
        adminListen.value.flatMap { $0.addresses }.map { ListenerConfiguration(address: $0, name: "admin") }
    }

    var proxies: HTTPAPI.TrustedProxies {
        var ranges: [AddressRange] = []
        var unixSockets = false
        for proxy in trustedProxies.value {
            switch proxy {
            case .unix: unixSockets = true
            case .network(let range): ranges += [AddressRange(range.description)].compactMap { $0 }
            }
        }
        return HTTPAPI.TrustedProxies(ranges: ranges, unixSockets: unixSockets)
    }

    var servedRateLimits: HTTPAPI.RateLimits {
        HTTPAPI.RateLimits(
            passkeyChallenges: rateLimits.passkeyChallenges.value.served,
            token: rateLimits.token.value.served,
            signup: rateLimits.signup.value.served,
            management: rateLimits.management.value.served,
            myAccount: rateLimits.myAccount.value.served,
            recoveryMail: rateLimits.recoveryMail.value.served,
            recoveryCodes: rateLimits.recoveryCodes.value.served,
            passwordIdentifierIP: rateLimits.passwordIdentifierIP.value.served,
            passwordIdentifier: rateLimits.passwordIdentifier.value.countInARow,
            passwordIP: rateLimits.passwordIP.value.served
        )
    }

    var serverLimits: ServerLimits {
        var limits = ServerLimits()
        limits.wire.head = self.limits.head.value
        limits.wire.fields = self.limits.fields.value
        limits.wire.target = self.limits.target.value
        limits.wire.trailer = self.limits.trailer.value
        limits.requestsPerConnection = self.limits.requestsPerConnection.value
        limits.connectionsPerLoop = self.limits.connections.value
        limits.connectionsPerAddress = self.limits.connectionsPerAddress.value
        limits.requestsInFlight = self.limits.requestsInFlight.value
        limits.handshake = deadlines.tlsHandshake.value
        limits.head = deadlines.head.value
        limits.request = deadlines.request.value
        limits.writeProgress = deadlines.write.value
        limits.idle = deadlines.keepAlive.value
        // A proxy's connections are many, and all from one address.
        limits.addressesWithoutLimit += proxies.ranges
        return limits
    }

    var tlsFiles: TLSFiles? {
        guard let certificate = tlsCertificate.value, let key = tlsKey.value else { return nil }
        return TLSFiles(certificate: certificate, key: key)
    }
}

extension ConfiguredAddress {
    var addresses: [ServedAddress] {
        switch self {
        case .loopback(let port):
            ["127.0.0.1", "::1"].compactMap { ServedIPAddress($0) }.map { .ip($0, port: port) }
        case .address(let address, let port):
            [ServedIPAddress(address.description)].compactMap { $0 }.map { .ip($0, port: port) }
        case .unix(let path):
            [.unix(path: path)]
        }
    }
}

extension ConfiguredRateLimit {
    /// Of what is limited in a row, whenever; `nil`: not at all.
    var countInARow: Int? {
        switch self {
        case .off, .rate: nil
        case .inARow(let count): count
        }
    }

    /// What the API counts: windows. A burst makes the window as long as its size lasts at the rate. `nil`: off.
    var served: HTTPAPI.RateLimit? {
        switch self {
        case .off, .inARow: return nil
        case .rate(let count, let seconds, let burst):
            let (span, isTooLong) = seconds.multipliedReportingOverflow(by: max(burst, count))
            guard count > 0, !isTooLong else { return HTTPAPI.RateLimit(limit: count, seconds: Int64(seconds)) }
            return HTTPAPI.RateLimit(limit: max(burst, count), seconds: Int64((span + count - 1) / count))
        }
    }
}
