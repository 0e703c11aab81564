import CBOR
import COSE
import Cryptography
import Encodings
import SoftwareAuthenticator
import Testing
import WebAuthn

@Suite("WebAuthn L3 §8: attestation statement formats")
struct AttestationFormatTests {
    /// Each example with each fault that it can have.
    static let faults: [(AttestationExample, Fault)] = AttestationExample.allCases.flatMap { example in
        Fault.allCases.filter { $0.needsAttestation && $0.applies(to: example.attestation) }.map { (example, $0) }
    }

    @Test(
        "A right statement verifies, with its type, and its chain gives trust",
        arguments: AttestationExample.allCases
    )
    func right(_ example: AttestationExample) throws {
        let credential = try example.register().credential
        #expect(credential.attestationFormat == example.attestation.format)
        #expect(credential.attestationType == example.type)
        #expect(credential.attestationTrusted == (example != .packedSelf))
        #expect(credential.aaguid == (example == .fidoU2F ? .zero : AttestationExample.authority.aaguid))
    }

    @Test("Each format refuses each of its faults, for its own reason", arguments: faults)
    func wrong(_ example: AttestationExample, _ fault: Fault) throws {
        let error = #expect(throws: CeremonyError.self) { try example.register(fault: fault) }
        #expect(error?.reason == fault.reason, "\(String(describing: error))")
        let isOfPolicy = fault.reason == .authenticatorNotAllowed
        #expect(isOfPolicy || error?.step == "7.1 step 22")
    }

    @Test("Faults of two formats are refused in words of their own")
    func words() throws {
        var words: [String: Fault] = [:]
        for (example, fault) in Self.faults where example != .compound && fault.reason == .attestationInvalid {
            let error = #expect(throws: CeremonyError.self) { try example.register(fault: fault) }
            let word = try #require(error?.got)
            #expect(word.hasPrefix("\(example.attestation.format): "))
            // What is left of an empty statement, or of one with another key, is what is missing or wrong elsewhere too.
            let named: Set<Fault> = [
                .tpmMagicWrong, .tpmTypeWrong, .tpmExtraDataWrong, .tpmNameWrong, .tpmPublicAreaOfOtherKey,
                .tpmManufacturerUnknown, .tpmDeviceMissing, .tpmPurposeMissing, .androidKeyDescriptionMissing,
                .androidKeyChallengeWrong, .androidKeyForAllApplications, .androidKeyImported, .androidKeyPurposeWrong,
                .safetyNetNonceWrong, .safetyNetProfileMismatch, .safetyNetFromFuture, .safetyNetTooOld,
                .appleNonceMissing, .appleNonceWrong, .u2fModelNamed, .u2fCertificateTwice, .u2fCertificateCurveWrong,
            ]
            guard named.contains(fault) else { continue }
            #expect(words[word] == nil || words[word] == fault, "\(word)")
            words[word] = fault
        }
        #expect(words.count > 20)
    }

    @Test("A statement of another credential verifies in no format", arguments: AttestationExample.allCases)
    func otherCredential(_ example: AttestationExample) throws {
        var statement: CBORValue?
        try example.register { try $0.alterAttestationObject { statement = $0["attStmt"] } }
        let error = #expect(throws: CeremonyError.self) {
            try example.register { try $0.alterAttestationObject { $0["attStmt"] = statement } }
        }
        #expect(error?.reason == .attestationInvalid)
    }

    @Test(
        "A byte changed anywhere in the statement is refused, or leaves what was signed",
        arguments: AttestationExample.allCases
    )
    func flips(_ example: AttestationExample) throws {
        let plain = try example.register().credential
        for step in 0..<16 {
            do {
                let credential = try example.register { response in
                    try response.alterAttestationObject { object in
                        var bytes = CBOR.encode(try #require(object["attStmt"]))
                        bytes[step * bytes.count / 16] ^= 1
                        guard let changed = try? CBOR.decode(bytes) else { return }
                        object["attStmt"] = changed
                    }
                }
                .credential
                #expect(credential.attestationFormat == plain.attestationFormat)
            } catch let error as CeremonyError {
                #expect(
                    [.attestationInvalid, .authenticatorNotAllowed, .invalidResponse].contains(error.reason),
                    "\(error)"
                )
            }
        }
    }

    @Test("RS1 is refused in every format but tpm")
    func sha1() throws {
        let key = try SigningKey.generate(.rsa(bits: 2048))
        for example in [AttestationExample.packed, .androidKey] {
            let error = #expect(throws: CeremonyError.self) {
                try example.register { response in
                    try response.alterStatement { statement in
                        statement["alg"] = .integer(COSEAlgorithm.rs1.rawValue)
                        statement["sig"] = .bytes(try key.sign([0], .rs1))
                    }
                }
            }
            #expect(error?.got?.contains("RS1") == true, "\(String(describing: error))")
        }
    }
}

@Suite("SHA-1 signs attestations of TPMs, and nobody in")
struct SHA1CredentialTests {
    @Test("A stored key for RS1 is refused at login, although the signature is right")
    func login() throws {
        let server = Server()
        let key = try SigningKey.generate(.rsa(bits: 2048))
        for (algorithm, isFine) in [(COSEAlgorithm.rs256, true), (.rs1, false)] {
            let credential = SoftwareCredential(
                id: [1, 2, 3],
                rpID: server.rpID,
                userHandle: server.userHandle,
                algorithm: algorithm,
                key: key
            )
            let record = CredentialRecord(
                id: credential.id,
                publicKey: try COSEKey(key.publicKey, algorithm: algorithm).encoded(),
                signCount: 0,
                uvInitialized: true,
                backupEligible: true,
                backupState: true
            )
            var authenticator = Authenticator(credentials: [credential])
            let reason = try refusal { _ = try server.logIn(&authenticator, with: record) }
            #expect(reason == (isFine ? nil : .signatureInvalid))
        }
    }
}

@Suite("WebAuthn L3 §8.3: tpm")
struct TPMAttestationTests {
    private static let authority = AttestationExample.authority

    private func register(
        _ tpm: SoftwareTPM,
        _ algorithm: COSEAlgorithm = .es256,
        fault: Fault? = nil,
        with policy: ((inout AttestationPolicy) -> Void)? = nil
    ) throws -> CredentialRecord {
        try AttestationExample.tpm.register(
            fault: fault,
            with: policy,
            profile: {
                $0.attestation = .tpm(Self.authority, tpm)
                $0.algorithms = [algorithm]
            }
        ).credential
    }

    @Test(
        "RSA and ECC keys are certified",
        arguments: [COSEAlgorithm.es256, .es384, .es512, .rs256, .rs384, .rs512, .ps256]
    )
    func keys(_ algorithm: COSEAlgorithm) throws {
        for tpm in [AttestationExample.ecTPM, AttestationExample.rsaTPM] {
            #expect(try register(tpm, algorithm).attestationTrusted)
        }
    }

    @Test(
        "Attestation keys of every algorithm sign, alone or in a TPMT_SIGNATURE",
        arguments: [COSEAlgorithm.es256, .es384, .es512, .rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
    )
    func signatures(_ algorithm: COSEAlgorithm) throws {
        var tpm = try SoftwareTPM(algorithm: algorithm)
        #expect(try register(tpm).attestationTrusted)
        tpm.wrapsSignature = true
        #expect(try register(tpm).attestationTrusted)
        #expect(
            try refusal { _ = try register(tpm, fault: .attestationSignatureWrong) } == .attestationInvalid
        )
    }

    @Test("SHA-1 is refused by policy, as a signature's hash and as a name's, unless policy allows it")
    func sha1() throws {
        var named = AttestationExample.ecTPM
        named.nameHash = .sha1
        for tpm in [AttestationExample.sha1TPM, named] {
            #expect(try refusal { _ = try register(tpm) } == .authenticatorNotAllowed)
            #expect(try register(tpm, with: { $0.allowsSHA1 = true }).attestationTrusted)
            // A wrong statement is wrong first.
            #expect(try refusal { _ = try register(tpm, fault: .tpmNameWrong) } == .attestationInvalid)
        }
    }

    @Test("Names are hashed by every function of the TCG", arguments: [SoftwareTPM.Hash.sha256, .sha384, .sha512])
    func names(_ hash: SoftwareTPM.Hash) throws {
        var tpm = AttestationExample.ecTPM
        tpm.nameHash = hash
        #expect(try register(tpm).attestationTrusted)
        // The name says which it is; the public area may say another.
        tpm.claimedNameHash = .sha256
        #expect(try register(tpm).attestationTrusted)
    }

    @Test("A maker is one that the TCG has registered, whichever case its number is written in")
    func makers() throws {
        var tpm = AttestationExample.ecTPM
        for maker in ["id:414D4400", "id:49465800", "id:53544D20", "id:4e544300"] {
            tpm.manufacturer = maker
            #expect(try register(tpm).attestationTrusted)
        }
        for maker in ["id:00000000", "id:FFFFF1D0", "414D4400", "id:414D44", "id:414D440G", "ID:414D4400", "x", "id:"] {
            tpm.manufacturer = maker
            #expect(try refusal { _ = try register(tpm) } == .attestationInvalid)
        }
        tpm.manufacturer = "id:FFFFF1D0"
        #expect(try register(tpm, with: { $0.acceptsTestTPMs = true }).attestationTrusted)
        tpm.manufacturer = "id:00000000"
        #expect(try refusal { _ = try register(tpm, with: { $0.acceptsTestTPMs = true }) } == .attestationInvalid)
        for (model, version) in [("", "1"), ("1", "")] {
            tpm = AttestationExample.ecTPM
            (tpm.model, tpm.firmwareVersion) = (model, version)
            #expect(try refusal { _ = try register(tpm) } == .attestationInvalid)
        }
    }

    @Test("Structures that are cut, or go on, are refused", arguments: ["certInfo", "pubArea", "sig"])
    func structures(_ member: String) throws {
        for change in [-60, -1, 1] {
            let error = #expect(throws: CeremonyError.self) {
                try AttestationExample.tpm.register { response in
                    try response.alterStatement { statement in
                        let bytes = try #require(statement[.text(member)]?.bytes)
                        statement[.text(member)] = .bytes(change > 0 ? bytes + [0] : Array(bytes.dropLast(-change)))
                    }
                }
            }
            #expect(error?.reason == .attestationInvalid)
        }
    }

    @Test("A statement that claims ECDAA is refused")
    func ecdaa() throws {
        let error = #expect(throws: CeremonyError.self) {
            try AttestationExample.tpm.register { try $0.alterStatement { $0["ecdaaKeyId"] = .bytes([1]) } }
        }
        #expect(error?.reason == .attestationInvalid)
    }
}

@Suite("WebAuthn L3 §8.4: android-key")
struct AndroidKeyAttestationTests {
    @Test("What only software enforces is taken, unless hardware is asked for")
    func software() throws {
        let example = AttestationExample.androidKeyInSoftware
        try example.register()
        #expect(
            try refusal { try example.register(with: { $0.requiresHardwareKeys = true }) } == .attestationInvalid
        )
        try AttestationExample.androidKey.register(with: { $0.requiresHardwareKeys = true })
    }

    @Test("A key is bound to its app whichever list says so", arguments: [Fault.androidKeyForAllApplications])
    func bothLists(_ fault: Fault) throws {
        for example in [AttestationExample.androidKey, .androidKeyInSoftware] {
            #expect(try refusal { try example.register(fault: fault) } == .attestationInvalid)
        }
    }

    @Test("RSA keys are attested too")
    func rsa() throws {
        try AttestationExample.androidKey.register(profile: { $0.algorithms = [.rs256] })
    }
}

@Suite("WebAuthn L3 §8.5: android-safetynet")
struct SafetyNetAttestationTests {
    private let example = AttestationExample.androidSafetyNet

    @Test("It is off until policy names it; a wrong statement is wrong all the same")
    func off() throws {
        #expect(try refusal { try example.register(with: { $0.allowedFormats = nil }) } == .authenticatorNotAllowed)
        #expect(
            try refusal {
                try example.register(fault: .safetyNetNonceWrong, with: { $0.allowedFormats = nil })
            } == .attestationInvalid
        )
        // Nor does it come in beside another.
        let both = AuthenticatorProfile.Attestation.compound([.packedSelf, example.attestation])
        #expect(
            try refusal {
                try example.register(with: { $0.allowedFormats = nil }, profile: { $0.attestation = both })
            } == .authenticatorNotAllowed
        )
    }

    @Test("An answer counts for a minute, and none is of the future", arguments: [0, 59, 60])
    func age(_ age: Int64) throws {
        var service = AttestationExample.service
        service.time -= age
        try example.register(profile: { $0.attestation = .androidSafetyNet(AttestationExample.authority, service) })
        service.time = Server.time + 1
        #expect(
            try refusal {
                try example.register(
                    profile: { $0.attestation = .androidSafetyNet(AttestationExample.authority, service) }
                )
            } == .attestationInvalid
        )
    }

    @Test("A response that is no JWS, or not of its certificate, is refused")
    func responses() throws {
        for spoil: (String) -> String in [
            { _ in "x" }, { _ in "e30.e30.AA" }, { $0.split(separator: ".").prefix(2).joined(separator: ".") + "." },
            { $0 + ".AA" }, { "e30" + $0.drop { $0 != "." } },
        ] {
            let error = #expect(throws: CeremonyError.self) {
                try example.register { response in
                    try response.alterStatement { statement in
                        let text = String(decoding: try #require(statement["response"]?.bytes), as: UTF8.self)
                        statement["response"] = .bytes(Array(spoil(text).utf8))
                    }
                }
            }
            #expect(error?.reason == .attestationInvalid)
        }
    }
}

@Suite("WebAuthn L3 §8.9: compound")
struct CompoundAttestationTests {
    private static let authority = AttestationExample.authority
    private let example = AttestationExample.compound

    private func register(
        _ parts: [AuthenticatorProfile.Attestation],
        fault: Fault? = nil,
        altering alter: (inout CBORMap) -> Void = { _ in },
        with policy: ((inout AttestationPolicy) -> Void)? = nil
    ) throws -> CredentialRecord {
        try example.register(
            fault: fault,
            altering: { try $0.alterAttestationObject(alter) },
            with: policy,
            profile: { $0.attestation = .compound(parts) }
        )
        .credential
    }

    @Test("One chain that ends at an anchor is enough; without one, policy decides")
    func trust() throws {
        let stranger = try AttestationAuthority(aaguid: Self.authority.aaguid, validAt: Server.time)
        let credential = try register([.packed(stranger), .tpm(Self.authority, AttestationExample.ecTPM)])
        #expect(credential.attestationTrusted && credential.attestationType == .attestationCA)
        #expect(credential.attestationFormat == "compound")
        #expect(
            try refusal { _ = try register([.packed(stranger), .packedSelf]) } == .authenticatorNotAllowed
        )
        let recorded = try register([.packedSelf, .packed(stranger)], with: { $0.trust = .recorded })
        #expect(!recorded.attestationTrusted && recorded.attestationType == .basic)
        let own = try register([.packedSelf, .packedSelf])
        #expect(own.attestationType == .selfAttestation && !own.attestationTrusted)
    }

    @Test("Every statement must be right, the first like the last")
    func everyStatement() throws {
        for index in 0..<2 {
            let error = #expect(throws: CeremonyError.self) {
                try register([.packedSelf, .packedSelf]) { object in
                    var parts = object["attStmt"]?.array ?? []
                    guard var part = parts[index].map, var statement = part["attStmt"]?.map else { return }
                    statement["sig"] = .bytes([1, 2, 3])
                    part["attStmt"] = .map(statement)
                    parts[index] = .map(part)
                    object["attStmt"] = .array(parts)
                }
            }
            #expect(error?.reason == .attestationInvalid)
            #expect(error?.got?.contains("attStmt[\(index)]") == true)
        }
    }

    @Test("A format that policy does not allow is refused inside too; one that is not built, as policy says")
    func formats() throws {
        #expect(
            try refusal {
                _ = try register(
                    [.packedSelf, .apple(Self.authority)],
                    with: { $0.allowedFormats = ["compound", "apple"] }
                )
            } == .authenticatorNotAllowed
        )
        _ = try register(
            [.packedSelf, .apple(Self.authority)],
            with: { $0.allowedFormats = ["compound", "apple", "packed"] }
        )
        func unknown(_ object: inout CBORMap) {
            object["attStmt"] = .array((object["attStmt"]?.array ?? []) + [["fmt": "unknown", "attStmt": [:]]])
        }
        #expect(
            try refusal { _ = try register([.packedSelf, .packedSelf], altering: unknown) } == .authenticatorNotAllowed
        )
        let taken = try register([.packedSelf, .packedSelf], altering: unknown, with: { $0.unknownFormat = .asNone })
        #expect(taken.attestationType == .selfAttestation)
    }

    @Test(
        "An array of two to four statements with their formats, and nothing else, is one",
        arguments: [
            [], [:], "x", [1, 2], [[:], [:]], [["fmt": "none"], ["fmt": "none"]],
            [["fmt": "none", "attStmt": []], ["fmt": "none", "attStmt": [:]]],
            .array([CBORValue](repeating: ["fmt": "none", "attStmt": [:]], count: 5)),
        ] as [CBORValue]
    )
    func shape(_ statement: CBORValue) throws {
        let reason = try refusal { _ = try register([.packedSelf, .packedSelf]) { $0["attStmt"] = statement } }
        #expect(reason == (statement.array == nil ? .invalidResponse : .attestationInvalid))
    }

    @Test("Only a compound statement is an array")
    func onlyCompound() throws {
        let reason = try refusal {
            _ = try register([.packedSelf, .packedSelf]) { $0["fmt"] = "packed" }
        }
        #expect(reason == .invalidResponse)
    }
}
