internal import Encodings

/// What a request says about its client, before anything of it is believed. An empty text counts as absent.
public struct ClientCredentials: Hashable, Sendable {
    /// The parameter `client_id`.
    public var clientID: String?
    /// The parameter `client_secret`.
    public var clientSecret: String?
    /// The header `Authorization` as it came; any scheme but Basic is ignored.
    public var authorization: String?
    /// The parameter `client_assertion_type`.
    public var assertionType: String?
    /// The parameter `client_assertion`.
    public var assertion: String?

    public init(
        clientID: String? = nil,
        clientSecret: String? = nil,
        authorization: String? = nil,
        assertionType: String? = nil,
        assertion: String? = nil
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.authorization = authorization
        self.assertionType = assertionType
        self.assertion = assertion
    }
}

/// The header `Authorization: Basic` taken apart (RFC 7617, RFC 6749 §2.3.1).
struct BasicCredentials {
    let clientID: String
    let secret: String

    /// What is in a header, if its scheme is Basic.
    enum Reading {
        case absent
        case malformed
        case present(BasicCredentials)
    }

    static func read(_ header: String?) -> Reading {
        guard let header else { return .absent }
        let bytes = Array(header.utf8)
        let scheme = bytes.prefix { $0 != UInt8(ascii: " ") }
        guard String(decoding: scheme, as: UTF8.self).lowercased() == "basic" else { return .absent }
        let text = bytes.dropFirst(scheme.count).drop { $0 == UInt8(ascii: " ") }
        guard let pair = try? Base64.decode(String(decoding: text, as: UTF8.self)),
            let colon = pair.firstIndex(of: UInt8(ascii: ":")),
            let id = percentDecoded(pair[..<colon]), !id.isEmpty,
            let secret = percentDecoded(pair[(colon + 1)...])
        else { return .malformed }
        return .present(BasicCredentials(clientID: id, secret: secret))
    }

    /// The form encoding that RFC 6749 §2.3.1 asks for: `+` is a space, `%` and two digits a byte.
    private static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"):
                decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2)
                guard digits.count == 2, let value = try? Hex.decode(String(decoding: digits, as: UTF8.self)) else {
                    return nil
                }
                decoded.append(contentsOf: value)
                rest = rest.dropFirst(2)
            default:
                decoded.append(byte)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }
}
