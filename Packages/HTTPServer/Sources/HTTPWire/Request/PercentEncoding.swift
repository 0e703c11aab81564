/// Percent-encoded octets (RFC 3986 §2.1).
public enum PercentEncoding {
    /// The bytes that are meant.
    ///
    /// - Parameters:
    ///   - bytes: the encoded text.
    ///   - plusIsSpace: whether `+` means a space, as in forms and in queries that a form made.
    /// - Returns: `nil` when a `%` is not followed by two hexadecimal digits.
    public static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            if byte == 0x2B, plusIsSpace {
                decoded.append(0x20)
            } else if byte != 0x25 {
                decoded.append(byte)
            } else {
                guard index + 1 < bytes.endIndex, let high = bytes[index].hexDigitValue,
                    let low = bytes[index + 1].hexDigitValue
                else { return nil }
                decoded.append(high << 4 | low)
                index += 2
            }
        }
        return decoded
    }
}

/// A path as the router compares it.
public enum RequestPath {
    /// Splits a path into its segments, decoded, with `.` and `..` resolved (RFC 3986 §5.2.4).
    ///
    /// `/a/b` has the segments `a` and `b`; `/a/` has `a` and an empty one; `/` has one, empty. The path is split before
    /// it is decoded, so `%2F` never makes a segment; `%2e%2e` is resolved like `..`.
    ///
    /// - Throws: `.badRequest(.target)` for a path without a leading `/`, a broken escape, a control character, or
    ///   what is not UTF-8.
    public static func segments(of path: ArraySlice<UInt8>) throws(HTTPFault) -> [String] {
        guard path.first == 0x2F else { throw .badRequest(.target) }
        var segments: [String] = []
        var endsInDots = false
        for part in path.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false) {
            guard let bytes = PercentEncoding.decode(part), !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }),
                let segment = String(validating: bytes, as: UTF8.self)
            else { throw .badRequest(.target) }
            endsInDots = segment == "." || segment == ".."
            if segment == ".." { _ = segments.popLast() }
            if !endsInDots { segments.append(segment) }
        }
        if endsInDots || segments.isEmpty { segments.append("") }
        return segments
    }
}

/// `application/x-www-form-urlencoded`, in a body or a query.
public enum FormEncoding {
    /// The pairs, decoded, in order; a name without `=` has an empty value. What is sent twice is there twice.
    ///
    /// - Throws: `.badRequest(.target)` for a broken escape, NUL, or what is not UTF-8.
    public static func pairs(_ bytes: ArraySlice<UInt8>) throws(HTTPFault) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for pair in bytes.split(separator: 0x26) {
            let equals = pair.firstIndex(of: 0x3D) ?? pair.endIndex
            let name = try text(pair[..<equals])
            pairs.append((name, try text(equals < pair.endIndex ? pair[(equals + 1)...] : [])))
        }
        return pairs
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws(HTTPFault) -> String {
        guard let decoded = PercentEncoding.decode(bytes, plusIsSpace: true), !decoded.contains(0),
            let text = String(validating: decoded, as: UTF8.self)
        else { throw .badRequest(.target) }
        return text
    }
}
