internal import CCrypto

/// libcrypto's part in signing.
enum Signing {
    /// Signs the hash of `message` on a context that was initialised for it. Nil when libcrypto fails.
    static func sign(_ message: ArraySlice<UInt8>, _ digest: Digest, _ context: OpaquePointer) -> [UInt8]? {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: digest.byteCount) { hash in
            guard let start = hash.baseAddress else { return nil }
            unsafe digest.hash(message, into: start)
            var count = 0
            guard unsafe EVP_PKEY_sign(context, nil, &count, start, digest.byteCount) == 1, count > 0 else {
                return nil
            }
            var code: Int32 = 0
            let signature = unsafe [UInt8](unsafeUninitializedCapacity: count) { output, written in
                code = unsafe EVP_PKEY_sign(context, output.baseAddress, &count, start, digest.byteCount)
                written = code == 1 ? count : 0
            }
            return code == 1 ? signature : nil
        }
    }

    /// Signs the message itself: EdDSA.
    static func signWhole(_ message: ArraySlice<UInt8>, _ key: OpaquePointer) throws(CryptographyError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .fromLibrary("signing") }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestSignInit_ex(context, nil, nil, nil, nil, key, nil) == 1 else {
            throw .fromLibrary("signing")
        }
        var signature = [UInt8](repeating: 0, count: 114)
        var count = signature.count
        let code = unsafe message.withUnsafeBufferPointer { message in
            unsafe EVP_DigestSign(context, &signature, &count, message.baseAddress, message.count)
        }
        guard code == 1, count <= signature.count else { throw .fromLibrary("signing") }
        signature.removeLast(signature.count - count)
        return signature
    }
}
