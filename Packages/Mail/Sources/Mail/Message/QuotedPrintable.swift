/// RFC 2045 §6.7: text as ASCII, in lines of at most 76 characters that survive every server on the way.
///
/// What it gives has no `=_`, so that a boundary with these two stands in no text.
enum QuotedPrintable {
    /// Encodes `text`, whose lines end as they like; each line of the result ends with CR LF, the last one too.
    static func encode(_ text: String) -> [UInt8] {
        var output: [UInt8] = []
        for line in lines(text) { append(line, to: &output) }
        return output
    }

    /// A line feed at the end of the text begins no further line.
    private static func lines(_ text: String) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var line: [UInt8] = []
        var wasReturn = false
        for byte in text.utf8 {
            switch byte {
            case 10 where wasReturn: break
            case 10, 13:
                lines.append(line)
                line = []
            default: line.append(byte)
            }
            wasReturn = byte == 13
        }
        if !line.isEmpty { lines.append(line) }
        return lines
    }

    private static func append(_ line: [UInt8], to output: inout [UInt8]) {
        var length = 0
        for (index, byte) in line.enumerated() {
            let isLast = index == line.count - 1
            let code = self.code(byte, isLast: isLast)
            // A soft break takes one place of the 76.
            if length + code.count > (isLast ? 76 : 75) {
                output += [UInt8(ascii: "="), 13, 10]
                length = 0
            }
            output += code
            length += code.count
        }
        output += [13, 10]
    }

    private static func code(_ byte: UInt8, isLast: Bool) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "="): break
        case 0x21...0x7E: return [byte]
        case 0x20, 0x09: if !isLast { return [byte] }
        default: break
        }
        return [UInt8(ascii: "="), digit(byte >> 4), digit(byte & 15)]
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") &+ value : UInt8(ascii: "A") &+ value &- 10
    }
}
