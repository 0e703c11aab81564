internal import CBOR
public import Cryptography

/// A message with one signature (RFC 9052 §4.2).
public struct COSESign1: Hashable, Sendable {
    /// The message's headers.
    public let headers: COSEHeaders
    /// The payload; nil when it travels beside the message.
    public let payload: [UInt8]?
    /// The signature; ECDSA's is `r‖s`.
    public let signature: [UInt8]

    /// Decodes a COSE_Sign1, with its tag 18 or without, and with nothing after it.
    ///
    /// - Throws: `COSEError`.
    public init(decoding bytes: ArraySlice<UInt8>) throws(COSEError) {
        let elements = try COSEMessage.elements(bytes, tag: Self.tag, name: "COSE_Sign1")
        headers = try COSEHeaders(protected: elements[0], unprotected: elements[1])
        payload = try COSEMessage.payload(elements[2])
        guard let signature = elements[3].bytes else { throw .malformedMessage("signature") }
        self.signature = signature
    }

    /// Signs `payload`.
    ///
    /// - Parameters:
    ///   - payload: what is signed.
    ///   - key: the signer's key.
    ///   - algorithm: goes into the protected header.
    ///   - headers: further headers.
    ///   - externalAAD: bytes that are signed as well and travel elsewhere.
    ///   - isDetached: whether the payload is left out of the message.
    /// - Throws: `COSEError.algorithmMismatch` when algorithm and key do not go together.
    public init(
        signing payload: [UInt8],
        by key: SigningKey,
        algorithm: COSEAlgorithm,
        headers: COSEHeaders = COSEHeaders(),
        externalAAD: [UInt8] = [],
        isDetached: Bool = false
    ) throws(COSEError) {
        self.headers = headers.adding(algorithm)
        self.payload = isDetached ? nil : payload
        let bytes = Self.toBeSigned(self.headers, externalAAD: externalAAD, payload: payload)
        signature = try COSEMessage.sign(bytes, key, algorithm)
    }

    /// The message in CBOR.
    public func encoded(tagged: Bool = true) -> [UInt8] {
        let message: CBORValue = [
            .bytes(headers.protectedBytes), .map(headers.unprotected), payload.map(CBORValue.bytes) ?? nil,
            .bytes(signature),
        ]
        return (tagged ? Self.tag : []) + CBOR.encode(message)
    }

    /// The `Sig_structure` in CBOR (RFC 9052 §4.4).
    ///
    /// - Throws: `COSEError.detachedPayload`.
    public func toBeSigned(
        externalAAD: [UInt8] = [],
        detachedPayload: [UInt8]? = nil
    ) throws(COSEError) -> [UInt8] {
        let payload = try COSEMessage.payload(self.payload, detached: detachedPayload)
        return Self.toBeSigned(headers, externalAAD: externalAAD, payload: payload)
    }

    /// Verifies the signature with `key`, whose algorithm the protected header must name.
    ///
    /// - Throws: `COSEError.invalidSignature`, `.algorithmMismatch` or `.detachedPayload`.
    public func verify(
        with key: COSEKey,
        externalAAD: [UInt8] = [],
        detachedPayload: [UInt8]? = nil
    ) throws(COSEError) {
        let bytes = try toBeSigned(externalAAD: externalAAD, detachedPayload: detachedPayload)
        try COSEMessage.verify(signature, over: bytes, headers, key)
    }

    private static let tag: [UInt8] = [0xd2]

    private static func toBeSigned(_ headers: COSEHeaders, externalAAD: [UInt8], payload: [UInt8]) -> [UInt8] {
        CBOR.encode(["Signature1", .bytes(headers.signedBytes), .bytes(externalAAD), .bytes(payload)])
    }
}
