/// A public key as its numbers, big-endian. Only a `VerifyingKey` says that they are a good key.
public enum PublicKeyComponents: Hashable, Sendable {
    /// A point; both coordinates have the curve's length.
    case ec(EllipticCurve, x: [UInt8], y: [UInt8])
    /// 32 bytes (RFC 8032 §5.1.5).
    case ed25519([UInt8])
    /// 57 bytes (RFC 8032 §5.2.5).
    case ed448([UInt8])
    /// Neither number has leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// The encoded public key (FIPS 204 algorithm 22): 1312, 1952 or 2592 bytes.
    case mlDSA(MLDSAParameterSet, [UInt8])
}

extension PublicKeyComponents {
    /// Reads a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7, RFC 3279, RFC 5480, RFC 8410, RFC 9881),
    /// strictly.
    ///
    /// - Throws: `CryptographyError.malformed`, `CryptographyError.unsupported` for another algorithm, curve or point
    ///   form.
    init(subjectPublicKeyInfo bytes: ArraySlice<UInt8>) throws(CryptographyError) {
        var info = try DERReader.single(bytes, .sequence).elements
        var algorithm = try info.sequence()
        let key = try info.next(.bitString).wholeBitString()
        try info.finish()
        switch try algorithm.objectIdentifier() {
        case OID.ecPublicKey:
            let name = try algorithm.objectIdentifier()
            guard let curve = EllipticCurve(objectIdentifier: name) else { throw .unsupported(what: "curve \(name)") }
            self = try .ec(curve, point: key)
        case OID.rsaEncryption:
            guard try algorithm.next(.null).content.isEmpty else {
                throw .malformed(what: "a NULL with content", offset: bytes.startIndex)
            }
            var numbers = try DERReader.single(key, .sequence).elements
            let modulus = try numbers.next().unsignedInteger()
            self = .rsa(modulus: Array(modulus), exponent: Array(try numbers.next().unsignedInteger()))
            try numbers.finish()
        case OID.ed25519:
            self = .ed25519(Array(key))
        case OID.ed448:
            self = .ed448(Array(key))
        case let other:
            guard let set = MLDSAParameterSet(objectIdentifier: other) else {
                throw .unsupported(what: "public key algorithm \(other)")
            }
            self = .mlDSA(set, Array(key))
        }
        try algorithm.finish()
    }

    /// A point in its uncompressed form, `04‖x‖y` (SEC 1 §2.3.3).
    private static func ec(
        _ curve: EllipticCurve,
        point: ArraySlice<UInt8>
    ) throws(CryptographyError) -> PublicKeyComponents {
        guard point.first == 4 else { throw .unsupported(what: "compressed point, or the point at infinity") }
        let coordinates = point.dropFirst()
        guard coordinates.count == 2 * curve.coordinateByteCount else {
            throw .invalidLength(what: "point on \(curve.rawValue)", got: point.count)
        }
        return .ec(
            curve,
            x: Array(coordinates.prefix(curve.coordinateByteCount)),
            y: Array(coordinates.suffix(curve.coordinateByteCount))
        )
    }

    /// The key as a SubjectPublicKeyInfo in DER.
    var subjectPublicKeyInfo: [UInt8] {
        var writer = DERWriter()
        writer.sequence { info in
            switch self {
            case .ec(let curve, let x, let y):
                info.sequence { algorithm in
                    algorithm.encoded(OID.encodedECPublicKey)
                    algorithm.encoded(curve.encodedObjectIdentifier)
                }
                info.bitString([4] + x + y)
            case .ed25519(let key):
                info.sequence { $0.encoded(OID.encodedEd25519) }
                info.bitString(key)
            case .ed448(let key):
                info.sequence { $0.encoded(OID.encodedEd448) }
                info.bitString(key)
            case .rsa(let modulus, let exponent):
                info.sequence { algorithm in
                    algorithm.encoded(OID.encodedRSAEncryption)
                    algorithm.null()
                }
                var numbers = DERWriter()
                numbers.sequence { pair in
                    pair.unsignedInteger(modulus[...])
                    pair.unsignedInteger(exponent[...])
                }
                info.bitString(numbers.bytes)
            case .mlDSA(let set, let key):
                info.sequence { $0.encoded(set.encodedObjectIdentifier) }
                info.bitString(key)
            }
        }
        return writer.bytes
    }
}
