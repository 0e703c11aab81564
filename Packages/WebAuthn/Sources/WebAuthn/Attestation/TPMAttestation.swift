internal import CBOR
internal import COSE
internal import Cryptography

/// Format `tpm` (WebAuthn L3 §8.3): a TPM 2.0 certified that the credential's key lives in it.
struct TPMAttestation: AttestationFormat {
    let identifier = "tpm"

    func verify(_ attested: Attested) throws(AttestationFault) -> AttestationOutcome {
        let statement = attested.members
        guard let version = statement["ver"]?.text, version.hasSameBytes(as: "2.0") else {
            throw AttestationFault("ver is not 2.0")
        }
        let algorithm = try statement.signatureAlgorithm(allowingRS1: true)
        let signature = try statement.requiredBytes("sig")
        // ECDAA was taken out of the specification.
        guard statement["ecdaaKeyId"] == nil else { throw AttestationFault("ecdaaKeyId is present") }
        let (leaf, path) = try AttestationCertificate.path(statement["x5c"])
        let publicArea = try Self.publicArea(attested)
        let certInfo = try statement.requiredBytes("certInfo")

        // The public area is of the credential's key.
        try publicArea.checkIsOf(attested.key)
        // The TPM certified this public area, for this authenticator data and this client data.
        let certified = try TPMCertification(decoding: certInfo)
        let hash = try Self.checkExtraData(certified, attested)
        let nameHash = try certified.nameHash(of: publicArea)
        // The attestation key signed that.
        try Self.checkSignature(certInfo, signature, by: leaf, algorithm, hash)
        // Its certificate is one of such keys, and for this model where it names one.
        try TPMCertificate.checkRequirements(leaf, allowingTestMaker: attested.acceptsTestTPMs)
        try AttestationExtension.checkModel(leaf, aaguid: attested.credential.aaguid)
        return AttestationOutcome(
            format: identifier,
            type: .attestationCA,
            trustPath: path,
            usesSHA1: hash == .sha1 || nameHash == .sha1
        )
    }

    static func publicArea(_ attested: Attested) throws(AttestationFault) -> TPMPublicArea {
        try TPMPublicArea(decoding: try attested.members.requiredBytes("pubArea"))
    }

    /// The TPM was given the hash of authenticator data and client data to sign along.
    ///
    /// - Returns: the hash function, that of the signature.
    static func checkExtraData(
        _ certified: TPMCertification,
        _ attested: Attested
    ) throws(AttestationFault) -> TPMHash {
        let hash = try hash(try attested.members.signatureAlgorithm(allowingRS1: true))
        guard certified.extraData == hash.digest(attested.signedBytes)[...] else {
            throw AttestationFault("extraData is not the hash of authenticator data and client data")
        }
        return hash
    }

    /// The attestation key of the statement signed its `certInfo`.
    static func checkSignature(_ attested: Attested) throws(AttestationFault) {
        let statement = attested.members
        let algorithm = try statement.signatureAlgorithm(allowingRS1: true)
        try checkSignature(
            try statement.requiredBytes("certInfo"),
            try statement.requiredBytes("sig"),
            by: try AttestationCertificate.path(statement["x5c"]).leaf,
            algorithm,
            try hash(algorithm)
        )
    }

    private static func checkSignature(
        _ certInfo: [UInt8],
        _ signature: [UInt8],
        by leaf: Certificate,
        _ algorithm: COSEAlgorithm,
        _ hash: TPMHash
    ) throws(AttestationFault) {
        let plain = TPMSignature.unwrapped(signature, by: algorithm, hash)
        try leaf.checkSigned(certInfo, plain ?? signature, algorithm)
    }

    private static func hash(_ algorithm: COSEAlgorithm) throws(AttestationFault) -> TPMHash {
        guard let hash = TPMHash(of: algorithm) else {
            throw AttestationFault("alg \(algorithm.rawValue) is none that a TPM signs with")
        }
        return hash
    }
}
