import Cryptography
import Encodings
import JOSE
import Testing

@Suite("RFC 7517: JSON Web Keys")
struct KeyTests {
    static let kinds: [(SigningKey.Kind, JWSAlgorithm)] = [
        (.p256, .es256), (.p384, .es384), (.p521, .es512), (.ed25519, .edDSA), (.ed448, .edDSA),
        (.rsa(bits: 2048), .rs256),
        (.rsa(bits: 2048), .ps256),
    ]

    @Test("A public key that is written reads back, and verifies", arguments: kinds)
    func roundTrip(kind: SigningKey.Kind, algorithm: JWSAlgorithm) throws {
        let key = try SigningKey.generate(kind)
        let jwk = JWK(publicKey: key.publicKey.components, keyID: "k1", algorithm: algorithm)
        let set = JWKSet([jwk])
        let read = try JWKSet(try #require(try JSON.parse(set.serialized()).object))
        #expect(read == set)
        let keys = try JWSKeySet([JWSKey(try #require(read.keys.first))])
        let token = try JWTSigner(keyID: "k1", algorithm: algorithm, key: key).sign(claims: Array("{}".utf8))
        #expect(try JWS.verify(token, with: keys).payload == Array("{}".utf8))
        #expect(jwk.thumbprint == read.keys.first?.thumbprint)
    }

    @Test("A key set is written as the HTTP contract shows it, with certificates")
    func publishing() throws {
        let modulus = [UInt8](repeating: 0xfe, count: 4)
        let jwk = JWK(
            publicKey: .rsa(modulus: modulus, exponent: [1, 0, 1]),
            keyID: "kid-1",
            algorithm: .rs256,
            certificates: [[0x30, 0x00], [0x30, 0x01]]
        )
        let thumbprint = Base64URL.encode(SHA1.hash([0x30, 0x00]))
        #expect(
            String(decoding: JWKSet([jwk]).serialized(), as: UTF8.self)
                == #"{"keys":[{"kty":"RSA","use":"sig","alg":"RS256","kid":"kid-1","n":"_v7-_g","e":"AQAB","x5t":"\#(thumbprint)","x5c":["MAA=","MAE="]}]}"#
        )
    }

    @Test("A key of ML-DSA is written with the algorithm that it needs, reads back, and verifies no token")
    func lattice() throws {
        let key = try SigningKey.generate(.mlDSA(.mlDSA65))
        let jwk = JWK(publicKey: key.publicKey.components, keyID: "k1")
        let written = try #require(try JSON.parse(JWKSet([jwk]).serialized()).object)
        let read = try #require(try JWKSet(written).keys.first)
        #expect(read == jwk && read.algorithm == "ML-DSA-65")
        #expect(read.thumbprint == jwk.thumbprint)
        #expect(throws: JOSEError.unsupportedKey(member: "alg", value: "ML-DSA-65")) { try JWSKey(read) }
        for name: JSONValue in ["ML-DSA-128", "ES256", .null] {
            #expect(throws: JOSEError.self) { try JWK(["kty": "AKP", "alg": name, "pub": "AAAA"]) }
        }
    }

    @Test("Secrets and private members never leave")
    func secrets() throws {
        let secret = try JWK(["kty": "oct", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA", "kid": "s"])
        #expect(JWKSet([secret]).serialized() == Array(#"{"keys":[]}"#.utf8))
        var writer = JSONWriter()
        secret.write(to: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"kty":"oct","kid":"s"}"#)
        let key = try JWK(["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(Self.zeros)), "d": "AAAA"])
        writer = JSONWriter()
        key.write(to: &writer)
        #expect(try JSON.parse(writer.bytes).object?["d"] == nil)
    }

    static let zeros = [UInt8](repeating: 0, count: 32)
    static let p256: JSONObject = [
        "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
    ]

    @Test("The key of RFC 7515 appendix A.3 is taken")
    func control() throws {
        #expect(try JWSKey(JWK(Self.p256)).algorithm == .es256)
    }

    @Test(
        "A member that is missing, null, of another type or no base64url is refused",
        arguments: ["kty", "crv", "x", "y"],
        [nil, .null, 7, ["x"], "", "=", "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEV", "AAAA"] as [JSONValue?]
    )
    func members(name: String, value: JSONValue?) {
        var json = Self.p256
        json[name] = value
        #expect(throws: JOSEError.self) { try JWSKey(JWK(json)) }
    }

    @Test(
        "A key for something else is refused",
        arguments: [
            ("use", "enc", .unusableKey(member: "use")),
            ("key_ops", ["sign"], .unusableKey(member: "key_ops")),
            ("key_ops", "verify", .malformedKey(member: "key_ops")),
            ("alg", "ES384", .unusableKey(member: "alg")),
            ("alg", "RS256", .unusableKey(member: "alg")),
            ("alg", "HS256", .unusableKey(member: "alg")),
            ("alg", "ES521", .unsupportedKey(member: "alg", value: "ES521")),
            ("alg", "none", .unsupportedKey(member: "alg", value: "none")),
            ("alg", "ECDH-ES", .unsupportedKey(member: "alg", value: "ECDH-ES")),
            ("kty", "OKP", .unsupportedKey(member: "crv", value: "P-256")),
            ("kty", "ec", .unsupportedKey(member: "kty", value: "ec")),
            ("crv", "p-256", .unsupportedKey(member: "crv", value: "p-256")),
            ("kid", 7, .malformedKey(member: "kid")),
            ("x5c", ["not base64"], .malformedKey(member: "x5c")),
        ] as [(String, JSONValue, JOSEError)]
    )
    func purpose(name: String, value: JSONValue, error: JOSEError) {
        var json = Self.p256
        json[name] = value
        #expect(throws: error) { try JWSKey(JWK(json)) }
    }

    @Test("An RSA key needs an algorithm, its own or the verifier's, and not two different ones")
    func rsa() throws {
        let components = try SigningKey.generate(.rsa(bits: 2048)).publicKey.components
        let open = JWK(publicKey: components)
        #expect(throws: JOSEError.unusableKey(member: "alg")) { try JWSKey(open) }
        #expect(try JWSKey(open, algorithm: .ps256).algorithm == .ps256)
        let closed = JWK(publicKey: components, algorithm: .rs256)
        #expect(try JWSKey(closed).algorithm == .rs256)
        #expect(throws: JOSEError.unusableKey(member: "alg")) { try JWSKey(closed, algorithm: .ps256) }
    }

    @Test("Weak keys are refused")
    func weak() {
        #expect(throws: JOSEError.self) { try JWSKey(secret: [UInt8](repeating: 1, count: 31)) }
        #expect(throws: JOSEError.self) { try JWTSigner(secret: [UInt8](repeating: 1, count: 31)) }
        let modulus = [UInt8](repeating: 0xff, count: 128)
        #expect(throws: JOSEError.self) {
            try JWSKey(JWK(publicKey: .rsa(modulus: modulus, exponent: [1, 0, 1]), algorithm: .rs256))
        }
    }

    @Test("Of a set, unknown kinds of keys are left out, and malformed ones are an error")
    func sets() throws {
        let set = try JWKSet([
            "keys": [.object(Self.p256), ["kty": "XYZ"], ["kty": "OKP", "crv": "X25519", "x": "AA"]]
        ])
        #expect(set.keys.count == 1)
        for json in [
            [:], ["keys": nil], ["keys": 1], ["keys": [1]], ["keys": [[:]]], ["keys": [["kty": "EC", "crv": "P-256"]]],
        ]
            as [JSONObject]
        {
            #expect(throws: JOSEError.self) { try JWKSet(json) }
        }
    }

    @Test("A kid names one key, and a token without one takes the only key")
    func keySets() throws {
        let one = try JWSKey(secret: [UInt8](repeating: 1, count: 32), keyID: "a")
        let two = try JWSKey(secret: [UInt8](repeating: 2, count: 32), keyID: "b")
        let unnamed = try JWSKey(secret: [UInt8](repeating: 3, count: 32))
        #expect(throws: JOSEError.duplicateKeyID("a")) { try JWSKeySet([one, two, one]) }
        #expect(throws: JOSEError.duplicateKeyID(nil)) { try JWSKeySet([one, unnamed]) }
        #expect(try JWSKeySet([one, two]).key(for: "b").keyID == "b")
        #expect(throws: JOSEError.unknownKey(kid: nil)) { try JWSKeySet([one, two]).key(for: nil) }
        #expect(throws: JOSEError.unknownKey(kid: "b")) { try JWSKeySet([one]).key(for: "b") }
        #expect(try JWSKeySet([one]).key(for: nil).keyID == "a")
        #expect(try JWSKeySet([unnamed]).key(for: "b").keyID == nil)
        #expect(throws: JOSEError.unknownKey(kid: "a")) { try JWSKeySet([]).key(for: "a") }
    }
}
