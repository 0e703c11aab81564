import Cryptography
import Encodings
import Identity
import Testing

@testable import Tokens

@Suite("HTTP contract 6.7 and design, section 7: signing keys")
struct KeyRingTests {
    private func makeKeys(_ house: House, _ algorithms: [TokenAlgorithm] = [.es256]) async throws {
        try await house.keys.makeFirstKeys(
            of: House.tenant,
            named: "acme",
            algorithms: algorithms,
            now: house.setting.now
        )
    }

    private func published(_ house: House) async throws -> [JSONObject] {
        let document = try JSON.parse(try await house.keys.keySet(in: house.context).body).object
        return document?["keys"]?.array?.compactMap(\.object) ?? []
    }

    @Test("A tenant's first keys are an active and a published one of each algorithm, sealed, with a certificate")
    func firstKeys() async throws {
        let house = try await House()
        try await makeKeys(house, TokenAlgorithm.allCases)
        let records = house.store.now.keys
        #expect(records.count == 8)
        for algorithm in TokenAlgorithm.allCases {
            #expect(records.filter { $0.algorithm == algorithm }.map(\.state) == [.active, .published])
        }
        for record in records {
            let certificate = try Certificate(der: record.certificate)
            #expect(certificate.publicKey.subjectPublicKeyInfo == record.publicKey)
            #expect(certificate.isSigned(by: certificate.publicKey))
            #expect(certificate.subject.map(\.value) == ["acme"])
            #expect(try Base64URL.decode(record.id.text).count == 16)
        }
        // A second time nothing changes.
        try await makeKeys(house, TokenAlgorithm.allCases)
        #expect(house.store.now.keys == records)
    }

    @Test("The published set begins with the current key, and has what clients read")
    func document() async throws {
        let house = try await House()
        try await makeKeys(house, [.rs256, .es256, .edDSA])
        let keys = try await published(house)
        #expect(keys.compactMap { $0["alg"]?.string } == ["RS256", "ES256", "EdDSA", "RS256", "ES256", "EdDSA"])
        let active = house.store.now.keys.filter { $0.state == .active }
        #expect(keys.first?["kid"]?.string == active.first?.id.text)
        for key in keys {
            #expect(key["use"] == "sig")
            #expect(key["x5c"]?.array?.count == 1)
            #expect(key["x5t"]?.string != nil)
            #expect(key["d"] == nil)
        }
        #expect(keys.first?["e"] == "AQAB")
        #expect(keys.dropFirst().first?["crv"] == "P-256")
        let keySet = try await house.keys.keySet(in: house.context)
        #expect(try await house.keys.keySet(in: house.context).entityTag == keySet.entityTag)
        #expect(keySet.entityTag.first == "\"" && keySet.entityTag.last == "\"")
    }

    @Test("An algorithm that comes into use gets its keys then")
    func lazily() async throws {
        let house = try await House { $0.client.idTokenAlgorithm = .edDSA }
        let signIn = try await house.signIn()
        let token = try #require(signIn.response.idToken)
        #expect(try await house.verified(token).header["alg"] == "EdDSA")
        #expect(house.store.now.keys.filter { $0.algorithm == .edDSA }.map(\.state) == [.active, .published])
    }

    @Test("Two servers that make the first keys at once end with one of them")
    func firstKeysRace() async throws {
        let house = try await House()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { try await makeKeys(house) } }
            try await group.waitForAll()
        }
        #expect(house.store.now.keys.map(\.state) == [.active, .published])
    }

    @Test("A sealed key opens in its own row only: not for another kid, not for another tenant")
    func boundToItsRow() async throws {
        let house = try await House()
        try await makeKeys(house)
        let records = house.store.now.keys
        let (active, next) = (records[0], records[1])
        let swapped = active.with(sealed: next.sealedPrivateKey, publicKey: next.publicKey)
        let moved = active.with(tenant: TenantID(number: 8))
        for (record, tenant) in [(swapped, House.tenant), (moved, TenantID(number: 8))] {
            house.store.change { state in
                state.keys = [record]
                state.version += 1
            }
            house.set { setting in
                setting.tenantID = tenant
                setting.version = house.store.now.version
            }
            await #expect {
                try await house.signIn()
            } throws: { error in
                guard case TokenError.keys(let reason) = error else { return false }
                return reason.contains(active.id.text)
            }
        }
    }

    @Test("A change by another server is seen after 5 s, and not asked for before")
    func freshness() async throws {
        let house = try await House()
        try await makeKeys(house)
        let first = try await published(house)
        house.store.change { state in
            state.keys.removeLast()
            state.version += 1
        }
        house.pass(seconds: 4)
        #expect(try await published(house) == first)
        house.pass(seconds: 1)
        #expect(try await published(house).count == 1)
        let reads = house.store.now.keyReads
        for _ in 0..<10 { _ = try await published(house) }
        house.pass(seconds: 5)
        _ = try await published(house)
        #expect(house.store.now.keyReads == reads)
    }

    @Test("A configuration that is newer than the keys makes them be read at once")
    func newerConfiguration() async throws {
        let house = try await House()
        try await makeKeys(house)
        _ = try await published(house)
        house.store.change { state in
            state.keys.removeLast()
            state.version += 1
        }
        house.set { $0.version = house.store.now.version }
        #expect(try await published(house).count == 1)
    }

    @Test("While the store does not answer, signing and the key set go on")
    func storeDown() async throws {
        let house = try await House()
        let decision = try GrantDecision.user(
            audience: House.audience,
            scope: "openid",
            client: house.client,
            in: house.context
        )
        try await house.signIn()
        house.store.change { $0.fault = .unavailable(reason: "test") }
        house.pass(seconds: 60)
        let prepared = try await house.issuer.prepare(
            decision,
            for: house.authentication,
            client: house.client,
            in: house.context
        )
        _ = try await house.verified(try await house.issuer.sign(prepared).accessToken)
    }

    @Test("A key that stopped signing stays for the longest token's life and 5 minutes; a revoked one leaves at once")
    func retiring() async throws {
        let house = try await House()
        try await makeKeys(house)
        let stopped = house.setting.now
        house.store.change { state in
            state.keys[0].state = .retiring
            state.keys[0].retiringAt = stopped
            state.keys[1].state = .active
            state.version += 1
        }
        house.pass(seconds: 86400 + 299)
        #expect(try await published(house).count == 2)
        house.pass(seconds: 1)
        #expect(try await published(house).count == 1)
        // A longer life of any of the tenant's tokens keeps it longer.
        house.set { $0.client.idTokenLifetime = 100_000 }
        house.set { $0.version += 1 }
        #expect(try await published(house).count == 2)
        house.store.change { state in
            state.keys[0].revokedAt = stopped
            state.version += 1
        }
        house.pass(seconds: 5)
        #expect(try await published(house).count == 1)
    }
}
