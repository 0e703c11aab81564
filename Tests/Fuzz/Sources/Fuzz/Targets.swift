import CBOR
import COSE
import Cryptography
import Encodings
import SoftwareAuthenticator
import WebAuthn

/// What is fed: every decoder that reads what a client, an authenticator or a metadata service sends.
enum Targets {
    static let all: [String: @Sendable ([UInt8]) -> Void] = [
        "cbor": cbor,
        "authenticator-data": authenticatorData,
        "attestation-object": attestationObject,
        "client-data": clientData,
        "cose-key": coseKey,
        "mds-blob": metadata,
        "x509": certificates,
    ]

    @Sendable private static func cbor(_ bytes: [UInt8]) {
        let inspection = CBOR.inspect(bytes)
        if let value = try? CBOR.decode(bytes, as: .ctap2) {
            require(CBOR.encode(value) == bytes, "what is canonical is encoded as it came")
            require(inspection.wellFormed && inspection.valid, "what is decoded is valid")
        }
        if let value = try? CBOR.decode(bytes, as: .interoperable) {
            let again = try? CBOR.decode(CBOR.encode(value), as: .ctap2)
            require(again == value, "what is encoded is decoded as it was")
        }
        if let (value, rest) = try? CBOR.decodeFirst(bytes[...], as: .interoperable) {
            let own = try? CBOR.decode(bytes[..<rest.startIndex], as: .interoperable)
            require(own == value, "the first item is the item of its own bytes")
        }
        _ = try? Decoding.cbor(bytes)
    }

    @Sendable private static func authenticatorData(_ bytes: [UInt8]) {
        _ = try? Decoding.authenticatorData(bytes)
        guard let data = try? AuthenticatorData(decoding: bytes) else { return }
        require(data.bytes == bytes, "authenticator data keeps its bytes")
        if let credential = data.attestedCredentialData {
            require((1...1023).contains(credential.credentialID.count), "a credential id has its length")
        }
    }

    @Sendable private static func attestationObject(_ bytes: [UInt8]) {
        _ = try? Decoding.attestationObject(bytes)
        FuzzedCeremony.register(attestationObject: bytes)
    }

    @Sendable private static func clientData(_ bytes: [UInt8]) {
        _ = try? Decoding.clientData(bytes)
        guard let data = try? ClientData(decoding: bytes) else { return }
        require(data.bytes == bytes, "client data keeps its bytes")
    }

    @Sendable private static func coseKey(_ bytes: [UInt8]) {
        if let key = try? VerifyingKey(subjectPublicKeyInfo: bytes) {
            let again = try? VerifyingKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo)
            require(again == key, "a SubjectPublicKeyInfo comes back")
        }
        guard let key = try? COSEKey(decoding: bytes) else { return }
        require(key.encoded() == bytes, "a key keeps its bytes")
        require(!key.isValid(bytes[...], over: [1, 2, 3]), "a key's bytes are no signature")
        let again = try? COSEKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo[...], algorithm: key.algorithm)
        require(again?.verifyingKey == key.verifyingKey, "a key comes back from its SubjectPublicKeyInfo")
    }

    @Sendable private static func metadata(_ bytes: [UInt8]) {
        require(
            (try? MetadataBLOB(verifying: bytes[...], roots: [], at: FuzzedCeremony.time)) == nil,
            "without a root no BLOB is right"
        )
        guard let payload = try? MetadataPayload(decoding: bytes) else { return }
        _ = payload.isStale(at: FuzzedCeremony.time)
        _ = AuthenticatorMetadata(payload)
    }

    @Sendable private static func certificates(_ bytes: [UInt8]) {
        _ = try? Certificate.list(pem: String(decoding: bytes, as: UTF8.self))
        _ = try? GeneralName.list(der: bytes[...])
        if let name = try? DistinguishedName(der: bytes[...]) { _ = name.description }
        let list = try? CertificateRevocationList(der: bytes[...])
        guard let certificate = try? Certificate(der: bytes) else { return }
        require(certificate.der == bytes, "a certificate keeps its bytes")
        _ = certificate.subjectName.description
        _ = list?.status(of: certificate, by: certificate, at: FuzzedCeremony.time)
        _ = try? CertificatePath.verify(
            leaf: certificate,
            intermediates: [certificate],
            anchors: [certificate],
            at: FuzzedCeremony.time
        )
        let path = try? CertificatePath.verify(
            leaf: certificate,
            intermediates: [certificate],
            anchors: [],
            at: FuzzedCeremony.time
        )
        require(path == nil, "without an anchor nothing is trusted")
    }
}
