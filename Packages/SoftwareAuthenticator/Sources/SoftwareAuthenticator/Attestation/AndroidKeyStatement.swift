internal import CBOR
internal import COSE
internal import Cryptography

/// Format `android-key` (WebAuthn L3 §8.4): a certificate of the credential's key from a key store.
extension AttestationStatementWriter {
    func androidKey(
        _ authority: AttestationAuthority,
        enforcedBy list: AndroidKeyEnforcement
    ) throws(AuthenticatorError) -> CBORMap {
        var leaf = AttestationLeaf(subject: AttestationLeaf.maker("Android Keystore Key"))
        if fault != .androidKeyDescriptionMissing {
            leaf.extensions = [(oid: "1.3.6.1.4.1.11129.2.1.17", value: description(enforcedBy: list))]
        }
        let key =
            fault == .attestationCertificateOfOtherKey
            ? try SigningKey.another(for: credential.algorithm) : credential.key
        let algorithm: COSEAlgorithm =
            if fault == .attestationAlgorithmWrong {
                credential.algorithm == .es256 ? .rs256 : .es256
            } else {
                credential.algorithm
            }
        var statement = CBORMap()
        statement["alg"] = .integer(algorithm.rawValue)
        statement["sig"] = .bytes(try signature(signed, by: key, credential.algorithm))
        // Android sends its root along.
        statement["x5c"] = try authority.path(leaf, key.publicKey, fault, sendingRoot: true).x5c
        return statement
    }

    /// The `KeyDescription` of Android's documentation.
    private func description(enforcedBy list: AndroidKeyEnforcement) -> [UInt8] {
        let isHardware = list == .hardware
        var writer = DERWriter()
        writer.sequence { fields in
            // Version 3, of a trusted execution environment or of software.
            for version in [3, 4] as [Int64] {
                fields.integer(version)
                fields.append(.enumerated, [isHardware ? 1 : 0])
            }
            fields.octetString(fault == .androidKeyChallengeWrong ? Random.bytes(32) : clientDataHash)
            fields.octetString([])
            fields.sequence { software in
                if !isHardware { authorizations(&software) }
            }
            fields.sequence { hardware in
                if isHardware { authorizations(&hardware) }
            }
        }
        return writer.bytes
    }

    private func authorizations(_ list: inout DERWriter) {
        // KM_PURPOSE_SIGN, or KM_PURPOSE_ENCRYPT.
        list.append(.context(1)) { $0.append(.set) { $0.integer(fault == .androidKeyPurposeWrong ? 0 : 2) } }
        if fault == .androidKeyForAllApplications { list.append(.context(600)) { $0.null() } }
        // KM_ORIGIN_GENERATED, or KM_ORIGIN_IMPORTED.
        list.append(.context(702)) { $0.integer(fault == .androidKeyImported ? 2 : 0) }
    }
}
