public import Encodings

/// `PublicKeyCredentialRequestOptionsJSON` (WebAuthn L3 §5.1.9, HTTP contract 4.2).
///
/// A member that is `nil` is left out; all others are written, also when they are empty.
public struct RequestOptions: Hashable, Sendable {
    public var challenge: [UInt8]
    /// Milliseconds.
    public var timeout: Int64
    public var rpID: String
    public var userVerification: UserVerificationRequirement
    public var allowCredentials: [CredentialDescriptor]?
    public var hints: [String]?
    public var extensions: JSONObject?

    public init(
        challenge: [UInt8],
        timeout: Int64,
        rpID: String,
        userVerification: UserVerificationRequirement = .preferred,
        allowCredentials: [CredentialDescriptor]? = nil,
        hints: [String]? = nil,
        extensions: JSONObject? = nil
    ) {
        self.challenge = challenge
        self.timeout = timeout
        self.rpID = rpID
        self.userVerification = userVerification
        self.allowCredentials = allowCredentials
        self.hints = hints
        self.extensions = extensions
    }

    /// Writes the options as one JSON object.
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        writeMembers(to: &json)
        json.endObject()
    }

    /// Writes the members alone, for an object that has others too.
    public func writeMembers(to json: inout JSONWriter) {
        json.name("challenge")
        json.base64URL(challenge)
        json.name("timeout")
        json.integer(timeout)
        json.member("rpId", rpID)
        if let allowCredentials {
            json.name("allowCredentials")
            json.descriptors(allowCredentials)
        }
        json.member("userVerification", userVerification.rawValue)
        if let hints {
            json.name("hints")
            json.strings(hints)
        }
        if let extensions {
            json.name("extensions")
            json.value(.object(extensions))
        }
    }
}
