internal import CBOR
public import Cryptography

/// A message with any number of signatures (RFC 9052 §4.1).
public struct COSESign: Hashable, Sendable {
    /// One signer's part.
    public struct Signature: Hashable, Sendable {
        /// The signer's headers.
        public let headers: COSEHeaders
        /// The signature; ECDSA's is `r‖s`.
        public let bytes: [UInt8]
    }

    /// The message's headers.
    public let headers: COSEHeaders
    /// The payload; nil when it travels beside the message.
    public let payload: [UInt8]?
    /// The signers' parts, at least one.
    public private(set) var signatures: [Signature]

    /// Decodes a COSE_Sign, with its tag 98 or without, and with nothing after it.
    ///
    /// - Throws: `COSEError`.
    public init(decoding bytes: ArraySlice<UInt8>) throws(COSEError) {
        let elements = try COSEMessage.elements(bytes, tag: Self.tag, name: "COSE_Sign")
        headers = try COSEHeaders(protected: elements[0], unprotected: elements[1])
        payload = try COSEMessage.payload(elements[2])
        guard let list = elements[3].array, !list.isEmpty else { throw .malformedMessage("signatures") }
        signatures = []
        for value in list {
            guard let parts = value.array, parts.count == 3, let bytes = parts[2].bytes else {
                throw .malformedMessage("COSE_Signature")
            }
            signatures.append(
                Signature(headers: try COSEHeaders(protected: parts[0], unprotected: parts[1]), bytes: bytes)
            )
        }
    }

    /// Signs `payload` with one key; `addSignature` adds further ones.
    ///
    /// - Parameters:
    ///   - payload: what is signed.
    ///   - key: the signer's key.
    ///   - algorithm: goes into the signer's protected header.
    ///   - headers: the message's headers.
    ///   - externalAAD: bytes that are signed as well and travel elsewhere.
    /// - Throws: `COSEError.algorithmMismatch` when algorithm and key do not go together.
    public init(
        signing payload: [UInt8],
        by key: SigningKey,
        algorithm: COSEAlgorithm,
        headers: COSEHeaders = COSEHeaders(),
        externalAAD: [UInt8] = []
    ) throws(COSEError) {
        self.headers = headers
        self.payload = payload
        signatures = []
        try addSignature(by: key, algorithm: algorithm, externalAAD: externalAAD)
    }

    /// Adds a signer's part to a message that carries its payload.
    ///
    /// - Parameters:
    ///   - key: the signer's key.
    ///   - algorithm: goes into the signer's protected header.
    ///   - signerHeaders: further headers of the signer.
    ///   - externalAAD: bytes that are signed as well and travel elsewhere.
    /// - Throws: `COSEError.algorithmMismatch` when algorithm and key do not go together.
    public mutating func addSignature(
        by key: SigningKey,
        algorithm: COSEAlgorithm,
        signerHeaders: COSEHeaders = COSEHeaders(),
        externalAAD: [UInt8] = []
    ) throws(COSEError) {
        let signerHeaders = signerHeaders.adding(algorithm)
        let payload = try COSEMessage.payload(self.payload, detached: nil)
        let bytes = toBeSigned(signerHeaders, externalAAD: externalAAD, payload: payload)
        signatures.append(Signature(headers: signerHeaders, bytes: try COSEMessage.sign(bytes, key, algorithm)))
    }

    /// The message in CBOR.
    public func encoded(tagged: Bool = true) -> [UInt8] {
        let parts = signatures.map { signature -> CBORValue in
            [.bytes(signature.headers.protectedBytes), .map(signature.headers.unprotected), .bytes(signature.bytes)]
        }
        let message: CBORValue = [
            .bytes(headers.protectedBytes), .map(headers.unprotected), payload.map(CBORValue.bytes) ?? nil,
            .array(parts),
        ]
        return (tagged ? Self.tag : []) + CBOR.encode(message)
    }

    /// The `Sig_structure` of one signer in CBOR (RFC 9052 §4.4).
    ///
    /// - Throws: `COSEError.detachedPayload`.
    public func toBeSigned(
        by signature: Signature,
        externalAAD: [UInt8] = [],
        detachedPayload: [UInt8]? = nil
    ) throws(COSEError) -> [UInt8] {
        let payload = try COSEMessage.payload(self.payload, detached: detachedPayload)
        return toBeSigned(signature.headers, externalAAD: externalAAD, payload: payload)
    }

    /// Verifies one signer's part with `key`, whose algorithm the signer's protected header must name.
    ///
    /// - Throws: `COSEError.invalidSignature`, `.algorithmMismatch` or `.detachedPayload`.
    public func verify(
        _ signature: Signature,
        with key: COSEKey,
        externalAAD: [UInt8] = [],
        detachedPayload: [UInt8]? = nil
    ) throws(COSEError) {
        let bytes = try toBeSigned(by: signature, externalAAD: externalAAD, detachedPayload: detachedPayload)
        try COSEMessage.verify(signature.bytes, over: bytes, signature.headers, key)
    }

    private static let tag: [UInt8] = [0xd8, 0x62]

    private func toBeSigned(_ signer: COSEHeaders, externalAAD: [UInt8], payload: [UInt8]) -> [UInt8] {
        CBOR.encode([
            "Signature", .bytes(headers.signedBytes), .bytes(signer.signedBytes), .bytes(externalAAD), .bytes(payload),
        ])
    }
}
