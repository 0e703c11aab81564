import Identity
import Testing
import Threads

@testable import Accounts

@Suite("Stored password hashes")
struct PasswordHashTests {
    private static let password = Array("correct horse".utf8)

    @Test("A new hash is Argon2id with 19 MiB and two passes, and is read back")
    func new() throws {
        let hash = try PasswordHash(of: Self.password, salt: Array(0..<16))
        #expect(hash.text.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$"))
        let read = try PasswordHash(hash.text)
        #expect(read == hash && read.isCurrent)
        #expect(try read.verify(Self.password))
        #expect(try !read.verify(Self.password + [0]))
        #expect(try !read.verify([]))
    }

    @Test(
        "Hashes that other implementations made are verified, and are not as new ones are",
        arguments: [
            // PyPI: argon2-cffi, bcrypt, passlib.
            "$argon2id$v=19$m=64,t=1,p=1$AAECAwQFBgcICQoLDA0ODw$Jc5SM8weTTfpvKMb/vQXEOQERs0ctXWTJ5HF/TeAvTw",
            "$argon2i$v=19$m=64,t=2,p=2$AAECAwQFBgcICQoLDA0ODw$A43zaS/KNy7b3ONR1PkDhaXOn2rhbE0sTHiNT5mlHm8",
            "$2b$04$Q/jiwQydCv0L2grKL7ITUuvkxiXO/l4RMLSjDgHpM8HFfjWnJvyN2",
            "$pbkdf2-sha256$i=1000,l=32$AAECAwQFBgcICQoLDA0ODw$yRTMTwbMbo9G0VfjobWqerzuuxe7BETNTErBbKKumGQ",
            "$pbkdf2-sha512$i=1000$AAECAwQFBgcICQoLDA0ODw$Xpx07WjVx4vCIvrmBRj8uOoVVtGqJqtUv2J5bhizSQs7osCteF7W4A61dZDqSIqQjO+dxO6p5FT/Uy7QRBXSXA",
            "$scrypt$ln=4,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$Q7EcH175P/kcU7JE2HRU+qTRrq/BS6UbCRYPdBaC5y8",
        ]
    )
    func others(_ text: String) throws {
        let hash = try PasswordHash(text)
        #expect(!hash.isCurrent)
        #expect(try hash.verify(Self.password))
        #expect(try !hash.verify(Array("correct horsf".utf8)))
    }

    @Test(
        "What costs more than a sign-in may is refused by name",
        arguments: [
            ("$argon2id$v=19$m=4194304,t=1,p=1$AAECAwQFBgc$AAECAwQFBgcICQoLDA0ODw", "Argon2 memory in KiB 4194304"),
            ("$argon2id$v=19$m=64,t=11,p=1$AAECAwQFBgc$AAECAwQFBgcICQoLDA0ODw", "Argon2 passes 11"),
            ("$argon2id$v=19$m=640,t=1,p=9$AAECAwQFBgc$AAECAwQFBgcICQoLDA0ODw", "Argon2 lanes 9"),
            ("$2b$31$" + String(repeating: "a", count: 53), "bcrypt cost 31"),
            ("$pbkdf2-sha256$i=2000001$AAECAwQFBgc$AAECAwQFBgcICQoLDA0ODw", "PBKDF2 rounds 2000001"),
            ("$scrypt$ln=30,r=8,p=1$AAECAwQFBgc$AAECAwQFBgcICQoLDA0ODw", "scrypt ln 30"),
            ("$scrypt$ln=14,r=1000,p=1$AAECAwQFBgc$AAECAwQFBgcICQoLDA0ODw", "scrypt r 1000"),
            ("$scrypt$ln=4,r=8,p=9$AAECAwQFBgc$AAECAwQFBgcICQoLDA0ODw", "scrypt p 9"),
        ]
    )
    func tooExpensive(_ text: String, _ what: String) {
        #expect(throws: PasswordHash.Refusal.tooExpensive(what)) { try PasswordHash(text) }
    }

    @Test(
        "What is no hash, or in a format that is not taken, is refused",
        arguments: [
            "", "$", "secret", "$6$salt$hash", "$1$salt$hash", "$y$j9T$salt$hash", "{SSHA}abcd",
            "$argon2id$v=19$m=64,t=1$AAECAwQFBgc$AAECAwQFBgcICQoLDA0ODw",
            "$argon2id$v=19$t=1,m=64,p=1$AAECAwQFBgc$AAECAwQFBgcICQoLDA0ODw",
            "$argon2id$v=19$m=64,t=1,p=+1$AAECAwQFBgc$AAECAwQFBgcICQoLDA0ODw",
            "$argon2id$v=19$m=99999999999999999999,t=1,p=1$AAECAwQFBgc$AAECAwQFBgcICQoLDA0ODw",
            "$argon2id$v=18$m=64,t=1,p=1$AAECAwQFBgc$AAECAwQFBgcICQoLDA0ODw",
            "$argon2id$v=19$m=64,t=1,p=1$AAECAwQFBgc=$AAECAwQFBgcICQoLDA0ODw",
            "$argon2id$v=19$m=64,t=1,p=1$AAECAwQFBgc$AAEC", "$argon2id$v=19$m=64,t=1,p=1$AAEC$AAECAwQFBgcICQoLDA0ODw",
            "$pbkdf2-md5$i=1000$AAECAwQFBgc$AAECAwQFBgcICQoLDA0ODw",
            "$pbkdf2-sha256$i=1000,l=20$AAECAwQFBgc$AAECAwQFBgcICQoLDA0ODw",
            "$pbkdf2-sha256$i=0$AAECAwQFBgc$AAECAwQFBgcICQoLDA0ODw",
            "$scrypt$ln=0,r=8,p=1$AAECAwQFBgc$AAECAwQFBgcICQoLDA0ODw",
            "$2b$10$tooshort", "$argon2id$" + String(repeating: "x", count: 600),
        ]
    )
    func refused(_ text: String) {
        #expect(throws: PasswordHash.Refusal.self) { try PasswordHash(text) }
    }

    @Test("A right password under another hash gets a new one; a wrong one and nobody's do not")
    func rehash() async throws {
        let pool = try BlockingPool(name: "hashes", threadCount: 1)
        defer { pool.stop() }
        let hasher = try PasswordHasher(pool: pool) { [UInt8](repeating: 7, count: $0) }
        let right = try #require(PasswordText("correct horse"))
        let old = "$pbkdf2-sha256$i=1000,l=32$AAECAwQFBgcICQoLDA0ODw$yRTMTwbMbo9G0VfjobWqerzuuxe7BETNTErBbKKumGQ"
        let verdict = try await hasher.verify(right, against: old)
        #expect(verdict.isRight)
        let new = try #require(verdict.newHash)
        #expect(try PasswordHash(new).isCurrent)
        #expect(try await hasher.verify(right, against: new) == PasswordHasher.Verdict(isRight: true, newHash: nil))
        let no = PasswordHasher.Verdict(isRight: false, newHash: nil)
        let wrong = PasswordText("correct horsf")
        #expect(try await hasher.verify(wrong, against: old) == no)
        #expect(try await hasher.verify(right, against: nil) == no)
        #expect(try await hasher.verify(nil, against: old) == no)
        #expect(try await hasher.isAmong([old, new], right))
        #expect(try await !hasher.isAmong([old, new], #require(wrong)))
        await #expect(throws: AccountError.self) { try await hasher.verify(right, against: "not a hash") }
    }

    @Test("More hashes than the pool's queue takes are refused at once, and the rest computed")
    func busy() async throws {
        let pool = try BlockingPool(name: "hashes", threadCount: 1, queueLimit: 2)
        defer { pool.stop() }
        let hasher = try PasswordHasher(pool: pool) { [UInt8](repeating: 7, count: $0) }
        let password = try #require(PasswordText("correct horse"))
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do throws(AccountError) {
                        _ = try await hasher.hash(password)
                        return true
                    } catch { return error != .busy }
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(outcomes.contains(true) && outcomes.contains(false))
    }
}
