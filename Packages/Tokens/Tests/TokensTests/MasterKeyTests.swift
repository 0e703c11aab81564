import Cryptography
import Encodings
import Glibc
import Identity
import Testing

@testable import Tokens

@Suite("Design, section 4: the master key file")
struct MasterKeyFileTests {
    private let key = Base64URL.encode([UInt8](repeating: 1, count: 32))
    private let other = Base64URL.encode([UInt8](repeating: 2, count: 32))

    @Test("A key a line, newest first; comments and empty lines say nothing")
    func parses() throws {
        let text = "# a comment\r\n\n  2026-b \t \(other)   # the new one\r\n2025-a \(key)\n"
        let keys = try MasterKeys(parsing: text)
        #expect(keys.keys.map(\.id) == ["2026-b", "2025-a"])
        #expect(keys.key("2025-a")?.secret == [UInt8](repeating: 1, count: 32))
        #expect(keys.key("2025") == nil)
    }

    @Test("What is no key is named by its line")
    func refuses() {
        let short = Base64URL.encode([UInt8](repeating: 1, count: 31))
        for (line, text) in [
            (1, key), (2, "a \(key)\nb \(short)"), (1, "a \(key) \(other)"), (1, "a \(key)="), (1, "a b"),
            (1, "a/b \(key)"), (1, "\(String(repeating: "a", count: 65)) \(key)"), (3, "a \(key)\n\na \(other)"),
        ] {
            #expect {
                try MasterKeys(parsing: text)
            } throws: { error in
                guard case MasterKeyError.malformed(let at, _) = error else { return false }
                return at == line
            }
        }
        #expect(throws: MasterKeyError.empty) { try MasterKeys(parsing: "") }
        #expect(throws: MasterKeyError.empty) { try MasterKeys(parsing: "# nothing\n") }
    }

    @Test("A new file is for its owner alone, and is never overwritten")
    func creates() throws {
        try inFolder { folder in
            let path = folder + "/master.key"
            try MasterKeyFile.create(path, now: UnixTime(seconds: 1_800_000_000), random: { Random.bytes($0) })
            var status = stat()
            #expect(unsafe stat(path, &status) == 0)
            #expect(status.st_mode & 0o7777 == 0o600)
            let keys = try MasterKeyFile.read(path)
            #expect(keys.keys.count == 1)
            #expect(keys.keys.first?.id.hasPrefix("2027-01-15-") == true)
            #expect(throws: MasterKeyError.exists(path: path)) {
                try MasterKeyFile.create(path, now: UnixTime(seconds: 0), random: { Random.bytes($0) })
            }
            #expect(try MasterKeyFile.read(path).keys.first?.secret == keys.keys.first?.secret)
        }
    }

    @Test(
        "A file that others may read is refused, and the line says what to do",
        arguments: [0o640, 0o604, 0o660, 0o601]
    )
    func refusesMode(_ mode: Int) throws {
        try inFolder { folder in
            let path = folder + "/master.key"
            try MasterKeyFile.create(path, now: UnixTime(seconds: 0), random: { Random.bytes($0) })
            #expect(unsafe chmod(path, mode_t(mode)) == 0)
            #expect(throws: MasterKeyError.readableByOthers(path: path, mode: UInt32(mode))) {
                try MasterKeyFile.read(path)
            }
            let error = MasterKeyError.readableByOthers(path: path, mode: UInt32(mode))
            #expect(error.description.contains("chmod 600 \(path)"))
        }
    }

    @Test("No file, a folder and a text that is no UTF-8 are told apart")
    func refusesOthers() throws {
        try inFolder { folder in
            #expect(throws: MasterKeyError.missing(path: folder + "/none")) { try MasterKeyFile.read(folder + "/none") }
            #expect(MasterKeyError.missing(path: "f").description.contains("latchkey-admin master-key create f"))
            #expect(throws: MasterKeyError.unreadable(path: folder, reason: "it is no regular file")) {
                try MasterKeyFile.read(folder)
            }
            let path = folder + "/master.key"
            let file = unsafe open(path, O_WRONLY | O_CREAT, 0o600)
            #expect(unsafe write(file, [0xff, 0xfe] as [UInt8], 2) == 2)
            close(file)
            #expect(throws: MasterKeyError.unreadable(path: path, reason: "it is no UTF-8 text")) {
                try MasterKeyFile.read(path)
            }
        }
    }

    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = "/tmp/latchkey-tokens-\(Hex.encode(Random.bytes(8)))"
        #expect(unsafe mkdir(folder, 0o700) == 0)
        defer {
            _ = unsafe unlink(folder + "/master.key")
            _ = unsafe rmdir(folder)
        }
        try body(folder)
    }
}

@Suite("Design, section 4: the data key and what is derived from it")
struct DeploymentKeysTests {
    private func open(
        _ text: String,
        _ store: MemoryStore
    ) async throws -> DeploymentKeys {
        try await DeploymentKeys.open(
            MasterKeys(parsing: text),
            store: store,
            now: UnixTime(seconds: 0),
            random: { Random.bytes($0) }
        )
    }

    private func line(_ id: String, _ byte: UInt8) -> String {
        "\(id) \(Base64URL.encode([UInt8](repeating: byte, count: 32)))\n"
    }

    @Test("Every start has the same keys, one for each purpose")
    func stable() async throws {
        let store = MemoryStore()
        let first = try await open(line("a", 1), store)
        let second = try await open(line("b", 2) + line("a", 1), store)
        var all: Set<[UInt8]> = []
        for purpose in KeyPurpose.allCases {
            #expect(first.key(for: purpose) == second.key(for: purpose))
            #expect(first.key(for: purpose).count == 32)
            all.insert(first.key(for: purpose))
        }
        #expect(all.count == KeyPurpose.allCases.count)
        #expect(store.now.secret?.masterKeyID == "a")
    }

    @Test("A wrong master key is one clear error, and changes nothing")
    func wrongKey() async throws {
        let store = MemoryStore()
        _ = try await open(line("a", 1), store)
        let secret = store.now.secret
        await #expect(throws: MasterKeyError.wrongMasterKey(id: "a")) { _ = try await open(line("a", 2), store) }
        await #expect(throws: MasterKeyError.unknownMasterKey(id: "a")) { _ = try await open(line("b", 1), store) }
        #expect(store.now.secret == secret)
    }

    @Test("A seal with a flipped bit, or cut at any length, does not open")
    func spoiledSeal() async throws {
        let store = MemoryStore()
        _ = try await open(line("a", 1), store)
        let secret = try #require(store.now.secret)
        for bit in 0..<secret.sealedDataKey.count * 8 {
            var sealed = secret.sealedDataKey
            sealed[bit / 8] ^= 1 << UInt8(bit % 8)
            store.change {
                $0.secret = DeploymentSecret(masterKeyID: "a", sealedDataKey: sealed, createdAt: secret.createdAt)
            }
            await #expect(throws: MasterKeyError.wrongMasterKey(id: "a")) { _ = try await open(line("a", 1), store) }
        }
        for count in 0..<secret.sealedDataKey.count {
            let sealed = Array(secret.sealedDataKey.prefix(count))
            store.change {
                $0.secret = DeploymentSecret(masterKeyID: "a", sealedDataKey: sealed, createdAt: secret.createdAt)
            }
            await #expect(throws: MasterKeyError.wrongMasterKey(id: "a")) { _ = try await open(line("a", 1), store) }
        }
    }
}
