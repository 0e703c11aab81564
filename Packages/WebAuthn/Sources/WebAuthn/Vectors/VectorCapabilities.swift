internal import COSE
internal import Encodings
internal import JOSE

/// What the runner announces, in the words of `requires` in the vector files.
enum VectorCapabilities {
    static let all: [String] =
        AttestationFormats.built.map { "fmt:\($0.identifier)" }
        + algorithms.map { "alg:\($0.rawValue)" }
        + (algorithms + [.rs1]).map { "attAlg:\($0.rawValue)" }
        + ["sign1", "sign", "compact", "detached"]
        + JWSAlgorithm.allCases.map { "jws:\($0.rawValue)" }

    /// The answer to `hello`.
    static var hello: VectorAnswer {
        VectorAnswer(members: [
            "protocol": 1,
            "ops": .array((["hello"] + VectorOperation.allCases.map(\.rawValue)).map(JSONValue.string)),
            "capabilities": .array(all.map(JSONValue.string)),
        ])
    }

    /// RS1 is left out: it signs attestation statements alone.
    private static let algorithms: [COSEAlgorithm] = [
        .es256, .edDSA, .esp256, .ed25519, .es384, .es512, .ps256, .ps384, .ps512, .es256K, .esp384, .esp512, .ed448,
        .rs256, .rs384, .rs512, .mlDSA44, .mlDSA65, .mlDSA87,
    ]
}
