public import Encodings

/// An `AuthenticationResponseJSON` that was taken apart (WebAuthn L3 §5.1, HTTP contract 4.4): every part has its
/// form, and nothing of it is judged yet.
public struct AuthenticationResponse: Hashable, Sendable {
    /// 1 to 1023 bytes; the same in `id` and `rawId`.
    public let id: [UInt8]
    public let clientData: ClientData
    public let authenticatorData: AuthenticatorData
    public let signature: [UInt8]
    /// 1 to 64 bytes; `nil` when absent, `null` or empty.
    public let userHandle: [UInt8]?
    public let authenticatorAttachment: AuthenticatorAttachment?
    /// Empty when absent.
    public let clientExtensionResults: JSONObject

    /// Takes a response apart. Hints (attachment, extension results) never make it fail.
    public init(_ json: JSONObject, form: ResponseForm = .interoperable) throws(ResponseError) {
        let reader = ResponseReader(object: json, prefix: "", padding: form.padding)
        id = try reader.credentialID(rawIDRequired: form.rawIDRequired)
        let response = try reader.response()
        clientData = try ClientData(decoding: try response.bytes("clientDataJSON"))
        authenticatorData = try AuthenticatorData(
            decoding: try response.bytes("authenticatorData"),
            member: "response.authenticatorData"
        )
        guard authenticatorData.attestedCredentialData == nil else {
            throw ResponseError("response.authenticatorData", .malformed(reason: "attested credential data in a login"))
        }
        signature = try response.bytes("signature")
        let userHandle = try response.optionalBytes("userHandle")
        if let userHandle, userHandle.count > 64 { throw ResponseError("response.userHandle", .tooLong(limit: 64)) }
        self.userHandle = userHandle?.isEmpty == true ? nil : userHandle
        authenticatorAttachment = reader.authenticatorAttachment
        clientExtensionResults = json["clientExtensionResults"]?.object ?? JSONObject()
    }
}
