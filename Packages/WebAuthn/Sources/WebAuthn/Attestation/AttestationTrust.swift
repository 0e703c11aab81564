internal import COSE
internal import Cryptography

/// Whom an attestation that verifies is to be trusted from (WebAuthn L3 §7.1 steps 23 and 24).
struct AttestationTrust {
    let policy: AttestationPolicy
    let metadata: AuthenticatorMetadata?
    /// Unix seconds.
    let time: Int64

    /// Judges the trust path and the model that it belongs to.
    ///
    /// - Returns: whether the path ends at an anchor; false for a statement without a path.
    /// - Throws: why there is a path or a model and no trust in it.
    func judge(
        _ outcome: AttestationOutcome,
        of credential: AttestedCredentialData
    ) throws(AttestationFault) -> Bool {
        let model =
            credential.aaguid == .zero
            ? metadata?.model(certifiedBy: outcome.trustPath) : metadata?.model(credential.aaguid)
        if let report = model?.compromise(at: time) {
            throw AttestationFault("a model with status \(report.status.rawValue)")
        }
        if policy.trust == .metadata, let statement = model?.statement {
            guard statement.allows(outcome.type) else {
                throw AttestationFault("\(outcome.type.rawValue), and the model's metadata does not list that")
            }
            guard statement.allows(credential.algorithm) else {
                throw AttestationFault(
                    "algorithm \(credential.algorithm.rawValue), and the model's metadata does not list that"
                )
            }
        }
        guard let leaf = outcome.trustPath.first else { return false }
        // Without any anchors there is nothing to judge by.
        guard policy.trustAnchors != nil || metadata != nil else { return false }
        do throws(CryptographyError) {
            try CertificatePath.verify(
                leaf: leaf,
                intermediates: Array(outcome.trustPath.dropFirst()),
                anchors: (policy.trustAnchors ?? []) + (model?.statement?.trustAnchors ?? []),
                at: time,
                order: .strict
            )
        } catch {
            throw AttestationFault("a chain that ends at no trusted root: \(error)")
        }
        return true
    }
}
