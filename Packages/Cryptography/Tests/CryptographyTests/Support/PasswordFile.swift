import Foundation
import Testing

/// `Vectors/passwords.json`, which `Generators/password_vectors.py` makes. Byte strings are hexadecimal.
struct PasswordFile: Decodable {
    struct Argon2Case: Decodable {
        let variant: String
        let version: UInt32
        let memory: UInt32
        let passes: UInt32
        let lanes: UInt32
        let password: String
        let salt: String
        let hash: String
    }

    struct BcryptCase: Decodable {
        let password: String
        let text: String
    }

    struct PBKDF2Case: Decodable {
        let hash: String
        let rounds: Int
        let password: String
        let salt: String
        let derived: String
    }

    struct ScryptCase: Decodable {
        let cost: UInt64
        let blockSize: UInt64
        let parallelization: UInt64
        let password: String
        let salt: String
        let derived: String
    }

    let argon2: [Argon2Case]
    let bcrypt: [BcryptCase]
    let pbkdf2: [PBKDF2Case]
    let scrypt: [ScryptCase]

    static func read() throws -> PasswordFile {
        let file = try #require(Bundle.module.url(forResource: "Vectors/passwords", withExtension: "json"))
        return try JSONDecoder().decode(PasswordFile.self, from: Data(contentsOf: file))
    }
}
