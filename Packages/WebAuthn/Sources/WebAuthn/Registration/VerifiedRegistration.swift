internal import COSE
public import Encodings

/// The proof that a registration response is right, and the credential to store. Only ``RelyingParty`` makes one.
public struct VerifiedRegistration: Hashable, Sendable {
    /// What to store, with the attestation object and client data as received. Whether its id is taken already is for
    /// the store to say (7.1 step 26).
    public let credential: CredentialRecord
    public let userPresent: Bool
    public let userVerified: Bool
    /// The `alg` of the key, as a COSE number.
    public let algorithm: Int
    /// The authenticator's extension outputs, one CBOR map as received; `nil`: none.
    public let extensions: [UInt8]?
    /// The client's extension outputs, which nobody signed.
    public let clientExtensionResults: JSONObject

    /// Whether the credential is discoverable, as the client says (`credProps`, L3 §10.1.3); `nil`: it does not say.
    public var isDiscoverable: Bool? { clientExtensionResults["credProps"]?.object?["rk"]?.bool }

    init(_ response: RegistrationResponse, attestation: AttestationVerdict) {
        let data = response.attestationObject.authenticatorData
        userPresent = data.flags.contains(.userPresent)
        userVerified = data.flags.contains(.userVerified)
        algorithm = response.credential.algorithm.rawValue
        extensions = data.extensions
        clientExtensionResults = response.clientExtensionResults
        credential = CredentialRecord(
            id: response.credential.credentialID,
            publicKey: response.credential.publicKey,
            signCount: data.signCount,
            uvInitialized: data.flags.contains(.userVerified),
            transports: response.transports,
            backupEligible: data.flags.contains(.backupEligible),
            backupState: data.flags.contains(.backupState),
            attestationFormat: attestation.format,
            attestationType: attestation.type,
            aaguid: response.credential.aaguid,
            attestationTrusted: attestation.isTrusted,
            authenticatorAttachment: response.authenticatorAttachment,
            attestationObject: response.attestationObject.bytes,
            attestationClientDataJSON: response.clientData.bytes
        )
    }
}

/// What came of the attestation.
struct AttestationVerdict {
    let format: String
    let type: AttestationType
    let isTrusted: Bool
}
