internal import Encodings

/// Reads the members of a response JSON, where `null` counts as absent.
struct ResponseReader {
    let object: JSONObject
    /// What stands before a member's name in an error: empty, or `response.`.
    let prefix: String
    let padding: Base64URL.Padding

    /// The bytes that a member holds in base64url.
    func bytes(_ name: String) throws(ResponseError) -> [UInt8] {
        guard let bytes = try optionalBytes(name) else { throw ResponseError(prefix + name, .missing) }
        guard !bytes.isEmpty else { throw ResponseError(prefix + name, .empty) }
        return bytes
    }

    /// The bytes that a member holds in base64url, or `nil` when it is absent.
    func optionalBytes(_ name: String) throws(ResponseError) -> [UInt8]? {
        switch object[name] {
        case nil, .null?: return nil
        case .string(let text)?:
            do throws(EncodingError) {
                return try Base64URL.decode(text, padding: padding)
            } catch {
                throw ResponseError(prefix + name, .notBase64URL(Self.reason(error)))
            }
        default: throw ResponseError(prefix + name, .notA("string"))
        }
    }

    /// The object `response`.
    func response() throws(ResponseError) -> ResponseReader {
        switch object["response"] {
        case nil, .null?: throw ResponseError("response", .missing)
        case .object(let response)?: return ResponseReader(object: response, prefix: "response.", padding: padding)
        default: throw ResponseError("response", .notA("object"))
        }
    }

    /// The credential id: `id` and `rawId` hold the same 1 to 1023 bytes, and `type` is `public-key`.
    func credentialID(rawIDRequired: Bool) throws(ResponseError) -> [UInt8] {
        let id = try bytes("id")
        guard id.count <= CredentialID.limit else { throw ResponseError("id", .tooLong(limit: CredentialID.limit)) }
        let rawID = rawIDRequired ? try bytes("rawId") : try optionalBytes("rawId")
        guard rawID == nil || rawID == id else { throw ResponseError("rawId", .differs(from: "id")) }
        switch object["type"] {
        case nil, .null?: throw ResponseError("type", .missing)
        case .string(let type)?:
            guard type.hasSameBytes(as: "public-key") else { throw ResponseError("type", .notPublicKey) }
        default: throw ResponseError("type", .notA("string"))
        }
        return id
    }

    /// A hint: a word that is not known, or no string at all, counts as absent.
    var authenticatorAttachment: AuthenticatorAttachment? {
        object["authenticatorAttachment"]?.string.flatMap(AuthenticatorAttachment.init(rawValue:))
    }

    private static func reason(_ error: EncodingError) -> String {
        switch error {
        case .invalidCharacter(_, let offset): "character \(offset) is not in the alphabet"
        case .invalidLength(let count): "\(count) characters encode nothing"
        case .invalidPadding(let offset): "padding at character \(offset)"
        case .unusedBitsSet(let offset): "unused bits at character \(offset)"
        }
    }
}

/// Credential ids are 1 to 1023 bytes (WebAuthn L3 §4).
enum CredentialID {
    static let limit = 1023
}

/// How strict the JSON of a response is read.
public enum ResponseForm: Hashable, Sendable {
    /// base64url with or without padding; `id` and `rawId` are both there.
    case interoperable
    /// As the FIDO conformance tool has it: base64url without padding; `rawId` may be absent.
    case conformance

    var padding: Base64URL.Padding {
        switch self {
        case .interoperable: .optional
        case .conformance: .refused
        }
    }

    var rawIDRequired: Bool {
        switch self {
        case .interoperable: true
        case .conformance: false
        }
    }
}
