/// One pass over one document. The bytes are handed down from call to call; what is kept here is the place in them.
struct JSONParser {
    /// The number of members from which an object keeps a set of its names: comparing each with each would let a
    /// hostile document cost the square of its size.
    private static let manyMembers = 16
    private static let longestNumber = 1024

    private var index = 0
    private let maximumDepth: Int
    private let allowsNUL: Bool

    init(maximumDepth: Int, allowsNUL: Bool) {
        self.maximumDepth = maximumDepth
        self.allowsNUL = allowsNUL
    }

    mutating func document(_ bytes: Span<UInt8>, allowingBOM: Bool) throws(JSONError) -> JSONValue {
        if bytes.count >= 3, bytes[0] == 0xef, bytes[1] == 0xbb, bytes[2] == 0xbf {
            guard allowingBOM else { throw .byteOrderMark }
            index = 3
        }
        skipWhitespace(bytes)
        let value = try value(bytes, depth: 0)
        skipWhitespace(bytes)
        guard index == bytes.count else { throw .unexpectedByte(bytes[index], offset: index) }
        return value
    }

    private mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSONValue {
        guard index < bytes.count else { throw .unexpectedEnd(offset: index) }
        switch bytes[index] {
        case UInt8(ascii: "\""):
            index += 1
            return .string(try string(bytes))
        case UInt8(ascii: "{"):
            guard depth < maximumDepth else { throw .tooDeep(offset: index) }
            index += 1
            return .object(try object(bytes, depth: depth + 1))
        case UInt8(ascii: "["):
            guard depth < maximumDepth else { throw .tooDeep(offset: index) }
            index += 1
            return .array(try array(bytes, depth: depth + 1))
        case UInt8(ascii: "t"):
            try word("true", bytes)
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("false", bytes)
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("null", bytes)
            return .null
        default:
            return try number(bytes)
        }
    }

    private mutating func object(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> JSONObject {
        skipWhitespace(bytes)
        if try take(UInt8(ascii: "}"), bytes) { return JSONObject() }
        var members: [JSONObject.Member] = []
        members.reserveCapacity(8)
        var names: Set<JSONName> = []
        while true {
            let start = index
            try expect(UInt8(ascii: "\""), bytes)
            let name = try string(bytes)
            if members.count < Self.manyMembers {
                for member in members where sameBytes(member.name, name) {
                    throw .duplicateName(name, offset: start)
                }
            } else {
                if names.isEmpty { names = Set(members.lazy.map { JSONName($0.name) }) }
                guard names.insert(JSONName(name)).inserted else { throw .duplicateName(name, offset: start) }
            }
            skipWhitespace(bytes)
            try expect(UInt8(ascii: ":"), bytes)
            skipWhitespace(bytes)
            members.append(JSONObject.Member(name: name, value: try value(bytes, depth: depth)))
            skipWhitespace(bytes)
            if try take(UInt8(ascii: "}"), bytes) { return JSONObject(unique: members) }
            try expect(UInt8(ascii: ","), bytes)
            skipWhitespace(bytes)
        }
    }

    private mutating func array(_ bytes: Span<UInt8>, depth: Int) throws(JSONError) -> [JSONValue] {
        skipWhitespace(bytes)
        if try take(UInt8(ascii: "]"), bytes) { return [] }
        var elements: [JSONValue] = []
        while true {
            elements.append(try value(bytes, depth: depth))
            skipWhitespace(bytes)
            if try take(UInt8(ascii: "]"), bytes) { return elements }
            try expect(UInt8(ascii: ","), bytes)
            skipWhitespace(bytes)
        }
    }

    /// Reads the rest of a string, from the byte after its opening quote.
    private mutating func string(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let start = index
        var end = start
        var escapes = 0
        while true {
            guard end < bytes.count else { throw .unexpectedEnd(offset: bytes.count) }
            let byte = bytes[end]
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                escapes += 1
                end += 2
                continue
            }
            guard byte >= 0x20 else { throw .controlCharacter(byte, offset: end) }
            end += 1
        }
        index = end + 1
        // The escapes themselves are ASCII, so the whole is UTF-8 exactly when what lies between them is.
        do throws(UTF8.ValidationError) {
            let text = try UTF8Span(validating: bytes.extracting(start..<end))
            if escapes == 0 { return String(copying: text) }
        } catch {
            throw .invalidUTF8(offset: start + error.byteOffsets.lowerBound)
        }
        return try unescaped(bytes, from: start, to: end)
    }

    private func unescaped(_ bytes: Span<UInt8>, from start: Int, to end: Int) throws(JSONError) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(end - start)
        var at = start
        while at < end {
            guard bytes[at] == UInt8(ascii: "\\") else {
                output.append(bytes[at])
                at += 1
                continue
            }
            let escape = at
            at += 2
            switch bytes[escape + 1] {
            case UInt8(ascii: "\""): output.append(0x22)
            case UInt8(ascii: "\\"): output.append(0x5c)
            case UInt8(ascii: "/"): output.append(0x2f)
            case UInt8(ascii: "b"): output.append(0x08)
            case UInt8(ascii: "f"): output.append(0x0c)
            case UInt8(ascii: "n"): output.append(0x0a)
            case UInt8(ascii: "r"): output.append(0x0d)
            case UInt8(ascii: "t"): output.append(0x09)
            case UInt8(ascii: "u"):
                let scalar = try scalar(bytes, escape: escape, at: &at, end: end)
                output.append(contentsOf: String(scalar).utf8)
            default: throw .invalidEscape(offset: escape)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Reads the digits after a `\u`, and the second escape when the first is the high half of a pair.
    private func scalar(
        _ bytes: Span<UInt8>,
        escape: Int,
        at: inout Int,
        end: Int
    ) throws(JSONError) -> Unicode.Scalar {
        let unit = try codeUnit(bytes, escape: escape, at: &at, end: end)
        if let scalar = Unicode.Scalar(unit) {
            guard unit != 0 || allowsNUL else { throw .nul(offset: escape) }
            return scalar
        }
        guard unit < 0xdc00, end - at >= 6, bytes[at] == UInt8(ascii: "\\"), bytes[at + 1] == UInt8(ascii: "u") else {
            throw .loneSurrogate(offset: escape)
        }
        let second = at
        at += 2
        let low = try codeUnit(bytes, escape: second, at: &at, end: end)
        guard low >= 0xdc00, low <= 0xdfff,
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xd800) << 10 + (low - 0xdc00))
        else { throw .loneSurrogate(offset: escape) }
        return scalar
    }

    private func codeUnit(_ bytes: Span<UInt8>, escape: Int, at: inout Int, end: Int) throws(JSONError) -> UInt32 {
        guard end - at >= 4 else { throw .invalidEscape(offset: escape) }
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Hex.value(bytes[at]) else { throw .invalidEscape(offset: escape) }
            unit = unit << 4 | UInt32(digit)
            at += 1
        }
        return unit
    }

    private mutating func number(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
        let start = index
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        guard index < bytes.count else { throw .unexpectedEnd(offset: index) }
        // Counted downwards, because Int64 reaches one further below zero.
        var integer: Int64? = 0
        if bytes[index] == UInt8(ascii: "0") {
            index += 1
        } else {
            guard isDigit(bytes[index]) else { throw .unexpectedByte(bytes[index], offset: index) }
            while index < bytes.count, isDigit(bytes[index]) {
                integer = integer.flatMap { Self.appending(bytes[index] - UInt8(ascii: "0"), to: $0) }
                index += 1
            }
        }
        var isInteger = true
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            isInteger = false
            index += 1
            try digits(bytes)
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            index += 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                index += 1
            }
            try digits(bytes)
        }
        if isInteger, let integer {
            if isNegative { return .integer(integer) }
            if integer != Int64.min { return .integer(-integer) }
        }
        guard index - start <= Self.longestNumber else { throw .numberOutOfRange(offset: start) }
        var text: [UInt8] = []
        for offset in start..<index { text.append(bytes[offset]) }
        guard let double = Double(String(decoding: text, as: UTF8.self)), double.isFinite else {
            throw .numberOutOfRange(offset: start)
        }
        return .number(double)
    }

    /// `value * 10 - digit`, or `nil` when it does not fit.
    private static func appending(_ digit: UInt8, to value: Int64) -> Int64? {
        let (product, overflow) = value.multipliedReportingOverflow(by: 10)
        let (difference, borrow) = product.subtractingReportingOverflow(Int64(digit))
        return overflow || borrow ? nil : difference
    }

    private mutating func digits(_ bytes: Span<UInt8>) throws(JSONError) {
        guard index < bytes.count else { throw .unexpectedEnd(offset: index) }
        guard isDigit(bytes[index]) else { throw .unexpectedByte(bytes[index], offset: index) }
        while index < bytes.count, isDigit(bytes[index]) { index += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10
    }

    private mutating func word(_ word: StaticString, _ bytes: Span<UInt8>) throws(JSONError) {
        for byte in word.description.utf8 { try expect(byte, bytes) }
    }

    private mutating func take(_ byte: UInt8, _ bytes: Span<UInt8>) throws(JSONError) -> Bool {
        guard index < bytes.count else { throw .unexpectedEnd(offset: index) }
        guard bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func expect(_ byte: UInt8, _ bytes: Span<UInt8>) throws(JSONError) {
        guard try take(byte, bytes) else { throw .unexpectedByte(bytes[index], offset: index) }
    }

    private mutating func skipWhitespace(_ bytes: Span<UInt8>) {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0a, 0x0d: index += 1
            default: return
            }
        }
    }
}
