import Testing

/// The bytes of a text in hexadecimal, which spaces may divide.
func hex(_ text: String) throws -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }
    try #require(digits.utf8.count % 2 == 0, "an odd number of digits: \(text)")
    var bytes: [UInt8] = []
    var rest = digits[...]
    while !rest.isEmpty {
        bytes.append(try #require(UInt8(rest.prefix(2), radix: 16), "not hexadecimal: \(text)"))
        rest = rest.dropFirst(2)
    }
    return bytes
}

extension [UInt8] {
    /// The same bytes as a slice whose indices do not start at 0.
    var shifted: ArraySlice<UInt8> { ([0xaa, 0xbb, 0xcc] + self + [0xdd]).dropFirst(3).dropLast() }

    /// Every text that is cut off, from nothing to all but the last byte.
    var truncations: [ArraySlice<UInt8>] { indices.map { self[..<$0] } }

    /// The same bytes with one bit changed, for each bit.
    var flips: [[UInt8]] {
        indices.flatMap { index in
            (0..<8).map { bit in
                var copy = self
                copy[index] ^= 1 << UInt8(bit)
                return copy
            }
        }
    }
}
