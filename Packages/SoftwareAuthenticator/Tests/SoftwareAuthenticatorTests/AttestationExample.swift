import CBOR
import COSE
import Cryptography
import Encodings
import SoftwareAuthenticator
import Testing
import WebAuthn

/// One attestation of each kind that can be made, all under one local root.
enum AttestationExample: String, CaseIterable, Sendable {
    case packedSelf, packed, fidoU2F, tpm, tpmRSA, androidKey, androidKeyInSoftware, androidSafetyNet, apple, compound

    static let authority: AttestationAuthority = made {
        try AttestationAuthority(aaguid: RightCeremonyTests.aaguid, validAt: Server.time, hasIntermediate: true)
    }
    static let ecTPM: SoftwareTPM = made { try SoftwareTPM(algorithm: .es256) }
    static let rsaTPM: SoftwareTPM = made { try SoftwareTPM(algorithm: .rs256) }
    static let sha1TPM: SoftwareTPM = made { try SoftwareTPM(algorithm: .rs1) }
    static let service: SafetyNetService = made { try SafetyNetService(answeringAt: Server.time) }

    /// What cannot fail unless libcrypto does; then no test could run.
    private static func made<Value>(_ make: () throws -> Value) -> Value {
        do {
            return try make()
        } catch {
            fatalError("libcrypto makes no keys: \(error)")
        }
    }

    var attestation: AuthenticatorProfile.Attestation {
        switch self {
        case .packedSelf: .packedSelf
        case .packed: .packed(Self.authority)
        case .fidoU2F: .fidoU2F(Self.authority)
        case .tpm: .tpm(Self.authority, Self.ecTPM)
        case .tpmRSA: .tpm(Self.authority, Self.rsaTPM)
        case .androidKey: .androidKey(Self.authority, enforcedBy: .hardware)
        case .androidKeyInSoftware: .androidKey(Self.authority, enforcedBy: .software)
        case .androidSafetyNet: .androidSafetyNet(Self.authority, Self.service)
        case .apple: .apple(Self.authority)
        case .compound: .compound([.packed(Self.authority), .androidKey(Self.authority, enforcedBy: .hardware)])
        }
    }

    /// What its verifier is to find out.
    var type: AttestationType {
        switch self {
        case .packedSelf: .selfAttestation
        case .packed, .fidoU2F, .androidKey, .androidKeyInSoftware, .androidSafetyNet, .compound: .basic
        case .tpm, .tpmRSA: .attestationCA
        case .apple: .anonymizationCA
        }
    }

    var profile: AuthenticatorProfile {
        AuthenticatorProfile(
            aaguid: Self.authority.aaguid,
            algorithms: self == .tpmRSA ? [.rs256] : [.es256],
            backupEligible: false,
            backedUp: false,
            attestation: attestation
        )
    }

    /// One that allows the format and judges chains by the local root.
    var server: Server {
        var server = Server()
        server.attestation = AttestationPolicy(
            preference: .direct,
            trustAnchors: [Self.authority.root],
            trust: .trustedChains,
            allowedFormats: self == .androidSafetyNet ? ["android-safetynet"] : nil
        )
        return server
    }

    /// Registers, with something wrong when it is said.
    @discardableResult
    func register(
        fault: Fault? = nil,
        altering alter: (inout JSONObject) throws -> Void = { _ in },
        with policy: ((inout AttestationPolicy) -> Void)? = nil,
        profile change: ((inout AuthenticatorProfile) -> Void)? = nil
    ) throws -> VerifiedRegistration {
        var server = server
        policy?(&server.attestation)
        var profile = profile
        change?(&profile)
        server.algorithms = profile.algorithms
        var authenticator = Authenticator(profile)
        return try server.register(&authenticator, fault: fault, altering: alter)
    }
}

extension JSONObject {
    /// Changes the attestation object of a registration response.
    mutating func alterAttestationObject(_ change: (inout CBORMap) throws -> Void) throws {
        var response = try #require(self["response"]?.object)
        let text = try #require(response["attestationObject"]?.string)
        var object = try #require(try CBOR.decode(try Base64URL.decode(text)).map)
        try change(&object)
        response["attestationObject"] = .string(Base64URL.encode(CBOR.encode(.map(object))))
        self["response"] = .object(response)
    }

    /// Changes the members of the attestation statement.
    mutating func alterStatement(_ change: (inout CBORMap) throws -> Void) throws {
        try alterAttestationObject { object in
            var statement = try #require(object["attStmt"]?.map)
            try change(&statement)
            object["attStmt"] = .map(statement)
        }
    }

    /// Changes the authenticator data, which is signed.
    mutating func alterAuthenticatorData(_ change: (inout [UInt8]) throws -> Void) throws {
        try alterAttestationObject { object in
            var data = try #require(object["authData"]?.bytes)
            try change(&data)
            object["authData"] = .bytes(data)
        }
    }
}
