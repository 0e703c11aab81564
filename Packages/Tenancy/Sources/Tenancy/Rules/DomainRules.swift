public import Identity
import PublicSuffix

/// What a tenant's domain may be, and what its RP ID and related origins.
struct DomainRules: Sendable {
    /// `nil`: every name of one label is a public suffix, and no other.
    let suffixes: PublicSuffixList?

    /// Reads `HOST[:PORT]`: lower case, A-labels, without the scheme's default port.
    ///
    /// - Throws: `invalid`. An address is refused: it cannot be a relying party (WebAuthn L3 §5.1.2).
    static func host(_ entered: String) throws(TenancyError) -> String {
        guard let (name, port) = WebOrigin.hostAndPort(entered) else {
            throw .invalid(what: "domain", value: entered, problem: "is not HOST or HOST:PORT, as login.example.com")
        }
        guard !isAddress(name) else {
            throw .invalid(
                what: "domain",
                value: entered,
                problem: "is an address, which cannot be a relying party: give a name, on this machine localhost"
            )
        }
        guard let port, port != 443, !(port == 80 && HostName.isLoopback(name)) else { return name }
        return "\(name):\(port)"
    }

    /// Reads an RP ID for the domain `host`: the host's name, or a parent of it.
    ///
    /// - Throws: `invalid`, also for a parent that is a public suffix, which browsers let nobody use.
    func relyingPartyID(_ entered: String?, host: String) throws(TenancyError) -> String {
        let name = HostName.withoutPort(host)
        guard let entered else { return name }
        guard let (id, port) = WebOrigin.hostAndPort(entered), port == nil, !Self.isAddress(id) else {
            throw .invalid(
                what: "RP ID",
                value: entered,
                problem: "must be a domain name: no scheme, no port, no address, no empty label"
            )
        }
        if id.utf8.elementsEqual(name.utf8) { return id }
        guard name.hasSuffix(".\(id)") else {
            throw .invalid(
                what: "RP ID",
                value: entered,
                problem: "must be \(name) or a parent of it, or browsers refuse every passkey"
            )
        }
        guard !isPublicSuffix(id) else {
            throw .invalid(
                what: "RP ID",
                value: entered,
                problem: "is a public suffix: anybody may have a name under it, so that no site can speak for it"
            )
        }
        return id
    }

    /// Reads `legacy_relying_party_identifiers`: names as RP IDs are, which need not be parents of the domain.
    ///
    /// - Throws: `invalid`, also when the current RP ID is among them.
    func legacyRelyingPartyIDs(_ entered: [String], current: String) throws(TenancyError) -> [String] {
        var ids: [String] = []
        for text in entered {
            guard let (id, port) = WebOrigin.hostAndPort(text), port == nil, !Self.isAddress(id),
                !isPublicSuffix(id) || HostName.isLoopback(id)
            else {
                throw .invalid(
                    what: "legacy RP ID",
                    value: text,
                    problem: "must be a domain name that is no public suffix: no scheme, no port, no address"
                )
            }
            guard id != current else {
                throw .invalid(what: "legacy RP ID", value: text, problem: "is the domain's current RP ID")
            }
            if !ids.contains(id) { ids.append(id) }
        }
        guard ids.count <= CustomDomainDocument.maximumLegacy else {
            throw .invalid(
                what: "legacy RP IDs",
                value: ids.joined(separator: " "),
                problem: "are more than \(CustomDomainDocument.maximumLegacy)"
            )
        }
        return ids
    }

    /// Reads `related_origins` (WebAuthn L3 §5.11, HTTP contract 14.3): canonical, without repetitions.
    ///
    /// - Throws: `invalid`, also for more than five registrable labels, since clients use no more.
    func relatedOrigins(_ entered: [String], relyingPartyID: String) throws(TenancyError) -> [String] {
        var origins: [String] = []
        var labels: Set<String> = []
        for text in entered {
            let origin = try Self.relatedOrigin(text, relyingPartyID: relyingPartyID)
            if !origins.contains(origin.text) { origins.append(origin.text) }
            labels.insert(registrableLabel(origin.host))
        }
        guard labels.count <= RelatedOrigins.labelBudget else {
            throw .invalid(
                what: "related origins",
                value: origins.joined(separator: " "),
                problem:
                    "have \(labels.count) registrable labels, and clients use at most \(RelatedOrigins.labelBudget)"
            )
        }
        return origins
    }

    static func relatedOrigin(_ text: String, relyingPartyID: String) throws(TenancyError) -> WebOrigin {
        let origin: WebOrigin
        do throws(WebOriginError) {
            origin = try WebOrigin(text)
        } catch {
            let problem =
                switch error {
                case .notAbsolute: "must begin with https://"
                case .moreThanAnOrigin: "must be scheme, host and port alone"
                case .badHost: "has no host or port that can be one; wildcards never count"
                case .plainHTTP: "must be https; http is for localhost alone"
                }
            throw .invalid(what: "origin", value: text, problem: problem)
        }
        guard origin.scheme == "https" || origin.scheme == "http" && HostName.isLoopback(relyingPartyID) else {
            throw .invalid(what: "origin", value: text, problem: "must be https; http is for the RP ID localhost alone")
        }
        return origin
    }

    /// A name that is a public suffix counts by itself.
    private func registrableLabel(_ host: String) -> String {
        if let suffixes { return suffixes.registrableLabel(of: host) ?? host }
        let labels = host.split(separator: ".")
        return String(labels.dropLast().last ?? labels.last ?? "")
    }

    private func isPublicSuffix(_ name: String) -> Bool {
        suffixes?.isPublicSuffix(name) ?? !name.utf8.contains(UInt8(ascii: "."))
    }

    /// An IPv6 address in brackets, or a name whose last label is a number (WHATWG URL §3.5: "ends in a number").
    private static func isAddress(_ name: String) -> Bool {
        guard !name.hasPrefix("["), let last = name.split(separator: ".").last else { return true }
        let isDecimal = last.utf8.allSatisfy { 0x30...0x39 ~= $0 }
        return isDecimal || last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit)
    }
}

extension Domain {
    /// Scheme and host, as links and audiences of this domain are written when no request says more: `http` for a
    /// loopback name, else `https`.
    public var base: String { (isLoopbackName ? "http://" : "https://") + host }
}
