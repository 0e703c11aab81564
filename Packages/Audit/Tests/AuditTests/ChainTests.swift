import Cryptography
import Encodings
import Identity
import Synchronization
import Testing

@testable import Audit

@Suite("Design, section 10: the audit log is tamper-evident")
struct ChainTests {
    private let secret = [UInt8](repeating: 9, count: 32)
    private let start = UnixTime(seconds: 1_800_000_000)

    private func sealer(_ chain: MemoryChain, _ secret: [UInt8]? = nil) -> AuditSealer {
        AuditSealer(store: chain, secret: secret ?? self.secret)
    }

    private func export(
        _ chain: MemoryChain,
        _ tenant: TenantID = .first,
        since: UnixTime? = nil
    ) async throws -> [String] {
        var lines: [String] = []
        try await AuditExport(store: chain).write(tenant, named: "acme", since: since, now: start) { lines.append($0) }
        return lines
    }

    private func verify(_ lines: [String], keys: Set<String> = []) throws(AuditFault) -> AuditVerification {
        var verification = AuditVerification(expectedKeys: keys)
        for line in lines { try verification.take(line) }
        try verification.finish()
        return verification
    }

    /// Three seals of ten events each, and four events after them.
    private func sealed() async throws -> MemoryChain {
        let chain = MemoryChain()
        for round in 0..<3 {
            let at = start.adding(seconds: Int64(round) * 100)
            chain.record(10, from: at)
            #expect(try await sealer(chain).seal(now: at.adding(seconds: 50)) == 10)
        }
        chain.record(4, from: start.adding(seconds: 300))
        return chain
    }

    @Test("What was sealed verifies, with the key's thumbprint, and what came after is told apart")
    func verifies() async throws {
        let chain = try await sealed()
        let key = AuditKey.thumbprint(try AuditKey(from: secret, of: .first).publicKey)
        let result = try verify(try await export(chain), keys: [key])
        #expect(result.sealedEvents == 30 && result.seals == 3 && result.unsealedEvents == 4)
        #expect(result.lastSeal?.number == 3 && result.tenant == "acme" && result.keys == [key])
    }

    @Test("Events younger than the delay wait, and are sealed once")
    func delay() async throws {
        let chain = MemoryChain()
        chain.record(20, from: start)
        let sealer = sealer(chain)
        // At second 15 those of the seconds 0 to 4 are older than ten seconds.
        #expect(try await sealer.seal(now: start.adding(seconds: 15)) == 5)
        #expect(try await sealer.seal(now: start.adding(seconds: 15)) == 0)
        #expect(try await sealer.seal(now: start.adding(seconds: 100)) == 15)
        #expect(try verify(try await export(chain)).seals == 2)
    }

    @Test("More events than one seal takes are sealed by several")
    func batches() async throws {
        let chain = MemoryChain()
        chain.record(2500, from: start)
        #expect(try await sealer(chain).seal(now: start.adding(seconds: 10_000)) == 2500)
        let result = try verify(try await export(chain))
        #expect(result.seals == 3 && result.sealedEvents == 2500)
    }

    @Test("Many sealers at once make one chain for each tenant")
    func races() async throws {
        let chain = MemoryChain()
        chain.record(3000, from: start)
        chain.record(50, of: .second, from: start)
        let sealer = sealer(chain)
        let now = start.adding(seconds: 10_000)
        let sealed = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try await sealer.seal(now: now) } }
            return try await group.reduce(0, +)
        }
        #expect(sealed == 3050)
        #expect(try verify(try await export(chain)).sealedEvents == 3000)
        #expect(try verify(try await export(chain, .second)).sealedEvents == 50)
        let keys = chain.state.withLock { Set($0.seals.map(\.publicKey)) }
        #expect(keys.count == 2)
    }

    @Test("An export from a moment on begins with the batch that holds it, and verifies")
    func since() async throws {
        let chain = try await sealed()
        let lines = try await export(chain, since: start.adding(seconds: 205))
        let result = try verify(lines)
        #expect(result.seals == 1 && result.sealedEvents == 10 && result.unsealedEvents == 4)
        #expect(try verify(try await export(chain, since: start.adding(seconds: 10_000))).seals == 0)
    }

    @Test("What is left after the oldest batches went for their age verifies, and is sealed on")
    func thinned() async throws {
        let chain = try await sealed()
        try await chain.removeSealedEvents(before: start.adding(seconds: 205))
        let result = try verify(try await export(chain))
        #expect(result.seals == 1 && result.sealedEvents == 10 && result.unsealedEvents == 4)
        #expect(result.lastSeal?.number == 3)
        try await chain.removeSealedEvents(before: start.adding(seconds: 10_000))
        #expect(try await sealer(chain).seal(now: start.adding(seconds: 400)) == 4)
        #expect(try verify(try await export(chain)).lastSeal?.number == 4)
    }

    @Test("Whatever is changed, removed, added or exchanged in what was sealed is found")
    func tampering() async throws {
        let lines = try await export(try await sealed())
        // The header, ten events, a seal, ten events, a seal, ten events, a seal, four events.
        try #require(lines.count == 38 && lines[11].hasPrefix(#"{"seal":1"#))
        for index in 1..<34 {
            // Without its last seal an export is that of an earlier moment, which its number tells.
            if index < 33 {
                var removed = lines
                removed.remove(at: index)
                #expect(throws: AuditFault.self, "removed \(index)") { _ = try verify(removed) }
            }
            for (from, to) in [("192.0.2.1", "192.0.2.2"), ("20", "21"), ("1", "3")] {
                var changed = lines
                changed[index] = changed[index].replacing(from, with: to)
                guard changed[index] != lines[index] else { continue }
                #expect(throws: AuditFault.self, "changed \(index)") { _ = try verify(changed) }
            }
            var twice = lines
            twice.insert(lines[index], at: index)
            #expect(throws: AuditFault.self, "twice \(index)") { _ = try verify(twice) }
        }
        var exchanged = lines
        exchanged.swapAt(3, 4)
        #expect(throws: AuditFault.disordered(line: 5)) { _ = try verify(exchanged) }
        #expect(throws: AuditFault.broken(seal: 3)) {
            _ = try verify(Array(lines[...11]) + Array(lines[23...]))
        }
    }

    @Test("The fault says what happened")
    func faults() async throws {
        let chain = try await sealed()
        func exportChanged(_ change: (inout MemoryChain.State) -> Void) async throws -> [String] {
            let copy = MemoryChain()
            let state = chain.state.withLock { $0 }
            copy.state.withLock { $0 = state }
            copy.state.withLock { change(&$0) }
            return try await export(copy)
        }
        let fewer = try await exportChanged { $0.events.remove(at: 12) }
        #expect(throws: AuditFault.count(seal: 2, sealed: 10, found: 9)) { _ = try verify(fewer) }
        let late = start.adding(milliseconds: 100_500)
        let more = try await exportChanged { state in
            let event = state.events[0].event
            state.events.append(StoredAuditEvent(id: TimeOrderedID(now: late, random: [1]), event: event))
        }
        #expect(throws: AuditFault.count(seal: 2, sealed: 10, found: 11)) { _ = try verify(more) }
        let other = try await exportChanged { state in
            let old = state.events[12]
            let event = AuditEvent(tenant: .first, types: ["f"], at: old.event.at, device: old.event.device)
            state.events[12] = StoredAuditEvent(id: old.id, event: event)
        }
        #expect(throws: AuditFault.changed(seal: 2)) { _ = try verify(other) }
        let unlinked = try await exportChanged { $0.seals.remove(at: 1) }
        #expect(throws: AuditFault.broken(seal: 3)) { _ = try verify(unlinked) }
    }

    @Test("Whoever seals anew without the deployment's secret is found by the key")
    func foreignKey() async throws {
        let chain = MemoryChain()
        chain.record(5, from: start)
        _ = try await sealer(chain, [UInt8](repeating: 1, count: 32)).seal(now: start.adding(seconds: 100))
        let lines = try await export(chain)
        let expected = AuditKey.thumbprint(try AuditKey(from: secret, of: .first).publicKey)
        let other = AuditKey.thumbprint(try AuditKey(from: [UInt8](repeating: 1, count: 32), of: .first).publicKey)
        #expect(throws: AuditFault.foreignKey(seal: 1, thumbprint: other)) {
            _ = try verify(lines, keys: [expected])
        }
        #expect(try verify(lines).keys == [other])
    }

    @Test(
        "What is no export is named by its line",
        arguments: [
            [], ["no JSON"], ["{}"], [#"{"format":"latchkey-audit-2","tenant_number":1}"#],
            [#"{"format":"latchkey-audit-1","tenant_number":1}"#, "{}"],
            [#"{"format":"latchkey-audit-1","tenant_number":1}"#, #"{"seal":9223372036854775807,"events":-1}"#],
            [#"{"format":"latchkey-audit-1","tenant_number":1}"#, #"{"log_id":"!"}"#],
        ]
    )
    func malformed(_ lines: [String]) {
        #expect {
            _ = try verify(lines)
        } throws: { error in
            guard case AuditFault.malformed(let line, _) = error else { return false }
            return line == max(1, lines.count)
        }
    }

    @Test("The form of the lines, and the key of a tenant, never change")
    func golden() async throws {
        let at = UnixTime(milliseconds: 1_800_000_000_123)
        let event = AuditEvent(
            tenant: .first,
            types: ["ss"],
            at: at,
            user: UserID(bytes: [UInt8](repeating: 0xAB, count: 12)),
            client: ClientID("app"),
            connection: ConnectionID("con_1"),
            device: Device(address: "::1", userAgent: "x"),
            details: ["a": 1]
        )
        let stored = StoredAuditEvent(id: TimeOrderedID(now: at, random: [1, 2]), event: event)
        #expect(
            AuditLine.text(of: stored)
                == #"{"log_id":"\#(stored.id.base62)","date":"2027-01-15T08:00:00.123Z","types":["ss"],"#
                + #""user_id":"auth0|abababababababababababab","client_id":"app","connection_id":"con_1","#
                + #""ip":"::1","user_agent":"x","details":{"a":1}}"#
        )
        let hash = AuditLine.hash(after: [UInt8](repeating: 0, count: 32), [AuditLine.hash("a"), AuditLine.hash("b")])
        #expect(hash == SHA256.hash([UInt8](repeating: 0, count: 32) + SHA256.hash([97]) + SHA256.hash([98])))
        let seed = try HKDF.sha256(secret[...], salt: [], info: Array("tenant 1".utf8)[...], count: 32)
        let key = try AuditKey(from: secret, of: .first)
        #expect(seed != key.publicKey && key.publicKey.count == 32)
        // RFC 8037, appendix A.3.
        let published = try Base64URL.decode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")
        #expect(AuditKey.thumbprint(published) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }
}
