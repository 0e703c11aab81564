import Cryptography
import Testing

@Suite("RFC 5280 §6: certification paths")
struct CertificatePathTests {
    /// root → upper → lower → leaf, each issued by the one before.
    struct Chain {
        let root: Authority
        let upper: Authority
        let lower: Authority
        let leaf: Authority

        init(
            root: Authority? = nil,
            upper changeUpper: (inout CertificateBuilder) -> Void = { _ in },
            lower changeLower: (inout CertificateBuilder) -> Void = { _ in },
            leaf changeLeaf: (inout CertificateBuilder) -> Void = { _ in }
        ) throws {
            let root = try root ?? Authority.root("root")
            self.root = root
            upper = try root.issue("upper", isCA: true, changeUpper)
            lower = try upper.issue("lower", isCA: true, changeLower)
            leaf = try lower.issue("leaf", changeLeaf)
        }

        var intermediates: [Certificate] { [lower.certificate, upper.certificate] }

        func verify(
            anchors: [Certificate]? = nil,
            intermediates: [Certificate]? = nil,
            at time: Int64 = Authority.now,
            order: CertificatePath.Order = .any
        ) throws(CryptographyError) -> [Certificate] {
            try CertificatePath.verify(
                leaf: leaf.certificate,
                intermediates: intermediates ?? self.intermediates,
                anchors: anchors ?? [root.certificate],
                at: time,
                order: order
            )
        }
    }

    private static func fault(_ fault: CertificateFault, _ name: String) -> CryptographyError {
        .path(fault, subject: "CN=\(name)")
    }

    @Test("The path leads from the leaf over the intermediates to the root")
    func whole() throws {
        let chain = try Chain()
        let path = try chain.verify()
        #expect(path == [chain.leaf.certificate] + chain.intermediates + [chain.root.certificate])
        #expect(try chain.verify(order: .strict) == path)
    }

    @Test("Intermediates in the wrong order are found, unless the order is to be strict")
    func wrongOrder() throws {
        let chain = try Chain()
        let reversed = [chain.upper.certificate, chain.lower.certificate]
        #expect(try chain.verify(intermediates: reversed).count == 4)
        #expect(throws: Self.fault(.issuerNotFound, "leaf")) {
            try chain.verify(intermediates: reversed, order: .strict)
        }
    }

    @Test("The root may be among the intermediates, and strangers too")
    func superfluous() throws {
        let chain = try Chain()
        let stranger = try Authority.root("stranger").certificate
        #expect(try chain.verify(intermediates: [stranger, chain.root.certificate] + chain.intermediates).count == 4)
        let withRoot = chain.intermediates + [chain.root.certificate]
        #expect(try chain.verify(intermediates: withRoot, order: .strict).count == 4)
        #expect(throws: CryptographyError.self) {
            try chain.verify(intermediates: [stranger] + chain.intermediates, order: .strict)
        }
    }

    @Test("An intermediate may be the anchor, and so may the leaf")
    func partialChain() throws {
        let chain = try Chain()
        for order in [CertificatePath.Order.any, .strict] {
            #expect(try chain.verify(anchors: [chain.upper.certificate], order: order).count == 3)
            #expect(try chain.verify(anchors: [chain.lower.certificate], order: order).count == 2)
            #expect(try chain.verify(anchors: [chain.lower.certificate], intermediates: [], order: order).count == 2)
            #expect(try chain.verify(anchors: [chain.leaf.certificate], intermediates: [], order: order).count == 1)
        }
    }

    @Test("Nothing is trusted without an anchor, nor with another root of the same name")
    func otherAnchors() throws {
        let chain = try Chain()
        #expect(throws: Self.fault(.issuerNotFound, "upper")) { try chain.verify(anchors: []) }
        let namesake = try Authority.root("root").certificate
        #expect(throws: Self.fault(.badSignature, "upper")) { try chain.verify(anchors: [namesake]) }
        #expect(throws: Self.fault(.issuerNotFound, "root")) {
            try chain.verify(anchors: [], intermediates: chain.intermediates + [chain.root.certificate])
        }
        #expect(try chain.verify(anchors: [namesake, chain.root.certificate]).count == 4)
    }

    @Test("A missing intermediate leaves no path")
    func missing() throws {
        let chain = try Chain()
        #expect(throws: Self.fault(.issuerNotFound, "leaf")) {
            try chain.verify(intermediates: [chain.upper.certificate])
        }
        #expect(throws: Self.fault(.issuerNotFound, "lower")) {
            try chain.verify(intermediates: [chain.lower.certificate])
        }
    }

    @Test("Each certificate holds from its first second to its last")
    func dates() throws {
        let chain = try Chain()
        let first = Authority.now - Authority.year
        let last = Authority.now + Authority.year
        #expect(try chain.verify(at: first).count == 4)
        #expect(try chain.verify(at: last).count == 4)
        #expect(throws: Self.fault(.notYetValid, "leaf")) { try chain.verify(at: first - 1) }
        #expect(throws: Self.fault(.expired, "leaf")) { try chain.verify(at: last + 1) }
        let expired = try Chain(upper: { $0.notAfter = Authority.now - 1 })
        #expect(throws: Self.fault(.expired, "upper")) { try expired.verify() }
        let early = try Chain(lower: { $0.notBefore = Authority.now + 1 })
        #expect(throws: Self.fault(.notYetValid, "lower")) { try early.verify() }
        let old = try Chain(root: try Authority.root("root") { $0.notAfter = Authority.now - 1 })
        #expect(throws: Self.fault(.expired, "root")) { try old.verify() }
    }

    @Test("An intermediate that is no authority issues nothing")
    func noAuthority() throws {
        let negative = try Chain(lower: { $0.isCA = false })
        #expect(throws: Self.fault(.notAnAuthority, "lower")) { try negative.verify() }
        let silent = try Chain(lower: { $0.isCA = nil })
        #expect(throws: Self.fault(.notAnAuthority, "lower")) { try silent.verify() }
        let usage = try Chain(upper: { $0.keyUsage = [.digitalSignature] })
        #expect(throws: Self.fault(.notAnAuthority, "upper")) { try usage.verify() }
        let withoutUsage = try Chain(upper: { $0.keyUsage = [] })
        #expect(try withoutUsage.verify().count == 4)
    }

    @Test("An anchor without basicConstraints issues when its keyUsage says so")
    func silentAnchor() throws {
        let saysSo = try Chain(root: try Authority.root("root") { $0.isCA = nil })
        #expect(try saysSo.verify().count == 4)
        let says = try Authority.root("root") { builder in
            builder.isCA = nil
            builder.keyUsage = []
        }
        let nothing = try Chain(root: says)
        #expect(throws: Self.fault(.notAnAuthority, "root")) { try nothing.verify() }
        let negative = try Chain(root: try Authority.root("root") { $0.isCA = false })
        #expect(throws: Self.fault(.notAnAuthority, "root")) { try negative.verify() }
    }

    @Test("No more intermediates follow than an authority allows")
    func pathLength() throws {
        let enough = try Chain(
            root: try Authority.root("root") { $0.pathLengthConstraint = 2 },
            upper: { $0.pathLengthConstraint = 1 },
            lower: { $0.pathLengthConstraint = 0 }
        )
        #expect(try enough.verify().count == 4)
        let upper = try Chain(upper: { $0.pathLengthConstraint = 0 })
        #expect(throws: Self.fault(.pathTooLong, "upper")) { try upper.verify() }
        let root = try Chain(root: try Authority.root("root") { $0.pathLengthConstraint = 1 })
        #expect(throws: Self.fault(.pathTooLong, "root")) { try root.verify() }
    }

    @Test("A certificate that an authority issued to itself does not count as an intermediate")
    func selfIssued() throws {
        let root = try Authority.root("root") { $0.pathLengthConstraint = 0 }
        let renewed = try root.issue("root", isCA: true)
        let leaf = try renewed.issue("leaf").certificate
        let path = try CertificatePath.verify(
            leaf: leaf,
            intermediates: [renewed.certificate],
            anchors: [root.certificate],
            at: Authority.now
        )
        #expect(path.count == 3)
    }

    @Test("A leaf that names an issuer whose key did not sign it is refused")
    func wrongIssuer() throws {
        let root = try Authority.root("root")
        let other = try Authority.root("root")
        let leaf = try other.issue("leaf").certificate
        #expect(throws: Self.fault(.badSignature, "leaf")) {
            try CertificatePath.verify(leaf: leaf, intermediates: [], anchors: [root.certificate], at: Authority.now)
        }
        // The key is right and the name is not.
        let renamed = Authority(key: root.key, certificate: try Authority.root("renamed").certificate)
        let named = try renamed.issue("leaf").certificate
        #expect(named.isSigned(by: root.certificate.publicKey))
        #expect(throws: Self.fault(.issuerNotFound, "leaf")) {
            try CertificatePath.verify(leaf: named, intermediates: [], anchors: [root.certificate], at: Authority.now)
        }
    }

    @Test("A critical extension that nobody knows is refused wherever it stands; one that is not critical is not")
    func criticalExtensions() throws {
        func unknown(_ critical: Bool) -> (inout CertificateBuilder) -> Void {
            { $0.extensions = [("2.999.1", critical, [5, 0])] }
        }
        #expect(throws: Self.fault(.unhandledExtension, "leaf")) { try Chain(leaf: unknown(true)).verify() }
        #expect(throws: Self.fault(.unhandledExtension, "lower")) { try Chain(lower: unknown(true)).verify() }
        let root = try Authority.root("root", unknown(true))
        #expect(throws: Self.fault(.unhandledExtension, "root")) { try Chain(root: root).verify() }
        #expect(try Chain(upper: unknown(false), leaf: unknown(false)).verify().count == 4)
    }

    @Test("An authority with name constraints is refused, critical or not", arguments: [true, false])
    func nameConstraints(_ critical: Bool) throws {
        let chain = try Chain(upper: { $0.extensions = [("2.5.29.30", critical, [0x30, 0])] })
        #expect(throws: CryptographyError.path(.unhandledExtension, subject: "CN=upper")) { try chain.verify() }
    }

    @Test("A signature over a SHA-1 hash needs the caller's leave, and an anchor's own does not count")
    func sha1() throws {
        let rsa = try Key.rsa.make()
        let root = Authority(
            key: rsa,
            certificate: try Authority.builder("root", isCA: true).selfSigned(by: rsa, algorithm: .rs1)
        )
        let good = try root.issue("leaf").certificate
        let weak = try root.issue("leaf", algorithm: .rs1).certificate
        let anchors = [root.certificate]
        #expect(
            try CertificatePath.verify(leaf: good, intermediates: [], anchors: anchors, at: Authority.now).count == 2
        )
        #expect(throws: Self.fault(.weakSignature, "leaf")) {
            try CertificatePath.verify(leaf: weak, intermediates: [], anchors: anchors, at: Authority.now)
        }
        let path = try CertificatePath.verify(
            leaf: weak,
            intermediates: [],
            anchors: anchors,
            at: Authority.now,
            allowingSHA1: true
        )
        #expect(path.count == 2)
    }

    @Test("Two authorities that certify each other end no search and no path")
    func circle() throws {
        let one = try Authority.root("one")
        let two = try Authority.root("two")
        let oneByTwo = try two.issue("one", isCA: true, key: one.key).certificate
        let twoByOne = try one.issue("two", isCA: true, key: two.key).certificate
        let leaf = try one.issue("leaf").certificate
        let root = try Authority.root("root").certificate
        #expect(throws: CryptographyError.self) {
            try CertificatePath.verify(
                leaf: leaf,
                intermediates: [oneByTwo, twoByOne],
                anchors: [root],
                at: Authority.now
            )
        }
        let path = try CertificatePath.verify(
            leaf: leaf,
            intermediates: [oneByTwo, twoByOne],
            anchors: [two.certificate],
            at: Authority.now
        )
        #expect(path.count == 3)
    }

    @Test("Whoever sends many namesakes of the issuer does not decide how long the search takes")
    func budget() throws {
        let root = try Authority.root("root")
        var crowd: [Certificate] = []
        for _ in 0..<40 { crowd.append(try root.issue("issuer", isCA: true).certificate) }
        let other = try root.issue("issuer", isCA: true)
        let leaf = try other.issue("leaf").certificate
        #expect(throws: Self.fault(.tooManyCandidates, "leaf")) {
            try CertificatePath.verify(
                leaf: leaf,
                intermediates: crowd + [other.certificate],
                anchors: [],
                at: Authority.now
            )
        }
        #expect(
            try CertificatePath.verify(
                leaf: leaf,
                intermediates: [other.certificate] + crowd,
                anchors: [root.certificate],
                at: Authority.now
            ).count == 3
        )
    }

    @Test("Keys of different kinds certify each other")
    func mixedKeys() throws {
        let root = try Authority.root("root")
        let rsa = try root.issue("rsa", isCA: true, key: try Key.rsa.make())
        let edwards = try rsa.issue("edwards", isCA: true, key: try .generate(.ed25519), algorithm: .ps384)
        let large = try edwards.issue("large", isCA: true, key: try .generate(.p521))
        let leaf = try large.issue("leaf", key: try .generate(.ed448)).certificate
        let path = try CertificatePath.verify(
            leaf: leaf,
            intermediates: [large.certificate, edwards.certificate, rsa.certificate],
            anchors: [root.certificate],
            at: Authority.now,
            order: .strict
        )
        #expect(path.count == 5)
    }
}
