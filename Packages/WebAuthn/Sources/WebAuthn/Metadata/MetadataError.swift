/// Why a metadata BLOB is refused. `reason` texts are one line of our own words, safe to show.
public enum MetadataError: Error, Hashable, Sendable {
    /// No JWS, no JSON, or without what every BLOB has.
    case malformed(reason: String)
    /// The header names no certificate, or one that the signature is not by.
    case signature(reason: String)
    /// The signer's certificate leads to none of the roots.
    case chain(reason: String)
    /// The signer, or an authority above it, was revoked; `subject` is whose certificate.
    case revoked(subject: String)
    /// Its number is lower than that of one which was taken before: an old one is played back.
    case rollback(seen: Int64, got: Int64)
}

extension MetadataError: CustomStringConvertible {
    /// One line: `it is number 6, and number 7 was seen before`.
    public var description: String {
        switch self {
        case .malformed(let reason): "it is no metadata BLOB: \(reason)"
        case .signature(let reason): "its signature does not verify: \(reason)"
        case .chain(let reason): "its signer is not trusted: \(reason)"
        case .revoked(let subject): "its signer is not trusted: the certificate of \(subject) was revoked"
        case .rollback(let seen, let got): "it is number \(got), and number \(seen) was seen before"
        }
    }
}
