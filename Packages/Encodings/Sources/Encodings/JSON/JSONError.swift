/// Why a document is refused. Offsets count bytes from the start of what was given to the reader.
public enum JSONError: Error, Hashable, Sendable {
    /// The document is over in the middle of a value.
    case unexpectedEnd(offset: Int)
    /// A byte that the grammar does not allow here. After the value this is whatever follows it.
    case unexpectedByte(UInt8, offset: Int)
    /// The document starts with a byte order mark.
    case byteOrderMark
    /// Arrays and objects are nested deeper than allowed.
    case tooDeep(offset: Int)
    /// An object has this member twice.
    case duplicateName(String, offset: Int)
    /// Bytes that are no UTF-8: overlong, a surrogate, beyond U+10FFFF, or cut short.
    case invalidUTF8(offset: Int)
    /// A byte below 0x20 in a string, which has to be escaped.
    case controlCharacter(UInt8, offset: Int)
    /// A backslash that starts none of the escapes.
    case invalidEscape(offset: Int)
    /// A `\u` escape that is half of a pair.
    case loneSurrogate(offset: Int)
    /// U+0000 in a string, where it is refused.
    case nul(offset: Int)
    /// A number that no `Double` comes near, or one that is over 1,024 characters long.
    case numberOutOfRange(offset: Int)

    /// Where the fault is, in bytes from the start of the document.
    public var offset: Int {
        switch self {
        case .byteOrderMark: 0
        case .unexpectedEnd(let offset), .unexpectedByte(_, let offset), .tooDeep(let offset),
            .duplicateName(_, let offset), .invalidUTF8(let offset), .controlCharacter(_, let offset),
            .invalidEscape(let offset), .loneSurrogate(let offset), .nul(let offset), .numberOutOfRange(let offset):
            offset
        }
    }
}
