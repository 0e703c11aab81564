import Cryptography
import Encodings
import JOSE
import Testing

@Suite("RFC 8725: forged tokens")
struct ForgeryTests {
    static let key = Result { () throws(CryptographyError) in try SigningKey.generate(.p256) }
    let key: SigningKey
    let keys: JWSKeySet
    let token: String

    init() throws {
        key = try Self.key.get()
        keys = try JWSKeySet([JWSKey(key.publicKey, .es256, keyID: "one")])
        token = try JWTSigner(keyID: "one", algorithm: .es256, key: key).sign(claims: Array(#"{"sub":"a"}"#.utf8))
    }

    /// A token with this header that our own key signed, whatever it says.
    private func signed(header: String, payload: String = #"{"sub":"a"}"#) throws -> String {
        let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
        return input + "." + Base64URL.encode(try key.sign(Array(input.utf8), .es256, form: .raw))
    }

    private func refusal(of text: String) -> JOSEError? {
        do throws(JOSEError) {
            _ = try JWS.verify(text, with: keys)
            return nil
        } catch {
            return error
        }
    }

    @Test("The token that nothing is wrong with is accepted")
    func control() throws {
        let jws = try JWS.verify(token, with: keys)
        #expect(jws.keyID == "one")
        #expect(jws.type == "JWT")
        #expect(jws.payload == Array(#"{"sub":"a"}"#.utf8))
        #expect(refusal(of: try signed(header: #"{"alg":"ES256","kid":"one"}"#)) == nil)
    }

    @Test("none in any spelling is refused, signed and unsigned", arguments: ["none", "None", "NONE", "nOnE", ""])
    func none(algorithm: String) throws {
        let header = #"{"alg":"\#(algorithm)","kid":"one"}"#
        #expect(refusal(of: try signed(header: header)) == .wrongAlgorithm(expected: .es256, got: algorithm))
        let unsigned = Base64URL.encode(Array(header.utf8)) + ".e30."
        #expect(refusal(of: unsigned) == .wrongAlgorithm(expected: .es256, got: algorithm))
    }

    @Test("Other algorithms than the key's are refused, also those of its family")
    func otherAlgorithms() throws {
        for algorithm in JWSAlgorithm.allCases where algorithm != .es256 {
            let text = try signed(header: #"{"alg":"\#(algorithm.rawValue)","kid":"one"}"#)
            #expect(refusal(of: text) == .wrongAlgorithm(expected: .es256, got: algorithm.rawValue))
        }
        #expect(refusal(of: try signed(header: #"{"alg":"es256","kid":"one"}"#)) != nil)
    }

    @Test("HS256 with the public key as the secret is refused")
    func publicKeyAsSecret() throws {
        let der = key.publicKey.subjectPublicKeyInfo
        let pem = "-----BEGIN PUBLIC KEY-----\n\(Base64.encode(der))\n-----END PUBLIC KEY-----\n"
        for secret in [der, Array(pem.utf8)] {
            let input = Base64URL.encode(Array(#"{"alg":"HS256","kid":"one"}"#.utf8)) + ".e30"
            let text = input + "." + Base64URL.encode(HMACSHA256.authenticate(Array(input.utf8), key: secret))
            #expect(refusal(of: text) == .wrongAlgorithm(expected: .es256, got: "HS256"))
        }
        #expect(throws: JOSEError.mixedKeys) {
            try JWSKeySet([JWSKey(key.publicKey, .es256, keyID: "one"), JWSKey(secret: der, keyID: "two")])
        }
    }

    @Test("A key that comes in the header is not looked at")
    func embeddedKeys() throws {
        let other = try SigningKey.generate(.p256)
        var writer = JSONWriter()
        JWK(publicKey: other.publicKey.components, keyID: "one", algorithm: .es256).write(to: &writer)
        let jwk = String(decoding: writer.bytes, as: UTF8.self)
        for member in [
            #""jwk":\#(jwk)"#, #""jku":"https://a.example/""#, #""x5u":"https://a.example/""#, #""x5c":["MAA="]"#,
        ] {
            let input = Base64URL.encode(Array(#"{"alg":"ES256","kid":"one",\#(member)}"#.utf8)) + ".e30"
            let signature = try other.sign(Array(input.utf8), .es256, form: .raw)
            #expect(refusal(of: input + "." + Base64URL.encode(signature)) == .badSignature)
        }
    }

    @Test(
        "Unknown key identifiers are refused",
        arguments: ["two", "One", "one ", "", "../one", "/dev/null", "one\u{301}", "' OR 1=1 --", "file:///etc/passwd"]
    )
    func keyIdentifiers(keyID: String) throws {
        var writer = JSONWriter()
        writer.value(["alg": "ES256", "kid": .string(keyID)])
        let text = try signed(header: String(decoding: writer.bytes, as: UTF8.self))
        #expect(refusal(of: text) == .unknownKey(kid: keyID))
    }

    @Test(
        "Headers that are not what they should be are refused",
        arguments: [
            "", "x", "[]", "null", #""ES256""#, "{}", #"{"alg":null,"kid":"one"}"#, #"{"alg":7,"kid":"one"}"#,
            #"{"alg":["ES256"],"kid":"one"}"#, #"{"alg":"ES256","kid":7}"#, #"{"alg":"ES256","kid":null}"#,
            #"{"alg":"ES256","kid":"one","alg":"ES256"}"#, #"{"alg":"ES256","kid":"one",}"#,
            #"{"alg":"ES256","kid":"one"} x"#, #"{"alg":"ES256","kid":"one","crit":[]}"#,
            #"{"alg":"ES256","kid":"one","crit":["exp"],"exp":1}"#, #"{"alg":"ES256","kid":"one","crit":null}"#,
            #"{"alg":"ES256","kid":"one","crit":["b64"],"b64":false}"#, "\u{feff}{\"alg\":\"ES256\",\"kid\":\"one\"}",
        ]
    )
    func headers(header: String) throws {
        #expect(refusal(of: try signed(header: header)) != nil)
    }

    @Test("Two, four and five segments, padding and foreign characters are refused")
    func segments() {
        let parts = token.split(separator: ".").map(String.init)
        #expect(parts.count == 3)
        for text in [
            "", ".", "..", "...", parts[0], parts[0] + "." + parts[1], token + ".", token + "." + parts[2],
            token + ".." + parts[2], "." + token, parts[0] + ".." + parts[2], "." + parts[1] + "." + parts[2],
            parts[0] + "." + parts[1] + ".", token + "=", token + "==", token + "\n", " " + token, token + " ",
            parts[0] + "=." + parts[1] + "." + parts[2], parts[0] + "." + parts[1] + "=." + parts[2], token + "\0",
            parts[0] + ".\n" + parts[1] + "." + parts[2], String(repeating: ".", count: 100_000),
        ] {
            #expect(refusal(of: text) != nil, "\(text.prefix(400))")
        }
    }

    @Test("A token cut at any length, or with any character changed, is refused")
    func damage() {
        let bytes = Array(token.utf8)
        for length in bytes.indices {
            #expect(throws: JOSEError.self) { try JWS.verify(bytes[..<length], with: keys) }
        }
        for place in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[place] ^= 1 << bit
                #expect(throws: JOSEError.self) { try JWS.verify(damaged[...], with: keys) }
            }
        }
    }

    @Test("Signatures that belong to nobody are refused")
    func signatures() throws {
        let input = try #require(token.lastIndex(of: ".")).utf16Offset(in: token)
        let signingInput = String(token.prefix(input))
        let der = try key.sign(Array(signingInput.utf8), .es256, form: .der)
        let raw = try key.sign(Array(signingInput.utf8), .es256, form: .raw)
        for signature in [
            [], [0], [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xff, count: 64), der, raw + [0], [0] + raw,
        ] {
            #expect(refusal(of: signingInput + "." + Base64URL.encode(signature)) == .badSignature)
        }
        #expect(refusal(of: signingInput + "." + Base64URL.encode(raw)) == nil)
    }
}
