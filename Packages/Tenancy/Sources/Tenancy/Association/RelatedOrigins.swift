public import Identity
public import PublicSuffix

/// The origins under other names that may use an RP ID (WebAuthn L3 §5.11, HTTP contract 14.3).
public enum RelatedOrigins {
    /// How many registrable labels clients look at; what comes after is as good as not there.
    public static let labelBudget = 5

    /// What the host that is the RP ID has to list.
    ///
    /// First the domains that the tenant moves to, for whoever has only a passkey of before would be locked out without
    /// them; then what was configured on the RP ID's own domains. Each once.
    public static func served(for relyingPartyID: String, by domains: [Domain]) -> [String] {
        let ready = domains.filter { $0.status == .ready }
        let movedTo = ready.filter { domain in
            domain.legacyRelyingPartyIDs.contains { $0.hasSameBytes(as: relyingPartyID) }
                && !isUnder(relyingPartyID, domain.name)
        }
        let own = ready.filter { $0.relyingPartyID.hasSameBytes(as: relyingPartyID) }
        var seen: Set<[UInt8]> = []
        return (movedTo.map { "https://" + $0.host } + own.flatMap(\.relatedOrigins))
            .filter { seen.insert(Array($0.utf8)).inserted }
    }

    /// What is odd about a list, in its order.
    ///
    /// - Parameters:
    ///   - origins: as they are published.
    ///   - relyingPartyID: whose list it is.
    ///   - suffixes: by which labels are counted.
    /// - Returns: findings; the list is good when none is a fault.
    public static func lint(
        _ origins: [String],
        relyingPartyID: String,
        suffixes: PublicSuffixList
    ) -> [Finding] {
        var labels: [String] = []
        var seen: Set<String> = []
        var findings: [Finding] = []
        for text in origins {
            guard let origin = try? DomainRules.relatedOrigin(text, relyingPartyID: relyingPartyID) else {
                findings.append(Finding(text, isFault: true, "is no origin that a browser signs: write https://HOST"))
                continue
            }
            if !seen.insert(origin.text).inserted {
                findings.append(Finding(text, isFault: false, "is there twice: remove one"))
                continue
            }
            if isUnder(relyingPartyID, origin.host) {
                findings.append(
                    Finding(text, isFault: false, "may use \(relyingPartyID) anyway, as it lies under it: remove it")
                )
            }
            guard let label = suffixes.registrableLabel(of: origin.host) else {
                findings.append(
                    Finding(text, isFault: true, "is a public suffix, which clients pass over: name a site under it")
                )
                continue
            }
            if labels.contains(label) { continue }
            if labels.count < labelBudget {
                labels.append(label)
            } else {
                findings.append(
                    Finding(
                        text,
                        isFault: true,
                        "comes after \(labelBudget) other labels (\(labels.joined(separator: ", "))), and clients look "
                            + "at no more: move it up, or remove what nobody uses"
                    )
                )
            }
        }
        return findings
    }

    /// One thing about one origin.
    public struct Finding: Hashable, Sendable {
        public let origin: String
        /// Whether a client will refuse the origin; otherwise it is only untidy.
        public let isFault: Bool
        /// Completes "ORIGIN …", without a full stop.
        public let sentence: String

        init(_ origin: String, isFault: Bool, _ sentence: String) {
            self.origin = origin
            self.isFault = isFault
            self.sentence = sentence
        }
    }

    /// Whether `host` is the RP ID or lies under it.
    static func isUnder(_ relyingPartyID: String, _ host: String) -> Bool {
        host.hasSameBytes(as: relyingPartyID)
            || host.utf8.reversed().starts(with: ("." + relyingPartyID).utf8.reversed())
    }
}
