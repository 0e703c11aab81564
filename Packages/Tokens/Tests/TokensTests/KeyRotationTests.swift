import Cryptography
import Encodings
import Identity
import Testing
import Threads

@testable import Tokens

@Suite("HTTP contract 6.7 and 11.12, design, section 7: keys move on")
struct KeyRotationTests {
    /// The tenant's keys of one algorithm, two servers that use them, and who moves them on.
    private struct Scene {
        let house: House
        let servers: [KeyRing]
        let rotation: KeyRotation

        init(_ algorithms: [TokenAlgorithm] = [.es256], _ change: (inout House.Setting) -> Void = { _ in }) async throws
        {
            let house = try await House(change)
            let deployment = try await DeploymentKeys.open(
                MasterKeys(parsing: House.masterKeys),
                store: house.store,
                now: house.setting.now,
                random: { Random.bytes($0) }
            )
            self.house = house
            let other = KeyRing(
                store: house.store,
                deployment: deployment,
                pool: house.pool,
                random: { Random.bytes($0) }
            )
            servers = [house.keys, other]
            rotation = KeyRotation(
                store: house.store,
                deployment: deployment,
                pool: house.pool,
                random: { Random.bytes($0) }
            )
            try await house.keys.makeFirstKeys(
                of: House.tenant,
                named: "acme",
                algorithms: algorithms,
                tokenLifetime: 60,
                now: house.setting.now
            )
        }

        var now: UnixTime { house.setting.now }
        var audit: AuditEvent {
            AuditEvent(tenant: House.tenant, types: ["sapi"], at: now, device: house.context.device, details: [:])
        }

        func rotate(_ algorithm: TokenAlgorithm = .es256, isUrgent: Bool = false) async throws -> KeyRotation.Plan {
            try await rotation.rotate(
                algorithm,
                of: house.context.configuration,
                isUrgent: isUrgent,
                now: now,
                audit: audit
            )
        }

        func revoke(_ id: KeyID) async throws {
            try await rotation.revoke(id, of: house.context.configuration, now: now, audit: audit)
        }

        func published(by server: KeyRing) async throws -> Set<String> {
            let document = try JSON.parse(try await server.keySet(in: house.context).body).object
            return Set(document?["keys"]?.array?.compactMap { $0.object?["kid"]?.string } ?? [])
        }

        func states() -> [SigningKeyState] { house.store.now.keys.map(\.state) }
    }

    @Test("Through three rotations as fast as they may be, nobody meets an unknown key, and no token loses its own")
    func threeRotations() async throws {
        let scene = try await Scene { setting in
            setting.client.idTokenLifetime = 1500
            setting.servers = []
        }
        scene.house.set { $0.tenant = TenantSettings() }
        let longest = scene.house.context.configuration.longestTokenLifetime
        /// What each server gave out, and when.
        var given: [(at: UnixTime, keys: Set<String>)] = []
        var tokens: [(key: String, until: UnixTime)] = []
        var rotations = 0
        var signed: Set<String> = []
        var last = ["", ""]
        for second in 0..<(3 * 400 + 200) {
            scene.house.pass(seconds: 1)
            let now = scene.now
            // In the middle of it tokens begin to live shorter: those that are out do not.
            if second == 500 {
                scene.house.set { setting in
                    setting.client.idTokenLifetime = 60
                    setting.version = scene.house.store.now.version + 1
                }
                scene.house.store.change { $0.version += 1 }
            }
            if rotations < 3, second >= 10 {
                do {
                    _ = try await scene.rotate()
                    rotations += 1
                } catch KeyRotationError.tooYoung {}
            }
            if second % 60 == 0 {
                let configuration = scene.house.context.configuration
                try await scene.rotation.retireThoseOver({ _ in configuration }, now: now)
            }
            for (index, server) in scene.servers.enumerated() {
                // Each server looks at the store in its own time.
                guard second % (index + 1) == 0 else { continue }
                let keys = try await scene.published(by: server)
                given.append((now, keys))
                let signer = try await server.signer(.es256, in: scene.house.context)
                signed.insert(signer.id.text)
                let lifetime = scene.house.context.configuration.longestTokenLifetime
                tokens.append((signer.id.text, now.adding(seconds: lifetime)))
                // max-age=300, stale-while-revalidate=60: a set this old may be in use.
                given.removeAll { now.milliseconds(since: $0.at) > 360_000 }
                #expect(keys.contains(signer.id.text), "second \(second)")
                if last[index] != signer.id.text {
                    last[index] = signer.id.text
                    #expect(given.allSatisfy { $0.keys.contains(signer.id.text) }, "second \(second)")
                }
                if second % 10 == 0 {
                    tokens.removeAll { $0.until <= now }
                    #expect(tokens.allSatisfy { keys.contains($0.key) }, "second \(second)")
                }
            }
        }
        #expect(rotations == 3)
        #expect(signed.count == 4)
        // And when all is over the old ones go.
        scene.house.pass(seconds: longest + 301)
        let configuration = scene.house.context.configuration
        #expect(try await scene.rotation.retireThoseOver({ _ in configuration }, now: scene.now).isEmpty == false)
        #expect(
            scene.states().sorted { $0.rawValue < $1.rawValue } == [.active, .published, .retired, .retired, .retired]
        )
        #expect(try await scene.published(by: scene.servers[0]).count == 2)
    }

    @Test("A next key that was published less than 360 s ago waits, but for the first one; --now does not")
    func tooYoung() async throws {
        let scene = try await Scene()
        let first = try await scene.rotate()
        #expect(first.changesAt == scene.now && first.allowedAt == scene.now)
        let published = scene.now
        for seconds: Int64 in [0, 1, 358] {
            scene.house.pass(seconds: seconds)
            await #expect {
                try await scene.rotate()
            } throws: { error in
                guard case KeyRotationError.tooYoung(_, let allowedAt) = error else { return false }
                return allowedAt == published.adding(seconds: 360)
            }
        }
        #expect(scene.states() == [.retiring, .active, .published])
        scene.house.pass(seconds: 1)
        let second = try await scene.rotate()
        // All servers change together, once nobody gives out an older set.
        #expect(second.changesAt == published.adding(seconds: 370))
        let records = scene.house.store.now.keys
        #expect(records[1].retiringAt == second.changesAt && records[2].activatedAt == second.changesAt)
        for server in scene.servers {
            scene.house.pass(seconds: 5)
            let expected = scene.now < second.changesAt ? records[1].id : records[2].id
            #expect(try await server.signer(.es256, in: scene.house.context).id == expected)
        }
        let urgent = try await scene.rotate(isUrgent: true)
        #expect(urgent.changesAt == scene.now && urgent.knownAt > scene.now)
        scene.house.pass(seconds: 5)
        let signer = try await scene.servers[0].signer(.es256, in: scene.house.context)
        #expect(signer.id == urgent.next.id)
    }

    @Test("Of two that rotate at once one does")
    func race() async throws {
        let scene = try await Scene()
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    do {
                        _ = try await scene.rotate()
                        return true
                    } catch KeyRotationError.changedMeanwhile {
                        return false
                    } catch KeyRotationError.tooYoung {
                        return false
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.filter { $0 }.count == 1)
        #expect(scene.states() == [.retiring, .active, .published])
    }

    @Test("A revoked key leaves the set with its tokens; an active one is replaced first, a published one too")
    func revocation() async throws {
        let scene = try await Scene()
        let keys = scene.house.store.now.keys
        let token = try #require(try await scene.house.signIn().response.idToken)
        _ = try await scene.house.verified(token)
        try await scene.revoke(keys[0].id)
        scene.house.pass(seconds: 5)
        #expect(scene.states() == [.retired, .active, .published])
        for server in scene.servers {
            #expect(try await !scene.published(by: server).contains(keys[0].id.text))
            #expect(try await server.verifier(keys[0].id, in: scene.house.context) == nil)
            #expect(try await server.signer(.es256, in: scene.house.context).id == keys[1].id)
        }
        let next = scene.house.store.now.keys[2].id
        try await scene.revoke(next)
        #expect(scene.states() == [.retired, .active, .retired, .published])
        await #expect(throws: KeyRotationError.unknownKey(next)) { try await scene.revoke(next) }
        await #expect(throws: KeyRotationError.unknownKey(KeyID("x"))) { try await scene.revoke(KeyID("x")) }
        // Without a next key, one begins its life.
        scene.house.store.change { state in state.keys.removeLast() }
        await #expect {
            try await scene.rotate()
        } throws: { error in
            guard case KeyRotationError.tooYoung = error else { return false }
            return true
        }
        #expect(scene.states() == [.retired, .active, .retired, .published])
    }

    @Test("The store knows how long a key's tokens live before the first of them is signed")
    func lifetimes() async throws {
        let scene = try await Scene()
        #expect(scene.house.store.now.keys[0].tokenLifetime == 60)
        scene.house.set { $0.client.idTokenLifetime = 200_000 }
        _ = try await scene.servers[0].signer(.es256, in: scene.house.context)
        #expect(scene.house.store.now.keys[0].tokenLifetime == 200_000)
        // Once said is enough, also when tokens live shorter again.
        let version = scene.house.store.now.version
        scene.house.set { setting in
            setting.client.idTokenLifetime = 60
            setting.version = version
        }
        for _ in 0..<3 { _ = try await scene.servers[0].signer(.es256, in: scene.house.context) }
        #expect(scene.house.store.now.version == version)
        #expect(scene.house.store.now.keys[0].tokenLifetime == 200_000)
    }
}
