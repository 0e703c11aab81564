/// The strict reader (RFC 8259).
public enum JSON {
    /// Reads `bytes` as exactly one value, with white space around it at most.
    ///
    /// Refused are: input that is no valid UTF-8, a name that an object has twice (at any depth, compared byte for
    /// byte after unescaping), lone surrogates, numbers beyond `Double`, nesting deeper than `maximumDepth` arrays and
    /// objects, a byte order mark unless `allowingBOM`, and U+0000 in strings unless `allowingNUL`. An integer that
    /// fits `Int64` stays exact, and every other number becomes the nearest `Double`.
    ///
    /// - Throws: ``JSONError`` with the place of the first fault.
    public static func parse(
        _ bytes: ArraySlice<UInt8>,
        maximumDepth: Int = 64,
        allowingBOM: Bool = false,
        allowingNUL: Bool = false
    ) throws(JSONError) -> JSONValue {
        var parser = JSONParser(maximumDepth: maximumDepth, allowsNUL: allowingNUL)
        return try parser.document(bytes.span, allowingBOM: allowingBOM)
    }

    /// Reads `bytes` as exactly one value, as the form that takes a slice does.
    ///
    /// - Throws: ``JSONError`` with the place of the first fault.
    public static func parse(
        _ bytes: [UInt8],
        maximumDepth: Int = 64,
        allowingBOM: Bool = false,
        allowingNUL: Bool = false
    ) throws(JSONError) -> JSONValue {
        var parser = JSONParser(maximumDepth: maximumDepth, allowsNUL: allowingNUL)
        return try parser.document(bytes.span, allowingBOM: allowingBOM)
    }

    /// Reads `text` as exactly one value, as the form that takes a slice does.
    ///
    /// - Throws: ``JSONError`` with the place of the first fault, in UTF-8 bytes.
    public static func parse(
        _ text: String,
        maximumDepth: Int = 64,
        allowingBOM: Bool = false,
        allowingNUL: Bool = false
    ) throws(JSONError) -> JSONValue {
        var parser = JSONParser(maximumDepth: maximumDepth, allowsNUL: allowingNUL)
        return try parser.document(text.utf8Span.span, allowingBOM: allowingBOM)
    }
}
