internal import CBOR
internal import COSE
internal import Cryptography
internal import Encodings

/// Authenticator data, of a registration or a login.
enum AuthenticatorDataChecks {
    static func run(_ data: AuthenticatorData, _ checks: inout Checks) {
        let flags = data.flags
        checks.need("7.1 step 14, 7.2 step 15", "rpIdHash is of the RP ID", "the RP ID")
        checks.check(
            "7.1 step 15, 7.2 step 16",
            "UP is set",
            flags.contains(.userPresent),
            otherwise: "UP 0, which only a conditional registration may have"
        )
        checks.check(
            "7.1 step 17, 7.2 step 18",
            "BS only with BE",
            flags.contains(.backupEligible) || !flags.contains(.backupState),
            otherwise: "BE 0, BS 1"
        )
        guard let credential = data.attestedCredentialData else { return }
        checks.check(
            "7.1 step 20",
            "the key is of an algorithm that can be offered",
            credential.key != nil,
            otherwise: "algorithm \(credential.algorithm.rawValue)"
        )
    }
}

/// One certificate, as the attestation certificate of each format in turn.
enum CertificateChecks {
    static func of(_ der: [UInt8]) throws(ResponseError) -> JSONObject {
        let certificate: Certificate
        do throws(CryptographyError) {
            certificate = try Certificate(der: der)
        } catch {
            throw ResponseError("the certificate", .malformed(reason: "\(error)"))
        }
        var checks = Checks()
        let claimed = certificate.extensionValue(AttestationExtension.model.rawValue)
            .flatMap { AttestationExtension.aaguid(in: $0.value) }
        checks.check("§8.2.1, §8.2.2", "it may attest in format packed") { () throws(AttestationFault) in
            try AttestationCertificate.checkPackedRequirements(certificate, aaguid: claimed ?? .zero)
        }
        checks.check("§8.3.1", "it may attest in format tpm") { () throws(AttestationFault) in
            try TPMCertificate.checkRequirements(certificate, allowingTestMaker: false)
            try AttestationExtension.checkModel(certificate, aaguid: claimed ?? .zero)
        }
        checks.check("§8.4.1", "it may attest in format android-key") { () throws(AttestationFault) in
            try AndroidKeyChecks.description(try AndroidKeyDescription(certificate))
        }
        checks.check("§8.5", "it may attest in format android-safetynet") { () throws(AttestationFault) in
            try AndroidSafetyNetAttestation.checkHost(certificate)
        }
        checks.check("§8.6 step 2", "it may attest in format fido-u2f") { () throws(AttestationFault) in
            try FIDOU2FAttestation.checkKey(certificate)
        }
        checks.check("§8.8 step 4", "it may attest in format apple") { () throws(AttestationFault) in
            _ = try AppleAttestation.nonce(certificate)
        }
        let unhandled = CertificatePath.unhandledExtensions(of: certificate)
        checks.check(
            "RFC 5280 §4.2",
            "what is critical in it is known to chains",
            unhandled.isEmpty,
            otherwise: unhandled.joined(separator: ", ")
        )
        checks.need("7.1 step 24", "its chain ends at a trusted root", "the chain, the roots and the time")
        return checks.results
    }
}

/// A `COSE_Key`.
enum KeyChecks {
    static func of(_ bytes: [UInt8]) -> JSONObject {
        guard let map = try? CBOR.decode(bytes[...], as: .interoperable).map, map[1] != nil else { return JSONObject() }
        var checks = Checks()
        do throws(COSEError) {
            let key = try COSEKey(decoding: bytes)
            checks.check("RFC 9052 §7, RFC 9053 §7", "it is a good key for its algorithm", true, otherwise: "")
            checks.check(
                "WebAuthn L3 §5.8.5",
                "EdDSA is on Ed25519, and RS1 is no credential's",
                (key.algorithm != .edDSA || key.signatureAlgorithm == .ed25519) && key.algorithm != .rs1,
                otherwise: "\(key.algorithm) with this key is not for credentials"
            )
        } catch {
            checks.check("RFC 9052 §7, RFC 9053 §7", "it is a good key for its algorithm", false, otherwise: "\(error)")
        }
        checks.need("7.1 step 20", "its algorithm was offered", "the options")
        return checks.results
    }
}

/// An entry of a metadata BLOB.
enum MetadataChecks {
    static func of(_ json: JSONObject) -> JSONObject {
        guard let entry = MetadataEntry(json) else { return JSONObject() }
        var checks = Checks()
        let report = entry.compromise(at: .max)
        checks.check(
            "MDS3 §3.1.4",
            "no status speaks against the model",
            report == nil,
            otherwise: "\(report?.status.rawValue ?? "") since \(report?.effectiveDate ?? "ever")"
        )
        checks.check(
            "MDS3 §3.1.4, UPDATE_AVAILABLE",
            "the statement's authenticatorVersion rose with the update",
            !entry.isOutdated,
            otherwise: "an update is to be had that the statement does not know of, so it is rejected"
        )
        if let statement = entry.statement {
            let readable = statement.trustAnchors.count
            checks.check(
                "FIDO Metadata Statement §4",
                "every root can be read",
                readable == statement.attestationRoots.count,
                otherwise: "\(readable) of \(statement.attestationRoots.count)"
            )
        }
        return checks.results
    }
}
