internal import Encodings

/// One entry of `allowCredentials` or `excludeCredentials` (WebAuthn L3 §5.8.3).
public struct CredentialDescriptor: Hashable, Sendable {
    public var id: [UInt8]
    /// Left out of the JSON when empty.
    public var transports: [String]

    public init(id: [UInt8], transports: [String] = []) {
        self.id = id
        self.transports = transports
    }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.name("type")
        json.string("public-key")
        json.name("id")
        json.base64URL(id)
        if !transports.isEmpty {
            json.name("transports")
            json.strings(transports)
        }
        json.endObject()
    }
}

extension JSONWriter {
    mutating func strings(_ values: [String]) {
        beginArray()
        for value in values { string(value) }
        endArray()
    }

    mutating func descriptors(_ values: [CredentialDescriptor]) {
        beginArray()
        for value in values { value.write(to: &self) }
        endArray()
    }
}
