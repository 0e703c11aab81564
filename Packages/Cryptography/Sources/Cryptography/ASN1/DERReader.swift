/// Reads DER (X.690), strictly: definite lengths and tag numbers in their shortest form, nothing past the end.
///
/// A reader walks one row of elements; `sequence()` and the like answer a reader for the row inside.
public struct DERReader: Sendable {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    /// A reader of the elements in `bytes`.
    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Whether every element has been read.
    public var isAtEnd: Bool { position == bytes.endIndex }

    /// The index, in the slice that was given, of the next element.
    public var offset: Int { position }

    /// Reads the one element that `bytes` hold, and requires that nothing follows.
    ///
    /// - Throws: `CryptographyError.malformed`.
    public static func single(_ bytes: ArraySlice<UInt8>) throws(CryptographyError) -> DERElement {
        var reader = DERReader(bytes)
        let element = try reader.next()
        try reader.finish()
        return element
    }

    /// Reads the next element, whatever its tag.
    ///
    /// - Throws: `CryptographyError.malformed`.
    public mutating func next() throws(CryptographyError) -> DERElement {
        let start = position
        let tag = try readTag()
        let count = try readLength()
        guard count <= bytes.endIndex - position else { throw fault("a length past the end", at: start) }
        let contentStart = position
        position += count
        return DERElement(tag: tag, encoded: bytes[start..<position], contentStart: contentStart)
    }

    /// Reads the next element, which must have `tag`.
    ///
    /// - Throws: `CryptographyError.malformed`.
    public mutating func next(_ tag: DERTag) throws(CryptographyError) -> DERElement {
        let start = position
        let element = try next()
        guard element.tag == tag else { throw fault("another tag than expected", at: start) }
        return element
    }

    /// Reads the next element when it has `tag`, and leaves it where it is otherwise.
    ///
    /// - Throws: `CryptographyError.malformed`.
    public mutating func nextIfPresent(_ tag: DERTag) throws(CryptographyError) -> DERElement? {
        guard !isAtEnd else { return nil }
        let start = position
        let element = try next()
        guard element.tag == tag else {
            position = start
            return nil
        }
        return element
    }

    /// Enters the SEQUENCE that comes next.
    ///
    /// - Throws: `CryptographyError.malformed`.
    public mutating func sequence() throws(CryptographyError) -> DERReader {
        DERReader(try next(.sequence).content)
    }

    /// Enters the SET that comes next.
    ///
    /// - Throws: `CryptographyError.malformed`.
    public mutating func set() throws(CryptographyError) -> DERReader {
        DERReader(try next(.set).content)
    }

    /// Reads an OBJECT IDENTIFIER, in dotted decimal.
    ///
    /// - Throws: `CryptographyError.malformed`.
    public mutating func objectIdentifier() throws(CryptographyError) -> String {
        try next(.objectIdentifier).objectIdentifier()
    }

    /// Requires that every element has been read.
    ///
    /// - Throws: `CryptographyError.malformed`.
    public func finish() throws(CryptographyError) {
        guard isAtEnd else { throw fault("something after the last element", at: position) }
    }

    private func fault(_ what: String, at offset: Int) -> CryptographyError { .malformed(what: what, offset: offset) }

    private mutating func readByte() throws(CryptographyError) -> UInt8 {
        guard position < bytes.endIndex else { throw fault("a cut-off element", at: position) }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func readTag() throws(CryptographyError) -> DERTag {
        let start = position
        let first = try readByte()
        guard let tagClass = DERTag.Class(rawValue: first >> 6) else { throw fault("a tag", at: start) }
        let isConstructed = first & 0x20 != 0
        guard first & 0x1f == 0x1f else {
            return DERTag(tagClass, UInt32(first & 0x1f), isConstructed: isConstructed)
        }
        // The high form: seven bits a byte, no leading zero bits, and only for numbers from 31 up.
        var number: UInt32 = 0
        var byte: UInt8
        repeat {
            byte = try readByte()
            guard !(number == 0 && byte == 0x80), number <= UInt32.max >> 7 else {
                throw fault("a tag number that is not in its shortest form, or too large", at: start)
            }
            number = number << 7 | UInt32(byte & 0x7f)
        } while byte & 0x80 != 0
        guard number >= 31 else { throw fault("a tag number that is not in its shortest form", at: start) }
        return DERTag(tagClass, number, isConstructed: isConstructed)
    }

    private mutating func readLength() throws(CryptographyError) -> Int {
        let start = position
        let first = try readByte()
        guard first & 0x80 != 0 else { return Int(first) }
        // 0x80 is the indefinite length, which DER forbids; four bytes are more than any input has.
        let count = Int(first & 0x7f)
        guard (1...4).contains(count) else { throw fault("an indefinite or too large length", at: start) }
        var length = 0
        for _ in 0..<count { length = length << 8 | Int(try readByte()) }
        guard length >= (count == 1 ? 0x80 : 1 << (8 * (count - 1))) else {
            throw fault("a length that is not in its shortest form", at: start)
        }
        return length
    }
}
