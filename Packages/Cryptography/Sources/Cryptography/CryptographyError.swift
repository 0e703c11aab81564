/// What can go wrong in this package. Each case names the fault and carries the evidence.
public enum CryptographyError: Error, Hashable, Sendable {
    /// The bytes at `offset` (an index into the slice that was given) are not DER, or not what the structure needs there.
    case malformed(what: String, offset: Int)
    /// A key that must not be used: off its curve, too short, of the wrong length.
    case invalidKey(String)
    /// A curve, an algorithm or a structure that this package does not know; `what` names it.
    case unsupported(what: String)
    /// An argument of a length that the algorithm does not take.
    case invalidLength(what: String, got: Int)
    /// The ciphertext, its nonce, its associated data or its key is not what was sealed.
    case notAuthentic
    /// No path leads from the leaf to an anchor. `subject` is the subject of the certificate at fault.
    case path(CertificateFault, subject: String)
    /// libcrypto refused an operation for a reason of its own.
    case library(operation: String, reason: String)
}

/// Why a certificate cannot stand in a path (RFC 5280 §6.1).
public enum CertificateFault: String, Hashable, Sendable {
    /// The time of verification lies before `notBefore`.
    case notYetValid
    /// The time of verification lies after `notAfter`.
    case expired
    /// No certificate given, and no anchor, has the issuer's name.
    case issuerNotFound
    /// A certificate with the issuer's name is there, but its key did not sign this one.
    case badSignature
    /// The issuer may not issue: basicConstraints does not say CA, or keyUsage lacks keyCertSign.
    case notAnAuthority
    /// More intermediate certificates follow than the issuer's pathLenConstraint allows.
    case pathTooLong
    /// A critical extension that this package does not process, or name constraints.
    case unhandledExtension
    /// Signed with SHA-1, which the caller did not allow.
    case weakSignature
    /// Signed with an algorithm that this package does not know.
    case unsupportedSignature
    /// The search was given up after as many signatures as it may check.
    case tooManyCandidates
}
