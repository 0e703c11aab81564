public import Encodings

/// A JWK Set (RFC 7517 §5).
public struct JWKSet: Hashable, Sendable {
    public var keys: [JWK]

    public init(_ keys: [JWK] = []) {
        self.keys = keys
    }

    /// Reads a set. Keys that this package does not know are left out, as RFC 7517 §5 asks; a malformed one is an error.
    ///
    /// - Throws: `JOSEError.malformedKey`.
    public init(_ json: JSONObject) throws(JOSEError) {
        guard let elements = json["keys"]?.array else { throw .malformedKey(member: "keys") }
        keys = []
        for element in elements {
            guard let object = element.object else { throw .malformedKey(member: "keys") }
            do throws(JOSEError) {
                keys.append(try JWK(object))
            } catch .unsupportedKey {
                continue
            }
        }
    }

    /// The set as a document, without the secrets in it.
    public func serialized() -> [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        writer.name("keys")
        writer.beginArray()
        for key in keys {
            guard case .publicKey = key.material else { continue }
            key.write(to: &writer)
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }
}
