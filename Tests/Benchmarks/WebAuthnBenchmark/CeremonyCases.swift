import COSE
import Cryptography
import Encodings
import SoftwareAuthenticator
import WebAuthn

/// What every benchmarked ceremony shares.
enum CeremonySetting {
    static let rpID = "login.example.com"
    static let origin = "https://login.example.com"
    static let challenge = Random.bytes(32)
    /// 2026-01-01T00:00:00Z.
    static let time: Int64 = 1_767_225_600
}

/// A benchmark that cannot go on.
struct BenchmarkError: Error {
    let reason: String
}

/// One login response as its JSON text, and all that verifies it.
struct LoginCase {
    let text: [UInt8]
    let record: CredentialRecord
    let issued: IssuedAuthentication
    let userHandle: [UInt8]
    // For the raw check.
    let key: VerifyingKey
    let algorithm: SignatureAlgorithm
    let signed: [UInt8]
    let signature: [UInt8]

    init(_ algorithm: COSEAlgorithm) throws {
        guard let signatureAlgorithm = algorithm.signatureAlgorithm else {
            throw BenchmarkError(reason: "no such algorithm")
        }
        let kind: SigningKey.Kind =
            switch algorithm {
            case .edDSA: .ed25519
            case .rs256: .rsa(bits: 2048)
            case .mlDSA44: .mlDSA(.mlDSA44)
            default: .p256
            }
        let signingKey = try SigningKey.generate(kind)
        userHandle = Random.bytes(32)
        let credential = SoftwareCredential(
            id: Random.bytes(32),
            rpID: CeremonySetting.rpID,
            userHandle: userHandle,
            algorithm: algorithm,
            key: signingKey
        )
        var authenticator = Authenticator(credentials: [credential])
        let response = try authenticator.get(
            ["challenge": .string(Base64URL.encode(CeremonySetting.challenge)), "rpId": .string(CeremonySetting.rpID)],
            origin: CeremonySetting.origin
        )
        text = JSONValue.object(response).serialized()
        record = CredentialRecord(
            id: credential.id,
            publicKey: try COSEKey(signingKey.publicKey, algorithm: algorithm).encoded(),
            signCount: 0,
            uvInitialized: true,
            backupEligible: true,
            backupState: true
        )
        issued = IssuedAuthentication(
            challenge: CeremonySetting.challenge,
            rpID: CeremonySetting.rpID,
            origins: [CeremonySetting.origin]
        )
        key = signingKey.publicKey
        self.algorithm = signatureAlgorithm
        let read = try AuthenticationResponse(response)
        signed = read.authenticatorData.bytes + SHA256.hash(read.clientData.bytes)
        signature = read.signature
    }

    func verifyRaw() {
        guard key.isValid(signature[...], over: signed[...], algorithm) else { fatalError("the raw check fails") }
    }

    /// Records of the same credential with other keys, for which the signature is wrong: it costs as much as a right one.
    func strangers(_ count: Int) throws -> [CredentialRecord] {
        try (0..<count).map { _ in
            var record = record
            let stranger: VerifyingKey
            switch key.components {
            case .rsa(_, let exponent):
                // Larger than the signature, so that it is not refused for its size.
                let modulus = [UInt8](repeating: 0xff, count: 8) + Random.bytes(247) + [1]
                stranger = try .rsa(modulus: modulus, exponent: exponent)
            default: stranger = try SigningKey.generate(.ed25519).publicKey
            }
            record.publicKey = try COSEKey(stranger).encoded()
            return record
        }
    }

    /// From the JSON text to refused for the signature, with one of the ``strangers(_:)``.
    func refuse(_ stranger: CredentialRecord) {
        do {
            guard let json = try JSON.parse(text).object else { fatalError("no object") }
            let checked = try RelyingParty.check(try AuthenticationResponse(json), answering: issued)
            _ = try RelyingParty.verify(checked, with: stranger, ownerHandles: [userHandle])
            fatalError("a stranger's key verifies")
        } catch let error as CeremonyError where error.reason == .signatureInvalid {
            return
        } catch {
            fatalError("\(error)")
        }
    }

    /// From the JSON text to accepted.
    func verify() throws {
        guard let json = try JSON.parse(text).object else { throw BenchmarkError(reason: "no object") }
        let checked = try RelyingParty.check(try AuthenticationResponse(json), answering: issued)
        _ = try RelyingParty.verify(checked, with: record, ownerHandles: [userHandle])
    }
}

/// One registration response as its JSON text, and all that verifies it.
struct RegistrationCase {
    let text: [UInt8]
    let issued: IssuedRegistration
    /// A login with a key of the same kind, for its raw check.
    let login: LoginCase

    init(_ attestation: AuthenticatorProfile.Attestation, trusting anchors: [Certificate]? = nil) throws {
        var authenticator = Authenticator(AuthenticatorProfile(attestation: attestation))
        var options = JSONWriter()
        CreationOptions(
            rpID: CeremonySetting.rpID,
            rpName: CeremonySetting.rpID,
            userID: Random.bytes(32),
            userName: "ana@example.com",
            userDisplayName: "Ana",
            challenge: CeremonySetting.challenge,
            algorithms: [.es256],
            timeout: 60000,
            attestation: .direct
        ).write(to: &options)
        guard let json = try JSON.parse(options.bytes).object else { throw BenchmarkError(reason: "no object") }
        text = JSONValue.object(try authenticator.create(json, origin: CeremonySetting.origin)).serialized()
        issued = IssuedRegistration(
            challenge: CeremonySetting.challenge,
            rpID: CeremonySetting.rpID,
            origins: [CeremonySetting.origin],
            algorithms: [.edDSA, .es256, .rs256],
            attestation: AttestationPolicy(
                preference: .direct,
                trustAnchors: anchors,
                trust: anchors == nil ? .recorded : .required
            )
        )
        login = try LoginCase(.es256)
    }

    /// From the JSON text to accepted.
    func verify() throws {
        guard let json = try JSON.parse(text).object else { throw BenchmarkError(reason: "no object") }
        _ = try RelyingParty.verify(try RegistrationResponse(json), answering: issued, at: CeremonySetting.time)
    }
}
