import COSE
import Cryptography
import Encodings
import SoftwareAuthenticator
import WebAuthn

// Verifying ceremonies against the raw signature check with a key that is kept, in rounds that take turns.
// Prints one line for each, with the target of the project; the exit code says nothing about them, since absolute
// figures move with the machine.

let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 60

print("best of \(rounds) rounds, microseconds of CPU each; raw = signature check with a kept key, same round")
print(padded("what", 34), padded("raw", 9), padded("ceremony", 9), padded("ratio", 7), padded("over", 8), "target")

for (name, algorithm, isTargetRatio) in [
    ("login ES256", COSEAlgorithm.es256, true), ("login EdDSA", .edDSA, false), ("login RS256", .rs256, false),
] {
    let login = try LoginCase(algorithm)
    let result = try measure(rounds: rounds, raw: { login.verifyRaw() }, ceremony: { try login.verify() })
    let limit = isTargetRatio ? result.raw * 1.15 + 10 : result.raw + 10
    report(name, result, limit, isTargetRatio ? "1.15 x raw + 10" : "raw + 10")
}

let none = try RegistrationCase(.none)
report("registration none", try measure(rounds: rounds, raw: {}, ceremony: { try none.verify() }), 20, "20")

let selfSigned = try RegistrationCase(.packedSelf)
let selfResult = try measure(
    rounds: rounds,
    raw: { selfSigned.login.verifyRaw() },
    ceremony: { try selfSigned.verify() }
)
report("registration packed, self", selfResult, selfResult.raw + 20, "raw + 20")

let authority = try AttestationAuthority(aaguid: .zero, validAt: CeremonySetting.time)
let certified = try RegistrationCase(.packed(authority), trusting: [authority.root])
let certifiedResult = try measure(
    rounds: rounds,
    raw: { certified.login.verifyRaw() },
    ceremony: { try certified.verify() }
)
report("registration packed, with chain", certifiedResult, certifiedResult.raw * 3 + 40, "3 x raw + 40")
