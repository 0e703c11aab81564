internal import CCrypto

/// HMAC with SHA-256 (RFC 2104).
public enum HMACSHA256 {
    /// The authentication code of `message`, 32 bytes. Compare it with `constantTimeEqual` only.
    public static func authenticate(_ message: ArraySlice<UInt8>, key: ArraySlice<UInt8>) -> [UInt8] {
        HMAC.authenticate(message, key: key, template, byteCount: 32)
    }

    /// The authentication code of `message`, 32 bytes. Compare it with `constantTimeEqual` only.
    public static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        authenticate(message[...], key: key[...])
    }

    /// Whether `code` authenticates `message`, compared in constant time.
    public static func isValid(
        _ code: ArraySlice<UInt8>,
        for message: ArraySlice<UInt8>,
        key: ArraySlice<UInt8>
    ) -> Bool {
        constantTimeEqual(code, authenticate(message, key: key)[...])
    }

    private static let template = HMAC.template("SHA256")
}

/// HMAC with SHA-384 (RFC 2104), for tokens of others.
public enum HMACSHA384 {
    /// Whether `code`, 48 bytes, authenticates `message`, compared in constant time.
    public static func isValid(
        _ code: ArraySlice<UInt8>,
        for message: ArraySlice<UInt8>,
        key: ArraySlice<UInt8>
    ) -> Bool {
        constantTimeEqual(code, HMAC.authenticate(message, key: key, template, byteCount: 48)[...])
    }

    private static let template = HMAC.template("SHA384")
}

/// HMAC with SHA-512 (RFC 2104), for tokens of others.
public enum HMACSHA512 {
    /// Whether `code`, 64 bytes, authenticates `message`, compared in constant time.
    public static func isValid(
        _ code: ArraySlice<UInt8>,
        for message: ArraySlice<UInt8>,
        key: ArraySlice<UInt8>
    ) -> Bool {
        constantTimeEqual(code, HMAC.authenticate(message, key: key, template, byteCount: 64)[...])
    }

    private static let template = HMAC.template("SHA512")
}

/// libcrypto's part in HMAC.
private enum HMAC {
    static func authenticate(
        _ message: ArraySlice<UInt8>,
        key: ArraySlice<UInt8>,
        _ template: Fetched,
        byteCount: Int
    ) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
            guard unsafe authenticate(message, key: key, template, into: output) else {
                // Only an allocation can fail here; a wrong code must never leave this function.
                fatalError("libcrypto cannot compute an HMAC: out of memory")
            }
            count = byteCount
        }
    }

    /// A context with the hash function chosen and no key; each computation works on a copy of its own.
    static func template(_ digest: String) -> Fetched {
        let algorithm = unsafe Fetched(EVP_MAC_fetch(nil, "HMAC", nil), "HMAC")
        let context = unsafe Fetched(EVP_MAC_CTX_new(algorithm.pointer), "HMAC")
        var name: [CChar] = Array(digest.utf8CString)
        let code = unsafe name.withUnsafeMutableBufferPointer { name in
            var parameters = unsafe [
                latchkey_digest_parameter(name.baseAddress),
                OSSL_PARAM_construct_end(),
            ]
            return unsafe EVP_MAC_CTX_set_params(context.pointer, &parameters)
        }
        // As with a fetch: without its default provider there is nothing to go on with, whatever is asked.
        guard code == 1 else { fatalError("libcrypto offers no HMAC with \(digest)") }
        return context
    }

    private static func authenticate(
        _ message: ArraySlice<UInt8>,
        key: ArraySlice<UInt8>,
        _ template: Fetched,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        guard let context = unsafe EVP_MAC_CTX_dup(template.pointer) else { return false }
        defer { unsafe EVP_MAC_CTX_free(context) }
        // libcrypto takes a null key for "the same key as before". Keys are padded with zeros, so one zero byte is the
        // empty key.
        let key = key.isEmpty ? [0] : key
        let keyed = unsafe key.withUnsafeBufferPointer { unsafe EVP_MAC_init(context, $0.baseAddress, $0.count, nil) }
        guard keyed == 1 else { return false }
        let updated = unsafe message.withUnsafeBufferPointer { message in
            unsafe message.isEmpty ? 1 : EVP_MAC_update(context, message.baseAddress, message.count)
        }
        var written = 0
        return unsafe updated == 1 && EVP_MAC_final(context, output.baseAddress, &written, output.count) == 1
            && written == output.count
    }
}
