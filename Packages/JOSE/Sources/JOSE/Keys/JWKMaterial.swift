internal import Cryptography
internal import Encodings

extension JWK.Material {
    init(_ members: JWKMembers) throws(JOSEError) {
        guard let type = try members.string("kty") else { throw .malformedKey(member: "kty") }
        switch type {
        case "EC":
            let name = try members.string("crv") ?? ""
            // RFC 7518 §6.2.1.1 and RFC 8812 §3.1 have the names that the curves have everywhere.
            guard let curve = EllipticCurve(rawValue: name) else { throw .unsupportedKey(member: "crv", value: name) }
            self = .publicKey(.ec(curve, x: try members.bytes("x"), y: try members.bytes("y")))
        case "OKP":
            let name = try members.string("crv") ?? ""
            switch name {
            case "Ed25519": self = .publicKey(.ed25519(try members.bytes("x")))
            case "Ed448": self = .publicKey(.ed448(try members.bytes("x")))
            default: throw .unsupportedKey(member: "crv", value: name)
            }
        case "RSA":
            self = .publicKey(.rsa(modulus: try members.bytes("n"), exponent: try members.bytes("e")))
        case "AKP":
            let name = try members.string("alg") ?? ""
            guard let set = MLDSAParameterSet(rawValue: name) else { throw .unsupportedKey(member: "alg", value: name) }
            self = .publicKey(.mlDSA(set, try members.bytes("pub")))
        case "oct":
            self = .secret(try members.bytes("k"))
        default:
            throw .unsupportedKey(member: "kty", value: type)
        }
    }

    func writeType(to writer: inout JSONWriter) {
        switch self {
        case .publicKey(.ec): writer.member("kty", "EC")
        case .publicKey(.ed25519), .publicKey(.ed448): writer.member("kty", "OKP")
        case .publicKey(.rsa): writer.member("kty", "RSA")
        case .publicKey(.mlDSA): writer.member("kty", "AKP")
        case .secret: writer.member("kty", "oct")
        }
    }

    func writeNumbers(to writer: inout JSONWriter) {
        switch self {
        case .publicKey(.ec(let curve, let x, let y)):
            writer.member("crv", curve.rawValue)
            writer.member("x", base64URL: x)
            writer.member("y", base64URL: y)
        case .publicKey(.ed25519(let key)):
            writer.member("crv", "Ed25519")
            writer.member("x", base64URL: key)
        case .publicKey(.ed448(let key)):
            writer.member("crv", "Ed448")
            writer.member("x", base64URL: key)
        case .publicKey(.rsa(let modulus, let exponent)):
            writer.member("n", base64URL: modulus)
            writer.member("e", base64URL: exponent)
        case .publicKey(.mlDSA(_, let key)):
            writer.member("pub", base64URL: key)
        case .secret:
            break
        }
    }

    /// The required members alone, in the order of their names, without white space (RFC 7638 §3).
    var thumbprintInput: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        switch self {
        case .publicKey(.ec(let curve, let x, let y)):
            writer.member("crv", curve.rawValue)
            writer.member("kty", "EC")
            writer.member("x", base64URL: x)
            writer.member("y", base64URL: y)
        case .publicKey(.ed25519(let key)):
            writer.member("crv", "Ed25519")
            writer.member("kty", "OKP")
            writer.member("x", base64URL: key)
        case .publicKey(.ed448(let key)):
            writer.member("crv", "Ed448")
            writer.member("kty", "OKP")
            writer.member("x", base64URL: key)
        case .publicKey(.rsa(let modulus, let exponent)):
            writer.member("e", base64URL: exponent)
            writer.member("kty", "RSA")
            writer.member("n", base64URL: modulus)
        case .publicKey(.mlDSA(let set, let key)):
            writer.member("alg", set.rawValue)
            writer.member("kty", "AKP")
            writer.member("pub", base64URL: key)
        case .secret(let secret):
            writer.member("k", base64URL: secret)
            writer.member("kty", "oct")
        }
        writer.endObject()
        return writer.bytes
    }
}
