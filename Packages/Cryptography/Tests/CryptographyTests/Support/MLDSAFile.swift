import Foundation
import Testing

/// `Vectors/mldsa.json`, which `Generators/mldsa_vectors.py` makes.
struct MLDSAFile: Decodable {
    struct Case: Decodable {
        let set: String
        let what: String
        let seed: String
        let publicKey: String
        let message: String
        let signature: String
        let valid: Bool

        init(from decoder: any Decoder) throws {
            let members = try decoder.members(
                known: ["set", "what", "seed", "publicKey", "message", "signature", "valid"]
            )
            set = try members.value("set")
            what = try members.value("what")
            seed = try members.value("seed")
            publicKey = try members.value("publicKey")
            message = try members.value("message")
            signature = try members.value("signature")
            valid = try members.value("valid")
        }
    }

    let zeroSeedPKCS8: String
    let zeroSeedSubjectPublicKeyInfo: String
    let cases: [Case]

    init(from decoder: any Decoder) throws {
        let members = try decoder.members(
            known: ["source", "licence", "zeroSeedPKCS8", "zeroSeedSubjectPublicKeyInfo", "cases"]
        )
        zeroSeedPKCS8 = try members.value("zeroSeedPKCS8")
        zeroSeedSubjectPublicKeyInfo = try members.value("zeroSeedSubjectPublicKeyInfo")
        cases = try members.value("cases")
    }

    static func read() throws -> MLDSAFile {
        let path = try #require(Bundle.module.resourcePath) + "/Vectors/mldsa.json"
        return try JSONDecoder().decode(MLDSAFile.self, from: Data(contentsOf: URL(filePath: path)))
    }
}
