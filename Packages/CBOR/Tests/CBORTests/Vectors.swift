import FoundationEssentials
import Testing

/// One case of `cbor-rfc8949-appendix-a.json` or `cbor-ctap2.json`.
struct VectorCase: Decodable, Sendable {
    struct Expected: Decodable, Sendable {
        let wellFormed: Bool
        let valid: Bool
        let ctap2Canonical: Bool?
        let roundtrip: Bool?
        let mayReject: Bool?
    }

    let id: String
    let operation: String
    let hex: String
    let expected: Expected
    let hasDecoded: Bool?
    let decoded: DecodedValue?

    var bytes: [UInt8] {
        get throws {
            var bytes: [UInt8] = []
            var rest = hex[...]
            while !rest.isEmpty {
                bytes.append(try #require(UInt8(rest.prefix(2), radix: 16), "\(id)"))
                rest = rest.dropFirst(2)
            }
            return bytes
        }
    }

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case id, operation, hex, expected, hasDecoded, decoded, category, majorType
    }

    private struct Name: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        for name in try decoder.container(keyedBy: Name.self).allKeys {
            try #require(CodingKeys(rawValue: name.stringValue) != nil, "unknown member \(name.stringValue)")
        }
        let members = try decoder.container(keyedBy: CodingKeys.self)
        id = try members.decode(String.self, forKey: .id)
        operation = try members.decode(String.self, forKey: .operation)
        hex = try members.decode(String.self, forKey: .hex)
        expected = try members.decode(Expected.self, forKey: .expected)
        hasDecoded = try members.decodeIfPresent(Bool.self, forKey: .hasDecoded)
        decoded = hasDecoded == true ? try members.decode(DecodedValue.self, forKey: .decoded) : nil
    }
}

/// What a case says that its item means.
enum DecodedValue: Decodable, Sendable {
    case null
    case bool(Bool)
    case unsigned(UInt64)
    case number(Double)
    case string(String)
    case array([DecodedValue])
    case object([String: DecodedValue])

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let integer = try? value.decode(UInt64.self) {
            self = .unsigned(integer)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([DecodedValue].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: DecodedValue].self))
        }
    }
}

/// The vectors that implementations share. JSON is read with Foundation here, since this package stands on nothing.
enum Vectors {
    private struct File: Decodable {
        let cases: [VectorCase]
    }

    static func cases(_ name: String) throws -> [VectorCase] {
        let path = try #require(sharedRoot) + "/" + name
        let data = try #require(FileManager.default.contents(atPath: path), "\(path) cannot be read")
        return try JSONDecoder().decode(File.self, from: data).cases
    }

    static let sharedRoot: String? = {
        var candidates: [String] = []
        if let path = ProcessInfo.processInfo.environment["LATCHKEY_VECTORS"] { candidates.append(path) }
        var path = #filePath
        while path.contains("/") {
            path = directory(of: path)
            guard FileManager.default.fileExists(atPath: path + "/Packages") else { continue }
            candidates.append(directory(of: path) + "/shared/vectors")
        }
        return candidates.first { FileManager.default.fileExists(atPath: $0 + "/README.md") }
    }()

    private static func directory(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return z ^ z >> 31
    }
}
