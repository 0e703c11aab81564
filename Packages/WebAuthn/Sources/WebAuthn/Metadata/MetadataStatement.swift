internal import COSE
internal import Cryptography
internal import Encodings

/// What its maker says of a model (FIDO Metadata Statement v3): the parts that a relying party judges or shows.
public struct MetadataStatement: Hashable, Sendable {
    /// The model's name, in English.
    public let name: String
    /// A picture as a `data:` URL; `nil`: none, or not one of an image.
    public let icon: String?
    /// As `basic_full`; `nil` when the statement does not say.
    let attestationTypes: [String]?
    /// As `secp256r1_ecdsa_sha256_raw`; `nil` when the statement does not say.
    let authenticationAlgorithms: [String]?
    /// DER, parsed when they are needed; a root, or the attestation certificate itself.
    let attestationRoots: [[UInt8]]

    init(_ document: JSONObject) {
        name = document["description"]?.string ?? ""
        icon = document["icon"]?.string.flatMap { $0.hasPrefix("data:image/") ? $0 : nil }
        attestationTypes = document["attestationTypes"]?.array?.compactMap(\.string)
        authenticationAlgorithms = document["authenticationAlgorithms"]?.array?.compactMap(\.string)
        attestationRoots = (document["attestationRootCertificates"]?.array ?? []).compactMap {
            $0.string.flatMap(Self.der)
        }
    }

    /// The roots that could be read.
    var trustAnchors: [Certificate] {
        attestationRoots.compactMap { try? Certificate(der: $0) }
    }

    /// Whether the maker says that the model attests in this way.
    func allows(_ type: AttestationType) -> Bool {
        guard let attestationTypes, !attestationTypes.isEmpty else { return true }
        let words =
            switch type {
            case .none: ["none"]
            case .selfAttestation: ["basic_surrogate"]
            case .basic, .attestationCA: ["basic_full", "attca"]
            case .anonymizationCA: ["anonca"]
            }
        return attestationTypes.contains { type in words.contains(where: type.hasSameBytes) }
    }

    /// Whether the maker says that the model signs so.
    func allows(_ algorithm: COSEAlgorithm) -> Bool {
        guard let authenticationAlgorithms, !authenticationAlgorithms.isEmpty else { return true }
        return authenticationAlgorithms.contains { Self.algorithms[$0]?.contains(algorithm.rawValue) == true }
    }

    /// The words of the FIDO registry of predefined values §3.6.1, and the COSE numbers that they stand for.
    private static let algorithms: [String: [Int]] = [
        "secp256r1_ecdsa_sha256_raw": [-7, -9], "secp256r1_ecdsa_sha256_der": [-7, -9],
        "secp384r1_ecdsa_sha384_raw": [-35, -51], "secp521r1_ecdsa_sha512_raw": [-36, -52],
        "secp256k1_ecdsa_sha256_raw": [-47], "secp256k1_ecdsa_sha256_der": [-47],
        "ed25519_eddsa_sha512_raw": [-8, -19], "ed448_eddsa_sha512_raw": [-53],
        "rsassa_pss_sha256_raw": [-37], "rsassa_pss_sha256_der": [-37],
        "rsassa_pss_sha384_raw": [-38], "rsassa_pss_sha512_raw": [-39],
        "rsassa_pkcsv15_sha256_raw": [-257], "rsassa_pkcsv15_sha384_raw": [-258],
        "rsassa_pkcsv15_sha512_raw": [-259], "rsassa_pkcsv15_sha1_raw": [-65535],
    ]

    /// A certificate in base64, in which makers leave line feeds and spaces.
    static func certificate(_ text: String) -> Certificate? {
        der(text).flatMap { try? Certificate(der: $0) }
    }

    private static func der(_ text: String) -> [UInt8]? {
        let code = text.utf8.filter { !(0x09...0x0d).contains($0) && $0 != 0x20 }
        return try? Base64.decode(code[...])
    }
}
