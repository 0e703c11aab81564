internal import CCrypto

/// libcrypto's part in verifying a signature. An invalid one leaves nothing in its error queue.
enum Verification {
    /// Verifies over the hash of the message: ECDSA and RSA.
    ///
    /// Hashing in one shot and verifying on a fresh context costs a tenth less than `EVP_DigestVerify`.
    static func isValid(
        _ signature: ArraySlice<UInt8>,
        over message: ArraySlice<UInt8>,
        _ digest: Digest,
        _ key: OpaquePointer,
        _ scheme: SignatureScheme
    ) -> Bool {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil) else {
            ERR_clear_error()
            return false
        }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_verify_init(context) == 1, unsafe scheme.configure(context) else {
            ERR_clear_error()
            return false
        }
        let code = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: digest.byteCount) { hash in
            guard let start = hash.baseAddress else { return Int32(-1) }
            unsafe digest.hash(message, into: start)
            return unsafe signature.withUnsafeBufferPointer { signature in
                unsafe EVP_PKEY_verify(context, signature.baseAddress, signature.count, start, digest.byteCount)
            }
        }
        if code != 1 { ERR_clear_error() }
        return code == 1
    }

    /// Verifies over the message itself: EdDSA.
    static func isValidWhole(
        _ signature: ArraySlice<UInt8>,
        over message: ArraySlice<UInt8>,
        _ key: OpaquePointer
    ) -> Bool {
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, key, nil) == 1 else {
            ERR_clear_error()
            return false
        }
        let code = unsafe signature.withUnsafeBufferPointer { signature in
            unsafe message.withUnsafeBufferPointer { message in
                unsafe EVP_DigestVerify(
                    context,
                    signature.baseAddress,
                    signature.count,
                    message.baseAddress,
                    message.count
                )
            }
        }
        if code != 1 { ERR_clear_error() }
        return code == 1
    }
}

extension SignatureScheme {
    /// Tells a context that was initialised for signing or verifying about padding and hash functions.
    ///
    /// ECDSA needs nothing: it takes a hash of any length.
    func configure(_ context: OpaquePointer) -> Bool {
        switch self {
        case .ecdsa, .ed25519, .ed448, .mlDSA:
            return true
        case .pkcs1(let digest):
            return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1
                && EVP_PKEY_CTX_set_signature_md(context, digest.fetched.pointer) == 1
        case .pss(let digest):
            return unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1
                && EVP_PKEY_CTX_set_signature_md(context, digest.fetched.pointer) == 1
                && EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest.fetched.pointer) == 1
                && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
        }
    }
}
