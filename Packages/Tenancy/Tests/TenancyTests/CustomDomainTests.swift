import Cryptography
import Encodings
import Identity
import Synchronization
import Testing

@testable import Tenancy

@Suite("11.6: custom domains, proven and moved")
struct CustomDomainTests {
    private let store = MemoryStore()
    private let names = Names()
    private let administration: TenantAdministration
    private let now = UnixTime(seconds: 1_800_000_000)

    /// The TXT records that the tests publish.
    private final class Names: Sendable {
        let records = Mutex<[String: TextRecords]>([:])
        let asked = Mutex<[String]>([])

        func look(_ name: String) -> TextRecords {
            asked.withLock { $0.append(name) }
            return records.withLock { $0[name] ?? .found([]) }
        }

        func publish(_ texts: String..., at name: String) {
            records.withLock { $0[name] = .found(texts.map { Array($0.utf8) }) }
        }
    }

    init() {
        let names = names
        administration = TenantAdministration(
            store: store,
            names: NameAuthority(textRecords: { names.look($0) })
        ) { Random.bytes($0) }
    }

    private func acme() async throws -> TenantConfiguration {
        if store.only() == nil {
            _ = try await administration.createTenant(
                TenantRequest(name: "acme", domain: "login.acme.test"),
                now: now
            )
        }
        return try #require(store.only())
    }

    private func ready(_ host: String) async throws -> Domain {
        let made = try await administration.createDomain(host, JSONObject(), in: try await acme(), now: now)
        names.publish(made.verification.record, at: "_pk-verify." + made.name)
        return try await administration.verifyDomain(made.id, in: try await acme(), now: now)
    }

    private func set(_ domain: Domain, _ members: JSONObject, isForced: Bool = false) async throws -> Domain {
        try await administration.setDomain(
            domain.id,
            DocumentPatch(members),
            isForced: isForced,
            in: try await acme(),
            now: now
        )
    }

    private func refusal(_ body: () async throws -> Void) async throws -> TenancyError {
        try #require(await #expect(throws: TenancyError.self) { try await body() })
    }

    @Test("A domain is pending until its TXT record is found, and says where to make it and why it was not")
    func verification() async throws {
        let made = try await administration.createDomain(
            "id.acme.test:8443",
            ["tls_policy": "compatible", "domain_metadata": ["team": "web"]],
            in: try await acme(),
            now: now
        )
        #expect(made.status == .pendingVerification && made.isDefault && !made.isCanonical)
        #expect(made.verification.record.count == "latchkey-verify=".count + 32)
        let method = made.document["verification"]?.object?["methods"]?.array?.first?.object
        #expect(method?["domain"] == "_pk-verify.id.acme.test")
        #expect(method?["record"] == .string(made.verification.record))
        #expect(made.document["verification"]?.object?["status"] == "pending")
        #expect(made.document["domain_metadata"] == ["team": "web"] && made.document["tls_policy"] == "compatible")

        func verify() async throws -> Domain {
            try await administration.verifyDomain(made.id, in: try await acme(), now: now)
        }
        var looked = try await verify()
        #expect(looked.status == .pendingVerification)
        #expect(looked.verification.problem == "There is no TXT record at _pk-verify.id.acme.test.")
        #expect(looked.document["verification"]?.object?["status"] == "failed")
        names.publish("v=spf1 -all", made.verification.record + "x", at: "_pk-verify.id.acme.test")
        looked = try await verify()
        #expect(looked.verification.problem?.hasPrefix("None of the 2 TXT records") == true)
        names.records.withLock {
            $0["_pk-verify.id.acme.test"] = .unavailable(reason: "no name server answered in time")
        }
        looked = try await verify()
        #expect(looked.verification.problem?.hasSuffix("no name server answered in time.") == true)
        names.publish("other", made.verification.record, at: "_pk-verify.id.acme.test")
        looked = try await verify()
        #expect(looked.status == .ready && looked.verification.verifiedAt == now)
        #expect(looked.document["verification"]?.object?["status"] == "verified")
        // Once is enough.
        names.records.withLock { $0 = [:] }
        #expect(try await verify() == looked)
    }

    @Test("Without a resolver only the operator's word counts")
    func operatorsWord() async throws {
        let alone = TenantAdministration(store: store) { Random.bytes($0) }
        let made = try await alone.createDomain("id.acme.test", JSONObject(), in: try await acme(), now: now)
        let looked = try await alone.verifyDomain(made.id, in: try await acme(), now: now)
        #expect(looked.status == .pendingVerification && looked.verification.problem?.contains("operator") == true)
        let confirmed = try await alone.confirmDomain(
            made.id,
            alsoProving: ["acme.test"],
            in: try await acme(),
            now: now
        )
        #expect(confirmed.status == .ready && confirmed.verification.provenNames == ["acme.test"])
        #expect(try await set(confirmed, ["relying_party_identifier": "acme.test"]).relyingPartyID == "acme.test")
    }

    @Test("A parent is taken for the RP ID only when its own record is there, and a public suffix never")
    func parents() async throws {
        let pending = try await administration.createDomain("a.acme.test", JSONObject(), in: try await acme(), now: now)
        let early = try await refusal {
            _ = try await set(pending, ["relying_party_identifier": "acme.test"])
        }
        #expect("\(early)".contains("once the domain is verified"))
        let domain = try await ready("id.shop.acme.co.uk")
        let error = try await refusal { _ = try await set(domain, ["relying_party_identifier": "acme.co.uk"]) }
        #expect("\(error)".contains("_pk-verify.acme.co.uk") && "\(error)".contains(domain.verification.record))
        names.publish(domain.verification.record, at: "_pk-verify.acme.co.uk")
        let changed = try await set(domain, ["relying_party_identifier": "acme.co.uk"])
        #expect(changed.relyingPartyID == "acme.co.uk" && changed.verification.provenNames == ["acme.co.uk"])
        names.records.withLock { $0 = [:] }
        #expect(try await set(domain, ["relying_party_identifier": .null]).relyingPartyID == "id.shop.acme.co.uk")
        // What was proven stays so.
        #expect(try await set(domain, ["relying_party_identifier": "acme.co.uk"]).relyingPartyID == "acme.co.uk")
        for name in ["co.uk", "uk", "other.co.uk", "x.id.shop.acme.co.uk", "https://acme.co.uk"] {
            names.publish(domain.verification.record, at: "_pk-verify." + name)
            let error = try await refusal { _ = try await set(domain, ["relying_party_identifier": .string(name)]) }
            guard case .invalid = error else {
                Issue.record("\(name): \(error)")
                continue
            }
        }
    }

    @Test("Another tenant's names are nobody else's: not as a domain, not as an RP ID, not as a legacy one")
    func otherTenants() async throws {
        _ = try await acme()
        _ = try await administration.createTenant(TenantRequest(name: "other", domain: "shop.other.test"), now: now)
        let taken = try await refusal {
            _ = try await administration.createDomain("shop.other.test", JSONObject(), in: try await acme(), now: now)
        }
        #expect(taken == .exists(what: "domain", name: "shop.other.test"))
        let domain = try await ready("x.shop.other.test")
        names.publish(domain.verification.record, at: "_pk-verify.shop.other.test")
        for members: JSONObject in [
            ["relying_party_identifier": "shop.other.test"],
            ["legacy_relying_party_identifiers": ["shop.other.test"]],
        ] {
            let error = try await refusal { _ = try await set(domain, members) }
            guard case .exists(what: "RP ID", _) = error else {
                Issue.record("\(error)")
                continue
            }
        }
    }

    @Test("Passkeys are not left behind by a change, but by force; as a legacy RP ID the old one goes on")
    func leftBehind() async throws {
        let domain = try await ready("id.acme.test")
        names.publish(domain.verification.record, at: "_pk-verify.acme.test")
        store.state.withLock { $0.used = ["id.acme.test"] }
        let error = try await refusal { _ = try await set(domain, ["relying_party_identifier": "acme.test"]) }
        guard case .inUse = error else { return #expect(Bool(false), "\(error)") }
        let moved = try await set(
            domain,
            ["relying_party_identifier": "acme.test", "legacy_relying_party_identifiers": ["id.acme.test"]]
        )
        #expect(moved.relyingPartyIDs == ["acme.test", "id.acme.test"])

        store.state.withLock { $0.coverage["id.acme.test"] = RelyingPartyCoverage(users: 200, covered: 197) }
        let none: JSONObject = ["legacy_relying_party_identifiers": []]
        let early = try await refusal { _ = try await set(domain, none) }
        #expect("\(early)".hasPrefix("3 of 200 users have passkeys under id.acme.test alone"), "\(early)")
        let below = try await refusal {
            _ = try await administration.cutOver(
                from: "id.acme.test",
                on: domain.id,
                threshold: 9900,
                in: try await acme(),
                now: now
            )
        }
        #expect("\(below)".contains("98.5 %") && "\(below)".contains("99 %"), "\(below)")
        let cut = try await administration.cutOver(
            from: "id.acme.test",
            on: domain.id,
            threshold: 9850,
            in: try await acme(),
            now: now
        )
        #expect(cut.domain.legacyRelyingPartyIDs.isEmpty && cut.coverage.leftBehind == 3)
        let gone = try await refusal {
            _ = try await administration.cutOver(
                from: "id.acme.test",
                on: domain.id,
                threshold: 0,
                in: try await acme(),
                now: now
            )
        }
        #expect(gone == .notFound(what: "legacy RP ID", name: "id.acme.test"))
        #expect(
            try await set(domain, ["relying_party_identifier": .null], isForced: true).relyingPartyID == domain.name
        )
    }

    @Test("A legacy RP ID is one that the tenant had, or one whose record says so")
    func legacy() async throws {
        let domain = try await ready("id.new.test")
        let own = try await set(domain, ["legacy_relying_party_identifiers": ["login.acme.test"]])
        #expect(own.legacyRelyingPartyIDs == ["login.acme.test"])
        let foreign: JSONObject = ["legacy_relying_party_identifiers": ["login.acme.test", "elsewhere.test"]]
        let error = try await refusal { _ = try await set(domain, foreign) }
        #expect("\(error)".contains("_pk-verify.elsewhere.test"))
        names.publish(domain.verification.record, at: "_pk-verify.elsewhere.test")
        #expect(try await set(domain, foreign).legacyRelyingPartyIDs.count == 2)
        let many = (1...6).map { JSONValue.string("a\($0).acme.test") }
        _ = try await refusal { _ = try await set(domain, ["legacy_relying_party_identifiers": .array(many)]) }
        _ = try await refusal { _ = try await set(domain, ["legacy_relying_party_identifiers": ["co.uk"]]) }
    }

    @Test("One custom domain is the default, and the canonical one takes it back")
    func defaults() async throws {
        let (first, second) = (try await ready("a.acme.test"), try await ready("b.acme.test"))
        #expect(first.isDefault && !second.isDefault)
        let chosen = try await administration.setDefaultDomain("B.acme.test", in: try await acme(), now: now)
        #expect(chosen.id == second.id && chosen.isDefault)
        #expect(try await acme().domains.filter(\.isDefault).map(\.id) == [second.id])
        let canonical = try await administration.setDefaultDomain("login.acme.test", in: try await acme(), now: now)
        #expect(canonical.isCanonical && !canonical.isDefault)
        #expect(try await acme().domains.allSatisfy { !$0.isDefault })
        let pending = try await administration.createDomain("c.acme.test", JSONObject(), in: try await acme(), now: now)
        _ = try await refusal {
            _ = try await administration.setDefaultDomain(pending.host, in: try await acme(), now: now)
        }
    }

    @Test("A domain goes, unless passkeys would have none any more; the canonical one stays")
    func removal() async throws {
        let domain = try await ready("a.acme.test")
        store.state.withLock { $0.used = ["a.acme.test"] }
        let error = try await refusal { try await administration.removeDomain(domain.id, in: try await acme()) }
        guard case .inUse = error else { return #expect(Bool(false), "\(error)") }
        let second = try await ready("b.acme.test")
        _ = try await set(second, ["legacy_relying_party_identifiers": ["a.acme.test"]])
        try await administration.removeDomain(domain.id, in: try await acme())
        try await administration.removeDomain(second.id, isForced: true, in: try await acme())
        #expect(try await acme().domains.count == 1)
        let canonical = try #require(try await acme().domains.first)
        _ = try await refusal { try await administration.removeDomain(canonical.id, in: try await acme()) }
    }
}
