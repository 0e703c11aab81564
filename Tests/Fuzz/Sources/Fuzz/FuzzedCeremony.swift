import COSE
import Cryptography
import Encodings
import WebAuthn

/// A registration whose every part but the attestation object is fixed. The seeds in `Corpus` were made for it.
enum FuzzedCeremony {
    static let rpID = "login.example.com"
    static let origin = "https://login.example.com"
    static let challenge = [UInt8](repeating: 0, count: 32)
    /// 2026-01-01T00:00:00Z.
    static let time: Int64 = 1_767_225_600

    static let clientDataJSON = Array(
        #"{"type":"webauthn.create","challenge":"\#(Base64URL.encode(challenge))","origin":"\#(origin)","crossOrigin":false}"#
            .utf8
    )

    static let issued = IssuedRegistration(
        challenge: challenge,
        rpID: rpID,
        origins: [origin],
        algorithms: [
            .edDSA, .es256, .esp256, .ed25519, .es384, .es512, .ps256, .ps384, .ps512, .es256K, .esp384, .esp512,
            .ed448, .rs256, .rs384, .rs512, .mlDSA44, .mlDSA65, .mlDSA87,
        ],
        attestation: AttestationPolicy(
            preference: .direct,
            trustAnchors: [],
            allowedFormats: [
                "none", "packed", "tpm", "android-key", "android-safetynet", "apple", "fido-u2f", "compound",
            ],
            allowsSHA1: true,
            acceptsTestTPMs: true
        )
    )

    /// Verifies a registration with this attestation object, under the credential id that the object itself names.
    static func register(attestationObject bytes: [UInt8]) {
        guard let object = try? AttestationObject(decoding: bytes),
            let credential = object.authenticatorData.attestedCredentialData
        else { return }
        let id = JSONValue.string(Base64URL.encode(credential.credentialID))
        let response: JSONObject = [
            "id": id, "rawId": id, "type": "public-key",
            "response": [
                "clientDataJSON": .string(Base64URL.encode(clientDataJSON)),
                "attestationObject": .string(Base64URL.encode(bytes)),
            ],
            "clientExtensionResults": [:],
        ]
        guard let read = try? RegistrationResponse(response) else { return }
        require(read.id == credential.credentialID, "a response is taken apart as its parts are")
        guard let verified = try? RelyingParty.verify(read, answering: issued, at: time) else { return }
        require(!verified.credential.attestationTrusted, "without an anchor nothing is trusted")
    }
}
