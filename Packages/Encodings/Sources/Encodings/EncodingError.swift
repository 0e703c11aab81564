/// Why a text is no base64url, base64 or hexadecimal. Offsets count bytes from the start of the text.
public enum EncodingError: Error, Hashable, Sendable {
    /// A byte that the alphabet does not have. This includes white space, line ends and the other base64's `+ / - _`.
    case invalidCharacter(UInt8, offset: Int)
    /// No sequence of bytes has an encoding of this many characters (padding not counted).
    case invalidLength(Int)
    /// Padding where none may be, or less or more of it than the length asks for.
    case invalidPadding(offset: Int)
    /// The last character has bits set that belong to no byte, so that two texts would mean the same bytes.
    case unusedBitsSet(offset: Int)
}
