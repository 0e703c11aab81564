import Cryptography
import Encodings
import Identity
import Testing
import Threads

@testable import Tokens

@Suite("Design, section 4: seals that move to another master key, that are damaged, that are lost")
struct MasterKeyRotationTests {
    private static let line = House.masterKeys
    private static let newLine = "b \(Base64URL.encode([UInt8](repeating: 2, count: 32)))"
    private static let both = newLine + "\n" + line

    private func open(_ text: String, _ house: House) async throws -> DeploymentKeys {
        try await DeploymentKeys.open(
            MasterKeys(parsing: text),
            store: house.store,
            now: house.setting.now,
            random: { Random.bytes($0) }
        )
    }

    private func rotation(_ house: House) -> MasterKeyRotation {
        MasterKeyRotation(store: house.store, random: { Random.bytes($0) })
    }

    private func makeKeys(_ house: House) async throws {
        try await house.keys.makeFirstKeys(
            of: House.tenant,
            named: "acme",
            algorithms: [.es256, .edDSA],
            now: house.setting.now
        )
    }

    @Test("The data key goes under the newest key of the file; what runs goes on, and the old key is needed no more")
    func rotates() async throws {
        let house = try await House()
        try await makeKeys(house)
        let before = try await open(Self.line, house)
        await #expect(throws: MasterKeyError.alreadyNewest(id: "a")) {
            try await rotation(house).rotate(MasterKeys(parsing: Self.line), now: house.setting.now)
        }
        let moved = try await rotation(house).rotate(MasterKeys(parsing: Self.both), now: house.setting.now)
        #expect(moved.old == "a" && moved.new == "b")
        await #expect(throws: MasterKeyError.unknownMasterKey(id: "b")) { try await open(Self.line, house) }
        for text in [Self.both, Self.newLine] {
            let after = try await open(text, house)
            for purpose in KeyPurpose.allCases { #expect(after.key(for: purpose) == before.key(for: purpose)) }
        }
        try await house.signIn()
        try await rotation(house).verifySeals(open(Self.newLine, house))
    }

    @Test("A server notices that its store was begun anew, and that it was only sealed by a key that it lacks")
    func watches() async throws {
        let house = try await House()
        try await makeKeys(house)
        let watch = DeploymentWatch(try await open(Self.line, house), store: house.store)
        func look(_ text: String) async throws -> DeploymentWatch.Finding {
            try await watch.look { () throws(MasterKeyError) in try MasterKeys(parsing: text) }
        }
        #expect(try await look(Self.line) == .same)
        _ = try await rotation(house).rotate(MasterKeys(parsing: Self.both), now: house.setting.now)
        #expect(try await look(Self.line) == .sealedByUnknown(id: "b"))
        #expect(try await look(Self.both) == .same)

        let other = "c \(Base64URL.encode([UInt8](repeating: 3, count: 32)))"
        let anew = try await rotation(house).replaceLost(MasterKeys(parsing: other), now: house.setting.now)
        // With the new file the data key itself tells, before any signing key was made.
        #expect(try await look(other) == .replaced)
        let pool = try BlockingPool(name: "keys", threadCount: 1)
        let ring = KeyRing(store: house.store, deployment: anew, pool: pool, random: { Random.bytes($0) })
        try await ring.makeFirstKeys(of: House.tenant, named: "acme", algorithms: [.es256], now: house.setting.now)
        pool.stop()
        #expect(try await look(Self.both) == .replaced)
    }

    @Test("A wrong master key and a damaged data key are told apart")
    func wrongOrDamaged() async throws {
        let house = try await House()
        let wrong = "a \(Base64URL.encode([UInt8](repeating: 9, count: 32)))"
        await #expect(throws: MasterKeyError.wrongMasterKey(id: "a")) { try await open(wrong, house) }
        let secret = try #require(house.store.now.secret)
        for index in secret.sealedDataKey.indices {
            var sealed = secret.sealedDataKey
            sealed[index] ^= 1
            house.store.change { state in
                state.secret = DeploymentSecret(
                    masterKeyID: secret.masterKeyID,
                    sealedDataKey: sealed,
                    masterKeyCheck: secret.masterKeyCheck,
                    createdAt: secret.createdAt
                )
            }
            await #expect(throws: MasterKeyError.damagedDataKey) { try await open(Self.line, house) }
        }
    }

    @Test("A flipped byte in a signing key's row, a row in another's place, and one of another tenant are named")
    func damagedRows() async throws {
        let house = try await House()
        try await makeKeys(house)
        let deployment = try await open(Self.line, house)
        try await rotation(house).verifySeals(deployment)
        let keys = house.store.now.keys
        let whole = keys[0]
        let flips: [(inout SigningKeyRecord) -> Void] = [
            { $0 = $0.with(sealed: flipped($0.sealedPrivateKey)) }, { $0 = $0.with(publicKey: flipped($0.publicKey)) },
            { $0 = $0.with(certificate: flipped($0.certificate)) },
            { $0 = $0.with(sealed: keys[1].sealedPrivateKey) },
            {
                $0 = $0.with(
                    sealed: keys[1].sealedPrivateKey,
                    publicKey: keys[1].publicKey,
                    certificate: keys[1].certificate
                )
            },
            { $0 = $0.with(tenant: TenantID(number: 8)) }, { $0 = $0.with(algorithm: .edDSA) },
            { $0 = $0.with(sealed: []) },
        ]
        for flip in flips {
            var spoilt = whole
            flip(&spoilt)
            let damaged = spoilt
            house.store.change { $0.keys[0] = damaged }
            await #expect {
                try await rotation(house).verifySeals(deployment)
            } throws: { error in
                guard case MasterKeyError.damagedSigningKey(let id, _) = error else { return false }
                return id == whole.id.text && "\(error)".contains(id)
            }
        }
    }

    @Test("A lost master key: what goes is counted, passkeys stay, new keys sign and the old ones still verify")
    func lost() async throws {
        let house = try await House()
        try await makeKeys(house)
        let old = house.store.now.keys
        await #expect(throws: MasterKeyError.notLost(id: "a")) {
            try await rotation(house).losses(MasterKeys(parsing: Self.both))
        }
        await #expect(throws: MasterKeyError.notLost(id: "a")) {
            try await rotation(house).replaceLost(MasterKeys(parsing: Self.both), now: house.setting.now)
        }
        let losses = try await rotation(house).losses(MasterKeys(parsing: Self.newLine))
        #expect(losses.signingKeys == 4)
        let deployment = try await rotation(house).replaceLost(
            MasterKeys(parsing: Self.newLine),
            now: house.setting.now
        )
        try await rotation(house).verifySeals(deployment)
        let ring = KeyRing(store: house.store, deployment: deployment, pool: house.pool, random: { Random.bytes($0) })
        let signer = try await ring.signer(.es256, in: house.context)
        #expect(!old.contains { $0.id == signer.id })
        let published = try JSON.parse(try await ring.keySet(in: house.context).body).object?["keys"]?.array ?? []
        let ids = published.compactMap { $0.object?["kid"]?.string }
        for key in old { #expect(ids.contains(key.id.text) == (key.state == .active)) }
        await #expect(throws: MasterKeyError.unknownMasterKey(id: "b")) { try await open(Self.line, house) }
    }

    @Test("A store without a secret has nothing to seal or to lose")
    func empty() async throws {
        let store = MemoryStore()
        let rotation = MasterKeyRotation(store: store, random: { Random.bytes($0) })
        await #expect(throws: MasterKeyError.nothingSealed) {
            try await rotation.rotate(MasterKeys(parsing: Self.both), now: UnixTime(seconds: 1))
        }
        await #expect(throws: MasterKeyError.nothingSealed) {
            try await rotation.losses(MasterKeys(parsing: Self.both))
        }
    }
}

private func flipped(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes[bytes.count / 2] ^= 1
    return bytes
}

extension SigningKeyRecord {
    func with(
        tenant: TenantID? = nil,
        algorithm: TokenAlgorithm? = nil,
        sealed: [UInt8]? = nil,
        publicKey: [UInt8]? = nil,
        certificate: [UInt8]? = nil
    ) -> SigningKeyRecord {
        SigningKeyRecord(
            id: id,
            tenant: tenant ?? self.tenant,
            algorithm: algorithm ?? self.algorithm,
            state: state,
            publicKey: publicKey ?? self.publicKey,
            certificate: certificate ?? self.certificate,
            sealedPrivateKey: sealed ?? sealedPrivateKey,
            createdAt: createdAt,
            activatedAt: activatedAt
        )
    }
}
