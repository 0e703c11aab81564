/// The rules that a decoder holds its input to. Both refuse indefinite lengths, tags, repeated keys and text that is
/// no UTF-8.
public enum CBORForm: Hashable, Sendable {
    /// CTAP2 canonical: integers, lengths and counts in their shortest form, map keys sorted (CTAP 2.1 §8).
    case ctap2
    /// Map keys in any order and integers of any width, which some authenticators send.
    case interoperable
}

/// Decoding and encoding (RFC 8949), bounded in depth and in number of items.
public enum CBOR {
    /// How many items one decoding yields at most.
    static let maximumItems = 4096

    /// Decodes `bytes` as exactly one item, with at most `maximumDepth` arrays and maps inside each other.
    ///
    /// - Throws: ``CBORError`` with the place of the first fault.
    public static func decode(
        _ bytes: ArraySlice<UInt8>,
        as form: CBORForm = .ctap2,
        maximumDepth: Int = 5
    ) throws(CBORError) -> CBORValue {
        var decoder = CBORDecoder(bytes, form: form, maximumDepth: maximumDepth)
        let value = try decoder.item(depth: 0)
        guard decoder.isAtEnd else { throw .trailingBytes(offset: decoder.offset) }
        return value
    }

    /// Decodes `bytes` as exactly one item, as the form that takes a slice does.
    ///
    /// - Throws: ``CBORError`` with the place of the first fault.
    public static func decode(
        _ bytes: [UInt8],
        as form: CBORForm = .ctap2,
        maximumDepth: Int = 5
    ) throws(CBORError) -> CBORValue {
        try decode(bytes[...], as: form, maximumDepth: maximumDepth)
    }

    /// Decodes the item that `bytes` starts with.
    ///
    /// - Returns: the item and what follows it. The rest keeps the indices of `bytes`, so the item's own bytes are
    ///   `bytes[..<rest.startIndex]`.
    /// - Throws: ``CBORError`` with the place of the first fault.
    public static func decodeFirst(
        _ bytes: ArraySlice<UInt8>,
        as form: CBORForm = .ctap2,
        maximumDepth: Int = 5
    ) throws(CBORError) -> (value: CBORValue, rest: ArraySlice<UInt8>) {
        var decoder = CBORDecoder(bytes, form: form, maximumDepth: maximumDepth)
        let value = try decoder.item(depth: 0)
        return (value, decoder.rest)
    }

    /// Encodes `value` in CTAP2 canonical form. Floating-point numbers keep their width.
    public static func encode(_ value: CBORValue) -> [UInt8] {
        var output: [UInt8] = []
        value.append(to: &output)
        return output
    }
}
