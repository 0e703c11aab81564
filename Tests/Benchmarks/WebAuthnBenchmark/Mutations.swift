import COSE
import Cryptography
import Encodings
import Glibc
import SoftwareAuthenticator
import WebAuthn

/// Verifies registrations of every format that were changed along their structure, each timed by itself.
///
/// - Returns: the microseconds of CPU that the slowest took, and how many were accepted all the same, because nothing
///   that counts was hit. That none is whose signed part has changed is for a test to see.
func measureMutations(_ count: Int) throws -> (worst: Double, accepted: Int) {
    let time = CeremonySetting.time
    let authority = try AttestationAuthority(aaguid: .zero, validAt: time, hasIntermediate: true)
    let attestations: [(AuthenticatorProfile.Attestation, COSEAlgorithm)] = [
        (.none, .es256), (.packedSelf, .rs256), (.packedSelf, .mlDSA87), (.packed(authority), .es256),
        (.fidoU2F(authority), .es256), (.tpm(authority, try SoftwareTPM()), .es256),
        (.tpm(authority, try SoftwareTPM()), .rs256), (.androidKey(authority, enforcedBy: .hardware), .es256),
        (.androidSafetyNet(authority, try SafetyNetService(answeringAt: time)), .es256), (.apple(authority), .es256),
        (.compound([.packed(authority), .androidKey(authority, enforcedBy: .hardware)]), .es256),
    ]
    var worst = 0.0
    var accepted = 0
    for (index, (attestation, algorithm)) in attestations.enumerated() {
        var authenticator = Authenticator(AuthenticatorProfile(algorithms: [algorithm], attestation: attestation))
        let right = try authenticator.create(
            [
                "rp": ["id": .string(CeremonySetting.rpID), "name": "x"],
                "user": ["id": "AQ", "name": "a", "displayName": "a"],
                "challenge": .string(Base64URL.encode(CeremonySetting.challenge)), "attestation": "direct",
                "pubKeyCredParams": [["type": "public-key", "alg": .integer(Int64(algorithm.rawValue))]],
            ],
            origin: CeremonySetting.origin
        )
        let issued = IssuedRegistration(
            challenge: CeremonySetting.challenge,
            rpID: CeremonySetting.rpID,
            origins: [CeremonySetting.origin],
            algorithms: [.edDSA, .es256, .rs256, .mlDSA44, .mlDSA65, .mlDSA87],
            attestation: AttestationPolicy(
                preference: .direct,
                trustAnchors: [authority.root],
                allowedFormats: AttestationPolicy.everyFormat
            )
        )
        var mutator = RegistrationMutator(seed: UInt64(index))
        for _ in 0..<count / attestations.count {
            guard let changed = mutator.mutate(right) else { throw BenchmarkError(reason: "no right registration") }
            let start = cpuNanoseconds()
            let read = try? RegistrationResponse(changed)
            let verified = read.flatMap { try? RelyingParty.verify($0, answering: issued, at: time) }
            worst = max(worst, Double(cpuNanoseconds() - start) / 1000)
            if verified != nil { accepted += 1 }
        }
    }
    return (worst, accepted)
}

extension AttestationPolicy {
    fileprivate static let everyFormat = [
        "none", "packed", "tpm", "android-key", "android-safetynet", "apple", "fido-u2f", "compound",
    ]
}
