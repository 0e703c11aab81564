/// Writes one JSON document forward into a byte buffer, without white space.
///
/// The caller keeps the order right (a name before each value in an object, as many ends as begins); the commas and
/// the escapes come by themselves.
public struct JSONWriter: Sendable {
    /// What is written so far, as UTF-8.
    public private(set) var bytes: [UInt8]
    private var needsComma = false

    /// A writer with room for `capacity` bytes before its buffer has to grow.
    public init(capacity: Int = 512) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    public mutating func beginObject() { begin(UInt8(ascii: "{")) }

    public mutating func endObject() { end(UInt8(ascii: "}")) }

    public mutating func beginArray() { begin(UInt8(ascii: "[")) }

    public mutating func endArray() { end(UInt8(ascii: "]")) }

    /// The name of the member whose value comes next.
    public mutating func name(_ name: String) {
        separate()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func string(_ value: String) {
        separate()
        quote(value)
    }

    /// A string that holds `value` in base64url without padding.
    public mutating func base64URL(_ value: ArraySlice<UInt8>) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        Base64URL.append(value, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// A string that holds `value` in base64url without padding.
    public mutating func base64URL(_ value: [UInt8]) { base64URL(value[...]) }

    public mutating func integer(_ value: Int64) {
        separate()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    public mutating func integer(_ value: Int) { integer(Int64(value)) }

    /// The shortest text that reads back as `value`; `null` for infinities and NaN, which JSON does not have.
    public mutating func number(_ value: Double) {
        separate()
        bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
    }

    public mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    public mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    /// A whole tree.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .integer(let value): integer(value)
        case .number(let value): number(value)
        case .string(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let object):
            beginObject()
            for member in object.members {
                name(member.name)
                self.value(member.value)
            }
            endObject()
        }
    }

    /// A value that is JSON already. The caller vouches for it.
    public mutating func raw(_ json: ArraySlice<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
    }

    /// A value that is JSON already. The caller vouches for it.
    public mutating func raw(_ json: [UInt8]) { raw(json[...]) }

    private mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func end(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        let span = text.utf8Span.span
        // Without a way out of the loop, which would keep it from being done many bytes at once.
        var escapes: UInt8 = 0
        for index in span.indices { escapes |= Self.needsEscape(span[index]) ? 1 : 0 }
        if escapes == 0 {
            bytes.append(contentsOf: text.utf8)
        } else {
            for index in span.indices { appendEscaped(span[index]) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        guard Self.needsEscape(byte) else { return bytes.append(byte) }
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0a: bytes.append(UInt8(ascii: "n"))
        case 0x0c: bytes.append(UInt8(ascii: "f"))
        case 0x0d: bytes.append(UInt8(ascii: "r"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            Hex.append([byte], to: &bytes)
        }
    }
}
