public import CBOR

/// The two headers of a message or a signature (RFC 9052 §3).
public struct COSEHeaders: Hashable, Sendable {
    /// What the signature covers, as it was encoded: it is signed as these bytes.
    public let protectedBytes: [UInt8]
    /// What the signature covers.
    public let protected: CBORMap
    /// What the signature does not cover.
    public let unprotected: CBORMap

    /// Headers to be encoded: the protected ones in CTAP2 canonical form, or as no bytes when there are none.
    public init(protected: CBORMap = CBORMap(), unprotected: CBORMap = CBORMap()) {
        self.protected = protected
        self.unprotected = unprotected
        protectedBytes = protected.isEmpty ? [] : CBOR.encode(.map(protected))
    }

    /// The first two elements of a message or a signature.
    init(protected: CBORValue, unprotected: CBORValue) throws(COSEError) {
        guard let bytes = protected.bytes else { throw .malformedMessage("protected header") }
        guard let open = unprotected.map else { throw .malformedMessage("unprotected header") }
        protectedBytes = bytes
        self.unprotected = open
        self.protected = bytes.isEmpty ? CBORMap() : try Self.map(bytes)
        // A label must not be in both (RFC 9052 §3).
        for entry in self.protected.entries where open[entry.key] != nil {
            throw .malformedMessage("a header that is protected and unprotected")
        }
        try checkCritical()
    }

    /// The protected `alg` header; nil when there is none or it is no integer.
    public var algorithm: COSEAlgorithm? {
        protected[1]?.integer.flatMap(Int.init(exactly:)).map(COSEAlgorithm.init(rawValue:))
    }

    /// The `kid` header, protected or not.
    public var keyID: [UInt8]? { (protected[4] ?? unprotected[4])?.bytes }

    /// What the signature covers in the place of the protected header: no bytes stand for no headers (RFC 9052 §4.4).
    var signedBytes: [UInt8] { protected.isEmpty ? [] : protectedBytes }

    private static func map(_ bytes: [UInt8]) throws(COSEError) -> CBORMap {
        guard let map = try COSEMessage.decode(bytes[...]).map else { throw .malformedMessage("protected header") }
        return map
    }

    /// `crit` names headers that must be understood (RFC 9052 §3.1): `alg`, `content type` and `kid` are.
    private func checkCritical() throws(COSEError) {
        guard unprotected[2] == nil else { throw .criticalHeader }
        guard let critical = protected[2] else { return }
        guard let labels = critical.array, !labels.isEmpty else { throw .malformedMessage("crit header") }
        for label in labels {
            guard [1, 3, 4].contains(label), protected[label] != nil else { throw .criticalHeader }
        }
    }
}

/// What COSE_Sign1 and COSE_Sign have in common.
enum COSEMessage {
    /// Countersignatures and certificates in headers nest deeper than keys do.
    static func decode(_ bytes: ArraySlice<UInt8>) throws(COSEError) -> CBORValue {
        do throws(CBORError) {
            return try CBOR.decode(bytes, as: .interoperable, maximumDepth: 10)
        } catch {
            throw .cbor(error)
        }
    }

    /// The array of a message, whose tag may be left out (RFC 9052 §2).
    static func elements(
        _ bytes: ArraySlice<UInt8>,
        tag: [UInt8],
        name: String
    ) throws(COSEError) -> [CBORValue] {
        let untagged = bytes.starts(with: tag) ? bytes.dropFirst(tag.count) : bytes
        // Another tag is refused by the decoder, which takes none.
        guard let elements = try decode(untagged).array, elements.count == 4 else { throw .malformedMessage(name) }
        return elements
    }

    static func payload(_ value: CBORValue) throws(COSEError) -> [UInt8]? {
        if case .null = value { return nil }
        guard let payload = value.bytes else { throw .malformedMessage("payload") }
        return payload
    }

    /// The payload that is signed: the message's own, or the one that travels beside it.
    static func payload(_ own: [UInt8]?, detached: [UInt8]?) throws(COSEError) -> [UInt8] {
        switch (own, detached) {
        case (let payload?, nil), (nil, let payload?): return payload
        case (nil, nil), (.some, .some): throw .detachedPayload
        }
    }
}
