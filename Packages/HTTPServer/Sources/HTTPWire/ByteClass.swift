/// The character classes of RFC 9110 §5.6 and RFC 3986, as tests of one byte.
extension UInt8 {
    @inline(__always) var isDigit: Bool { self &- 0x30 < 10 }

    /// `tchar`: what names of methods and fields are made of.
    @inline(__always) var isTokenByte: Bool {
        // ! # $ % & ' * + - . 0-9 below 64; A-Z ^ _ ` a-z | ~ above.
        let mask: UInt64 = self < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return self < 128 && (mask &>> UInt64(self & 63)) & 1 == 1
    }

    /// What a field value may hold: visible ASCII, space, tab, and bytes over 127 (`obs-text`).
    @inline(__always) var isFieldValueByte: Bool { (self >= 0x20 && self != 0x7F) || self == 0x09 }

    /// What a target may hold. `" # < >` never stand in one; `\ ^ { | }` and the grave accent do in practice.
    @inline(__always) var isTargetByte: Bool {
        self > 0x20 && self < 0x7F && self != 0x22 && self != 0x23 && self != 0x3C && self != 0x3E
    }

    /// What a host name or an IPv4 address may hold: `unreserved` and `sub-delims`, without percent-encoding.
    @inline(__always) var isRegisteredNameByte: Bool {
        // ! $ & ' ( ) * + , - . 0-9 ; = below 64; A-Z _ a-z ~ above.
        let mask: UInt64 = self < 64 ? 0x2BFF_7FD2_0000_0000 : 0x47FF_FFFE_87FF_FFFE
        return self < 128 && (mask &>> UInt64(self & 63)) & 1 == 1
    }

    /// 0 to 15, or `nil`.
    @inline(__always) var hexDigitValue: UInt8? {
        switch self {
        case 0x30...0x39: self &- 0x30
        case 0x41...0x46: self &- 0x37
        case 0x61...0x66: self &- 0x57
        default: nil
        }
    }

    @inline(__always) var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension Span where Element == UInt8 {
    /// Whether the bytes of `range` are `text`, which is in lower case, in any case.
    @inline(__always)
    func matches(_ text: StaticString, in range: Range<Int>) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        return text.withUTF8Buffer { text in
            var offset = 0
            while offset < range.count {
                let byte = unsafe text[offset]
                if self[range.lowerBound &+ offset].lowercased != byte { return false }
                offset &+= 1
            }
            return true
        }
    }
}

extension Span<UInt8> {
    var isToken: Bool { tokenEnd(from: 0, to: count) == count }

    /// Where the token that begins at `start` ends, at `end` at the latest.
    func tokenEnd(from start: Int, to end: Int) -> Int {
        var index = start
        while index < end, self[index].isTokenByte { index &+= 1 }
        return index
    }

    /// Whether every byte of `range` may stand in a field value, eight at a time.
    func isFieldValue(in range: Range<Int>) -> Bool {
        var index = range.lowerBound
        while index &+ 8 <= range.upperBound {
            let word = word(at: index)
            // Under 0x20, or 0x7F, in any of the eight. A tab is rare enough to be looked at by itself.
            let low = (word &- 0x2020_2020_2020_2020) & ~word
            let delete = word ^ 0x7F7F_7F7F_7F7F_7F7F
            let isDelete = (delete &- 0x0101_0101_0101_0101) & ~delete
            if (low | isDelete) & 0x8080_8080_8080_8080 != 0 { break }
            index &+= 8
        }
        while index < range.upperBound {
            guard self[index].isFieldValueByte else { return false }
            index &+= 1
        }
        return true
    }

    /// Where the first LF at `start` or after it is, or the end.
    func firstLineFeed(from start: Int) -> Int {
        var index = start
        while index &+ 8 <= count {
            let feed = word(at: index) ^ 0x0A0A_0A0A_0A0A_0A0A
            let found = (feed &- 0x0101_0101_0101_0101) & ~feed & 0x8080_8080_8080_8080
            // Above the first LF the bits may lie, so only the lowest counts.
            if found != 0 { return index &+ found.trailingZeroBitCount >> 3 }
            index &+= 8
        }
        while index < count, self[index] != 0x0A { index &+= 1 }
        return index
    }

    /// Eight bytes; the bounds are checked.
    @inline(__always)
    private func word(at index: Int) -> UInt64 {
        UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
    }
}

extension Array<UInt8> {
    /// Appends the bytes of a span in one go.
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
