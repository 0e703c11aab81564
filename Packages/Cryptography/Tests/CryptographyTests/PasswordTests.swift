import Cryptography
import Testing

@Suite("Password hashes")
struct PasswordTests {
    @Test("Argon2 computes what another implementation computes, in each variant and version")
    func argon2() throws {
        let cases = try PasswordFile.read().argon2
        #expect(cases.count == 90)
        for vector in cases {
            let argon2 = try Argon2(
                variant: try #require(Argon2.Variant(rawValue: vector.variant)),
                version: vector.version,
                memory: vector.memory,
                passes: vector.passes,
                lanes: vector.lanes
            )
            let wanted = try hex(vector.hash)
            #expect(try argon2.hash(hex(vector.password), salt: hex(vector.salt), count: wanted.count) == wanted)
        }
    }

    @Test("bcrypt takes the password of a hash that another implementation made, and no other")
    func bcrypt() throws {
        let cases = try PasswordFile.read().bcrypt
        #expect(cases.count == 30)
        for vector in cases {
            let form = try Bcrypt.Form(vector.text)
            let password = try hex(vector.password)
            #expect(try Bcrypt.verify(password, form))
            #expect(try !Bcrypt.verify([0x21] + password, form))
            #expect(try !Bcrypt.verify(password.dropLast() + [0], form))
        }
    }

    @Test("bcrypt reads 72 bytes of a password, as where its hash was made")
    func bcryptLength() throws {
        let long = try #require(try PasswordFile.read().bcrypt.first { $0.password.utf8.count == 200 })
        let form = try Bcrypt.Form(long.text)
        let password = try hex(long.password)
        #expect(try Bcrypt.verify([UInt8](password.prefix(72)), form))
        #expect(try !Bcrypt.verify([UInt8](password.prefix(71)), form))
    }

    @Test(
        "A text that is no bcrypt hash, or costs more than a sign-in may, is refused before anything is computed",
        arguments: [
            "", "$2b$", "$2b$04$" + String(repeating: "a", count: 52), "$2b$04$" + String(repeating: "a", count: 54),
            "$2b$04$" + String(repeating: "!", count: 53), "$2b$03$" + String(repeating: "a", count: 53),
            "$2b$15$" + String(repeating: "a", count: 53), "$2b$31$" + String(repeating: "a", count: 53),
            "$2b$+4$" + String(repeating: "a", count: 53), "$2x$04$" + String(repeating: "a", count: 53),
            "$1$04$$" + String(repeating: "a", count: 53), "$2b$0\u{660}$" + String(repeating: "a", count: 52),
        ]
    )
    func bcryptForms(_ text: String) {
        #expect(throws: CryptographyError.self) { try Bcrypt.Form(text) }
    }

    @Test("PBKDF2 derives what another implementation derives")
    func pbkdf2() throws {
        let cases = try PasswordFile.read().pbkdf2
        #expect(cases.count == 40)
        for vector in cases {
            let wanted = try hex(vector.derived)
            let derived = try PBKDF2.derive(
                hex(vector.password),
                salt: hex(vector.salt),
                rounds: vector.rounds,
                hash: #require(PBKDF2.Hash(rawValue: vector.hash)),
                count: wanted.count
            )
            #expect(derived == wanted)
        }
    }

    @Test("scrypt derives what another implementation derives")
    func scrypt() throws {
        let cases = try PasswordFile.read().scrypt
        #expect(cases.count == 15)
        for vector in cases {
            let wanted = try hex(vector.derived)
            let scrypt = try Scrypt(
                cost: vector.cost,
                blockSize: vector.blockSize,
                parallelization: vector.parallelization
            )
            #expect(try scrypt.derive(hex(vector.password), salt: hex(vector.salt), count: wanted.count) == wanted)
        }
    }

    @Test("scrypt at the edge of its memory still computes")
    func scryptAtTheLimit() throws {
        let scrypt = try Scrypt(cost: 1 << 15, blockSize: 64, parallelization: 1)
        #expect(try scrypt.derive([1], salt: [2], count: 32).count == 32)
    }

    @Test("What costs more than a sign-in may is refused by name")
    func limits() {
        #expect(throws: CryptographyError.invalidLength(what: "Argon2 memory in KiB", got: 4 << 20)) {
            try Argon2(memory: 4 << 20, passes: 1)
        }
        #expect(throws: CryptographyError.invalidLength(what: "Argon2 memory in KiB", got: 63)) {
            try Argon2(memory: 63, passes: 1, lanes: 8)
        }
        #expect(throws: CryptographyError.invalidLength(what: "Argon2 passes", got: 11)) {
            try Argon2(memory: 64, passes: 11)
        }
        #expect(throws: CryptographyError.invalidLength(what: "Argon2 passes", got: 0)) {
            try Argon2(memory: 64, passes: 0)
        }
        #expect(throws: CryptographyError.invalidLength(what: "Argon2 lanes", got: 9)) {
            try Argon2(memory: 512, passes: 1, lanes: 9)
        }
        #expect(throws: CryptographyError.invalidLength(what: "Argon2 lanes", got: Int(UInt32.max))) {
            try Argon2(memory: 512, passes: 1, lanes: .max)
        }
        #expect(throws: CryptographyError.unsupported(what: "Argon2 version 18")) {
            try Argon2(version: 18, memory: 64, passes: 1)
        }
        #expect(throws: CryptographyError.invalidLength(what: "scrypt N", got: 1 << 22)) {
            try Scrypt(cost: 1 << 22, blockSize: 1, parallelization: 1)
        }
        #expect(throws: CryptographyError.invalidLength(what: "scrypt N", got: 1000)) {
            try Scrypt(cost: 1000, blockSize: 1, parallelization: 1)
        }
        #expect(throws: CryptographyError.invalidLength(what: "scrypt r", got: Int.max)) {
            try Scrypt(cost: 2, blockSize: .max, parallelization: 1)
        }
        #expect(throws: CryptographyError.invalidLength(what: "scrypt r", got: 129)) {
            try Scrypt(cost: 1 << 14, blockSize: 129, parallelization: 1)
        }
        #expect(throws: CryptographyError.invalidLength(what: "PBKDF2 rounds", got: 2_000_001)) {
            try PBKDF2.derive([], salt: [], rounds: 2_000_001, hash: .sha1, count: 20)
        }
        #expect(throws: CryptographyError.invalidLength(what: "PBKDF2 hash", got: 15)) {
            try PBKDF2.derive([], salt: [], rounds: 1, hash: .sha1, count: 15)
        }
    }
}
