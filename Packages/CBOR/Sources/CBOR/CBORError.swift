/// Why bytes are refused. Offsets count bytes from the start of what was given to the decoder.
public enum CBORError: Error, Hashable, Sendable {
    /// The input is over in the middle of an item, or a length or count is larger than what is left of it.
    case unexpectedEnd(offset: Int)
    /// Bytes after the item.
    case trailingBytes(offset: Int)
    /// An initial byte that RFC 8949 reserves, or a break outside an item of indefinite length.
    case notWellFormed(UInt8, offset: Int)
    /// An item of indefinite length.
    case indefiniteLength(offset: Int)
    /// A tagged item.
    case tag(UInt64, offset: Int)
    /// A simple value without a meaning.
    case unassignedSimpleValue(UInt8, offset: Int)
    /// An integer, length or count in more bytes than it needs.
    case notMinimal(offset: Int)
    /// A map key that belongs before the key in front of it.
    case keysNotSorted(offset: Int)
    /// A map that has a key twice.
    case duplicateKey(offset: Int)
    /// A text string that is no UTF-8.
    case invalidUTF8(offset: Int)
    /// Arrays and maps are nested deeper than allowed.
    case tooDeep(offset: Int)
    /// More items than allowed.
    case tooManyItems(offset: Int)
}
