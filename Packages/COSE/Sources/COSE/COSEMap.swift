internal import CBOR
internal import Cryptography

/// The curves of RFC 9053 §7.1 and RFC 8812 §3.1 that keys for signatures have.
enum COSECurve: Int64 {
    case p256 = 1
    case p384 = 2
    case p521 = 3
    case ed25519 = 6
    case ed448 = 7
    case secp256k1 = 8

    init(_ curve: EllipticCurve) {
        switch curve {
        case .p256: self = .p256
        case .p384: self = .p384
        case .p521: self = .p521
        case .secp256k1: self = .secp256k1
        }
    }

    /// The curve of keys of type EC2.
    var elliptic: EllipticCurve? {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        case .secp256k1: .secp256k1
        case .ed25519, .ed448: nil
        }
    }
}

/// The members of one `COSE_Key`, read by their labels.
struct COSEMap {
    private let map: CBORMap

    init(decoding bytes: ArraySlice<UInt8>) throws(COSEError) {
        let value: CBORValue
        do throws(CBORError) {
            value = try CBOR.decode(bytes, as: .interoperable)
        } catch {
            throw .cbor(error)
        }
        guard let map = value.map else { throw .notAMap }
        self.init(map)
    }

    init(_ map: CBORMap) {
        self.map = map
    }

    func integer(_ member: COSEKeyMember) throws(COSEError) -> Int64 {
        guard let value = map[member.label] else { throw .missing(member) }
        guard let integer = value.integer else { throw .wrongType(member) }
        return integer
    }

    func bytes(_ member: COSEKeyMember) throws(COSEError) -> [UInt8] {
        guard let value = map[member.label] else { throw .missing(member) }
        // A boolean `y` is the sign of a compressed point, which WebAuthn does not allow (§5.8.5).
        guard let bytes = value.bytes else { throw .wrongType(member) }
        return bytes
    }

    /// `key_ops`, when there are any, let the key verify (RFC 9053 §2).
    func checkUse() throws(COSEError) {
        guard let operations = map[COSEKeyMember.keyOps.label] else { return }
        guard let list = operations.array else { throw .wrongType(.keyOps) }
        guard list.contains(2) || list.contains("verify") else { throw .mayNotVerify }
    }

    /// The numbers of a key of type OKP, EC2, RSA or AKP; the last has its parameters from its algorithm.
    func components(type: Int64, algorithm: COSEAlgorithm) throws(COSEError) -> PublicKeyComponents {
        switch type {
        case 1:
            try refuse(privateMembers: [-4])
            let curve = try integer(.crv)
            let x = try bytes(.x)
            switch COSECurve(rawValue: curve) {
            case .ed25519: return .ed25519(x)
            case .ed448: return .ed448(x)
            default: throw .unsupported(.crv, value: curve)
            }
        case 2:
            try refuse(privateMembers: [-4])
            let number = try integer(.crv)
            guard let curve = COSECurve(rawValue: number)?.elliptic else { throw .unsupported(.crv, value: number) }
            return .ec(curve, x: try bytes(.x), y: try bytes(.y))
        case 3:
            try refuse(privateMembers: [-3, -4, -5, -6, -7, -8])
            return .rsa(modulus: try bytes(.n), exponent: try bytes(.e))
        case 7:
            try refuse(privateMembers: [-2])
            guard let set = algorithm.lattice else { throw .unsupported(.alg, value: Int64(algorithm.rawValue)) }
            return .mlDSA(set, try bytes(.pub))
        default:
            throw .unsupported(.kty, value: type)
        }
    }

    private func refuse(privateMembers labels: [Int64]) throws(COSEError) {
        for label in labels where map[CBORValue(label)] != nil { throw .privateKey }
    }
}

extension COSEKeyMember {
    /// The label in the map; those from -1 down have their meaning from the key's type.
    fileprivate var label: CBORValue {
        switch self {
        case .kty: 1
        case .alg: 3
        case .keyOps: 4
        case .crv, .n, .pub: -1
        case .x, .e: -2
        case .y: -3
        }
    }
}
