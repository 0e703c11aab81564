internal import Cryptography
internal import Encodings

/// A stored password hash: Argon2, or another one that came with its account.
///
/// Its text is the form of the Password Hashing Competition (`$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`, base64 without
/// padding; `$pbkdf2-sha256$i=…$…`, `$scrypt$ln=…,r=…,p=…$…`) or bcrypt's own (`$2b$10$…`).
public struct PasswordHash: Hashable, Sendable {
    /// As it is stored.
    public let text: String
    private let scheme: Scheme

    private enum Scheme: Hashable {
        case argon2(Argon2, salt: [UInt8], tag: [UInt8])
        case bcrypt(Bcrypt.Form)
        case pbkdf2(PBKDF2.Hash, rounds: Int, salt: [UInt8], derived: [UInt8])
        case scrypt(Scrypt, salt: [UInt8], derived: [UInt8])
    }

    /// Why a text is no hash that is taken. The sentence is for whoever imports it.
    public enum Refusal: Error, Hashable, Sendable {
        case malformed
        /// The name of the format or of the parameter that is not taken.
        case unsupported(String)
        /// What costs more than a sign-in may.
        case tooExpensive(String)
    }

    /// Reads a hash that is stored or imported.
    ///
    /// - Throws: why it is not taken: cost limits are those of HTTP contract 11.17.
    public init(_ text: String) throws(Refusal) {
        guard text.utf8.count <= 512 else { throw .malformed }
        self.text = text
        let parts = text.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
            .map { String(decoding: Array($0), as: UTF8.self) }
        guard parts.count >= 4, parts[0].isEmpty else { throw .malformed }
        do throws(CryptographyError) {
            switch parts[1] {
            case "2a", "2b", "2y", "2x":
                scheme = .bcrypt(try Bcrypt.Form(text))
            case "argon2id", "argon2i", "argon2d":
                scheme = try Self.argon2(parts)
            case "scrypt":
                scheme = try Self.scrypt(parts)
            default:
                guard parts[1].hasPrefix("pbkdf2") else {
                    throw CryptographyError.unsupported(what: "the format \(parts[1].prefix(20))")
                }
                scheme = try Self.pbkdf2(parts)
            }
        } catch {
            switch error {
            case .unsupported(let what): throw .unsupported(what)
            case .invalidLength(let what, let got): throw .tooExpensive("\(what) \(got)")
            default: throw .malformed
            }
        }
    }

    /// Argon2id as new hashes have it: 19 MiB, two passes, one lane (OWASP's first choice for Argon2id).
    ///
    /// It computes for tens of milliseconds.
    ///
    /// - Parameters:
    ///   - password: UTF-8 in NFC.
    ///   - salt: 16 random bytes.
    /// - Throws: when there is no memory for it.
    init(of password: [UInt8], salt: [UInt8]) throws(CryptographyError) {
        let argon2 = try Self.current()
        let tag = try argon2.hash(password, salt: salt)
        scheme = .argon2(argon2, salt: salt, tag: tag)
        text =
            "$argon2id$v=19$m=\(argon2.memory),t=\(argon2.passes),p=\(argon2.lanes)"
            + "$\(Self.unpadded(salt))$\(Self.unpadded(tag))"
    }

    private static func current() throws(CryptographyError) -> Argon2 {
        try Argon2(memory: 19 * 1024, passes: 2)
    }

    /// Whether it is as new ones are.
    var isCurrent: Bool {
        guard case .argon2(let argon2, let salt, let tag) = scheme, let current = try? Self.current() else {
            return false
        }
        return argon2 == current && salt.count >= 16 && tag.count == 32
    }

    /// Whether `password` has this hash. It computes for milliseconds to seconds.
    ///
    /// - Throws: when there is no memory for it.
    func verify(_ password: [UInt8]) throws(CryptographyError) -> Bool {
        switch scheme {
        case .argon2(let argon2, let salt, let tag):
            return constantTimeEqual(try argon2.hash(password, salt: salt, count: tag.count), tag)
        case .bcrypt(let form):
            return try Bcrypt.verify(password, form)
        case .pbkdf2(let hash, let rounds, let salt, let derived):
            return constantTimeEqual(
                try PBKDF2.derive(password, salt: salt, rounds: rounds, hash: hash, count: derived.count),
                derived
            )
        case .scrypt(let scrypt, let salt, let derived):
            return constantTimeEqual(try scrypt.derive(password, salt: salt, count: derived.count), derived)
        }
    }
}

extension PasswordHash {
    /// `$argon2id$v=19$m=…,t=…,p=…$SALT$HASH`; without `v=` it is version 0x10.
    private static func argon2(_ parts: [String]) throws(CryptographyError) -> Scheme {
        guard let variant = Argon2.Variant(rawValue: parts[1]), parts.count == 5 || parts.count == 6 else {
            throw .malformed(what: "hash", offset: 0)
        }
        let version = parts.count == 6 ? try values(parts[2], ["v"])[0] : 0x10
        let cost = try values(parts[parts.count - 3], ["m", "t", "p"])
        let argon2 = try Argon2(
            variant: variant,
            version: UInt32(clamping: version),
            memory: UInt32(clamping: cost[0]),
            passes: UInt32(clamping: cost[1]),
            lanes: UInt32(clamping: cost[2])
        )
        let (salt, tag) = try ends(parts)
        guard salt.count >= 8 else { throw .invalidLength(what: "Argon2 salt", got: salt.count) }
        return .argon2(argon2, salt: salt, tag: tag)
    }

    /// `$scrypt$ln=…,r=…,p=…$SALT$HASH`.
    private static func scrypt(_ parts: [String]) throws(CryptographyError) -> Scheme {
        guard parts.count == 5 else { throw .malformed(what: "hash", offset: 0) }
        let cost = try values(parts[2], ["ln", "r", "p"])
        guard (1...21).contains(cost[0]) else { throw .invalidLength(what: "scrypt ln", got: cost[0]) }
        let scrypt = try Scrypt(
            cost: 1 << UInt64(cost[0]),
            blockSize: UInt64(cost[1]),
            parallelization: UInt64(cost[2])
        )
        let (salt, derived) = try ends(parts)
        return .scrypt(scrypt, salt: salt, derived: derived)
    }

    /// `$pbkdf2-sha256$i=…$SALT$HASH`, `i=…,l=…` with the length too; `$pbkdf2$…` is with SHA-1.
    private static func pbkdf2(_ parts: [String]) throws(CryptographyError) -> Scheme {
        guard parts.count == 5 else { throw .malformed(what: "hash", offset: 0) }
        let name = parts[1] == "pbkdf2" ? "sha1" : String(parts[1].dropFirst("pbkdf2-".count))
        guard let hash = PBKDF2.Hash(rawValue: name) else {
            throw .unsupported(what: "the format \(parts[1].prefix(20))")
        }
        let names = parts[2].split(separator: ",").count == 2 ? ["i", "l"] : ["i"]
        let cost = try values(parts[2], names)
        guard (1...2_000_000).contains(cost[0]) else { throw .invalidLength(what: "PBKDF2 rounds", got: cost[0]) }
        let (salt, derived) = try ends(parts)
        guard cost.count == 1 || cost[1] == derived.count else { throw .malformed(what: "hash", offset: 0) }
        return .pbkdf2(hash, rounds: cost[0], salt: salt, derived: derived)
    }

    /// The numbers of `m=…,t=…`, each once and in this order.
    private static func values(_ text: String, _ names: [String]) throws(CryptographyError) -> [Int] {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == names.count else { throw .malformed(what: "hash", offset: 0) }
        var values: [Int] = []
        for (part, name) in zip(parts, names) {
            let digits = part.utf8.dropFirst(name.utf8.count + 1)
            guard part.hasPrefix(name + "="), (1...10).contains(digits.count),
                digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
                let value = Int(String(decoding: Array(digits), as: UTF8.self))
            else { throw .malformed(what: "hash", offset: 0) }
            values.append(value)
        }
        return values
    }

    /// Salt and hash, the last two parts.
    private static func ends(_ parts: [String]) throws(CryptographyError) -> (salt: [UInt8], hash: [UInt8]) {
        guard let salt = padded(parts[parts.count - 2]), let hash = padded(parts[parts.count - 1]) else {
            throw .malformed(what: "hash", offset: 0)
        }
        guard salt.count <= 64 else { throw .invalidLength(what: "salt", got: salt.count) }
        guard (16...128).contains(hash.count) else { throw .invalidLength(what: "hash", got: hash.count) }
        return (salt, hash)
    }

    private static func padded(_ text: String) -> [UInt8]? {
        guard !text.utf8.contains(UInt8(ascii: "=")) else { return nil }
        return try? Base64.decode(text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
    }

    private static func unpadded(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encode(bytes).utf8.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    }
}
