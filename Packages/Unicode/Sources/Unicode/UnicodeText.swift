internal import CUTF8Proc

/// Text in one canonical spelling, for what is compared as bytes.
public enum UnicodeText {
    /// The longest text that is normalised, in UTF-8 bytes: reordering of combining marks is quadratic.
    public static let maximumBytes = 4096

    /// The canonical spelling of `text`: white space trimmed at both ends, NFKC, full case folding.
    ///
    /// Two spellings of one name have one canonical form, and `canonical(canonical(x)) == canonical(x)` byte for byte.
    /// The result may be empty. Control, bidirectional, invisible, private and unassigned characters are refused.
    ///
    /// - Throws: `tooLong`, or `refused` with the first character that may not appear.
    public static func canonical(_ text: String) throws(UnicodeError) -> String {
        if let simple = asciiCanonical(text) { return simple }
        guard text.utf8.count <= maximumBytes else { throw .tooLong(bytes: text.utf8.count, limit: maximumBytes) }
        let scalars = text.unicodeScalars
        let lead = scalars.prefix { $0.properties.isWhitespace }.count
        var current = trimmed(text)
        try refuseBadCharacters(current, startingAt: lead)
        // Normalised before it is folded: COMBINING GREEK YPOGEGRAMMENI folds to a letter, and marks in another order
        // would then stand on another letter.
        current = trimmed(try mapped(current, nfkc))
        // Folding can uncover what still decomposes, and decomposition what still folds: go on until nothing moves.
        for _ in 0..<8 {
            let next = trimmed(try mapped(current, nfkc | UTF8PROC_CASEFOLD.rawValue))
            if next.utf8.elementsEqual(current.utf8) { break }
            current = next
        }
        try refuseBadCharacters(current, startingAt: 0)
        return current
    }

    /// `text` in normalization form C, otherwise unchanged: neither trimmed nor folded. For passwords.
    ///
    /// - Throws: `tooLong`.
    public static func nfc(_ text: String) throws(UnicodeError) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        guard text.utf8.count <= maximumBytes else { throw .tooLong(bytes: text.utf8.count, limit: maximumBytes) }
        return try mapped(text, UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue)
    }

    /// The longest beginning of `text` that fits in `limit` UTF-8 bytes and ends between two characters.
    ///
    /// A character is an extended grapheme cluster. When not even the first one fits, the cut is between two scalars.
    public static func truncated(_ text: String, toUTF8Bytes limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var count = 0
        var whole = text.startIndex
        for index in text.indices {
            count += text[index].utf8.count
            if count > limit { break }
            whole = text.index(after: index)
        }
        if whole > text.startIndex { return String(text[..<whole]) }
        var scalars = String.UnicodeScalarView()
        count = 0
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            if count > limit { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }

    private static let nfkc = UTF8PROC_STABLE.rawValue | UTF8PROC_COMPAT.rawValue | UTF8PROC_COMPOSE.rawValue

    /// The answer for printable ASCII, which is nearly every text; `nil` for anything else.
    private static func asciiCanonical(_ text: String) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            switch byte {
            case 0x20 where bytes.isEmpty: continue
            case 0x41...0x5A: bytes.append(byte | 0x20)
            case 0x20...0x7E: bytes.append(byte)
            default: return nil
            }
        }
        while bytes.last == 0x20 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func trimmed(_ text: String) -> String {
        var rest = Substring(text).unicodeScalars
        while let first = rest.first, first.properties.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.properties.isWhitespace { rest.removeLast() }
        return String(rest)
    }

    private static func mapped(_ text: String, _ options: UInt32) throws(UnicodeError) -> String {
        let bytes = Array(text.utf8)
        var output: UnsafeMutablePointer<UInt8>?
        let count = unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe utf8proc_map(buffer.baseAddress, buffer.count, &output, utf8proc_option_t(rawValue: options))
        }
        guard count >= 0, let start = unsafe output else {
            throw .notNormalizable(unsafe String(cString: utf8proc_errmsg(count)))
        }
        defer { unsafe free(start) }
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
