internal import CBOR
internal import Cryptography

extension COSEMessage {
    static func sign(
        _ bytes: [UInt8],
        _ key: SigningKey,
        _ algorithm: COSEAlgorithm
    ) throws(COSEError) -> [UInt8] {
        guard let signatureAlgorithm = algorithm.signatureAlgorithm(for: key.publicKey.components) else {
            throw .algorithmMismatch
        }
        return try COSEError.wrap { () throws(CryptographyError) in
            try key.sign(bytes, signatureAlgorithm, form: .raw)
        }
    }

    static func verify(
        _ signature: [UInt8],
        over bytes: [UInt8],
        _ headers: COSEHeaders,
        _ key: COSEKey
    ) throws(COSEError) {
        guard headers.algorithm == key.algorithm else { throw .algorithmMismatch }
        guard key.isValid(signature[...], over: bytes[...], form: .raw) else { throw .invalidSignature }
    }
}

extension COSEHeaders {
    /// The same headers with `algorithm` among the protected ones, and nowhere else.
    func adding(_ algorithm: COSEAlgorithm) -> COSEHeaders {
        var protected = protected
        var unprotected = unprotected
        protected[1] = .integer(algorithm.rawValue)
        unprotected[1] = nil
        return COSEHeaders(protected: protected, unprotected: unprotected)
    }
}
