/// The master keys of a deployment, newest first: the first seals, the one that a seal names opens.
///
/// The file is text, a key a line: an id and base64url of 32 bytes, with space between; `#` begins a comment.
public struct MasterKeys: Sendable {
    public struct Key: Sendable {
        /// 1 to 64 characters of `[A-Za-z0-9._-]`.
        public let id: String
        /// 32 bytes.
        let secret: [UInt8]
    }

    public let keys: [Key]
}
