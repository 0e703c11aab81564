/// The first bytes of an item: its major type and its argument (RFC 8949 §3).
struct CBORHead {
    /// 0 to 7.
    let majorType: UInt8
    /// The low five bits of the initial byte.
    let information: UInt8
    /// The value, length, count, tag number or bits. Zero for indefinite lengths.
    let argument: UInt64
    /// How many bytes the head has: 1, 2, 3, 5 or 9.
    let count: Int

    /// Whether the head has the additional information 31: an indefinite length, or a break.
    var isIndefinite: Bool { information == 31 }

    /// Whether the argument would not have fitted into fewer bytes.
    var isMinimal: Bool {
        switch information {
        case 24: argument >= 24
        case 25: argument > 0xff
        case 26: argument > 0xffff
        case 27: argument > 0xffff_ffff
        default: true
        }
    }

    /// Reads the head that `bytes` has at `index`. `offset` is where that is for whoever reads the error.
    init(_ bytes: ArraySlice<UInt8>, at index: Int, offset: Int) throws(CBORError) {
        guard index < bytes.endIndex else { throw .unexpectedEnd(offset: offset) }
        let initial = bytes[index]
        majorType = initial >> 5
        information = initial & 31
        switch information {
        case 0..<24:
            argument = UInt64(information)
            count = 1
        case 24...27:
            let width = 1 << Int(information - 24)
            guard bytes.endIndex - index > width else {
                throw .unexpectedEnd(offset: offset + bytes.endIndex - index)
            }
            var argument: UInt64 = 0
            for byte in bytes[(index + 1)...(index + width)] { argument = argument << 8 | UInt64(byte) }
            self.argument = argument
            count = 1 + width
        case 31:
            // Integers and tags have no indefinite form.
            guard majorType >= 2, majorType != 6 else { throw .notWellFormed(initial, offset: offset) }
            argument = 0
            count = 1
        default:
            throw .notWellFormed(initial, offset: offset)
        }
        // Simple values below 32 have one form only, of one byte.
        if initial == 0xf8, argument < 32 { throw .notWellFormed(initial, offset: offset) }
    }

    /// Appends a head in its shortest form.
    static func append(majorType: UInt8, _ argument: UInt64, to output: inout [UInt8]) {
        let type = majorType << 5
        let width: Int
        switch argument {
        case 0..<24:
            output.append(type | UInt8(argument))
            return
        case ...0xff: width = 1
        case ...0xffff: width = 2
        case ...0xffff_ffff: width = 4
        default: width = 8
        }
        output.append(type | UInt8(24 + width.trailingZeroBitCount))
        appendBytes(of: argument, width: width, to: &output)
    }

    /// Appends the low `width` bytes of `value`, big-endian.
    static func appendBytes(of value: UInt64, width: Int, to output: inout [UInt8]) {
        for place in (0..<width).reversed() {
            output.append(UInt8(truncatingIfNeeded: value >> UInt64(place * 8)))
        }
    }
}
