import Encodings

/// The parameters of a request, from a JSON object or a form, read the same way.
///
/// A member that is `null` counts as absent everywhere. Where `emptyIsAbsent` is set, an empty string does too
/// (RFC 6749 §3.1).
struct Parameters {
    private let members: JSONObject
    private let isForm: Bool
    private let emptyIsAbsent: Bool
    /// The first name that came twice in a form.
    let repeated: String?

    init(_ members: JSONObject, emptyIsAbsent: Bool = false) {
        self.members = members
        isForm = false
        self.emptyIsAbsent = emptyIsAbsent
        repeated = nil
    }

    /// Reads `application/x-www-form-urlencoded`.
    ///
    /// - Throws: `invalid_parameter` for text that is not UTF-8 or holds a NUL, and for more pairs than any request has:
    ///   each name is compared with those before it.
    init(form: ArraySlice<UInt8>, emptyIsAbsent: Bool = false) throws(APIError) {
        var members = JSONObject()
        var repeated: String?
        let pairs = form.split(separator: UInt8(ascii: "&"), maxSplits: Self.mostPairs)
        guard pairs.count <= Self.mostPairs else { throw .invalid("body") }
        for pair in pairs {
            let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = halves.first, let name = FormText.decode(first),
                let value = FormText.decode(halves.count > 1 ? halves[1] : [])
            else { throw .invalid("body") }
            if members[name] != nil { repeated = repeated ?? name }
            members.set(name, .string(value))
        }
        self.members = members
        isForm = true
        self.emptyIsAbsent = emptyIsAbsent
        self.repeated = repeated
    }

    private static let mostPairs = 200

    /// The value, when it is there.
    subscript(name: String) -> JSONValue? {
        guard let value = members[name], !value.isNull else { return nil }
        if emptyIsAbsent, let text = value.string, text.isEmpty { return nil }
        return value
    }

    /// The whole body, for an endpoint that takes a response object as it is.
    var object: JSONObject { members }

    func string(_ name: String) throws(APIError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw .invalid(name) }
        return text
    }

    func requiredString(_ name: String) throws(APIError) -> String {
        guard let text = try string(name) else { throw .missing(name) }
        return text
    }

    /// The name of a connection, in either of its two spellings (contract 3.3).
    func realm() throws(APIError) -> String? {
        if let realm = try string("realm") { return realm }
        return try string("connection")
    }

    /// An object; in a form the text of one (contract 1.2).
    func object(_ name: String) throws(APIError) -> JSONObject? {
        guard let value = self[name] else { return nil }
        if let object = value.object { return object }
        guard isForm, let text = value.string else { throw .invalid(name) }
        let parsed: JSONValue
        do throws(JSONError) { parsed = try JSON.parse(Array(text.utf8)) } catch { throw .invalid(name) }
        guard let object = parsed.object else { throw .invalid(name) }
        return object
    }
}

/// The text of a form or a query: `+` is a space, `%XX` a byte.
enum FormText {
    /// - Returns: `nil` for a broken escape, text that is not UTF-8, or a NUL.
    static func decode(_ bytes: ArraySlice<UInt8>) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "+"):
                decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard bytes.endIndex - index > 2, let high = digit(bytes[index + 1]), let low = digit(bytes[index + 2])
                else { return nil }
                decoded.append(high << 4 | low)
                index += 2
            default:
                decoded.append(byte)
            }
            index += 1
        }
        guard !decoded.contains(0) else { return nil }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
