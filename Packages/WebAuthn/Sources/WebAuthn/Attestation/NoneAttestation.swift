internal import CBOR

/// Format `none` (WebAuthn L3 §8.7): an empty map that says nothing.
struct NoneAttestation: AttestationFormat {
    let identifier = "none"

    func verify(_ attested: Attested) throws(AttestationFault) -> AttestationOutcome {
        guard attested.members.isEmpty else { throw AttestationFault("a statement of format none is not empty") }
        return AttestationOutcome(format: identifier, type: .none)
    }
}
