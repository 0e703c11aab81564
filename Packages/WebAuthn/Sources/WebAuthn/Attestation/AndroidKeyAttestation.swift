internal import CBOR
internal import COSE
internal import Cryptography

/// Format `android-key` (WebAuthn L3 §8.4): Android's key store certified the credential's key.
struct AndroidKeyAttestation: AttestationFormat {
    let identifier = "android-key"

    func verify(_ attested: Attested) throws(AttestationFault) -> AttestationOutcome {
        let statement = attested.members
        let algorithm = try statement.signatureAlgorithm()
        let signature = try statement.requiredBytes("sig")
        let (leaf, path) = try AttestationCertificate.path(statement["x5c"])
        // 2. The key of the first certificate signed.
        try leaf.checkSigned(attested.signedBytes, signature, algorithm)
        // 3. It is the credential's key.
        try leaf.checkIsForKey(attested.key)
        // 4. The key was made for this client data.
        let description = try AndroidKeyDescription(leaf)
        guard description.attestationChallenge == attested.clientDataHash[...] else {
            throw AttestationFault("attestationChallenge is not the hash of the client data")
        }
        // 5. It serves one RP, was made where it lives, and signs.
        let (hardware, software) = (description.hardwareEnforced, description.softwareEnforced)
        guard !hardware.hasAllApplications, !software.hasAllApplications else {
            throw AttestationFault("allApplications is present: the key is not bound to one app")
        }
        let hardwareOnly = attested.requiresHardwareKeys
        let origins = [hardware.origin, hardwareOnly ? nil : software.origin].compactMap(\.self)
        guard !origins.isEmpty, origins.allSatisfy({ $0 == AndroidKeyDescription.originGenerated }) else {
            throw AttestationFault("origin is not KM_ORIGIN_GENERATED\(hardwareOnly ? " in the hardware list" : "")")
        }
        let purposes = hardwareOnly ? hardware.purposes : hardware.purposes.union(software.purposes)
        guard purposes == [AndroidKeyDescription.purposeSign] else {
            throw AttestationFault("purpose is not KM_PURPOSE_SIGN\(hardwareOnly ? " in the hardware list" : "")")
        }
        return AttestationOutcome(format: identifier, type: .basic, trustPath: path)
    }
}
