public import Cryptography
public import Encodings
public import WebAuthn

/// A metadata service of one's own: a root, an authority below it, and the signer of BLOBs, for tests and for trying
/// things out.
public struct MetadataAuthority: Sendable {
    /// The trust anchor.
    public let root: Certificate
    public let intermediate: Certificate
    /// Whose key signs BLOBs.
    public let signer: Certificate
    private let rootKey: SigningKey
    private let intermediateKey: SigningKey
    private let signerKey: SigningKey

    private static let year: Int64 = 31_557_600

    /// Makes the three certificates, all on P-256.
    ///
    /// - Parameters:
    ///   - time: Unix seconds; the certificates are valid from a year before it to ten years after it.
    ///   - signerUsage: what the signer's certificate says that its key is for.
    /// - Throws: `CryptographyError` when libcrypto refuses, or `time` is out of a certificate's range.
    public init(
        validAt time: Int64,
        signerUsage: Set<Certificate.KeyUsage> = [.digitalSignature]
    ) throws(CryptographyError) {
        rootKey = try SigningKey.generate(.p256)
        intermediateKey = try SigningKey.generate(.p256)
        signerKey = try SigningKey.generate(.p256)
        root = try Self.builder("Metadata root", isCA: true, time).selfSigned(by: rootKey)
        intermediate = try Self.builder("Metadata authority", isCA: true, time)
            .signed(for: intermediateKey.publicKey, by: root, key: rootKey)
        var ofSigner = Self.builder("mds.example", isCA: false, time)
        ofSigner.keyUsage = signerUsage
        signer =
            try ofSigner
            .signed(for: signerKey.publicKey, by: intermediate, key: intermediateKey)
    }

    /// A BLOB with the entries.
    ///
    /// - Parameters:
    ///   - number: `no`.
    ///   - nextUpdate: as `2026-12-31`.
    ///   - entries: each as the `entry` functions give it.
    ///   - certificateAddress: where ``certificates`` are to be got (`x5u`); `nil`: they come along (`x5c`).
    /// - Returns: the compact JWS.
    /// - Throws: `CryptographyError` when libcrypto refuses.
    public func blob(
        number: Int64,
        nextUpdate: String,
        entries: [JSONValue],
        certificateAddress: String? = nil
    ) throws(CryptographyError) -> String {
        var members: JSONObject = ["alg": "ES256", "typ": "JWT"]
        if let certificateAddress {
            members["x5u"] = .string(certificateAddress)
        } else {
            members["x5c"] = .array(certificates.map { .string(Base64.encode($0.der)) })
        }
        let header = JSONValue.object(members)
        let payload: JSONValue = [
            "legalHeader": "Made for tests.", "no": .integer(number), "nextUpdate": .string(nextUpdate),
            "entries": .array(entries),
        ]
        let signed = Base64URL.encode(header.serialized()) + "." + Base64URL.encode(payload.serialized())
        let signature = try signerKey.sign(Array(signed.utf8)[...], .es256, form: .raw)
        return signed + "." + Base64URL.encode(signature)
    }

    /// The signer's certificate, and its authority's.
    public var certificates: [Certificate] { [signer, intermediate] }

    /// An entry for a FIDO2 model.
    ///
    /// - Parameters:
    ///   - aaguid: the model.
    ///   - name: its `description`.
    ///   - status: its status reports, oldest first, a month apart up to 2025-12-01.
    ///   - roots: its `attestationRootCertificates`.
    ///   - attestationTypes: as `basic_full`; `nil` leaves them out.
    ///   - algorithms: as `secp256r1_ecdsa_sha256_raw`; `nil` leaves them out.
    /// - Returns: the entry.
    public static func entry(
        for aaguid: AAGUID,
        name: String,
        status: [String] = ["FIDO_CERTIFIED_L1"],
        roots: [Certificate],
        attestationTypes: [String]? = nil,
        algorithms: [String]? = nil
    ) -> JSONValue {
        var statement: JSONObject = [
            "aaguid": .string(aaguid.description), "description": .string(name), "protocolFamily": "fido2", "schema": 3,
            "icon": "data:image/png;base64,iVBORw0KGgo=",
            "attestationRootCertificates": .array(roots.map { .string(Base64.encode($0.der)) }),
        ]
        if let attestationTypes { statement["attestationTypes"] = .array(attestationTypes.map(JSONValue.string)) }
        if let algorithms { statement["authenticationAlgorithms"] = .array(algorithms.map(JSONValue.string)) }
        return [
            "aaguid": .string(aaguid.description), "metadataStatement": .object(statement),
            "statusReports": reports(status), "timeOfLastStatusChange": "2025-12-01",
        ]
    }

    /// An entry for a U2F model, whose attestation certificates have these keys.
    public static func entry(
        forAttestationKeys keys: [VerifyingKey],
        name: String,
        status: [String] = ["FIDO_CERTIFIED_L1"],
        roots: [Certificate]
    ) throws(CryptographyError) -> JSONValue {
        var identifiers: [JSONValue] = []
        for key in keys { identifiers.append(.string(Hex.encode(try key.keyIdentifier()))) }
        return [
            "attestationCertificateKeyIdentifiers": .array(identifiers),
            "metadataStatement": [
                "description": .string(name), "protocolFamily": "u2f", "schema": 3,
                "attestationRootCertificates": .array(roots.map { .string(Base64.encode($0.der)) }),
            ],
            "statusReports": reports(status), "timeOfLastStatusChange": "2025-12-01",
        ]
    }

    /// A revocation list of one of the two authorities, in DER.
    ///
    /// - Parameters:
    ///   - isRoot: whether it is the root's, which certified the authority; otherwise the authority's.
    ///   - revoked: what is on it.
    ///   - from: `thisUpdate`, in Unix seconds.
    ///   - to: `nextUpdate`, in Unix seconds.
    /// - Returns: the list.
    /// - Throws: `CryptographyError` when libcrypto refuses.
    public func revocationList(
        ofRoot isRoot: Bool,
        revoking revoked: [Certificate],
        from: Int64,
        to: Int64
    ) throws(CryptographyError) -> [UInt8] {
        var builder = RevocationListBuilder(thisUpdate: from, nextUpdate: to)
        builder.revoked = revoked
        return isRoot
            ? try builder.signed(by: root, key: rootKey) : try builder.signed(by: intermediate, key: intermediateKey)
    }

    private static func reports(_ status: [String]) -> JSONValue {
        .array(
            status.enumerated().map { index, word in
                let month = max(1, 12 - (status.count - 1 - index))
                return ["status": .string(word), "effectiveDate": .string("2025-\(month < 10 ? "0" : "")\(month)-01")]
            }
        )
    }

    private static func builder(_ name: String, isCA: Bool, _ time: Int64) -> CertificateBuilder {
        var builder = CertificateBuilder(
            subject: [
                (oid: DistinguishedName.country, value: "XX"),
                (oid: DistinguishedName.organization, value: "Latchkey software authenticators"),
                (oid: DistinguishedName.commonName, value: name),
            ],
            notBefore: time - year,
            notAfter: time + 10 * year,
            isCA: isCA
        )
        builder.keyUsage = isCA ? [.keyCertSign, .cRLSign] : [.digitalSignature]
        return builder
    }
}
