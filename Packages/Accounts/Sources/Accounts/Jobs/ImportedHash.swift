internal import Encodings
internal import Identity

/// The password hash of an imported user, in the form that it is kept in (HTTP contract 11.17).
enum ImportedHash {
    /// - Returns: the hash, or `nil` when the user brings none.
    /// - Throws: what is not taken, by name.
    static func read(_ user: UserDocument) throws(ImportFault) -> String? {
        let path = user.passwordHash == nil ? "custom_password_hash" : "password_hash"
        let text: String
        if let hash = user.passwordHash {
            guard hash.utf8.starts(with: "$2".utf8) else {
                throw ImportFault("unsupported_hash", path, "password_hash is not bcrypt: use custom_password_hash")
            }
            text = hash
        } else if let custom = user.customPasswordHash {
            text = try read(custom)
        } else {
            return nil
        }
        do throws(PasswordHash.Refusal) { return try PasswordHash(text).text } catch {
            switch error {
            case .malformed: throw ImportFault("invalid_hash", path, "\(path) is malformed")
            case .unsupported(let what): throw ImportFault("unsupported_hash", path, "\(what) is not taken")
            case .tooExpensive(let what): throw ImportFault("hash_too_expensive", path, "\(what) is over the limit")
            }
        }
    }

    private static func read(_ custom: JSONObject) throws(ImportFault) -> String {
        let path = "custom_password_hash"
        func fault(_ sentence: String) -> ImportFault { ImportFault("invalid_hash", path, sentence) }
        guard let algorithm = custom["algorithm"]?.string, let hash = custom["hash"]?.object,
            let value = hash["value"]?.string
        else { throw fault("custom_password_hash needs algorithm, hash.value and hash.encoding") }
        if let encoding = custom["password"]?.object?["encoding"]?.string, encoding != "utf8" {
            throw ImportFault("unsupported_hash", path, "password.encoding \(encoding.prefix(20)) is not taken")
        }
        switch algorithm {
        case "argon2", "bcrypt", "pbkdf2":
            guard custom["salt"] == nil else { throw fault("the salt of \(algorithm) stands in hash.value") }
            return value
        case "scrypt":
            if value.utf8.starts(with: "$scrypt$".utf8) { return value }
            return try scrypt(custom, hash, fault)
        default:
            throw ImportFault("unsupported_hash", path, "the algorithm \(algorithm.prefix(20)) is not taken")
        }
    }

    /// Salt and cost stand beside the hash.
    private static func scrypt(
        _ custom: JSONObject,
        _ hash: JSONObject,
        _ fault: (String) -> ImportFault
    ) throws(ImportFault) -> String {
        guard let derived = bytes(hash), let salt = custom["salt"]?.object.flatMap(bytes),
            let cost = custom["cost"]?.integer, let block = custom["blockSize"]?.integer,
            let lanes = custom["parallelization"]?.integer
        else { throw fault("scrypt needs hash, salt, cost, blockSize and parallelization") }
        guard cost > 1, cost & (cost - 1) == 0, block > 0, lanes > 0 else {
            throw fault("the cost of scrypt is a power of two, blockSize and parallelization are above 0")
        }
        if let length = custom["keylen"]?.integer, length != Int64(derived.count) {
            throw fault("keylen is not the length of the hash")
        }
        return "$scrypt$ln=\(cost.trailingZeroBitCount),r=\(block),p=\(lanes)$\(unpadded(salt))$\(unpadded(derived))"
    }

    private static func bytes(_ object: JSONObject) -> [UInt8]? {
        guard let value = object["value"]?.string else { return nil }
        switch object["encoding"]?.string {
        case "base64": return try? Base64.decode(value)
        case "hex": return try? Hex.decode(value)
        case "utf8": return Array(value.utf8)
        default: return nil
        }
    }

    private static func unpadded(_ bytes: [UInt8]) -> String {
        String(decoding: Base64.encode(bytes).utf8.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    }
}

/// Why one user of an import was not taken.
struct ImportFault: Error, Hashable {
    let code: String
    let path: String
    let message: String

    init(_ code: String, _ path: String, _ message: String) {
        self.code = code
        self.path = path
        self.message = message
    }
}
