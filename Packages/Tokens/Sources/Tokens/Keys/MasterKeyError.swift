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
    case store(StoreError)
    case cryptography(reason: String)
}
