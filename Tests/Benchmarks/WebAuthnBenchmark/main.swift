import COSE
import Cryptography
import Encodings
import SoftwareAuthenticator
import WebAuthn

// Verifying ceremonies against the raw signature check with a key that is kept, in rounds that take turns.
// Prints one line for each, with the target of the project; the exit code says nothing about them, since absolute
// figures move with the machine.
//
//     WebAuthnBenchmark [ROUNDS [PART OF A NAME]]

let arguments = CommandLine.arguments.dropFirst()
let rounds = arguments.first.flatMap { Int($0) } ?? 60
let wanted = arguments.dropFirst().first

func isWanted(_ name: String) -> Bool { wanted.map(name.contains) ?? true }

print("best of \(rounds) rounds, microseconds of CPU each; raw = signature check with a kept key, same round")
print(padded("what", 34), padded("raw", 9), padded("ceremony", 9), padded("ratio", 7), padded("over", 8), "target")

for (name, algorithm) in [
    ("login ES256", COSEAlgorithm.es256), ("login EdDSA", .edDSA), ("login RS256", .rs256),
    ("login ML-DSA-44", .mlDSA44),
] where isWanted(name) {
    let login = try LoginCase(algorithm)
    let result = try measure(rounds: rounds, raw: { login.verifyRaw() }, ceremony: { try login.verify() })
    switch algorithm {
    case .es256: report(name, result, result.raw * 1.15 + 10, "1.15 x raw + 10")
    case .mlDSA44:
        report(name, result, 400, "400")
        report("ML-DSA-44, signature alone", Measurement(raw: 0, ceremony: result.raw), 400, "400")
    default: report(name, result, result.raw + 10, "raw + 10")
    }
}

// RSA and EdDSA keys are kept for a while. Here each one is new.
for (name, algorithm) in [
    ("login EdDSA, key not seen lately", COSEAlgorithm.edDSA), ("login RS256, key not seen lately", .rs256),
]
where isWanted(name) {
    let login = try LoginCase(algorithm)
    let strangers = try login.strangers(300)
    var next = 0
    let result = measure(
        rounds: rounds,
        raw: { login.verifyRaw() },
        ceremony: {
            login.refuse(strangers[next])
            next = (next + 1) % strangers.count
        }
    )
    report(name, result, result.raw + 10, "raw + 10")
}

if isWanted("registration none") {
    let none = try RegistrationCase(.none)
    report("registration none", try measure(rounds: rounds, raw: {}, ceremony: { try none.verify() }), 20, "20")
}

if isWanted("registration packed, self") {
    let selfSigned = try RegistrationCase(.packedSelf)
    let result = try measure(
        rounds: rounds,
        raw: { selfSigned.login.verifyRaw() },
        ceremony: { try selfSigned.verify() }
    )
    report("registration packed, self", result, result.raw + 20, "raw + 20")
}

if isWanted("registration packed, with chain") {
    let authority = try AttestationAuthority(aaguid: .zero, validAt: CeremonySetting.time)
    let certified = try RegistrationCase(.packed(authority), trusting: [authority.root])
    let result = try measure(
        rounds: rounds,
        raw: { certified.login.verifyRaw() },
        ceremony: { try certified.verify() }
    )
    report("registration packed, with chain", result, result.raw * 3 + 40, "3 x raw + 40")
}

if isWanted("changed registrations") {
    let (worst, accepted) = try measureMutations(100_000)
    report("100,000 changed registrations", Measurement(raw: 0, ceremony: worst), 5000, "5000 for the slowest")
    print("    of these \(accepted) were accepted: what was changed in them counts for nothing")
}
