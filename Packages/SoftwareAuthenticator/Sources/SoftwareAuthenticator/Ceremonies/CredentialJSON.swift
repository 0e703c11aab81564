internal import CBOR
internal import COSE
internal import Cryptography
internal import Encodings
internal import WebAuthn

extension JSONObject {
    /// The members that both responses have around their `response` (WebAuthn L3 §5.1).
    static func publicKeyCredential(
        _ id: [UInt8],
        _ response: JSONObject,
        _ profile: AuthenticatorProfile,
        _ fault: Fault?
    ) -> JSONObject {
        let text = Base64URL.encode(id)
        var object: JSONObject = [
            "id": .string(text),
            "rawId": .string(fault == .idsDiffer ? Base64URL.encode(id + [0]) : text),
            "type": fault == .credentialTypeWrong ? "private-key" : "public-key",
        ]
        if let attachment = profile.attachment { object["authenticatorAttachment"] = .string(attachment.rawValue) }
        object["response"] = .object(response)
        object["clientExtensionResults"] = .object(JSONObject())
        return object
    }

    /// Spoils the form of the client data.
    mutating func spoil(_ fault: Fault?, clientData: [UInt8]) {
        switch fault {
        case .clientDataMissing: self["clientDataJSON"] = nil
        case .clientDataNotBase64URL: self["clientDataJSON"] = .string(Base64URL.encode(clientData) + "*")
        case .clientDataCut: self["clientDataJSON"] = .string(Base64URL.encode(clientData.prefix(clientData.count / 2)))
        default: break
        }
    }
}

extension SoftwareCredential {
    /// Signs as the credential's algorithm has it.
    func sign(_ message: [UInt8]) throws(AuthenticatorError) -> [UInt8] {
        try Self.sign(message, key, algorithm)
    }

    static func sign(
        _ message: [UInt8],
        _ key: SigningKey,
        _ algorithm: COSEAlgorithm
    ) throws(AuthenticatorError) -> [UInt8] {
        guard let algorithm = algorithm.signatureAlgorithm else { throw .noUsableAlgorithm }
        do throws(CryptographyError) {
            return try key.sign(message, algorithm)
        } catch {
            throw .cryptography(error)
        }
    }
}

extension SoftwareCredential {
    /// The `COSE_Key`; for the fault, without its label -2: the coordinate x, or the exponent.
    func encodedPublicKey(_ fault: Fault?) throws(AuthenticatorError) -> [UInt8] {
        guard let encoded = try? COSEKey(key.publicKey, algorithm: algorithm).encoded() else {
            throw .noUsableAlgorithm
        }
        guard fault == .publicKeyIncomplete else { return encoded }
        guard var map = (try? CBOR.decode(encoded[...]))?.map else { throw .faultDoesNotApply }
        map[-2] = nil
        return CBOR.encode(.map(map))
    }
}
