public import Identity

/// Why the deployment's keys cannot be opened. Its description is one line for the operator: what is wrong, and what
/// to do.
public enum MasterKeyError: Error, Hashable, Sendable {
    /// There is no such file.
    case missing(path: String)
    /// The system refuses to read or write it; `reason` is its own text.
    case unreadable(path: String, reason: String)
    /// The file's mode lets others than its owner in.
    case readableByOthers(path: String, mode: UInt32)
    /// A file is there already, and is never overwritten.
    case exists(path: String)
    /// A line that is neither a key nor a comment; lines count from 1.
    case malformed(line: Int, reason: String)
    /// No line holds a key.
    case empty
    /// The store's data key was sealed by a key that the file does not have.
    case unknownMasterKey(id: String)
    /// The file has a key of that name, but another one.
    case wrongMasterKey(id: String)
    /// The row of the data key was changed since it was sealed.
    case damagedDataKey
    /// The row of a signing key was changed since it was sealed, or belongs to another place.
    case damagedSigningKey(id: String, tenant: String)
    /// The store is sealed by the newest key of the file already.
    case alreadyNewest(id: String)
    /// The file has the key that the store is sealed by, so it is not lost.
    case notLost(id: String)
    /// The store has no secret yet, so nothing is sealed.
    case nothingSealed
    /// Somebody else sealed the store anew meanwhile.
    case changedMeanwhile
    case store(StoreError)
    case cryptography(reason: String)
}

extension MasterKeyError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let path):
            "There is no master key at \(path). Make one with: latchkey-admin master-key create \(path)"
        case .unreadable(let path, let reason):
            "The master key file \(path) cannot be used: \(reason)."
        case .readableByOthers(let path, let mode):
            "The master key file \(path) has mode 0\(String(mode, radix: 8)), so others may read it. "
                + "Take their rights away with: chmod 600 \(path)"
        case .exists(let path):
            "\(path) is there already and is not overwritten. Name another file, or keep this one."
        case .malformed(let line, let reason):
            "Line \(line) of the master key file is no key: \(reason)."
        case .empty:
            "The master key file holds no key. Make a new file with: latchkey-admin master-key create FILE"
        case .unknownMasterKey(let id):
            "The store is sealed by master key \(id), which the master key file does not have. "
                + "Put the file that belongs to this store in its place."
        case .wrongMasterKey(let id):
            "Master key \(id) in the file is not the one that sealed this store. "
                + "Put the file that belongs to this store in its place."
        case .damagedDataKey:
            "The store's data key (table deployment) was changed since it was sealed, and cannot be opened. "
                + "Restore a backup of the store."
        case .damagedSigningKey(let id, let tenant):
            "Signing key \(id) of tenant \(tenant) (table signing_key) was changed since it was sealed, or stands in "
                + "another row's place. Restore a backup of the store."
        case .alreadyNewest(let id):
            "The store is sealed by \(id) already, the newest key of the file. To change it, put a new key above: "
                + "latchkey-admin master-key rotate --add"
        case .notLost(let id):
            "The master key file has \(id), which the store is sealed by: it is not lost, and nothing was changed."
        case .nothingSealed:
            "The store has no data key yet, so nothing is sealed."
        case .changedMeanwhile:
            "Somebody else sealed the store anew meanwhile. Look at it, then try again."
        case .store(let error):
            "The store did not give its data key: \(error)"
        case .cryptography(let reason):
            "The deployment's keys cannot be made: \(reason)"
        }
    }
}
