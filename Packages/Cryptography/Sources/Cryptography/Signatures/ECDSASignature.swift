/// The two ways of writing an ECDSA signature, and the way from one to the other.
public enum ECDSASignature {
    /// The DER form of `r‖s`.
    ///
    /// - Throws: `CryptographyError.invalidLength` unless there are two numbers of the curve's coordinate length.
    public static func der(
        fromRaw raw: ArraySlice<UInt8>,
        on curve: EllipticCurve
    ) throws(CryptographyError) -> [UInt8] {
        guard raw.count == 2 * curve.coordinateByteCount else {
            throw .invalidLength(what: "raw signature on \(curve.rawValue)", got: raw.count)
        }
        let r = shortest(raw.prefix(curve.coordinateByteCount))
        let s = shortest(raw.suffix(curve.coordinateByteCount))
        let contentCount = 4 + r.count + s.count + (needsZero(r) ? 1 : 0) + (needsZero(s) ? 1 : 0)
        var der: [UInt8] = []
        der.reserveCapacity(contentCount + 3)
        der.append(0x30)
        // At most 2 * (66 + 3) bytes: one byte of length, or two.
        if contentCount >= 0x80 { der.append(0x81) }
        der.append(UInt8(contentCount))
        for number in [r, s] {
            der.append(0x02)
            der.append(UInt8(number.count + (needsZero(number) ? 1 : 0)))
            if needsZero(number) { der.append(0) }
            der.append(contentsOf: number)
        }
        return der
    }

    /// `r‖s`, each padded to the curve's coordinate length, of a signature in DER.
    ///
    /// - Throws: `CryptographyError.malformed` unless it is strict DER, `CryptographyError.invalidLength` when a number
    ///   is longer than a coordinate.
    public static func raw(
        fromDER der: ArraySlice<UInt8>,
        on curve: EllipticCurve
    ) throws(CryptographyError) -> [UInt8] {
        var numbers = try DERReader.single(der, .sequence).elements
        let r = try numbers.next().unsignedInteger()
        let s = try numbers.next().unsignedInteger()
        try numbers.finish()
        let width = curve.coordinateByteCount
        guard r.count <= width, s.count <= width else {
            throw .invalidLength(what: "number in a signature on \(curve.rawValue)", got: max(r.count, s.count))
        }
        var raw: [UInt8] = []
        raw.reserveCapacity(2 * width)
        for number in [r, s] {
            raw.append(contentsOf: repeatElement(0, count: width - number.count))
            raw.append(contentsOf: number)
        }
        return raw
    }

    private static func shortest(_ number: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let digits = number.drop { $0 == 0 }
        return digits.isEmpty ? number.suffix(1) : digits
    }

    private static func needsZero(_ number: ArraySlice<UInt8>) -> Bool {
        number.first.map { $0 & 0x80 != 0 } ?? false
    }
}
