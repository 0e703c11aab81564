import Encodings
import Identity

extension CredentialDatabaseContract {
    static let domains = [
        promise("A domain is kept whole, and changed or removed only as it was read") { scene in
            let host = "a.\(scene.relyingPartyID)"
            var domain = Domain.sample(of: scene.tenant, host: host, relyingPartyID: host)
            domain.isDefault = true
            domain.verification = DomainVerification(
                record: "proof=é",
                verifiedAt: scene.later(3),
                provenNames: [scene.relyingPartyID],
                problem: "nothing was found"
            )
            domain.stored = ["tls_policy": "compatible", "domain_metadata": ["a": "\" é"]]
            try await scene.change(.addDomain(domain))
            try requireEqual(try await scene.domain(host), domain, "the domain that was added")

            var changed = domain
            changed.isDefault = false
            changed.stored = JSONObject()
            changed.verification = DomainVerification()
            changed.relatedOrigins = []
            changed.updatedAt = scene.later(9)
            try require(
                try await scene.change(.setDomain(changed, replacing: domain.updatedAt)),
                "the domain is changed"
            )
            try requireEqual(try await scene.domain(host), changed, "the domain that was changed")
            try require(
                try await scene.change(.setDomain(domain, replacing: domain.updatedAt)) == false,
                "a domain that was changed since it was read stays as it is"
            )
            try require(
                try await scene.change(.removeDomain(domain)) == false,
                "a domain that was changed since it was read is not removed"
            )
            let before = try await scene.store.version()
            try require(try await scene.change(.removeDomain(changed)), "the domain is removed")
            try requireEqual(try await scene.domain(host), nil, "the domain that was removed")
            try require(try await scene.store.version() > before, "the version grows")
            let canonical = try requireSome(
                try await scene.store.configuration(of: scene.tenant)?.domains.first,
                "the canonical domain"
            )
            try require(
                try await scene.change(.removeDomain(canonical)) == false,
                "the canonical domain is not removed"
            )
        },
        promise("The names of a proven domain are its tenant's, until nothing needs them") { scene in
            let store = scene.store
            let other = try await Scene(store)
            let (host, parent, old) = (
                "login.p-\(scene.relyingPartyID)", "p-\(scene.relyingPartyID)", "old-\(scene.relyingPartyID)"
            )
            var domain = Domain.sample(of: scene.tenant, host: host + ":8443", relyingPartyID: parent, legacy: [old])
            domain.status = .pendingVerification
            try await scene.change(.addDomain(domain))
            for name in [host, parent, old] {
                try requireEqual(
                    try await store.owner(ofRelyingParty: name),
                    nil,
                    "whose \(name) is before it was proven"
                )
            }
            domain.status = .ready
            try await scene.change(.setDomain(domain, replacing: domain.updatedAt))
            for name in [host, parent, old] {
                try requireEqual(try await store.owner(ofRelyingParty: name), scene.tenant, "whose \(name) is")
                try requireEqual(try await store.tenant(host: name), scene.tenant, "whose host \(name) is")
                let theirs = Domain.sample(of: other.tenant, host: "x.\(name)", relyingPartyID: name)
                try await requireConflict(.relyingPartyID, "another tenant's \(name)") { () throws(StoreError) in
                    _ = try await other.change(.addDomain(theirs))
                }
                let below = Domain.sample(of: other.tenant, host: name, relyingPartyID: "x.\(name)")
                try await requireConflict(.relyingPartyID, "another tenant's domain of that name") {
                    () throws(StoreError) in _ = try await other.change(.addDomain(below))
                }
            }
            // Somebody has a passkey under one of them.
            let person = try await scene.signUp()
            _ = try await store.add(
                scene.passkey(of: person.user.id, under: old),
                maximum: 9,
                ceremony: scene.ceremony(user: person.user.id),
                audit: scene.audit("x")
            )
            try require(try await store.hasPasskeys(under: old, of: scene.tenant), "there are passkeys under \(old)")
            try require(
                try await store.hasPasskeys(under: parent, of: scene.tenant) == false,
                "there are none under \(parent)"
            )
            try require(
                try await store.hasPasskeys(under: old, of: other.tenant) == false,
                "another tenant has none under \(old)"
            )
            let second = Domain.sample(of: scene.tenant, host: "second.\(parent)", relyingPartyID: parent)
            try await scene.change(.addDomain(second))
            try await scene.change(.removeDomain(domain))
            try requireEqual(try await store.owner(ofRelyingParty: host), nil, "whose \(host) is")
            try requireEqual(try await store.owner(ofRelyingParty: parent), scene.tenant, "whose \(parent) is")
            try requireEqual(try await store.owner(ofRelyingParty: old), scene.tenant, "whose \(old) is")
            try await scene.change(.removeDomain(second))
            try requireEqual(try await store.owner(ofRelyingParty: parent), nil, "whose \(parent) is at the end")
            try await other.change(.addDomain(.sample(of: other.tenant, host: host, relyingPartyID: parent)))
        },
        Promise("Of many tenants that take one RP ID at once, one has it") { store in
            var scenes: [Scene] = []
            for _ in 0..<6 { scenes.append(try await Scene(store)) }
            let (contenders, wanted) = (scenes, "w-\(scenes[0].relyingPartyID)")
            // They come in the order in which they end.
            let outcomes = try await race(contenders.count) { index in
                let scene = contenders[index]
                let conflict = try await conflict { () throws(StoreError) in
                    _ = try await scene.change(
                        .addDomain(.sample(of: scene.tenant, host: "t\(index).\(wanted)", relyingPartyID: wanted))
                    )
                }
                return (tenant: scene.tenant, conflict: conflict)
            }
            let winners = outcomes.filter { $0.conflict == nil }
            try requireEqual(winners.count, 1, "the number of winners")
            try require(
                outcomes.allSatisfy { $0.conflict == nil || $0.conflict == .relyingPartyID },
                "the others hear that the RP ID is taken"
            )
            try requireEqual(try await store.owner(ofRelyingParty: wanted), winners.first?.tenant, "the owner")
        },
        promise("Who would be left behind without an old RP ID is counted and named, and nobody else") { scene in
            let store = scene.store
            let (old, new, third) = (scene.relyingPartyID, "new-\(scene.relyingPartyID)", "3-\(scene.relyingPartyID)")
            func add(_ name: String, to person: Person, suspended: Bool = false) async throws {
                var passkey = scene.passkey(of: person.user.id, under: name)
                if suspended { passkey.suspendedAt = scene.now }
                _ = try await store.add(
                    passkey,
                    maximum: 9,
                    ceremony: scene.ceremony(user: person.user.id),
                    audit: scene.audit("x")
                )
            }
            try requireEqual(
                try await store.coverage(of: old, by: new, [], of: scene.tenant),
                RelyingPartyCoverage(users: 0, covered: 0),
                "the coverage of nobody"
            )
            var people: [Person] = []
            for number in 0..<5 { people.append(try await scene.signUp(at: scene.later(Int64(number) * 1000))) }
            // 0 has the old one alone, and 1 twice; 2 has both, 3 a new one that is out of use, 4 the third.
            try await add(old, to: people[1])
            try await add(new, to: people[2])
            try await add(new, to: people[3], suspended: true)
            try await add(third, to: people[4])
            let stranger = try await Scene(store)
            _ = try await stranger.signUp()
            try requireEqual(
                try await store.coverage(of: old, by: new, [], of: scene.tenant),
                RelyingPartyCoverage(users: 5, covered: 1),
                "the coverage by the new one"
            )
            try requireEqual(
                try await store.coverage(of: old, by: new, [third], of: scene.tenant),
                RelyingPartyCoverage(users: 5, covered: 2),
                "the coverage by both"
            )
            let left = try await store.usersLeftBehind(
                under: old,
                by: new,
                [third],
                of: scene.tenant,
                after: nil,
                limit: 2
            )
            try requireEqual(left.map(\.id), [people[0].user.id, people[1].user.id], "who is left behind first")
            let rest = try await store.usersLeftBehind(
                under: old,
                by: new,
                [third],
                of: scene.tenant,
                after: left.last?.id,
                limit: 9
            )
            try requireEqual(rest.map(\.id), [people[3].user.id], "who is left behind then")
            try requireEqual(
                rest.first?.identifiers.map(\.canonical),
                people[3].user.identifiers.map(\.canonical),
                "what they are found by"
            )
        },
    ]
}

extension Scene {
    /// The tenant's domain of this host, as it is stored.
    fileprivate func domain(_ host: String) async throws(StoreError) -> Domain? {
        try await store.configuration(of: tenant)?.domain(host: host)
    }
}
