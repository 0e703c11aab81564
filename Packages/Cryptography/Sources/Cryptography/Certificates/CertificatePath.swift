/// Certification paths (RFC 5280 §6), for any purpose and without anchors of the system's own.
public enum CertificatePath {
    /// In which order the intermediate certificates stand.
    public enum Order: Hashable, Sendable {
        /// Any, with superfluous ones among them: the path is searched for.
        case any
        /// Each certifies the one before it, as an `x5c` list is written; what follows an anchor does not matter.
        case strict
    }

    /// Finds the way from `leaf` to one of the anchors and verifies it.
    ///
    /// An anchor may be a root, an intermediate or the leaf itself: it is trusted as it stands, whoever signed it, while
    /// its own dates hold. Each certificate must be valid at `time`, be signed by the next and carry no critical
    /// extension that is unknown here; each issuer must be an authority, allow as many intermediates as follow, and, if
    /// it has a keyUsage, may sign certificates. What the leaf's key is for, and who its subject is, remains for the
    /// caller to look at; so do revocation and policies. An authority with name constraints is refused.
    ///
    /// - Parameters:
    ///   - leaf: the certificate in question.
    ///   - intermediates: what was sent along; none of it is trusted.
    ///   - anchors: what is trusted.
    ///   - time: the time of verification, in Unix seconds.
    ///   - order: whether the intermediates must stand in the path's order.
    ///   - allowingSHA1: whether a signature over a SHA-1 hash is good enough.
    /// - Returns: the path, from the leaf to the anchor.
    /// - Throws: `CryptographyError.path`, with the fault that lay nearest to an anchor.
    @discardableResult
    public static func verify(
        leaf: Certificate,
        intermediates: [Certificate],
        anchors: [Certificate],
        at time: Int64,
        order: Order = .any,
        allowingSHA1: Bool = false
    ) throws(CryptographyError) -> [Certificate] {
        var search = PathSearch(
            intermediates: intermediates,
            anchors: anchors,
            time: time,
            order: order,
            allowingSHA1: allowingSHA1
        )
        guard let path = search.extend([leaf]) else {
            throw .path(search.fault, subject: search.faulty ?? leaf.subjectName.description)
        }
        return path
    }

    /// The object identifiers of the critical extensions that keep a certificate out of every path (RFC 5280 §4.2).
    public static func unhandledExtensions(of certificate: Certificate) -> [String] {
        certificate.extensions.filter { $0.critical && !PathSearch.processed.contains($0.oid) }.map(\.oid)
    }
}

/// A depth-first search from the leaf upwards.
private struct PathSearch {
    let intermediates: [Certificate]
    let anchors: [Certificate]
    let time: Int64
    let order: CertificatePath.Order
    let allowingSHA1: Bool

    /// The fault of the longest path that was tried.
    private(set) var fault = CertificateFault.issuerNotFound
    private(set) var faulty: String?
    private var faultDepth = 0
    /// Signatures still to be checked: whoever sends the certificates must not decide how much work they are.
    private var budget = 32

    private static let longestPath = 10

    init(
        intermediates: [Certificate],
        anchors: [Certificate],
        time: Int64,
        order: CertificatePath.Order,
        allowingSHA1: Bool
    ) {
        self.intermediates = intermediates
        self.anchors = anchors
        self.time = time
        self.order = order
        self.allowingSHA1 = allowingSHA1
    }

    /// The whole path that begins with `path`, whose last certificate has been found to have issued the one before it.
    mutating func extend(_ path: [Certificate]) -> [Certificate]? {
        guard let current = path.last, holds(current, depth: path.count) else { return nil }
        if anchors.contains(current) { return path }
        if let fault = faultOfSignature(current) {
            note(fault, current, depth: path.count)
            return nil
        }
        guard path.count < Self.longestPath else {
            note(.pathTooLong, current, depth: path.count)
            return nil
        }
        let named = candidates(after: path).filter { candidate, _ in
            candidate.subjectName.encoded == current.issuerName.encoded && !path.contains(candidate)
        }
        if named.isEmpty { note(.issuerNotFound, current, depth: path.count) }
        for (issuer, isAnchor) in named {
            guard mayIssue(issuer, isAnchor: isAnchor, path: path) else { continue }
            guard budget > 0 else {
                note(.tooManyCandidates, current, depth: .max)
                return nil
            }
            budget -= 1
            guard current.isSigned(by: issuer.publicKey) else {
                note(.badSignature, current, depth: path.count)
                continue
            }
            if let whole = extend(path + [issuer]) { return whole }
        }
        return nil
    }

    /// Who may have issued the last certificate of `path`: anchors first, since there the search ends.
    private func candidates(after path: [Certificate]) -> [(certificate: Certificate, isAnchor: Bool)] {
        let given =
            switch order {
            case .any: intermediates[...]
            case .strict: intermediates.dropFirst(path.count - 1).prefix(1)
            }
        return anchors.map { ($0, true) } + given.map { ($0, false) }
    }

    private func faultOfSignature(_ certificate: Certificate) -> CertificateFault? {
        let algorithm = certificate.signatureAlgorithm
        guard algorithm.scheme != nil else { return .unsupportedSignature }
        return allowingSHA1 || !algorithm.usesSHA1 ? nil : .weakSignature
    }

    /// What is asked of every certificate, wherever it stands.
    private mutating func holds(_ certificate: Certificate, depth: Int) -> Bool {
        let fault: CertificateFault
        if time < certificate.notBefore {
            fault = .notYetValid
        } else if time > certificate.notAfter {
            fault = .expired
        } else if !CertificatePath.unhandledExtensions(of: certificate).isEmpty {
            fault = .unhandledExtension
        } else {
            return true
        }
        note(fault, certificate, depth: depth)
        return false
    }

    /// What is asked of an issuer (RFC 5280 §6.1.4 k to n).
    private mutating func mayIssue(_ issuer: Certificate, isAnchor: Bool, path: [Certificate]) -> Bool {
        let maySign = issuer.keyUsage?.contains(Certificate.KeyUsage.keyCertSign.rawValue)
        // An old root says nothing of constraints; that it is trusted says enough, unless it says otherwise.
        let isAuthority = issuer.basicConstraintsCA ?? (isAnchor && (maySign == true || issuer.version == 1))
        // Certificates that an authority issued to itself, as when it changes its key, do not count.
        let following = path.dropFirst().count { !$0.isSelfIssued }
        let fault: CertificateFault
        if !isAuthority || maySign == false {
            fault = .notAnAuthority
        } else if issuer.extensions.value(OID.nameConstraints) != nil {
            fault = .unhandledExtension
        } else if let limit = issuer.pathLengthConstraint, following > limit {
            fault = .pathTooLong
        } else {
            return true
        }
        note(fault, issuer, depth: path.count + 1)
        return false
    }

    /// Keeps the fault that lies furthest from the leaf: the others are of ways that were wrong earlier.
    private mutating func note(_ fault: CertificateFault, _ certificate: Certificate, depth: Int) {
        guard depth > faultDepth else { return }
        faultDepth = depth
        self.fault = fault
        faulty = certificate.subjectName.description
    }

    /// The critical extensions that a path may carry. The last ones say nothing here: revocation, policies and purposes
    /// are the caller's business.
    static let processed: Set<String> = [
        OID.basicConstraints, OID.keyUsage, OID.subjectAlternativeName, OID.extendedKeyUsage, OID.certificatePolicies,
        OID.crlDistributionPoints, OID.policyConstraints, OID.policyMappings, OID.inhibitAnyPolicy,
        OID.subjectKeyIdentifier, OID.authorityKeyIdentifier,
    ]
}
