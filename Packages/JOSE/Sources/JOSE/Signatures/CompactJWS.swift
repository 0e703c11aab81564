public import Encodings

/// A JSON Web Signature in its compact form (RFC 7515 §7.1), taken apart and not yet verified.
public struct CompactJWS: Sendable {
    /// The protected header. Nothing in it is to be trusted before the signature is verified.
    public let unverifiedHeader: JSONObject
    /// `alg` of the header.
    let algorithm: String
    /// `kid` of the header: which key to look for.
    public let unverifiedKeyID: String?

    /// The header's segment as it came.
    let encodedHeader: ArraySlice<UInt8>
    /// The payload's segment as it came, empty when the payload is detached.
    let encodedPayload: ArraySlice<UInt8>
    /// Both of them with the dot between.
    let signingInput: ArraySlice<UInt8>
    let signature: [UInt8]

    /// Takes `text` apart: three segments of base64url without padding, the first of which is a JSON object.
    ///
    /// - Throws: `JOSEError`, also for a header with `crit`.
    public init(_ text: ArraySlice<UInt8>) throws(JOSEError) {
        let dots = Self.dots(in: text)
        guard dots.count == 2 else { throw .wrongSegmentCount(dots.count + 1) }
        encodedHeader = text[..<dots[0]]
        encodedPayload = text[(dots[0] + 1)..<dots[1]]
        signingInput = text[..<dots[1]]
        signature = try Self.decode(text[(dots[1] + 1)...], .signature)
        unverifiedHeader = try Self.parse(header: try Self.decode(encodedHeader, .header))
        guard let algorithm = unverifiedHeader["alg"]?.string else { throw .malformedHeaderMember("alg") }
        self.algorithm = algorithm
        guard unverifiedHeader["crit"] == nil else { throw .criticalExtension }
        unverifiedKeyID = unverifiedHeader["kid"]?.string
        guard unverifiedKeyID != nil || unverifiedHeader["kid"] == nil else { throw .malformedHeaderMember("kid") }
    }

    /// Takes `text` apart, as the form that takes bytes does.
    ///
    /// - Throws: `JOSEError`, also for a header with `crit`.
    public init(_ text: String) throws(JOSEError) {
        try self.init(Array(text.utf8)[...])
    }

    /// The bytes of a segment.
    static func decode(_ text: ArraySlice<UInt8>, _ segment: JOSEError.Segment) throws(JOSEError) -> [UInt8] {
        do throws(EncodingError) {
            return try Base64URL.decode(text)
        } catch {
            throw .malformedSegment(segment, error)
        }
    }

    /// Where the dots are; a fourth is not looked for.
    private static func dots(in text: ArraySlice<UInt8>) -> [Int] {
        var dots: [Int] = []
        for index in text.indices where text[index] == UInt8(ascii: ".") {
            dots.append(index)
            if dots.count == 3 { break }
        }
        return dots
    }

    private static func parse(header: [UInt8]) throws(JOSEError) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSON.parse(header)
        } catch {
            throw .malformedHeader(error)
        }
        guard let header = value.object else { throw .malformedHeaderMember("alg") }
        return header
    }
}
