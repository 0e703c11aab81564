public import Encodings

/// A `RegistrationResponseJSON` that was taken apart (WebAuthn L3 §5.1, HTTP contract 4.3): every part has its form,
/// and nothing of it is judged yet.
public struct RegistrationResponse: Hashable, Sendable {
    /// 1 to 1023 bytes; the same in `id`, `rawId` and authenticator data.
    public let id: [UInt8]
    public let clientData: ClientData
    public let attestationObject: AttestationObject
    /// What authenticator data says of the new credential.
    public let credential: AttestedCredentialData
    /// At most ten, as the client sent them.
    public let transports: [String]
    public let authenticatorAttachment: AuthenticatorAttachment?
    /// Empty when absent.
    public let clientExtensionResults: JSONObject

    /// Takes a response apart. `response.authenticatorData`, `publicKey` and `publicKeyAlgorithm` are ignored: the
    /// attestation object rules. Hints (transports, attachment, extension results) never make it fail.
    public init(_ json: JSONObject, form: ResponseForm = .interoperable) throws(ResponseError) {
        let reader = ResponseReader(object: json, prefix: "", padding: form.padding)
        id = try reader.credentialID(rawIDRequired: form.rawIDRequired)
        let response = try reader.response()
        clientData = try ClientData(decoding: try response.bytes("clientDataJSON"))
        attestationObject = try AttestationObject(decoding: try response.bytes("attestationObject"))
        guard let credential = attestationObject.authenticatorData.attestedCredentialData else {
            throw ResponseError(
                "response.attestationObject authData",
                .malformed(reason: "no attested credential data")
            )
        }
        guard credential.credentialID == id else {
            throw ResponseError("id", .differs(from: "the credential id in authenticator data"))
        }
        self.credential = credential
        transports = (response.object["transports"]?.array ?? []).lazy.compactMap(\.string)
            .filter { $0.utf8.count <= 64 }.prefix(10).map { $0 }
        authenticatorAttachment = reader.authenticatorAttachment
        clientExtensionResults = json["clientExtensionResults"]?.object ?? JSONObject()
    }
}
