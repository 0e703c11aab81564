internal import CCrypto

/// Private keys in PKCS#8 (RFC 5958), in DER and unencrypted.
enum PKCS8 {
    /// The key in `bytes`, which the caller owns. When they are trusted, it is not looked at whether its numbers fit
    /// each other.
    static func decode(_ bytes: ArraySlice<UInt8>, isTrusted: Bool = false) throws(CryptographyError) -> OpaquePointer {
        // libcrypto takes BER and does not mind what follows; this does.
        _ = try DERReader.single(bytes, .sequence)
        let key: OpaquePointer? = unsafe bytes.withUnsafeBufferPointer { input in
            var start = input.baseAddress
            guard let info = unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &start, input.count) else { return nil }
            defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
            return unsafe EVP_PKCS82PKEY(info)
        }
        guard let key = unsafe key else {
            ERR_clear_error()
            throw .malformed(what: "a private key that libcrypto cannot read", offset: bytes.startIndex)
        }
        let isGood = isTrusted ? true : unsafe isConsistent(key)
        guard isGood else {
            unsafe EVP_PKEY_free(key)
            ERR_clear_error()
            throw .invalidKey("a private key that does not fit its public key")
        }
        return unsafe key
    }

    static func encode(_ key: OpaquePointer) throws(CryptographyError) -> [UInt8] {
        guard let info = unsafe EVP_PKEY2PKCS8(key) else { throw .fromLibrary("writing a private key") }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        var start: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_PKCS8_PRIV_KEY_INFO(info, &start)
        guard count > 0, let start = unsafe start else { throw .fromLibrary("writing a private key") }
        defer { unsafe latchkey_clear_free(start, Int(count)) }
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    /// A key of ML-DSA that is its seed; `nil` for keys of other algorithms (RFC 9881 §6).
    static func decodeMLDSA(_ bytes: ArraySlice<UInt8>) throws(CryptographyError) -> MLDSAPrivateKey? {
        var info = try DERReader.single(bytes, .sequence).elements
        _ = try info.next(.integer)
        var algorithm = try info.sequence()
        guard let set = MLDSAParameterSet(objectIdentifier: try algorithm.objectIdentifier()) else { return nil }
        try algorithm.finish()
        let key = try DERReader.single(try info.next(.octetString).content)
        try info.finish()
        guard key.tag == .contextPrimitive(0) else {
            throw .unsupported(what: "\(set.rawValue) private key without its seed alone")
        }
        return try MLDSAPrivateKey(seed: Array(key.content), set)
    }

    static func encode(_ key: MLDSAPrivateKey) -> [UInt8] {
        var writer = DERWriter()
        writer.sequence { info in
            info.integer(0)
            info.sequence { $0.encoded(key.set.encodedObjectIdentifier) }
            key.withSeed { info.octetString([0x80, UInt8($0.count)] + $0) }
        }
        return writer.bytes
    }

    private static func isConsistent(_ key: OpaquePointer) -> Bool {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else { return false }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return unsafe EVP_PKEY_pairwise_check(context) == 1
    }
}
