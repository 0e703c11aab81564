public import Cryptography
internal import Encodings
internal import JOSE

/// A metadata BLOB of the FIDO Metadata Service (MDS3 §3.1.7) whose signature was verified to a root. There is no other
/// way to one.
public struct MetadataBLOB: Sendable {
    public let payload: MetadataPayload
    /// The payload's bytes as they were signed, a JSON object.
    public let payloadBytes: [UInt8]
    /// The subject of the certificate that signed, in text.
    public let signer: String
    /// Of each certificate below the root, the signer's first: what the revocation lists say.
    public let revocation: [CertificateRevocation]

    /// One certificate of the signer's chain.
    public struct CertificateRevocation: Hashable, Sendable {
        public let subject: String
        public let state: State

        public enum State: String, Hashable, Sendable {
            /// A current list of its issuer does not name it.
            case good
            /// No list of its issuer was given.
            case noList = "no_list"
            /// The only list of its issuer is older than it says it may be.
            case outdatedList = "outdated_list"
        }
    }

    /// More certificates than any BLOB is sent with.
    private static let longestChain = 8

    /// Verifies a BLOB by the processing rules of MDS3 §3.2.
    ///
    /// - Parameters:
    ///   - text: the compact JWS. White space around it is passed over, as files end with a line feed.
    ///   - roots: whom to trust. Without `x5c` in the header, the signer must be one of them itself.
    ///   - certificates: what was fetched from ``certificateAddress(of:)``, the signer's certificate first. They count
    ///     only where the header has `x5u`.
    ///   - lists: revocation lists of the signer's authorities, as far as there are any.
    ///   - lastSeen: the number of the newest BLOB that was taken; an older one is refused, the same one is not.
    ///   - time: the time of verification, in Unix seconds.
    /// - Throws: ``MetadataError``. That `nextUpdate` is over is no error: ``MetadataPayload/isStale(at:)``.
    public init(
        verifying text: ArraySlice<UInt8>,
        roots: [Certificate],
        certificates: [Certificate] = [],
        lists: [CertificateRevocationList] = [],
        lastSeen: Int64? = nil,
        at time: Int64
    ) throws(MetadataError) {
        let jws: CompactJWS
        do throws(JOSEError) {
            jws = try CompactJWS(Self.trimmed(text))
        } catch {
            throw .malformed(reason: "\(error)")
        }
        let path = try Self.signerPath(jws, certificates, roots: roots, at: time)
        guard let leaf = path.first else { throw .chain(reason: "the chain is empty") }
        // RFC 5280 §4.2.1.3: a key that is for something else signs no documents. A root that signs is trusted as it is.
        guard path.count == 1 || leaf.keyUsage?.contains(Certificate.KeyUsage.digitalSignature.rawValue) ?? true else {
            throw .chain(reason: "the signer's key is not for signatures")
        }
        revocation = try Self.revocation(path, lists, at: time)
        signer = leaf.subjectName.description
        payloadBytes = try Self.verifiedPayload(jws, by: leaf.publicKey)
        payload = try MetadataPayload(decoding: payloadBytes)
        if let lastSeen, payload.number < lastSeen { throw .rollback(seen: lastSeen, got: payload.number) }
    }

    /// Where the header says that the signer's certificates are (`x5u`): an address of the same origin as the BLOB's own
    /// may be fetched (MDS3 §3.2 step 4). `nil`: it does not say, or there is no header.
    public static func certificateAddress(of text: ArraySlice<UInt8>) -> String? {
        (try? CompactJWS(trimmed(text)))?.unverifiedHeader["x5u"]?.string
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }

    /// The signer's certificate first, then up to the root.
    private static func signerPath(
        _ jws: CompactJWS,
        _ fetched: [Certificate],
        roots: [Certificate],
        at time: Int64
    ) throws(MetadataError) -> [Certificate] {
        let header = jws.unverifiedHeader
        guard header["x5u"] == nil else {
            // x5c beside it counts for nothing: the two might say different things.
            guard !fetched.isEmpty else { throw .signature(reason: "the certificates at x5u were not fetched") }
            return try checked(fetched, "x5u", roots: roots, at: time)
        }
        guard let x5c = header["x5c"] else { return try rootPath(jws, roots: roots, at: time) }
        guard let elements = x5c.array, !elements.isEmpty else { throw .signature(reason: "x5c is no list, or empty") }
        guard elements.count <= longestChain else {
            throw .signature(reason: "x5c has \(elements.count) certificates")
        }
        var chain: [Certificate] = []
        for (index, element) in elements.enumerated() {
            guard let text = element.string, let certificate = MetadataStatement.certificate(text) else {
                throw .signature(reason: "x5c[\(index)] is no certificate")
            }
            chain.append(certificate)
        }
        return try checked(chain, "x5c", roots: roots, at: time)
    }

    /// The path from the first certificate to a root.
    private static func checked(
        _ chain: [Certificate],
        _ name: String,
        roots: [Certificate],
        at time: Int64
    ) throws(MetadataError) -> [Certificate] {
        guard let leaf = chain.first, chain.count <= longestChain else {
            throw .signature(reason: "\(name) has \(chain.count) certificates")
        }
        do throws(CryptographyError) {
            return try CertificatePath.verify(
                leaf: leaf,
                intermediates: Array(chain.dropFirst()),
                anchors: roots,
                at: time,
                order: .strict
            )
        } catch {
            throw .chain(reason: "\(error)")
        }
    }

    /// Without x5c the trust anchor itself is the signer (MDS3 §3.2).
    private static func rootPath(
        _ jws: CompactJWS,
        roots: [Certificate],
        at time: Int64
    ) throws(MetadataError) -> [Certificate] {
        for root in roots where root.notBefore <= time && time <= root.notAfter {
            if (try? verifiedPayload(jws, by: root.publicKey)) != nil { return [root] }
        }
        throw .signature(reason: "there is no x5c, and no root signed it")
    }

    private static func revocation(
        _ path: [Certificate],
        _ lists: [CertificateRevocationList],
        at time: Int64
    ) throws(MetadataError) -> [CertificateRevocation] {
        var found: [CertificateRevocation] = []
        for (certificate, issuer) in zip(path, path.dropFirst()) {
            var state = CertificateRevocation.State.noList
            let subject = certificate.subjectName.description
            for list in lists {
                switch list.status(of: certificate, by: issuer, at: time) {
                case .revoked: throw .revoked(subject: subject)
                case .good: state = .good
                case .outdated: if state == .noList { state = .outdatedList }
                case .notCovered: break
                }
            }
            found.append(CertificateRevocation(subject: subject, state: state))
        }
        return found
    }

    /// The header names the algorithm; only one that is for the signer's kind of key is taken.
    private static func verifiedPayload(
        _ jws: CompactJWS,
        by key: VerifyingKey
    ) throws(MetadataError) -> [UInt8] {
        let name = jws.unverifiedHeader["alg"]?.string ?? ""
        guard let algorithm = JWSAlgorithm(rawValue: name), algorithm.secretByteCount == nil else {
            throw .signature(reason: "alg is not one that is known here")
        }
        do throws(JOSEError) {
            return try jws.verify(with: JWSKey(key, algorithm)).payload
        } catch .unusableKey {
            throw .signature(reason: "alg \(algorithm.rawValue) is not for the signer's key")
        } catch {
            throw .signature(reason: "\(error)")
        }
    }
}
