import Encodings
import Identity
import Synchronization

@testable import Audit

/// The events and seals of some tenants, in memory.
final class MemoryChain: AuditChainStore {
    struct State {
        var events: [StoredAuditEvent] = []
        var seals: [AuditSeal] = []
    }

    let state = Mutex(State())

    /// Records events of `tenant`, a second apart, the first at `start`.
    func record(_ count: Int, of tenant: TenantID = .first, from start: UnixTime) {
        state.withLock { state in
            for index in 0..<count {
                let at = start.adding(seconds: Int64(index))
                state.events.append(
                    StoredAuditEvent(
                        id: TimeOrderedID(now: at, random: [UInt8](repeating: UInt8(index % 256), count: 10)),
                        event: AuditEvent(
                            tenant: tenant,
                            types: ["s", "sepkft"],
                            at: at,
                            user: UserID(now: at, random: [UInt8](repeating: 7, count: 8)),
                            client: ClientID("app"),
                            device: Device(address: "192.0.2.1", userAgent: "a \"b\" é\n"),
                            details: ["index": .integer(Int64(index))]
                        )
                    )
                )
            }
        }
    }

    func tenantsToSeal(through bound: TimeOrderedID) async throws(StoreError) -> [TenantID] {
        state.withLock { state in
            Set(state.events.map(\.event.tenant)).filter { tenant in
                let last = state.seals.last { $0.tenant == tenant }?.through.bytes ?? []
                return state.events.contains {
                    $0.event.tenant == tenant && last.lexicographicallyPrecedes($0.id.bytes)
                        && !bound.bytes.lexicographicallyPrecedes($0.id.bytes)
                }
            }
            .sorted { $0.number < $1.number }
        }
    }

    func newestSeal(of tenant: TenantID) async throws(StoreError) -> AuditSeal? {
        state.withLock { $0.seals.last { $0.tenant == tenant } }
    }

    func events(
        of tenant: TenantID,
        after cursor: TimeOrderedID?,
        through bound: TimeOrderedID?,
        limit: Int
    ) async throws(StoreError) -> [StoredAuditEvent] {
        state.withLock { state in
            let events = state.events.filter { event in
                event.event.tenant == tenant
                    && (cursor?.bytes ?? []).lexicographicallyPrecedes(event.id.bytes)
                    && bound.map { !$0.bytes.lexicographicallyPrecedes(event.id.bytes) } ?? true
            }
            return Array(events.sorted { $0.id.bytes.lexicographicallyPrecedes($1.id.bytes) }.prefix(limit))
        }
    }

    func newestEvents(of tenant: TenantID, limit: Int) async throws(StoreError) -> [StoredAuditEvent] {
        Array(try await events(of: tenant, after: nil, through: nil, limit: .max).reversed().prefix(limit))
    }

    func append(_ seal: AuditSeal) async throws(StoreError) -> Bool {
        state.withLock { state in
            guard !state.seals.contains(where: { $0.tenant == seal.tenant && $0.number == seal.number }) else {
                return false
            }
            state.seals.append(seal)
            return true
        }
    }

    func seals(of tenant: TenantID, after number: Int64, limit: Int) async throws(StoreError) -> [AuditSeal] {
        state.withLock { Array($0.seals.filter { $0.tenant == tenant && $0.number > number }.prefix(limit)) }
    }

    func removeSealedEvents(before time: UnixTime) async throws(StoreError) {
        let bound = TimeOrderedID(now: time, random: []).bytes
        state.withLock { state in
            for tenant in Set(state.seals.map(\.tenant)) {
                let old = state.seals.filter { $0.tenant == tenant }.dropLast()
                    .prefix { $0.through.bytes.lexicographicallyPrecedes(bound) }
                guard let last = old.last else { continue }
                state.seals.removeAll { $0.tenant == tenant && $0.number <= last.number }
                state.events.removeAll {
                    $0.event.tenant == tenant && !last.through.bytes.lexicographicallyPrecedes($0.id.bytes)
                }
            }
        }
    }
}

extension TenantID {
    static let first = TenantID(number: 1)
    static let second = TenantID(number: 2)
}
