/// Writes DER (X.690), one element after the other.
public struct DERWriter: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []

    /// A writer that has written nothing.
    public init() {}

    /// Writes an element with `content`.
    public mutating func append(_ tag: DERTag, _ content: ArraySlice<UInt8>) {
        appendTag(tag)
        appendLength(content.count)
        bytes.append(contentsOf: content)
    }

    /// Writes an element with `content`.
    public mutating func append(_ tag: DERTag, _ content: [UInt8]) {
        append(tag, content[...])
    }

    /// Writes an element whose content is what `body` writes.
    public mutating func append<Failure: Error>(
        _ tag: DERTag,
        _ body: (inout DERWriter) throws(Failure) -> Void
    ) throws(Failure) {
        var inner = DERWriter()
        try body(&inner)
        append(tag, inner.bytes)
    }

    /// Writes a SEQUENCE of what `body` writes.
    public mutating func sequence<Failure: Error>(
        _ body: (inout DERWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try append(.sequence, body)
    }

    /// Writes bytes that are DER already.
    public mutating func encoded(_ element: [UInt8]) {
        bytes.append(contentsOf: element)
    }

    /// Writes an INTEGER.
    public mutating func integer(_ value: Int64) {
        var content = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * Int64($0))) }[...]
        while content.count > 1, let first = content.first, let second = content.dropFirst().first,
            (first == 0 && second & 0x80 == 0) || (first == 0xff && second & 0x80 != 0)
        {
            content.removeFirst()
        }
        append(.integer, content)
    }

    /// Writes an INTEGER that is not negative, from its magnitude, big-endian, with or without leading zeros.
    public mutating func unsignedInteger(_ magnitude: ArraySlice<UInt8>) {
        let shortest = magnitude.drop { $0 == 0 }
        let needsZero = shortest.first.map { $0 & 0x80 != 0 } ?? true
        appendTag(.integer)
        appendLength(shortest.count + (needsZero ? 1 : 0))
        if needsZero { bytes.append(0) }
        bytes.append(contentsOf: shortest)
    }

    /// Writes a BOOLEAN.
    public mutating func boolean(_ value: Bool) {
        append(.boolean, [value ? 0xff : 0])
    }

    /// Writes NULL.
    public mutating func null() {
        append(.null, [])
    }

    /// Writes an OCTET STRING.
    public mutating func octetString(_ content: [UInt8]) {
        append(.octetString, content)
    }

    /// Writes a BIT STRING of whole bytes.
    public mutating func bitString(_ content: [UInt8]) {
        append(.bitString, [0] + content)
    }

    /// Writes a BIT STRING of named bits, without trailing zero bits (X.690 §11.2.2). Bits from 64 up are not written.
    public mutating func namedBits(_ bits: Set<Int>) {
        let named = bits.filter { (0..<64).contains($0) }
        guard let highest = named.max() else { return append(.bitString, [0]) }
        var content = [UInt8](repeating: 0, count: highest / 8 + 2)
        content[0] = UInt8(7 - highest % 8)
        for bit in named { content[bit / 8 + 1] |= 0x80 >> UInt8(bit % 8) }
        append(.bitString, content)
    }

    /// Writes a UTF8String.
    public mutating func utf8String(_ text: String) {
        append(.utf8String, Array(text.utf8))
    }

    /// Writes an OBJECT IDENTIFIER from its dotted decimal form.
    ///
    /// - Throws: `CryptographyError.unsupported` when `text` is not one.
    public mutating func objectIdentifier(_ text: String) throws(CryptographyError) {
        append(.objectIdentifier, try Self.objectIdentifierContent(text))
    }

    /// The content bytes of an OBJECT IDENTIFIER.
    ///
    /// - Throws: `CryptographyError.unsupported` when `text` is not one.
    public static func objectIdentifierContent(_ text: String) throws(CryptographyError) -> [UInt8] {
        var arcs: [UInt64] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            guard let arc = UInt64(part), arc <= UInt64(Int64.max) - 80 else { throw .unsupported(what: "OID \(text)") }
            arcs.append(arc)
        }
        guard arcs.count >= 2, arcs[0] <= 2, arcs[0] == 2 || arcs[1] < 40 else {
            throw .unsupported(what: "OID \(text)")
        }
        var content: [UInt8] = []
        for arc in [arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2) {
            var groups = [UInt8(arc & 0x7f)]
            var rest = arc >> 7
            while rest > 0 {
                groups.append(UInt8(rest & 0x7f) | 0x80)
                rest >>= 7
            }
            content.append(contentsOf: groups.reversed())
        }
        return content
    }

    private mutating func appendTag(_ tag: DERTag) {
        let leading = tag.tagClass.rawValue << 6 | (tag.isConstructed ? 0x20 : 0)
        guard tag.number >= 31 else { return bytes.append(leading | UInt8(tag.number)) }
        bytes.append(leading | 0x1f)
        var groups = [UInt8(tag.number & 0x7f)]
        var rest = tag.number >> 7
        while rest > 0 {
            groups.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        bytes.append(contentsOf: groups.reversed())
    }

    private mutating func appendLength(_ count: Int) {
        guard count >= 0x80 else { return bytes.append(UInt8(count)) }
        let octets = (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }.drop { $0 == 0 }
        bytes.append(0x80 | UInt8(octets.count))
        bytes.append(contentsOf: octets)
    }
}
