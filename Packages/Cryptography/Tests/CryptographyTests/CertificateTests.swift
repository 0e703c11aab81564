import Testing

@testable import Cryptography

@Suite("RFC 5280 §4: certificates")
struct CertificateTests {
    @Test("A certificate has at most 64 extensions, so that it is read in bounded time")
    func manyExtensions() throws {
        let key = try SigningKey.generate(.p256)
        var builder = CertificateBuilder(subject: [(DistinguishedName.commonName, "x")], notBefore: 0, notAfter: 1)
        // Basic constraints and two key identifiers are there already.
        builder.extensions = (0..<61).map { ("1.3.6.1.4.1.9.\($0)", false, [5, 0]) }
        let certificate = try builder.selfSigned(by: key)
        #expect(certificate.extensions.count == 64)
        builder.extensions.append(("1.3.6.1.4.1.9.61", false, [5, 0]))
        #expect(throws: CryptographyError.self) { try builder.selfSigned(by: key) }
    }

    @Test("What a builder was told is what the certificate says")
    func fields() throws {
        let key = try SigningKey.generate(.p256)
        var builder = CertificateBuilder(
            subject: [
                (DistinguishedName.country, "SE"), (DistinguishedName.organization, "Exempel AB"),
                (DistinguishedName.organizationalUnit, "Authenticator Attestation"),
                (DistinguishedName.commonName, "Exempel é, OU=other"),
            ],
            notBefore: 1_700_000_000,
            notAfter: 2_600_000_000,
            isCA: true
        )
        builder.serial = [0, 0x80, 1]
        builder.pathLengthConstraint = 2
        builder.keyUsage = [.keyCertSign, .digitalSignature]
        builder.extendedKeyUsage = [CertificateBuilder.serverAuthentication]
        builder.subjectAlternativeNames = [.dns("localhost"), .ip([127, 0, 0, 1]), .email("a@example.com")]
        builder.extensions = [("1.3.6.1.4.1.45724.1.1.4", false, [4, 1, 7])]
        let certificate = try builder.selfSigned(by: key)

        #expect(certificate.version == 3)
        #expect(certificate.serial == [0, 0x80, 1])
        #expect(certificate.subject.map(\.oid) == ["2.5.4.6", "2.5.4.10", "2.5.4.11", "2.5.4.3"])
        #expect(certificate.subjectName[DistinguishedName.organizationalUnit] == ["Authenticator Attestation"])
        #expect(certificate.subjectName[DistinguishedName.commonName] == ["Exempel é, OU=other"])
        #expect(certificate.issuer == certificate.subject)
        #expect(certificate.isSelfIssued)
        #expect(certificate.notBefore == 1_700_000_000)
        #expect(certificate.notAfter == 2_600_000_000)
        #expect(certificate.isCA)
        #expect(certificate.pathLengthConstraint == 2)
        #expect(certificate.keyUsage == [0, 5])
        #expect(try certificate.extendedKeyUsages() == [CertificateBuilder.serverAuthentication])
        #expect(
            try certificate.subjectAlternativeNames()
                == [.dns("localhost"), .ip([127, 0, 0, 1]), .email("a@example.com")]
        )
        #expect(certificate.publicKey == key.publicKey)
        #expect(certificate.isSigned(by: key.publicKey))
        #expect(!certificate.signatureAlgorithm.usesSHA1)
        #expect(certificate.extensionValue("1.3.6.1.4.1.45724.1.1.4")?.value == [4, 1, 7])
        #expect(certificate.extensionValue("1.3.6.1.4.1.45724.1.1.4")?.critical == false)
        #expect(certificate.extensionValue("2.5.29.19")?.critical == true)
        #expect(certificate.extensionValue("2.5.29.99") == nil)
        #expect(try Certificate.list(pem: certificate.pem + certificate.pem) == [certificate, certificate])
    }

    @Test("A certificate is signed by any kind of key", arguments: Key.all)
    func kinds(_ kind: Key) throws {
        let key = try kind.make()
        for algorithm in kind.algorithms {
            let certificate = try Authority.builder("any", isCA: false).selfSigned(by: key, algorithm: algorithm)
            #expect(certificate.isSigned(by: key.publicKey), "\(algorithm)")
            #expect(certificate.signatureAlgorithm.usesSHA1 == (algorithm == .rs1))
            #expect(!certificate.isSigned(by: try SigningKey.generate(.p256).publicKey))
        }
    }

    @Test("No basicConstraints is no authority, and so is the negative one")
    func basicConstraints() throws {
        let root = try Authority.root("root")
        let without = try root.issue("without", isCA: nil).certificate
        #expect(without.basicConstraintsCA == nil)
        #expect(!without.isCA)
        let negative = try root.issue("negative", isCA: false).certificate
        #expect(negative.basicConstraintsCA == false)
        #expect(!negative.isCA)
    }

    @Test("A name that is empty makes the alternative one critical")
    func emptySubject() throws {
        var builder = CertificateBuilder(subject: [], notBefore: 0, notAfter: 1)
        let directory = try DistinguishedName([.init(oid: "2.23.133.2.1", value: "id:414D4400")])
        builder.subjectAlternativeNames = [.directory(directory)]
        let certificate = try builder.selfSigned(by: try SigningKey.generate(.ed25519))
        #expect(certificate.subject.isEmpty)
        #expect(certificate.extensionValue("2.5.29.17")?.critical == true)
        #expect(try certificate.subjectAlternativeNames() == [.directory(directory)])
    }

    @Test("A certificate that was cut or goes on is refused")
    func cut() throws {
        let der = try Authority.root("root").certificate.der
        for cut in der.truncations { #expect(throws: CryptographyError.self) { try Certificate(der: cut) } }
        #expect(throws: CryptographyError.self) { try Certificate(der: der + [0]) }
        #expect(try Certificate(der: der.shifted).der == der)
    }

    @Test("One flipped bit never traps, and never leaves the signature valid")
    func flipped() throws {
        let root = try Authority.root("root")
        let leaf = try root.issue("leaf") { $0.subjectAlternativeNames = [.dns("localhost")] }
        for spoilt in leaf.certificate.der.flips {
            guard let certificate = try? Certificate(der: spoilt) else { continue }
            #expect(!certificate.isSigned(by: root.certificate.publicKey))
            _ = try? certificate.subjectAlternativeNames()
            _ = try? certificate.extendedKeyUsages()
        }
    }

    @Test("A certificate whose signature claims unused bits is read, and signed by nobody")
    func unusedBits() throws {
        let root = try Authority.root("root")
        let der = root.certificate.der
        var outer = try DERReader.single(der[...]).elements
        _ = try outer.next()
        _ = try outer.next()
        let place = try outer.next(.bitString).content.startIndex
        for unused: UInt8 in 1...7 {
            var spoilt = der
            spoilt[place] = unused
            let certificate = try Certificate(der: spoilt)
            #expect(certificate.publicKey == root.certificate.publicKey)
            #expect(!certificate.isSigned(by: root.certificate.publicKey))
        }
        var impossible = der
        impossible[place] = 8
        #expect(throws: CryptographyError.self) { try Certificate(der: impossible) }
    }

    @Test(
        "A serial number must have 1 to 20 bytes and not be zero",
        arguments: [[], [0], [0, 0], Array(repeating: 1, count: 21)]
    )
    func serials(_ serial: [UInt8]) throws {
        var builder = Authority.builder("any", isCA: nil)
        builder.serial = serial
        #expect(throws: CryptographyError.self) { try builder.selfSigned(by: try SigningKey.generate(.p256)) }
    }

    @Test("Two builders make two serial numbers, each positive and of 16 bytes")
    func randomSerials() throws {
        let one = Authority.builder("any", isCA: nil).serial
        #expect(one.count == 16)
        #expect((0x40...0x7f).contains(one[0]))
        #expect(one != Authority.builder("any", isCA: nil).serial)
    }
}

@Suite("RFC 5280 §4.1.2.5: the times of certificates")
struct CertificateTimeTests {
    private static func decode(_ tag: DERTag, _ text: String) throws -> Int64 {
        var writer = DERWriter()
        writer.append(tag, Array(text.utf8))
        return try CertificateTime.decode(try DERReader.single(writer.bytes[...]))
    }

    @Test("UTCTime runs from 1950 to 2049, GeneralizedTime over all years")
    func known() throws {
        #expect(try Self.decode(.utcTime, "700101000000Z") == 0)
        #expect(try Self.decode(.utcTime, "500101000000Z") == -631_152_000)
        #expect(try Self.decode(.utcTime, "491231235959Z") == 2_524_607_999)
        #expect(try Self.decode(.utcTime, "240229120000Z") == 1_709_208_000)
        #expect(try Self.decode(.generalizedTime, "99991231235959Z") == 253_402_300_799)
        #expect(try Self.decode(.generalizedTime, "20000229000000Z") == 951_782_400)
        #expect(try Self.decode(.generalizedTime, "19700101000001Z") == 1)
    }

    @Test(
        "What is no time is refused",
        arguments: [
            "", "Z", "700101000000", "7001010000Z", "700101000000+0000", "701301000000Z", "700001000000Z",
            "700132000000Z",
            "700100000000Z", "230229000000Z", "700101240000Z", "700101006000Z", "700101000060Z", "70010100000aZ",
            "19700101000000Z",
        ]
    )
    func refused(_ text: String) {
        #expect(throws: CryptographyError.self) { try Self.decode(.utcTime, text) }
    }

    @Test("Times of all centuries come back")
    func roundTrip() throws {
        // Every 114 days and some hours from the year 0 to 9999.
        for time in stride(from: Int64(-62_167_219_200), through: 253_402_300_799, by: 9_876_543) {
            var writer = DERWriter()
            try CertificateTime.encode(time, into: &writer)
            #expect(try CertificateTime.decode(try DERReader.single(writer.bytes[...])) == time)
        }
    }

    @Test(
        "A time out of every calendar is refused",
        arguments: [-62_167_219_201, 253_402_300_800, Int64.max, Int64.min]
    )
    func outOfRange(_ time: Int64) {
        var writer = DERWriter()
        #expect(throws: CryptographyError.unsupported(what: "time \(time)")) {
            try CertificateTime.encode(time, into: &writer)
        }
    }
}
