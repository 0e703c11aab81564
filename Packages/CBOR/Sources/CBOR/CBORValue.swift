/// One item, without tags: what both forms of ``CBORForm`` can hold.
public enum CBORValue: Sendable {
    case unsigned(UInt64)
    /// The integer `-1 - n`.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map(CBORMap)
    case bool(Bool)
    case null
    case undefined
    case float(CBORFloat)

    /// An integer of either sign.
    public init(_ integer: Int64) {
        self = integer < 0 ? .negative(UInt64(-1 - integer)) : .unsigned(UInt64(integer))
    }

    /// An integer of either sign.
    public static func integer(_ value: Int) -> CBORValue { CBORValue(Int64(value)) }

    /// The integer of either sign, or `nil` when it is none or does not fit.
    public var integer: Int64? {
        switch self {
        case .unsigned(let value): Int64(exactly: value)
        case .negative(let value): Int64(exactly: value).map { -1 - $0 }
        default: nil
        }
    }

    public var bytes: [UInt8]? {
        if case .bytes(let value) = self { value } else { nil }
    }

    public var text: String? {
        if case .text(let value) = self { value } else { nil }
    }

    public var array: [CBORValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    public var map: CBORMap? {
        if case .map(let value) = self { value } else { nil }
    }

    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    func append(to output: inout [UInt8]) {
        switch self {
        case .unsigned(let value): CBORHead.append(majorType: 0, value, to: &output)
        case .negative(let value): CBORHead.append(majorType: 1, value, to: &output)
        case .bytes(let value):
            CBORHead.append(majorType: 2, UInt64(value.count), to: &output)
            output.append(contentsOf: value)
        case .text(let value):
            CBORHead.append(majorType: 3, UInt64(value.utf8.count), to: &output)
            output.append(contentsOf: value.utf8)
        case .array(let elements):
            CBORHead.append(majorType: 4, UInt64(elements.count), to: &output)
            for element in elements { element.append(to: &output) }
        case .map(let map):
            CBORHead.append(majorType: 5, UInt64(map.count), to: &output)
            for entry in map.entries {
                entry.key.append(to: &output)
                entry.value.append(to: &output)
            }
        case .bool(let value): output.append(value ? 0xf5 : 0xf4)
        case .null: output.append(0xf6)
        case .undefined: output.append(0xf7)
        case .float(let value): value.append(to: &output)
        }
    }
}

extension CBORValue: Hashable {
    /// Whether both encode to the same bytes. Text is compared by its bytes, not by canonical equivalence.
    public static func == (one: CBORValue, other: CBORValue) -> Bool {
        switch (one, other) {
        case (.unsigned(let one), .unsigned(let other)), (.negative(let one), .negative(let other)): one == other
        case (.bytes(let one), .bytes(let other)): one == other
        case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
        case (.array(let one), .array(let other)): one == other
        case (.map(let one), .map(let other)): one == other
        case (.bool(let one), .bool(let other)): one == other
        case (.null, .null), (.undefined, .undefined): true
        case (.float(let one), .float(let other)): one == other
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(CBOR.encode(self))
    }
}

extension CBORValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(integerLiteral value: Int64) { self.init(value) }

    public init(stringLiteral value: String) { self = .text(value) }

    public init(booleanLiteral value: Bool) { self = .bool(value) }

    public init(nilLiteral: ()) { self = .null }

    public init(arrayLiteral elements: CBORValue...) { self = .array(elements) }

    /// A map with these entries. Of two with the same key the later one counts.
    public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) {
        var map = CBORMap()
        for (key, value) in elements { map[key] = value }
        self = .map(map)
    }
}
