internal import Encodings

/// What the client says it signed for (WebAuthn L3 §5.8.1): the members that a relying party judges, and the bytes.
///
/// The bytes are general JSON: any order, any white space, unknown members and escapes. They are hashed as they came.
public struct ClientData: Hashable, Sendable {
    /// The text as received, with its byte order mark if it has one.
    public let bytes: [UInt8]
    public let type: String
    /// base64url, not decoded: the comparison is with the text.
    public let challenge: String
    public let origin: String
    /// `false` when absent.
    public let crossOrigin: Bool
    public let topOrigin: String?

    /// Reads client data. One leading byte order mark is dropped before parsing; unknown members are ignored, a
    /// member that is `null` counts as absent, and one that is there twice is refused.
    ///
    /// - Throws: ``ResponseError`` at `response.clientDataJSON`.
    public init(decoding bytes: [UInt8]) throws(ResponseError) {
        let object = try Self.object(bytes)
        self.bytes = bytes
        type = try Self.string("type", in: object)
        challenge = try Self.string("challenge", in: object)
        origin = try Self.string("origin", in: object)
        switch object["crossOrigin"] {
        case nil, .null?: crossOrigin = false
        case .bool(let value)?: crossOrigin = value
        default: throw ResponseError("response.clientDataJSON crossOrigin", .notA("boolean"))
        }
        switch object["topOrigin"] {
        case nil, .null?: topOrigin = nil
        case .string(let value)?: topOrigin = value
        default: throw ResponseError("response.clientDataJSON topOrigin", .notA("string"))
        }
    }

    static func object(_ bytes: [UInt8]) throws(ResponseError) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSON.parse(bytes[...], allowingBOM: true, allowingNUL: true)
        } catch {
            throw ResponseError("response.clientDataJSON", .malformed(reason: "no JSON at byte \(error.offset)"))
        }
        guard let object = value.object else { throw ResponseError("response.clientDataJSON", .notA("object")) }
        return object
    }

    private static func string(_ name: String, in object: JSONObject) throws(ResponseError) -> String {
        switch object[name] {
        case nil, .null?: throw ResponseError("response.clientDataJSON \(name)", .missing)
        case .string(let value)?: return value
        default: throw ResponseError("response.clientDataJSON \(name)", .notA("string"))
        }
    }
}
