public import Encodings

/// A JSON Web Signature whose signature was verified. There is no other way to one.
public struct JWS: Sendable {
    /// The protected header.
    public let header: JSONObject
    public let payload: [UInt8]
    /// `kid` of the key that signed.
    public let keyID: String?

    fileprivate init(header: JSONObject, payload: [UInt8], keyID: String?) {
        self.header = header
        self.payload = payload
        self.keyID = keyID
    }

    /// `typ` of the header.
    public var type: String? { header["typ"]?.string }

    /// Verifies a compact JWS by the key of `keys` that its `kid` names. That key alone fixes the algorithm.
    ///
    /// - Throws: `JOSEError`.
    public static func verify(_ text: String, with keys: JWSKeySet) throws(JOSEError) -> JWS {
        let compact = try CompactJWS(text)
        return try compact.verify(with: try keys.key(for: compact.unverifiedKeyID))
    }

    /// Verifies a compact JWS by the key of `keys` that its `kid` names. That key alone fixes the algorithm.
    ///
    /// - Throws: `JOSEError`.
    public static func verify(_ text: ArraySlice<UInt8>, with keys: JWSKeySet) throws(JOSEError) -> JWS {
        let compact = try CompactJWS(text)
        return try compact.verify(with: try keys.key(for: compact.unverifiedKeyID))
    }

    /// Verifies a compact JWS without its payload, which comes by another way (RFC 7515 appendix F).
    ///
    /// - Throws: `JOSEError`.
    public static func verify(
        _ text: String,
        detachedPayload: ArraySlice<UInt8>,
        with keys: JWSKeySet
    ) throws(JOSEError) -> JWS {
        let compact = try CompactJWS(text)
        return try compact.verify(detachedPayload, with: try keys.key(for: compact.unverifiedKeyID))
    }
}

extension CompactJWS {
    /// Verifies the signature by `key`, which fixes the algorithm.
    ///
    /// - Throws: `JOSEError.wrongAlgorithm`, `JOSEError.badSignature`, `JOSEError.malformedSegment`.
    public func verify(with key: JWSKey) throws(JOSEError) -> JWS {
        try check(signingInput, by: key)
        return JWS(header: unverifiedHeader, payload: try Self.decode(encodedPayload, .payload), keyID: key.keyID)
    }

    /// Verifies the signature over a payload that is not in the text.
    ///
    /// - Throws: `JOSEError.wrongPayloadForm` when there is one in the text, and what the other form throws.
    public func verify(_ detachedPayload: ArraySlice<UInt8>, with key: JWSKey) throws(JOSEError) -> JWS {
        guard encodedPayload.isEmpty else { throw .wrongPayloadForm }
        var input = Array(encodedHeader)
        input.append(UInt8(ascii: "."))
        Base64URL.append(detachedPayload, to: &input)
        try check(input[...], by: key)
        return JWS(header: unverifiedHeader, payload: Array(detachedPayload), keyID: key.keyID)
    }

    private func check(_ input: ArraySlice<UInt8>, by key: JWSKey) throws(JOSEError) {
        guard algorithm == key.algorithm.rawValue else {
            throw .wrongAlgorithm(expected: key.algorithm, got: algorithm)
        }
        guard !signature.isEmpty, key.isValid(signature[...], over: input) else { throw .badSignature }
    }
}
