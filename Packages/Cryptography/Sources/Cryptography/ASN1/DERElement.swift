/// One element of DER: its tag and where its bytes lie in the slice that was read.
public struct DERElement: Hashable, Sendable {
    /// The element's tag.
    public let tag: DERTag
    /// Tag, length and content.
    public let encoded: ArraySlice<UInt8>
    private let contentStart: Int

    /// Where the content starts is an index into `encoded`, which saves keeping a second slice of the same bytes.
    init(tag: DERTag, encoded: ArraySlice<UInt8>, contentStart: Int) {
        self.tag = tag
        self.encoded = encoded
        self.contentStart = contentStart
    }

    /// The bytes after tag and length.
    public var content: ArraySlice<UInt8> { encoded[contentStart...] }

    /// A reader of the elements inside. Meaningful when the tag is constructed.
    public var elements: DERReader { DERReader(content) }

    /// The content of an INTEGER or ENUMERATED that fits 64 bits.
    ///
    /// - Throws: `CryptographyError.malformed` for another tag, a longer value or one with superfluous leading bytes.
    public func integer() throws(CryptographyError) -> Int64 {
        guard tag == .integer || tag == .enumerated else { throw fault("not an INTEGER") }
        try requireShortestInteger()
        guard content.count <= 8, let first = content.first else { throw fault("an INTEGER beyond 64 bits") }
        var value: Int64 = first & 0x80 == 0 ? 0 : -1
        for byte in content { value = value << 8 | Int64(byte) }
        return value
    }

    /// The magnitude of an INTEGER that is not negative, big-endian without leading zeros (zero: one zero byte).
    ///
    /// - Throws: `CryptographyError.malformed` for another tag, a negative value or superfluous leading bytes.
    public func unsignedInteger() throws(CryptographyError) -> ArraySlice<UInt8> {
        guard tag == .integer else { throw fault("not an INTEGER") }
        try requireShortestInteger()
        guard let first = content.first, first & 0x80 == 0 else { throw fault("a negative INTEGER") }
        return first == 0 && content.count > 1 ? content.dropFirst() : content
    }

    /// The value of a BOOLEAN, which is `00` or `ff` in DER.
    ///
    /// - Throws: `CryptographyError.malformed`.
    public func boolean() throws(CryptographyError) -> Bool {
        guard tag == .boolean, content.count == 1, let byte = content.first, byte == 0 || byte == 0xff else {
            throw fault("not a BOOLEAN")
        }
        return byte == 0xff
    }

    /// The bytes of a BIT STRING that is made of whole bytes.
    ///
    /// - Throws: `CryptographyError.malformed`.
    public func wholeBitString() throws(CryptographyError) -> ArraySlice<UInt8> {
        guard tag == .bitString, content.first == 0 else { throw fault("not a BIT STRING of whole bytes") }
        return content.dropFirst()
    }

    /// The bits of a BIT STRING that are set, counted from the first, as named bits are (X.680 §22).
    ///
    /// - Throws: `CryptographyError.malformed`, also for more than 64 bits or unused bits that are set.
    public func namedBits() throws(CryptographyError) -> Set<Int> {
        guard tag == .bitString, let unused = content.first, unused < 8, content.count <= 9 else {
            throw fault("not a short BIT STRING")
        }
        let bytes = content.dropFirst()
        guard unused == 0 || (bytes.last.map { $0 & ((1 << unused) - 1) == 0 } ?? false) else {
            throw fault("unused bits that are set")
        }
        var bits: Set<Int> = []
        for (index, byte) in bytes.enumerated() {
            for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 { bits.insert(index * 8 + bit) }
        }
        return bits
    }

    /// The value of an OBJECT IDENTIFIER, in dotted decimal.
    ///
    /// - Throws: `CryptographyError.malformed`, also for an arc beyond 63 bits.
    public func objectIdentifier() throws(CryptographyError) -> String {
        guard tag == .objectIdentifier else { throw fault("not an OBJECT IDENTIFIER") }
        return try Self.objectIdentifier(content: content)
    }

    /// The content of an OBJECT IDENTIFIER, or of an implicitly tagged one, in dotted decimal.
    ///
    /// - Throws: `CryptographyError.malformed`, also for an arc beyond 63 bits.
    public static func objectIdentifier(content: ArraySlice<UInt8>) throws(CryptographyError) -> String {
        guard let last = content.last, last & 0x80 == 0 else {
            throw .malformed(what: "a cut-off OBJECT IDENTIFIER", offset: content.startIndex)
        }
        // Written as bytes: a certificate has a dozen of them, and appending to a String would be a fifth of reading it.
        var text: [UInt8] = []
        text.reserveCapacity(4 * content.count + 4)
        var arc: UInt64 = 0
        var startsArc = true
        for (index, byte) in zip(content.indices, content) {
            guard !(startsArc && byte == 0x80), arc <= UInt64(Int64.max) >> 7 else {
                throw .malformed(what: "an OBJECT IDENTIFIER's arc", offset: index)
            }
            arc = arc << 7 | UInt64(byte & 0x7f)
            startsArc = byte & 0x80 == 0
            guard startsArc else { continue }
            if text.isEmpty {
                // The first two arcs share a number.
                let first = min(arc / 40, 2)
                text.append(UInt8(ascii: "0") + UInt8(first))
                arc -= first * 40
            }
            text.append(UInt8(ascii: "."))
            appendDecimal(arc, to: &text)
            arc = 0
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func appendDecimal(_ number: UInt64, to text: inout [UInt8]) {
        var unit: UInt64 = 1
        while number / unit >= 10 { unit *= 10 }
        while unit > 0 {
            text.append(UInt8(ascii: "0") + UInt8(number / unit % 10))
            unit /= 10
        }
    }

    /// The text of one of ASN.1's string types.
    ///
    /// TeletexString is read as Latin-1, as certificates use it.
    ///
    /// - Throws: `CryptographyError.malformed` for another tag, or bytes that the type does not allow.
    public func string() throws(CryptographyError) -> String {
        switch tag {
        case .utf8String:
            guard let text = String(validating: content, as: UTF8.self) else { throw fault("not UTF-8") }
            return text
        case .printableString, .ia5String, .visibleString, .numericString:
            guard content.allSatisfy({ $0 < 0x80 }), let text = String(validating: content, as: UTF8.self) else {
                throw fault("not ASCII")
            }
            return text
        case .teletexString:
            var text = String.UnicodeScalarView()
            for byte in content { text.append(Unicode.Scalar(byte)) }
            return String(text)
        case .bmpString, .universalString:
            return try wideString(unitByteCount: tag == .bmpString ? 2 : 4)
        default:
            throw fault("not a string")
        }
    }

    private func wideString(unitByteCount: Int) throws(CryptographyError) -> String {
        guard content.count % unitByteCount == 0 else { throw fault("a cut-off string") }
        var text = String.UnicodeScalarView()
        var value: UInt32 = 0
        for (index, byte) in content.enumerated() {
            value = value << 8 | UInt32(byte)
            guard index % unitByteCount == unitByteCount - 1 else { continue }
            // A BMPString has no surrogates, and a surrogate is no scalar.
            guard let scalar = Unicode.Scalar(value) else { throw fault("not a character") }
            text.append(scalar)
            value = 0
        }
        return String(text)
    }

    func requireShortestInteger() throws(CryptographyError) {
        guard let first = content.first else { throw fault("an INTEGER without a value") }
        guard let second = content.dropFirst().first else { return }
        guard !(first == 0 && second & 0x80 == 0), !(first == 0xff && second & 0x80 != 0) else {
            throw fault("an INTEGER that is not in its shortest form")
        }
    }

    private func fault(_ what: String) -> CryptographyError { .malformed(what: what, offset: encoded.startIndex) }
}
