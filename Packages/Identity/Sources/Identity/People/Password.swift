import Unicode

/// What a user's password is checked against.
public struct PasswordRecord: Hashable, Sendable {
    /// The hash with its parameters and salt, as text.
    public let hash: String
    public let changedAt: UnixTime
    /// Hashes of earlier passwords, newest first.
    public let history: [String]

    public init(hash: String, changedAt: UnixTime, history: [String] = []) {
        self.hash = hash
        self.changedAt = changedAt
        self.history = history
    }
}

/// A password as it is hashed: in NFC, never trimmed, of at most 1024 characters.
public struct PasswordText: Hashable, Sendable {
    /// UTF-8.
    public let bytes: [UInt8]
    /// Unicode scalars.
    public let length: Int
    public let text: String

    /// Reads what a person typed; `nil` when it is empty, too long, or holds a NUL or an unassigned code point, whose NFC
    /// may change.
    public init?(_ entered: String) {
        guard !entered.isEmpty, entered.utf8.count <= PasswordOptions.maximumLength * 4,
            !entered.utf8.contains(0), let text = try? UnicodeText.nfc(entered),
            text.unicodeScalars.count <= PasswordOptions.maximumLength
        else { return nil }
        self.text = text
        bytes = Array(text.utf8)
        length = text.unicodeScalars.count
    }
}
