internal import Encodings
public import Identity

/// The origins that may answer a ceremony (HTTP contract 3.4), fixed when it begins.
///
/// Comparison is byte for byte later; nothing here is a pattern.
public enum ExpectedOrigins {
    /// The origins for a ceremony of `client` on `domain`, each once.
    ///
    /// - Parameters:
    ///   - client: for whom it begins.
    ///   - domain: where it begins.
    ///   - relyingPartyID: one of the domain's legacy RP IDs; `nil`: the current one. Under a legacy one the origins of
    ///     the current one may answer as well, whose pages people have been led to (contract 11.6).
    ///   - configuration: of the tenant.
    /// - Returns: the origins.
    public static func of(
        _ client: Client,
        on domain: Domain,
        for relyingPartyID: String? = nil,
        in configuration: TenantConfiguration
    ) -> [String] {
        var origins = current(client, domain, configuration)
        if let relyingPartyID, !relyingPartyID.hasSameBytes(as: domain.relyingPartyID) {
            let others = configuration.domains.filter { $0.status == .ready }
            origins += shared(relyingPartyID, others, client)
            for other in others where other.relyingPartyID.hasSameBytes(as: relyingPartyID) {
                origins += other.relatedOrigins
            }
        }
        var seen: Set<[UInt8]> = []
        return origins.filter { seen.insert(Array($0.utf8)).inserted }
    }

    private static func current(
        _ client: Client,
        _ domain: Domain,
        _ configuration: TenantConfiguration
    ) -> [String] {
        // The domain's own host first, then every other ready domain with the same RP ID.
        let domains = [domain] + configuration.domains.filter { $0.status == .ready && $0.id != domain.id }
        // 3. Related origins.
        return shared(domain.relyingPartyID, domains, client) + domain.relatedOrigins
    }

    /// What all domains with one RP ID share.
    private static func shared(_ rpID: String, _ domains: [Domain], _ client: Client) -> [String] {
        let allowsHTTP = isLocal(rpID)
        var origins: [String] = []
        // 1 and 6. The hosts of the domains with the RP ID.
        for domain in domains where domain.relyingPartyID.hasSameBytes(as: rpID) {
            origins.append("https://" + domain.host)
            if allowsHTTP { origins.append("http://" + domain.host) }
        }
        // 2 and 6. The client's own origins under the RP ID.
        for origin in client.webOrigins + client.allowedOrigins where isUnder(rpID, origin, allowsHTTP: allowsHTTP) {
            origins.append(origin)
        }
        // 4. iOS gives the RP ID as origin.
        if client.mobile.ios != nil { origins.append("https://" + rpID) }
        // 5. Android gives the hash of the app's signing certificate.
        for fingerprint in client.mobile.android?.fingerprints ?? [] {
            origins.append("android:apk-key-hash:" + Base64URL.encode(fingerprint))
        }
        return origins
    }

    /// Whether an origin is without a wildcard, of a scheme that is allowed, and its host the RP ID or below it.
    private static func isUnder(_ rpID: String, _ origin: String, allowsHTTP: Bool) -> Bool {
        let bytes = Array(origin.utf8)
        guard !bytes.contains(UInt8(ascii: "*")) else { return false }
        let schemes = allowsHTTP ? ["https://", "http://"] : ["https://"]
        guard let scheme = schemes.first(where: { bytes.starts(with: $0.utf8) }) else { return false }
        let authority = String(decoding: bytes.dropFirst(scheme.utf8.count), as: UTF8.self)
        let host = Array(HostName.withoutPort(authority).utf8)
        let suffix = Array(rpID.utf8)
        return host == suffix
            || (host.count > suffix.count && host.suffix(suffix.count + 1) == [UInt8(ascii: ".")] + suffix)
    }

    private static func isLocal(_ rpID: String) -> Bool {
        rpID == "localhost" || rpID.utf8.reversed().starts(with: ".localhost".utf8.reversed())
    }
}
