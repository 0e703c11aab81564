internal import CBOR
internal import COSE
internal import Cryptography
internal import Encodings
internal import JOSE

/// The operations on keys, signatures and encodings.
enum PrimitiveVectors {
    static func cbor(_ input: VectorInput) throws(VectorError) -> VectorAnswer {
        let inspection = CBOR.inspect(try input.hex("hex"))
        return VectorAnswer(members: [
            "wellFormed": .bool(inspection.wellFormed),
            "valid": .bool(inspection.valid),
            "ctap2Canonical": inspection.ctap2Canonical.map(JSONValue.bool) ?? .null,
        ])
    }

    static func signature(_ input: VectorInput) throws(VectorError) -> VectorAnswer {
        let algorithm = COSEAlgorithm(rawValue: Int(truncatingIfNeeded: try input.integer("alg")))
        let form: SignatureForm =
            switch try input.string("form") {
            case "der": .der
            case let form where form.hasPrefix("p1363") || form.hasPrefix("raw"): .raw
            case let form: throw VectorError("no such form as \(form)")
            }
        let message = try input.hex("message")
        let signature = try input.hex("signature")
        // The key stands there twice; both must lead to the same answer.
        var answers: Set<Bool> = []
        if let encoded = try input.optionalHex("cose") {
            do throws(COSEError) {
                let key = try COSEKey(decoding: encoded[...])
                guard key.algorithm == algorithm else { return .reject("the key is for another algorithm") }
                answers.insert(key.isValid(signature[...], over: message[...], form: form))
            } catch {
                return .reject("the COSE key is refused", "\(error)")
            }
        }
        if let encoded = try input.optionalHex("spki") {
            do throws(CryptographyError) {
                let key = try VerifyingKey(subjectPublicKeyInfo: encoded)
                guard let used = algorithm.signatureAlgorithm(for: key.components) else {
                    return .reject("the key is for another algorithm")
                }
                answers.insert(key.isValid(signature[...], over: message[...], used, form: form))
            } catch {
                return .reject("the public key is refused", "\(error)")
            }
        }
        guard let answer = answers.first else { throw VectorError("cose and spki are missing") }
        guard answers.count == 1 else { return .reject("the two forms of the key differ") }
        return answer ? .accept() : .reject("the signature is wrong")
    }

    static func coseKey(_ input: VectorInput) throws(VectorError) -> VectorAnswer {
        let bytes = try input.hex("key")
        do throws(COSEError) {
            let key = try COSEKey(decoding: bytes[...])
            return .accept([
                "alg": .integer(Int64(key.algorithm.rawValue)),
                "spki": .string(Hex.encode(key.subjectPublicKeyInfo)),
            ])
        } catch {
            return .reject("the key is refused", "\(error)")
        }
    }

    static func coseVerify(_ input: VectorInput) throws(VectorError) -> VectorAnswer {
        let message = try input.hex("message")
        let encodedKey = try input.hex("key")
        let externalAAD = try input.optionalHex("externalAad") ?? []
        let structure = try input.string("structure")
        let expected = try input.optionalHex("toBeSigned")
        do throws(COSEError) {
            let key = try COSEKey(decoding: encodedKey)
            let signed: [UInt8]
            switch structure {
            case "COSE_Sign1":
                let message = try COSESign1(decoding: message[...])
                signed = try message.toBeSigned(externalAAD: externalAAD)
                try message.verify(with: key, externalAAD: externalAAD)
            case "COSE_Sign":
                let message = try COSESign(decoding: message[...])
                guard let signature = message.signatures.first else { return .reject("there is no signature") }
                signed = try message.toBeSigned(by: signature, externalAAD: externalAAD)
                try message.verify(signature, with: key, externalAAD: externalAAD)
            default: return .reject("no such structure")
            }
            guard expected == nil || expected == signed else { return .reject("toBeSigned is another one") }
            return .accept()
        } catch {
            return .reject("the message is refused", "\(error)")
        }
    }

    /// The algorithm in `requirements` stands for what a verifier knows of RSA keys that do not say it.
    static func jws(_ input: VectorInput, _ requirements: [String]) throws(VectorError) -> VectorAnswer {
        let known = requirements.lazy.filter { $0.hasPrefix("jws:") }
            .compactMap { JWSAlgorithm(rawValue: String($0.dropFirst(4))) }.first
        let text = try input.string("jws")
        guard let jwks = input.value("keys")?.array else { throw VectorError("keys is missing") }
        let detached = try input.optionalBase64URL("detachedPayload")
        do throws(JOSEError) {
            var keys: [JWSKey] = []
            for jwk in jwks { keys.append(try JWSKey(try JWK(jwk.object ?? JSONObject()), algorithm: known)) }
            let set = try JWSKeySet(keys)
            let jws =
                if let detached {
                    try JWS.verify(text, detachedPayload: detached[...], with: set)
                } else {
                    try JWS.verify(text, with: set)
                }
            return .accept(["payload": .string(Base64URL.encode(jws.payload))])
        } catch {
            return .reject("the JWS is refused", "\(error)")
        }
    }

    static func jwkThumbprint(_ input: VectorInput) throws(VectorError) -> VectorAnswer {
        let jwk = try input.object("jwk")
        do throws(JOSEError) {
            return .accept(["sha256": .string(Base64URL.encode(try JWK(jwk).thumbprint))])
        } catch {
            return .reject("the key is refused", "\(error)")
        }
    }

    static func base64URLDecode(_ input: VectorInput) throws(VectorError) -> VectorAnswer {
        let text = try input.string("text")
        do throws(EncodingError) {
            return .accept(["hex": .string(Hex.encode(try Base64URL.decode(text)))])
        } catch {
            return .reject("it is not base64url", "\(error)")
        }
    }

    /// The salts of the `prf` extension, as far as a relying party could compute them (WebAuthn L3 §10.1.4).
    static func prf(_ input: VectorInput) throws(VectorError) -> VectorAnswer {
        func salt(_ evaluation: [UInt8]) -> JSONValue {
            .string(Hex.encode(SHA256.hash(Array("WebAuthn PRF".utf8) + [0] + evaluation)))
        }
        return .accept([
            "salt1": salt(try input.hex("evalFirst")),
            "salt2": try input.optionalHex("evalSecond").map(salt) ?? .null,
        ])
    }
}
