import COSE
import Cryptography
import Encodings
import Foundation
import SoftwareAuthenticator
import Testing
import WebAuthn

@Suite("Registrations that were changed along their structure")
struct MutationTests {
    /// LATCHKEY_MUTATIONS says how many in all; `make bench` measures their time over 100,000.
    private static let count = ProcessInfo.processInfo.environment["LATCHKEY_MUTATIONS"].flatMap { Int($0) } ?? 4000

    @Test("None traps, and none is accepted whose signed part has changed", arguments: AttestationExample.allCases)
    func mutations(_ example: AttestationExample) throws {
        let challenge = Random.bytes(32)
        var authenticator = Authenticator(example.profile)
        let right = try authenticator.create(
            [
                "rp": ["id": "login.example.com", "name": "x"], "user": ["id": "AQ", "name": "a", "displayName": "a"],
                "challenge": .string(Base64URL.encode(challenge)), "attestation": "direct",
                "pubKeyCredParams": [["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257]],
            ],
            origin: "https://login.example.com"
        )
        let issued = IssuedRegistration(
            challenge: challenge,
            rpID: "login.example.com",
            origins: ["https://login.example.com"],
            algorithms: [.es256, .rs256],
            attestation: example.server.attestation
        )
        let original = try RegistrationResponse(right)
        _ = try RelyingParty.verify(original, answering: issued, at: Server.time)
        let expected = SignedPart(original, example)

        let seed = Random.bytes(8).reduce(into: 0 as UInt64) { $0 = $0 << 8 | UInt64($1) }
        var mutator = RegistrationMutator(seed: seed)
        var accepted = 0
        for number in 0..<max(1, Self.count / AttestationExample.allCases.count) {
            let mutated = mutator.mutate(right)
            let changed = try #require(mutated)
            guard let read = try? RegistrationResponse(changed),
                let verified = try? RelyingParty.verify(read, answering: issued, at: Server.time)
            else { continue }
            accepted += 1
            // Where another format is claimed that signs nothing, nothing is attested.
            guard verified.credential.attestationType != AttestationType.none else { continue }
            guard SignedPart(read, example) != expected else { continue }
            Issue.record("seed \(seed), change \(number): accepted with another signed part")
        }
        // Some changes hit nothing that counts; were none accepted, the changes would be too coarse to say anything.
        #expect(accepted > 0 || Self.count < 2000, "seed \(seed)")
    }

    /// What the attestation covers.
    private struct SignedPart: Equatable {
        let clientData: [UInt8]
        let authenticatorData: [UInt8]
        let rpIDHash: [UInt8]
        let credentialID: [UInt8]
        let key: VerifyingKey?

        init(_ response: RegistrationResponse, _ example: AttestationExample) {
            let data = response.attestationObject.authenticatorData
            clientData = response.clientData.bytes
            // A U2F device knows nothing of flags, counters and AAGUIDs (§8.6).
            authenticatorData = example == .fidoU2F ? [] : data.bytes
            rpIDHash = Array(data.rpIDHash)
            credentialID = response.id
            key = response.credential.key?.verifyingKey
        }
    }
}
