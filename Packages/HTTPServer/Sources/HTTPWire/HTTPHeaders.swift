/// The fields of a message, in order, with names that compare without regard to case (RFC 9110 §5).
///
/// All names and values lie in one array of bytes, as they stand on the wire.
public struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    struct Field: Hashable, Sendable {
        var nameStart: UInt32
        var nameEnd: UInt32
        var valueStart: UInt32
        var valueEnd: UInt32

        var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
        var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    }

    /// Where the fields lie: for a request the whole head, for what was composed here `name: value CRLF`, repeated.
    var bytes: [UInt8]
    var fields: [Field]
    /// Whether `bytes` can go out as they are: composed here, and nothing in them that the writer decides.
    var isWireBlock: Bool

    /// No fields.
    public init() {
        bytes = []
        fields = []
        isWireBlock = true
    }

    /// The fields of a request that has been parsed.
    init(bytes: [UInt8], fields: [Field]) {
        self.bytes = bytes
        self.fields = fields
        isWireBlock = false
    }

    public init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (name, value) in elements { add(name, value) }
    }

    /// The value of a field; of several with this name, all of them with `, ` in between (RFC 9110 §5.3).
    ///
    /// Bytes that are not UTF-8 become U+FFFD.
    public subscript(name: String) -> String? {
        var value: String?
        for field in fields where isNamed(name, field) {
            let text = String(decoding: bytes[field.value], as: UTF8.self)
            value = value.map { $0 + ", " + text } ?? text
        }
        return value
    }

    /// The values of all fields with this name, in order.
    public func values(of name: String) -> [String] {
        fields.filter { isNamed(name, $0) }.map { String(decoding: bytes[$0.value], as: UTF8.self) }
    }

    /// The bytes of the first field with this name.
    public func bytes(of name: String) -> ArraySlice<UInt8>? {
        for field in fields where isNamed(name, field) { return bytes[field.value] }
        return nil
    }

    /// Whether there is a field with this name.
    public func contains(_ name: String) -> Bool {
        fields.contains { isNamed(name, $0) }
    }

    /// How many fields there are.
    public var count: Int { fields.count }

    /// All fields, in order; names as they were written.
    public var all: [(name: String, value: String)] {
        fields.map { field in
            (String(decoding: bytes[field.name], as: UTF8.self), String(decoding: bytes[field.value], as: UTF8.self))
        }
    }

    /// Adds a field after the others.
    ///
    /// A control character in the value is written as a space, so that no value can begin another field or end the
    /// head. A name that is no token is a programmer's error, and the field is left out.
    public mutating func add(_ name: String, _ value: String) {
        if bytes.isEmpty {
            bytes.reserveCapacity(256)
            fields.reserveCapacity(8)
        }
        let nameStart = bytes.count
        bytes.append(contentsOf: name.utf8)
        let nameEnd = bytes.count
        bytes.append(0x3A)
        bytes.append(0x20)
        let valueStart = bytes.count
        bytes.append(contentsOf: value.utf8)
        let valueEnd = bytes.count
        bytes.append(0x0D)
        bytes.append(0x0A)
        guard nameStart < nameEnd, bytes.span.extracting(nameStart..<nameEnd).isToken else {
            bytes.removeLast(bytes.count - nameStart)
            return
        }
        if !bytes.span.isFieldValue(in: valueStart..<valueEnd) {
            for index in valueStart..<valueEnd where !bytes[index].isFieldValueByte { bytes[index] = 0x20 }
        }
        let field = Field(
            nameStart: UInt32(truncatingIfNeeded: nameStart),
            nameEnd: UInt32(truncatingIfNeeded: nameEnd),
            valueStart: UInt32(truncatingIfNeeded: valueStart),
            valueEnd: UInt32(truncatingIfNeeded: valueEnd)
        )
        fields.append(field)
        if isReserved(field) { isWireBlock = false }
    }

    /// Replaces every field with this name by one.
    public mutating func set(_ name: String, _ value: String) {
        remove(name)
        add(name, value)
    }

    /// Takes every field with this name out.
    public mutating func remove(_ name: String) {
        guard contains(name) else { return }
        let kept = fields.filter { !isNamed(name, $0) }
        var rest = HTTPHeaders()
        for field in kept {
            rest.add(
                String(decoding: bytes[field.name], as: UTF8.self),
                String(decoding: bytes[field.value], as: UTF8.self)
            )
        }
        self = rest
    }

    /// Whether the writer alone decides this field of an answer: framing, connection and date.
    func isReserved(_ field: Field) -> Bool {
        switch field.name.count {
        case 4: isNamed("date", field)
        case 7: isNamed("upgrade", field)
        case 10: isNamed("connection", field) || isNamed("keep-alive", field)
        case 14: isNamed("content-length", field)
        case 17: isNamed("transfer-encoding", field)
        default: false
        }
    }

    private func isNamed(_ name: String, _ field: Field) -> Bool {
        let range = field.name
        guard name.utf8.count == range.count else { return false }
        var index = range.lowerBound
        for byte in name.utf8 {
            if bytes[index].lowercased != byte.lowercased { return false }
            index += 1
        }
        return true
    }
}
