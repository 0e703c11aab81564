/// One JSON value.
///
/// Strings are compared byte for byte, objects without regard to the order of their members.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    /// A number without fraction or exponent that fits.
    case integer(Int64)
    /// Every other number.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer, or `nil` for everything else, also for `1.0` and `1e3`.
    public var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The number, be it an integer or not. An integer beyond 2^53 is rounded.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }
}

extension JSONValue: Hashable {
    public static func == (one: JSONValue, other: JSONValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.integer(let one), .integer(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)): sameBytes(one, other)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .number(let value): hasher.combine(value)
        case .string(let value): hasher.combine(JSONName(value))
        case .array(let value): hasher.combine(value)
        case .object(let value): hasher.combine(value)
        }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }

    public init(booleanLiteral value: Bool) { self = .bool(value) }

    public init(integerLiteral value: Int64) { self = .integer(value) }

    public init(floatLiteral value: Double) { self = .number(value) }

    public init(stringLiteral value: String) { self = .string(value) }

    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// An object with these members. Of two with the same name the later one counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in elements { object.set(name, value) }
        self = .object(object)
    }
}
