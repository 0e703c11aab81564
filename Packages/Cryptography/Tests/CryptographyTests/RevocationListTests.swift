import Cryptography
import Testing

@Suite("RFC 5280 §5: certificate revocation lists")
struct RevocationListTests {
    private let root: Authority
    private let leaf: Authority
    private let other: Authority
    private static let day: Int64 = 86_400

    init() throws {
        root = try Authority.root("root")
        leaf = try root.issue("leaf")
        other = try root.issue("other")
    }

    private func list(
        revoking: [Certificate] = [],
        by issuer: Authority? = nil,
        _ change: (inout RevocationListBuilder) -> Void = { _ in }
    ) throws -> [UInt8] {
        var builder = RevocationListBuilder(
            thisUpdate: Authority.now - Self.day,
            nextUpdate: Authority.now + Self.day
        )
        builder.revoked = revoking
        change(&builder)
        let issuer = issuer ?? root
        return try builder.signed(by: issuer.certificate, key: issuer.key)
    }

    private func status(_ der: [UInt8], at time: Int64 = Authority.now) throws -> CertificateRevocationList.Status {
        try CertificateRevocationList(der: der[...])
            .status(of: leaf.certificate, by: root.certificate, at: time)
    }

    @Test("A certificate on the list is revoked, and one that is not is good")
    func revoked() throws {
        #expect(try status(list()) == .good)
        #expect(try status(list(revoking: [other.certificate])) == .good)
        #expect(try status(list(revoking: [other.certificate, leaf.certificate])) == .revoked)
    }

    @Test("An old list, or one that is not yet there, says nothing of what it does not name, and all of what it names")
    func outdated() throws {
        for time in [Authority.now - 2 * Self.day, Authority.now + 2 * Self.day] {
            #expect(try status(list(), at: time) == .outdated)
            #expect(try status(list(revoking: [leaf.certificate]), at: time) == .revoked)
        }
    }

    @Test("A list of another issuer, or by another key, covers nothing")
    func otherIssuer() throws {
        let stranger = try Authority.root("stranger")
        #expect(try status(list(revoking: [leaf.certificate], by: stranger)) == .notCovered)
        let namesake = try Authority.root("root")
        #expect(try status(list(revoking: [leaf.certificate], by: namesake)) == .notCovered)
        let silent = try Authority.root("root") { $0.keyUsage = [.keyCertSign] }
        let der = try list(by: silent)
        let list = try CertificateRevocationList(der: der[...])
        #expect(list.status(of: leaf.certificate, by: silent.certificate, at: Authority.now) == .notCovered)
    }

    @Test("A list of changes, or of one kind of certificates, does not say that others are good")
    func partial() throws {
        let partial = try list { $0.extensions = [(oid: "2.5.29.28", critical: true, value: [0x30, 0x00])] }
        #expect(try status(partial) == .notCovered)
        let numbered = try list { $0.extensions = [(oid: "2.5.29.20", critical: false, value: [0x02, 0x01, 0x05])] }
        #expect(try status(numbered) == .good)
    }

    @Test("A list that is cut is refused at every length, and one with a changed bit never says good")
    func hostile() throws {
        let der = try list(revoking: [leaf.certificate])
        for cut in der.truncations {
            #expect(throws: CryptographyError.self) { try CertificateRevocationList(der: cut) }
        }
        for flipped in der.flips {
            let status = try? status(flipped)
            #expect(status == nil || status == .notCovered)
        }
    }
}
