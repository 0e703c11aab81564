import Cryptography
import Encodings
import JOSE
import Testing

@Suite("The shared vectors of RFC 7515, RFC 7520, RFC 8037 and Wycheproof")
struct SharedVectorTests {
    /// What this package does not have, and so what `requires` excuses.
    ///
    /// The JSON serialisation lets a signature come with an unprotected header, and nothing here needs it.
    static let missingAbilities: Set<String> = ["json"]

    @Test("Each JWS has its verdict", .enabled(if: Vectors.sharedRoot != nil, "no shared vectors here"))
    func signatures() throws {
        let cases = try #require(try Vectors.shared("jose-jws.json"))
        #expect(cases.count > 200)
        var skipped: [String] = []
        for test in cases {
            let id = try #require(test["id"]?.string)
            #expect(test["operation"] == "jws", "\(id) is about something else")
            let input = try #require(test["input"]?.object)
            let expected = try #require(test["expected"]?.object)
            let requires = try #require(test["requires"]?.array).compactMap(\.string)
            #expect(
                requires.allSatisfy { ["compact", "json", "detached"].contains($0) || $0.hasPrefix("jws:") },
                "\(id) requires something unknown"
            )
            #expect(Set(input.members.map(\.name)).isSubset(of: ["jws", "keys", "detachedPayload"]), "\(id)")
            guard let text = input["jws"]?.string else {
                #expect(!Self.missingAbilities.isDisjoint(with: requires), "\(id) is no text")
                skipped.append(id)
                continue
            }
            let keys = try #require(input["keys"]?.array).map { try #require($0.object) }
            let payload = try input["detachedPayload"]?.string.map { try Base64URL.decode($0) }
            // The name of the algorithm in `requires` stands for what a verifier knows of its RSA keys.
            let algorithm = requires.lazy.compactMap { JWSAlgorithm(rawValue: String($0.dropFirst(4))) }.first
            let verified = Result { () throws(JOSEError) in
                try Self.verify(text, payload, keys: keys, algorithm: algorithm)
            }
            switch (expected["verdict"], verified) {
            case ("accept", .success(let jws)):
                if let payload = expected["payload"]?.string {
                    #expect(Base64URL.encode(jws.payload) == payload, "\(id)")
                }
            case ("reject", .failure), ("either", _): break
            case ("accept", .failure(let error)): Issue.record("\(id) is refused: \(error)")
            case ("reject", .success): Issue.record("\(id) is accepted")
            default: Issue.record("\(id) has an unknown verdict")
            }
        }
        #expect(skipped.count < 10, "\(skipped)")
    }

    private static func verify(
        _ text: String,
        _ payload: [UInt8]?,
        keys: [JSONObject],
        algorithm: JWSAlgorithm?
    ) throws(JOSEError) -> JWS {
        var jwsKeys: [JWSKey] = []
        for key in keys {
            jwsKeys.append(try JWSKey(try JWK(key), algorithm: algorithm))
        }
        let set = try JWSKeySet(jwsKeys)
        guard let payload else { return try JWS.verify(text, with: set) }
        return try JWS.verify(text, detachedPayload: payload[...], with: set)
    }

    @Test("Each thumbprint is right", .enabled(if: Vectors.sharedRoot != nil, "no shared vectors here"))
    func thumbprints() throws {
        let cases = try #require(try Vectors.shared("jose-thumbprint.json"))
        #expect(!cases.isEmpty)
        for test in cases {
            let id = try #require(test["id"]?.string)
            #expect(test["operation"] == "jwk-thumbprint", "\(id) is about something else")
            let expected = try #require(test["expected"]?.object)
            #expect(expected["verdict"] == "match", "\(id)")
            let jwk = try JWK(try #require(test["input"]?.object?["jwk"]?.object))
            #expect(Base64URL.encode(jwk.thumbprint) == expected["sha256"]?.string, "\(id)")
        }
    }
}
