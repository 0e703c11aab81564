internal import Cryptography
internal import Encodings

/// One line out.
struct VectorAnswer {
    /// `reason` and the computed values, in the order they are written.
    var members: JSONObject

    static func accept(_ members: JSONObject = JSONObject()) -> VectorAnswer {
        var all: JSONObject = ["verdict": "accept"]
        for member in members.members { all.set(member.name, member.value) }
        return VectorAnswer(members: all)
    }

    static func reject(_ reason: String, _ detail: String? = nil) -> VectorAnswer {
        var members: JSONObject = ["verdict": "reject", "reason": .string(reason)]
        if let detail { members["detail"] = .string(Evidence.text(detail)) }
        return VectorAnswer(members: members)
    }

    static func unsupported(_ what: [String]) -> VectorAnswer {
        VectorAnswer(members: [
            "verdict": "unsupported", "reason": .string("not built: \(what.joined(separator: " "))"),
        ])
    }
}

/// What is wrong with a line: it is answered by a reject.
struct VectorError: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

/// Reads the input of an operation; every member that is missing or of another type is an error that names it.
struct VectorInput {
    let object: JSONObject

    func value(_ name: String) -> JSONValue? {
        guard let value = object[name], !value.isNull else { return nil }
        return value
    }

    func string(_ name: String) throws(VectorError) -> String {
        guard let value = try optionalString(name) else { throw VectorError("\(name) is missing") }
        return value
    }

    func optionalString(_ name: String) throws(VectorError) -> String? {
        guard let value = value(name) else { return nil }
        guard let string = value.string else { throw VectorError("\(name) is no string") }
        return string
    }

    func bool(_ name: String, default fallback: Bool? = nil) throws(VectorError) -> Bool {
        guard let value = value(name) else {
            guard let fallback else { throw VectorError("\(name) is missing") }
            return fallback
        }
        guard let bool = value.bool else { throw VectorError("\(name) is no boolean") }
        return bool
    }

    func object(_ name: String) throws(VectorError) -> JSONObject {
        guard let object = try optionalObject(name) else { throw VectorError("\(name) is missing") }
        return object
    }

    func optionalObject(_ name: String) throws(VectorError) -> JSONObject? {
        guard let value = value(name) else { return nil }
        guard let object = value.object else { throw VectorError("\(name) is no object") }
        return object
    }

    func strings(_ name: String) throws(VectorError) -> [String] {
        guard let strings = try optionalStrings(name) else { throw VectorError("\(name) is missing") }
        return strings
    }

    func optionalStrings(_ name: String) throws(VectorError) -> [String]? {
        guard let value = value(name) else { return nil }
        guard let array = value.array else { throw VectorError("\(name) is no array") }
        var strings: [String] = []
        for element in array {
            guard let string = element.string else { throw VectorError("\(name) holds another thing than strings") }
            strings.append(string)
        }
        return strings
    }

    func optionalIntegers(_ name: String) throws(VectorError) -> [Int]? {
        guard let value = value(name) else { return nil }
        guard let array = value.array else { throw VectorError("\(name) is no array") }
        var integers: [Int] = []
        for element in array {
            guard let integer = element.integer.flatMap({ Int(exactly: $0) }) else {
                throw VectorError("\(name) holds another thing than integers")
            }
            integers.append(integer)
        }
        return integers
    }

    func integer(_ name: String) throws(VectorError) -> Int64 {
        guard let value = value(name) else { throw VectorError("\(name) is missing") }
        guard let integer = value.integer else { throw VectorError("\(name) is no integer") }
        return integer
    }

    func base64URL(_ name: String) throws(VectorError) -> [UInt8] {
        try Self.base64URL(try string(name), name)
    }

    func optionalBase64URL(_ name: String) throws(VectorError) -> [UInt8]? {
        guard let text = try optionalString(name) else { return nil }
        return try Self.base64URL(text, name)
    }

    static func base64URL(_ text: String, _ name: String) throws(VectorError) -> [UInt8] {
        do throws(EncodingError) {
            return try Base64URL.decode(text)
        } catch {
            throw VectorError("\(name) is not base64url")
        }
    }

    /// Certificates in base64url of their DER; `nil` when the member is absent.
    func certificates(_ name: String) throws(VectorError) -> [Certificate]? {
        guard let texts = try optionalStrings(name) else { return nil }
        var certificates: [Certificate] = []
        for text in texts {
            let der = try Self.base64URL(text, name)
            do throws(CryptographyError) {
                certificates.append(try Certificate(der: der[...]))
            } catch {
                throw VectorError("\(name) holds another thing than certificates")
            }
        }
        return certificates
    }

    func hex(_ name: String) throws(VectorError) -> [UInt8] {
        guard let bytes = try optionalHex(name) else { throw VectorError("\(name) is missing") }
        return bytes
    }

    func optionalHex(_ name: String) throws(VectorError) -> [UInt8]? {
        guard let text = try optionalString(name) else { return nil }
        do throws(EncodingError) {
            return try Hex.decode(text)
        } catch {
            throw VectorError("\(name) is not hex")
        }
    }
}
