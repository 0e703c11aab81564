internal import CBOR

/// Format `compound` (WebAuthn L3 §8.9): several statements about one credential.
///
/// Every statement of a format that is built must verify; what those of other formats mean is for policy to say. One
/// chain that ends at an anchor is enough to trust the whole.
struct CompoundAttestation: AttestationFormat {
    static let name = "compound"
    let identifier = Self.name

    /// More statements than any authenticator sends.
    private static let limit = 4

    func verify(_ attested: Attested) throws(AttestationFault) -> AttestationOutcome {
        guard let statements = attested.statement.array, (2...Self.limit).contains(statements.count) else {
            throw AttestationFault("attStmt is no array of 2 to \(Self.limit) statements")
        }
        var parts: [AttestationOutcome] = []
        for (index, statement) in statements.enumerated() {
            guard let part = statement.map, let name = part["fmt"]?.text else {
                throw AttestationFault("attStmt[\(index)] is no map with fmt")
            }
            guard !name.hasSameBytes(as: Self.name) else {
                throw AttestationFault("attStmt[\(index)] is compound itself")
            }
            guard let inner = part["attStmt"], inner.map != nil else {
                throw AttestationFault("attStmt[\(index)] has no map attStmt")
            }
            guard let format = AttestationFormats.named(name) else {
                parts.append(AttestationOutcome(format: name, type: .none))
                continue
            }
            do throws(AttestationFault) {
                parts.append(try format.verify(attested.with(inner)))
            } catch {
                throw AttestationFault("attStmt[\(index)], \(format.identifier): \(error.reason)")
            }
        }
        return AttestationOutcome(format: identifier, type: .none, parts: parts)
    }
}
