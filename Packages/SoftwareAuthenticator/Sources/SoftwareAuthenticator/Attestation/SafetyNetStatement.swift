internal import CBOR
internal import COSE
public import Cryptography
internal import Encodings

/// The service behind format `android-safetynet`, in software: its key, and its time.
public struct SafetyNetService: Sendable {
    let key: SigningKey
    /// When it answers, in Unix seconds.
    public var time: Int64

    /// Makes a service with a new RSA key of 2048 bits.
    ///
    /// - Throws: `CryptographyError` when libcrypto refuses.
    public init(answeringAt time: Int64) throws(CryptographyError) {
        key = try SigningKey.generate(.rsa(bits: 2048))
        self.time = time
    }
}

/// Format `android-safetynet` (WebAuthn L3 §8.5): a signed answer about the device.
extension AttestationStatementWriter {
    func safetyNet(
        _ authority: AttestationAuthority,
        _ service: SafetyNetService
    ) throws(AuthenticatorError) -> CBORMap {
        let host = fault == .attestationCertificateSubjectWrong ? "attest.android.com.example" : "attest.android.com"
        var leaf = AttestationLeaf(subject: AttestationLeaf.maker(host))
        leaf.names = [.dns(host)]
        // The name is spoiled already, and must stay in both places.
        let certificateFault = fault == .attestationCertificateSubjectWrong ? nil : fault
        let path = try authority.path(leaf, service.key.publicKey, certificateFault)
        var certificates = path.map { JSONValue.string(Base64.encode($0.der)) }
        if fault == .attestationPathEmpty { certificates = [] }

        let age: Int64 =
            switch fault {
            case .safetyNetFromFuture: -60
            case .safetyNetTooOld: 61
            default: 0
            }
        let nonce = fault == .safetyNetNonceWrong ? Random.bytes(32) : SHA256.hash(signed)
        let header: JSONValue = ["alg": "RS256", "x5c": .array(certificates)]
        let payload: JSONValue = [
            "nonce": .string(Base64.encode(nonce)),
            "timestampMs": .integer((service.time - age) * 1000),
            "apkPackageName": "com.google.android.gms",
            "apkDigestSha256": .string(Base64.encode(Random.bytes(32))),
            "ctsProfileMatch": .bool(fault != .safetyNetProfileMismatch),
            "apkCertificateDigestSha256": [.string(Base64.encode(Random.bytes(32)))],
            "basicIntegrity": true,
        ]
        let input = Base64URL.encode(header.serialized()) + "." + Base64URL.encode(payload.serialized())
        let signature = try signature(Array(input.utf8), by: service.key, .rs256)
        var statement = CBORMap()
        statement["ver"] = .text(fault == .safetyNetVersionEmpty ? "" : "14799021")
        statement["response"] = .bytes(
            fault == .safetyNetResponseEmpty ? [] : Array("\(input).\(Base64URL.encode(signature))".utf8)
        )
        return statement
    }
}
