/// Why an audit log is not what was sealed. `line` counts from 1.
public enum AuditFault: Error, Hashable, Sendable {
    /// The text is no export of this form.
    case malformed(line: Int, what: String)
    /// Events are not in the order of their ids.
    case disordered(line: Int)
    /// A seal stands for more or fewer events than are there.
    case count(seal: Int64, sealed: Int64, found: Int64)
    /// As many events as were sealed, but not the same ones.
    case changed(seal: Int64)
    /// A seal does not follow the one before it.
    case broken(seal: Int64)
    /// The signature is not by the key that the seal names.
    case signature(seal: Int64)
    /// The key is not one of those that were named as right.
    case foreignKey(seal: Int64, thumbprint: String)
}

extension AuditFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed(let line, let what): "line \(line) is \(what)"
        case .disordered(let line): "the event in line \(line) is older than the one before it"
        case .count(let seal, let sealed, let found) where found < sealed:
            "seal \(seal) stands for \(sealed) events, and \(found) are there: some were removed"
        case .count(let seal, let sealed, let found):
            "seal \(seal) stands for \(sealed) events, and \(found) are there: some were added later"
        case .changed(let seal): "the events of seal \(seal) are not those that were sealed: some were changed"
        case .broken(let seal): "seal \(seal) does not follow the one before it: seals were removed or changed"
        case .signature(let seal): "the signature of seal \(seal) is wrong: it was changed"
        case .foreignKey(let seal, let thumbprint): "seal \(seal) is signed by an unexpected key, \(thumbprint)"
        }
    }
}
