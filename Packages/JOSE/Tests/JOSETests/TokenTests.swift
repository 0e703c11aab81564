import Cryptography
import Encodings
import JOSE
import Testing

@Suite("RFC 7519: JSON Web Tokens")
struct TokenTests {
    let signer: JWTSigner
    let keys: JWSKeySet

    init() throws {
        let secret = [UInt8](repeating: 7, count: 32)
        signer = try JWTSigner(secret: secret)
        keys = try JWSKeySet([JWSKey(secret: secret)])
    }

    private func claims(_ text: String) throws -> JWTClaims {
        try JWTClaims(JWS.verify(try signer.sign(claims: Array(text.utf8)), with: keys))
    }

    @Test("Headers are written as the HTTP contract shows them", arguments: ["JWT", "at+jwt", "secevent+jwt"])
    func headers(type: String) throws {
        let key = try SigningKey.generate(.p256)
        let token = try JWTSigner(keyID: "k", algorithm: .es256, key: key).sign(claims: Array("{}".utf8), type: type)
        let header = try Base64URL.decode(String(token.prefix { $0 != "." }))
        #expect(String(decoding: header, as: UTF8.self) == #"{"alg":"ES256","typ":"\#(type)","kid":"k"}"#)
        let secretHeader = try Base64URL.decode(String(try signer.sign(claims: [], type: type).prefix { $0 != "." }))
        #expect(String(decoding: secretHeader, as: UTF8.self) == #"{"alg":"HS256","typ":"\#(type)"}"#)
    }

    @Test("A signer wants a key for its algorithm")
    func signers() throws {
        let key = try SigningKey.generate(.p256)
        for algorithm in JWSAlgorithm.allCases where algorithm != .es256 {
            #expect(throws: JOSEError.unusableKey(member: "alg")) {
                try JWTSigner(keyID: "k", algorithm: algorithm, key: key)
            }
        }
    }

    @Test("Registered claims come out with their types")
    func registeredClaims() throws {
        let claims = try claims(#"{"iss":"i","sub":"s","aud":["a","b"],"exp":30.9,"nbf":10,"iat":9,"x":[1]}"#)
        #expect(claims.issuer == "i")
        #expect(claims.subject == "s")
        #expect(claims.audience == ["a", "b"])
        #expect(claims.expiry == 30)
        #expect(claims.notBefore == 10)
        #expect(claims.issuedAt == 9)
        #expect(claims.object["x"] == [1])
        #expect(try self.claims(#"{"aud":"a"}"#).audience == ["a"])
        #expect(try self.claims("{}").audience == [])
    }

    @Test(
        "Claims of another type are refused, and payloads that are no object",
        arguments: [
            #"{"iss":1}"#, #"{"sub":["s"]}"#, #"{"aud":1}"#, #"{"aud":[1]}"#, #"{"aud":{}}"#, #"{"exp":"30"}"#,
            #"{"exp":1e300}"#, #"{"nbf":true}"#, #"{"iat":null}"#, #"{"exp":30,"exp":40}"#, "[]", "1", "", "{",
            #"{"sub":"\ud800"}"#,
        ]
    )
    func malformedClaims(payload: String) {
        #expect(throws: JOSEError.self) { try claims(payload) }
    }

    @Test("exp has to be there and ahead, nbf and iat past, with the leeway on the token's side")
    func times() throws {
        let claims = try claims(#"{"exp":1000,"nbf":500,"iat":500}"#)
        for now in [495, 500, 999, 1000, 1004] as [Int64] {
            #expect(throws: Never.self) { try claims.check(at: now, leeway: 5) }
        }
        #expect(throws: JOSEError.notYetValid(from: 500)) { try claims.check(at: 494, leeway: 5) }
        #expect(throws: JOSEError.expired(at: 1000)) { try claims.check(at: 1005, leeway: 5) }
        #expect(throws: JOSEError.expired(at: 1000)) { try claims.check(at: 1000, leeway: 0) }
        #expect(throws: JOSEError.malformedClaim("exp")) { try self.claims("{}").check(at: 0) }
        #expect(throws: JOSEError.notYetValid(from: 7)) { try self.claims(#"{"exp":9,"iat":7}"#).check(at: 1) }
    }

    @Test("Times at the ends of what 64 bits hold are answered")
    func extremes() throws {
        let far = try claims(#"{"exp":9223372036854775807,"nbf":-9223372036854775808}"#)
        #expect(throws: Never.self) { try far.check(at: 0) }
        #expect(throws: Never.self) { try far.check(at: .min) }
        #expect(throws: JOSEError.expired(at: .min)) {
            try self.claims(#"{"exp":-9223372036854775808}"#).check(at: .min, leeway: .max)
        }
    }

    @Test("A detached payload verifies in its place only")
    func detached() throws {
        let token = try signer.sign(claims: Array("{}".utf8))
        let parts = token.split(separator: ".")
        let text = "\(parts[0])..\(parts[2])"
        #expect(try JWS.verify(text, detachedPayload: Array("{}".utf8)[...], with: keys).payload == Array("{}".utf8))
        #expect(throws: JOSEError.badSignature) {
            try JWS.verify(text, detachedPayload: Array("{ }".utf8)[...], with: keys)
        }
        #expect(throws: JOSEError.badSignature) { try JWS.verify(text, with: keys) }
        #expect(throws: JOSEError.wrongPayloadForm) {
            try JWS.verify(token, detachedPayload: Array("{}".utf8)[...], with: keys)
        }
    }
}
