import CBOR
import COSE
import Cryptography
import Encodings
import SoftwareAuthenticator
import Testing
import WebAuthn

/// The cases of the FIDO Alliance's guide to server testing that are about the attestation object, in our own words and
/// code, by its ids: P is to pass, F to be refused. Where Level 3 differs, the test has Level 3's answer and says so.
@Suite("FIDO server cases: the attestation object")
struct FIDOServerTests {
    /// One case: what is registered, and the refusal that it meets.
    struct Case: CustomTestStringConvertible, Sendable {
        let id: String
        var example = AttestationExample.packed
        var fault: Fault?
        var alter: @Sendable (inout JSONObject) throws -> Void = { _ in }
        var with: @Sendable (inout AttestationPolicy) -> Void = { _ in }
        var profile: @Sendable (inout AuthenticatorProfile) -> Void = { _ in }
        /// `nil`: it passes.
        var refused: CeremonyReason?

        var testDescription: String { id }
    }

    private func judge(_ item: Case) throws {
        let reason = try refusal {
            try item.example.register(fault: item.fault, altering: item.alter, with: item.with, profile: item.profile)
        }
        #expect(reason == item.refused, "\(item.id)")
    }

    // MARK: Resp-3

    private static func object(
        _ id: String,
        _ change: @escaping @Sendable (inout CBORMap) throws -> Void,
        refused reason: CeremonyReason = .invalidResponse
    ) -> Case {
        Case(id: id, alter: { try $0.alterAttestationObject(change) }, refused: reason)
    }

    private static func data(_ id: String, _ change: @escaping @Sendable (inout [UInt8]) throws -> Void) -> Case {
        Case(id: id, alter: { try $0.alterAuthenticatorData(change) }, refused: .invalidResponse)
    }

    private static func statement(_ id: String, _ member: CBORValue, _ value: CBORValue?) -> Case {
        Case(
            id: id,
            alter: { try $0.alterStatement { $0[member] = value } },
            refused: .attestationInvalid
        )
    }

    static let attestationObject: [Case] = [
        Case(
            id: "P1 extension data with ED set",
            profile: { $0.registrationExtensions = CBORMap([CBORMap.Entry(key: "example.extension", value: true)]) }
        ),
        Case(
            id: "F1 not a CBOR map",
            alter: { response in
                var inner = try #require(response["response"]?.object)
                inner["attestationObject"] = .string(Base64URL.encode(CBOR.encode([1, 2, 3])))
                response["response"] = .object(inner)
            },
            refused: .invalidResponse
        ),
        object("F2 fmt missing", { $0["fmt"] = nil }), object("F3 fmt not text", { $0["fmt"] = 1 }),
        object("F4 attStmt missing", { $0["attStmt"] = nil }),
        object("F5 attStmt not a map", { $0["attStmt"] = [1, 2] }),
        object("F6 authData missing", { $0["authData"] = nil }),
        object("F7 authData not bytes", { $0["authData"] = "text" }),
        object("F8 authData empty", { $0["authData"] = .bytes([]) }),
        data("F9 AT clear, but the data there", { $0[32] &= ~0x40 }),
        data(
            "F10 AT clear, and no data",
            {
                $0[32] &= ~0x40
                $0 = Array($0.prefix(37))
            }
        ),
        data("F11 AT set, and no data", { $0 = Array($0.prefix(37)) }),
        data("F12 bytes left over", { $0 += [0, 0] }),
        Case(id: "F13 empty attStmt", fault: .attestationStatementEmpty, refused: .attestationInvalid),
        statement("F14 alg missing", "alg", nil), statement("F15 alg not a number", "alg", "-7"),
        Case(id: "F16 another alg", fault: .attestationAlgorithmWrong, refused: .attestationInvalid),
        statement("F17 sig missing", "sig", nil), statement("F18 sig not bytes", "sig", "text"),
        statement("F19 sig empty", "sig", .bytes([])),
    ]

    @Test("Resp-3: attestation objects", arguments: attestationObject)
    func attestationObjects(_ item: Case) throws { try judge(item) }

    // MARK: Resp-4

    @Test(
        "Resp-4: packed self attestations of every algorithm",
        arguments: [
            COSEAlgorithm.es256K, .ps256, .ps384, .ps512, .rs256, .rs384, .rs512, .es256, .es384, .es512, .edDSA,
        ]
    )
    func algorithms(_ algorithm: COSEAlgorithm) throws {
        let registration = try AttestationExample.packedSelf.register(profile: { $0.algorithms = [algorithm] })
        #expect(registration.algorithm == algorithm.rawValue)
    }

    // MARK: Resp-5

    /// F1 is Resp-6's F3. F8 is for the metadata to judge. F10, the root among the certificates, passes: Level 3 says
    /// nothing against it, and authenticators send it.
    static let packedFull: [Case] = [
        Case(id: "P1 valid"), Case(id: "P2 chain to the root", with: { $0.trust = .required }),
        Case(id: "F1 unknown fmt", fault: .attestationFormatUnknown, refused: .authenticatorNotAllowed),
        Case(id: "F2 bad sig", fault: .attestationSignatureWrong, refused: .attestationInvalid),
        Case(id: "F3 x5c missing", fault: .attestationPathMissing, refused: .attestationInvalid),
        statement("F4 x5c not an array", "x5c", .bytes([1])),
        Case(id: "F5 x5c empty", fault: .attestationPathEmpty, refused: .attestationInvalid),
        Case(id: "F6 leaf expired", fault: .attestationCertificateExpired, refused: .authenticatorNotAllowed),
        Case(id: "F7 leaf not yet valid", fault: .attestationCertificateNotYetValid, refused: .authenticatorNotAllowed),
        Case(id: "F9 chain does not verify", fault: .attestationChainUntrusted, refused: .authenticatorNotAllowed),
        Case(
            id: "F10 the whole chain with its root",
            alter: {
                try $0.alterStatement { statement in
                    let root = CBORValue.bytes(AttestationExample.authority.root.der)
                    statement["x5c"] = .array((statement["x5c"]?.array ?? []) + [root])
                }
            }
        ),
        Case(id: "F11 wrong order", fault: .attestationPathDisordered, refused: .attestationInvalid),
        Case(
            id: "F12 expired intermediate",
            fault: .attestationIntermediateExpired,
            refused: .authenticatorNotAllowed
        ),
        Case(id: "F13 sig not by the leaf", fault: .attestationSignatureByOtherKey, refused: .attestationInvalid),
        Case(
            id: "F14 sig by the credential's key",
            fault: .attestationSignatureByCredential,
            refused: .attestationInvalid
        ),
    ]

    @Test("Resp-5: packed, full", arguments: packedFull)
    func packed(_ item: Case) throws { try judge(item) }

    // MARK: Resp-6 and Resp-7

    /// F2, a full attestation where the metadata say self, is for the metadata to judge.
    static let packedSelf: [Case] = [
        Case(id: "P1 valid", example: .packedSelf),
        Case(id: "F1 bad sig", example: .packedSelf, fault: .attestationSignatureWrong, refused: .attestationInvalid),
        Case(
            id: "F3 unknown fmt",
            example: .packedSelf,
            fault: .attestationFormatUnknown,
            refused: .authenticatorNotAllowed
        ),
    ]

    @Test("Resp-6: packed, self", arguments: packedSelf)
    func selfSigned(_ item: Case) throws { try judge(item) }

    static let none: [Case] = [
        Case(id: "P1 valid", profile: { $0.attestation = .none }),
        Case(
            id: "P2 valid, not asked for",
            with: { $0.preference = .none },
            profile: { $0.attestation = .none }
        ),
        Case(
            id: "F1 a filled attStmt",
            fault: .noneStatementFilled,
            profile: { $0.attestation = .none },
            refused: .attestationInvalid
        ),
    ]

    @Test("Resp-7: none", arguments: none)
    func nothing(_ item: Case) throws { try judge(item) }

    // MARK: Resp-8

    static let fidoU2F: [Case] = [
        Case(id: "P1 valid", example: .fidoU2F),
        Case(id: "F1 AAGUID not zero", example: .fidoU2F, fault: .u2fModelNamed, refused: .attestationInvalid),
        Case(id: "F2 bad sig", example: .fidoU2F, fault: .attestationSignatureWrong, refused: .attestationInvalid),
    ]

    @Test("Resp-8: fido-u2f", arguments: fidoU2F)
    func u2f(_ item: Case) throws { try judge(item) }

    // MARK: Resp-9

    static let tpm: [Case] = [
        Case(id: "P1 SHA-256", example: .tpmRSA),
        Case(
            id: "P2 SHA-1, where policy allows it",
            example: .tpmRSA,
            with: { $0.allowsSHA1 = true },
            profile: { $0.attestation = .tpm(AttestationExample.authority, AttestationExample.sha1TPM) }
        ),
        Case(
            id: "P2 SHA-1, where policy does not",
            example: .tpmRSA,
            profile: { $0.attestation = .tpm(AttestationExample.authority, AttestationExample.sha1TPM) },
            refused: .authenticatorNotAllowed
        ),
        Case(
            id: "P3 nameAlg other than that of the name",
            example: .tpm,
            profile: {
                var tpm = AttestationExample.ecTPM
                tpm.claimedNameHash = .sha384
                $0.attestation = .tpm(AttestationExample.authority, tpm)
            }
        ),
        Case(
            id: "F1 certificate order",
            example: .tpm,
            fault: .attestationPathDisordered,
            refused: .attestationInvalid
        ),
        Case(id: "F2 extraData", example: .tpm, fault: .tpmExtraDataWrong, refused: .attestationInvalid),
        Case(id: "F3 magic", example: .tpm, fault: .tpmMagicWrong, refused: .attestationInvalid),
        Case(
            id: "F4 pubArea not of the credential's key",
            example: .tpm,
            fault: .tpmPublicAreaOfOtherKey,
            refused: .attestationInvalid
        ),
    ]

    @Test("Resp-9: tpm", arguments: tpm)
    func trustedPlatformModule(_ item: Case) throws { try judge(item) }

    // MARK: Resp-A

    static let androidKey: [Case] = [
        Case(id: "P1 valid", example: .androidKey),
        Case(
            id: "F1 client data hash",
            example: .androidKey,
            fault: .androidKeyChallengeWrong,
            refused: .attestationInvalid
        ),
        Case(
            id: "F2 public key",
            example: .androidKey,
            fault: .attestationCertificateOfOtherKey,
            refused: .attestationInvalid
        ),
        Case(
            id: "F3 certificate order",
            example: .androidKey,
            fault: .attestationPathDisordered,
            refused: .attestationInvalid
        ),
    ]

    @Test("Resp-A: android-key", arguments: androidKey)
    func android(_ item: Case) throws { try judge(item) }

    // MARK: Resp-B

    private static func safetyNet(_ id: String, _ fault: Fault) -> Case {
        Case(id: id, example: .androidSafetyNet, fault: fault, refused: .attestationInvalid)
    }

    static let androidSafetyNet: [Case] = [
        Case(id: "P1 valid", example: .androidSafetyNet), safetyNet("F1 ver empty", .safetyNetVersionEmpty),
        safetyNet("F2 response empty", .safetyNetResponseEmpty), safetyNet("F3 nonce", .safetyNetNonceWrong),
        safetyNet("F4 x5c empty", .attestationPathEmpty),
        safetyNet("F5 ctsProfileMatch false", .safetyNetProfileMismatch),
        safetyNet("F6 time in the future", .safetyNetFromFuture),
        safetyNet("F7 older than a minute", .safetyNetTooOld),
        Case(
            id: "P1 where policy does not name the format",
            example: .androidSafetyNet,
            with: { $0.allowedFormats = nil },
            refused: .authenticatorNotAllowed
        ),
    ]

    @Test("Resp-B: android-safetynet, where policy names it", arguments: androidSafetyNet)
    func safetyNet(_ item: Case) throws { try judge(item) }
}
