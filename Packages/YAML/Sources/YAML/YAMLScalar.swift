/// One scalar: its text as written (quotes and escapes resolved) and the value it has in the core schema.
public struct YAMLScalar: Hashable, Sendable {
    public let text: String
    public let value: Value

    public enum Value: Hashable, Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        /// Also an integer that does not fit in 64 bits; `.inf` and `.nan` are what they say.
        case number(Double)
        case string
    }

    /// Text that is text whatever it looks like: quoted, a block, or tagged `!!str`.
    public init(string text: String) {
        self.text = text
        value = .string
    }

    /// Plain text, typed by the core schema (YAML 1.2.2 §10.3.2).
    ///
    /// One rule is narrower: digits that begin with a needless `0` are text, as `0123` is a code or a phone number far
    /// more often than a number.
    public init(plain text: String) {
        self.text = text
        value = Self.resolve(text)
    }

    private static func resolve(_ text: String) -> Value {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        case ".nan", ".NaN", ".NAN": return .number(.nan)
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": return .number(.infinity)
        case "-.inf", "-.Inf", "-.INF": return .number(-.infinity)
        default: break
        }
        let bytes = Array(text.utf8)
        guard let first = bytes.first, "+-.0123456789".utf8.contains(first) else { return .string }
        if text.hasPrefix("0o") { return radix(text, 8) }
        if text.hasPrefix("0x") { return radix(text, 16) }
        return decimal(bytes, text)
    }

    /// `0o17` and `0x1F`: without a sign, as the schema says.
    private static func radix(_ text: String, _ base: Int) -> Value {
        let digits = text.dropFirst(2)
        guard let first = digits.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-"),
            let value = Int64(digits, radix: base)
        else { return .string }
        return .integer(value)
    }

    /// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
    private static func decimal(_ bytes: [UInt8], _ text: String) -> Value {
        var rest = bytes[...]
        func isSign(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") }
        func takeDigits() -> Int {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest = rest[digits.endIndex...]
            return digits.count
        }
        if isSign(rest.first) { rest.removeFirst() }
        let leadingZero = rest.first == UInt8(ascii: "0")
        let whole = takeDigits()
        if leadingZero, whole > 1 { return .string }
        var isInteger = true
        var fraction = 0
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            isInteger = false
            fraction = takeDigits()
        }
        guard whole > 0 || fraction > 0 else { return .string }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            isInteger = false
            if isSign(rest.first) { rest.removeFirst() }
            guard takeDigits() > 0 else { return .string }
        }
        guard rest.isEmpty else { return .string }
        if isInteger, let value = Int64(text) { return .integer(value) }
        // Swift reads neither `1.` nor `.5` nor `1.e3`.
        return Double(Self.completed(text)).map { .number($0) } ?? .string
    }

    private static func completed(_ text: String) -> String {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return text }
        let whole = parts[0].utf8.last.map { $0 >= UInt8(ascii: "0") } ?? false
        let fraction = parts[1].utf8.first.map { $0 <= UInt8(ascii: "9") && $0 >= UInt8(ascii: "0") } ?? false
        return parts[0] + (whole ? "" : "0") + "." + (fraction ? "" : "0") + parts[1]
    }
}
