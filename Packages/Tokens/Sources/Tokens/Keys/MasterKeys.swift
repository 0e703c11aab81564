internal import Cryptography
internal import Encodings
public import Identity

/// The master keys of a deployment, newest first: the first seals, the one that a seal names opens.
///
/// Their file is text, a key a line: an id and base64url of 32 bytes, with space between; `#` begins a comment.
public struct MasterKeys: Sendable {
    public struct Key: Sendable {
        /// 1 to 64 characters of `[A-Za-z0-9._-]`.
        public let id: String
        /// 32 bytes.
        let secret: [UInt8]

        /// What the store keeps to know the key again: it tells nothing of it.
        var check: [UInt8] {
            HMACSHA256.authenticate(Array("latchkey master key check".utf8)[...], key: secret[...])
        }
    }

    /// At least one.
    public let keys: [Key]

    /// Reads the text of a key file.
    ///
    /// - Throws: `.malformed` with the line, `.empty`.
    public init(parsing text: String) throws(MasterKeyError) {
        var keys: [Key] = []
        for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            let content = line.prefix { $0 != UInt8(ascii: "#") }
            let words = content.split {
                $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r")
            }
            if words.isEmpty { continue }
            let number = index + 1
            guard words.count == 2 else {
                throw .malformed(line: number, reason: "a line holds an id and a key, with space between")
            }
            let id = String(decoding: Array(words[0]), as: UTF8.self)
            guard Self.isID(words[0]) else {
                throw .malformed(line: number, reason: "an id is 1 to 64 characters of A-Z a-z 0-9 . _ -")
            }
            guard let secret = try? Base64URL.decode(Array(words[1])[...]), secret.count == 32 else {
                throw .malformed(line: number, reason: "a key is 43 characters of base64url")
            }
            guard !keys.contains(where: { $0.id == id }) else {
                throw .malformed(line: number, reason: "the id is there twice")
            }
            keys.append(Key(id: id, secret: secret))
        }
        guard !keys.isEmpty else { throw .empty }
        self.keys = keys
    }

    /// The text of a file with one new key.
    ///
    /// - Parameters:
    ///   - now: the id says which day it was made.
    ///   - random: gives the key.
    /// - Returns: text that ``init(parsing:)`` reads.
    public static func newFileText(now: UnixTime, random: RandomSource) -> String {
        """
        # Latchkey master keys, newest first. Keep a copy in a safe place, apart from the backups of the data.
        \(newLine(now: now, random: random))

        """
    }

    /// The text of a file that holds a new key above those of `text`.
    static func adding(to text: String, now: UnixTime, random: RandomSource) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let first = lines.firstIndex { line in
            let start = line.utf8.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
            return start != nil && start != UInt8(ascii: "#") && start != UInt8(ascii: "\r")
        }
        lines.insert(newLine(now: now, random: random), at: first ?? 0)
        return lines.joined(separator: "\n")
    }

    private static func newLine(now: UnixTime, random: RandomSource) -> String {
        "\(now.rfc3339.prefix(10))-\(Base62.encode(random(6), count: 6)) \(Base64URL.encode(random(32)))"
    }

    func key(_ id: String) -> Key? {
        keys.first { $0.id.utf8.elementsEqual(id.utf8) }
    }

    private static func isID(_ bytes: some Collection<UInt8>) -> Bool {
        (1...64).contains(bytes.count)
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): true
                default: byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
                }
            }
    }
}
