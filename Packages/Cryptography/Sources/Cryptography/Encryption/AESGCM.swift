internal import CCrypto

/// AES-256 in Galois/counter mode (NIST SP 800-38D): 32-byte key, 12-byte nonce, 16-byte tag.
///
/// A nonce must never be used twice with one key: take it from `Random.bytes(AESGCM.nonceByteCount)`, and a new key
/// long before 2^32 messages.
public enum AESGCM {
    /// The length of a key in bytes.
    public static let keyByteCount = 32
    /// The length of a nonce in bytes.
    public static let nonceByteCount = 12
    /// The length of the tag in bytes, which follows the ciphertext.
    public static let tagByteCount = 16

    /// Encrypts and authenticates `plaintext`, and authenticates `associatedData` with it.
    ///
    /// - Parameters:
    ///   - plaintext: what to keep secret.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes, never used before with this key.
    ///   - associatedData: what the ciphertext belongs to; it is not part of the answer.
    /// - Returns: the ciphertext, as long as the plaintext, followed by the tag.
    /// - Throws: `CryptographyError.invalidLength` for a key or nonce of another length.
    public static func seal(
        _ plaintext: ArraySlice<UInt8>,
        key: ArraySlice<UInt8>,
        nonce: ArraySlice<UInt8>,
        associatedData: ArraySlice<UInt8> = []
    ) throws(CryptographyError) -> [UInt8] {
        let context = try GCMContext()
        try context.start(key: key, nonce: nonce, encrypting: true)
        try context.authenticate(associatedData)
        var output = try context.process(plaintext, reserving: tagByteCount)
        try context.finish()
        output.append(contentsOf: try context.tag())
        return output
    }

    /// Decrypts what `seal` answered, when nothing of it has changed.
    ///
    /// - Parameters:
    ///   - sealed: the ciphertext followed by the tag.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes, as given to `seal`.
    ///   - associatedData: as given to `seal`.
    /// - Returns: the plaintext.
    /// - Throws: `CryptographyError.notAuthentic`, or `CryptographyError.invalidLength` for a key or nonce of another
    ///   length.
    public static func open(
        _ sealed: ArraySlice<UInt8>,
        key: ArraySlice<UInt8>,
        nonce: ArraySlice<UInt8>,
        associatedData: ArraySlice<UInt8> = []
    ) throws(CryptographyError) -> [UInt8] {
        let context = try GCMContext()
        try context.start(key: key, nonce: nonce, encrypting: false)
        guard sealed.count >= tagByteCount else { throw .notAuthentic }
        try context.authenticate(associatedData)
        var output = try context.process(sealed.dropLast(tagByteCount), reserving: 0)
        do throws(CryptographyError) {
            try context.expect(tag: sealed.suffix(tagByteCount))
            try context.finish()
        } catch {
            // What an unauthentic ciphertext decrypts to must not leave this function.
            erase(&output)
            throw .notAuthentic
        }
        return output
    }

    /// Encrypts and authenticates `plaintext`: the same over whole arrays.
    ///
    /// - Parameters:
    ///   - plaintext: what to keep secret.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes, never used before with this key.
    ///   - associatedData: what the ciphertext belongs to; it is not part of the answer.
    /// - Returns: the ciphertext, as long as the plaintext, followed by the tag.
    /// - Throws: `CryptographyError.invalidLength` for a key or nonce of another length.
    public static func seal(
        _ plaintext: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        associatedData: [UInt8] = []
    ) throws(CryptographyError) -> [UInt8] {
        try seal(plaintext[...], key: key[...], nonce: nonce[...], associatedData: associatedData[...])
    }

    /// Decrypts what `seal` answered: the same over whole arrays.
    ///
    /// - Parameters:
    ///   - sealed: the ciphertext followed by the tag.
    ///   - key: 32 bytes.
    ///   - nonce: 12 bytes, as given to `seal`.
    ///   - associatedData: as given to `seal`.
    /// - Returns: the plaintext.
    /// - Throws: `CryptographyError.notAuthentic`, or `CryptographyError.invalidLength` for a key or nonce of another
    ///   length.
    public static func open(
        _ sealed: [UInt8],
        key: [UInt8],
        nonce: [UInt8],
        associatedData: [UInt8] = []
    ) throws(CryptographyError) -> [UInt8] {
        try open(sealed[...], key: key[...], nonce: nonce[...], associatedData: associatedData[...])
    }
}

/// One encryption or decryption. libcrypto erases the key schedule when the context is freed.
@safe private struct GCMContext: ~Copyable {
    private static let cipher = unsafe Fetched(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil), "AES-256-GCM")
    private let context: OpaquePointer

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    init() throws(CryptographyError) {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .fromLibrary("AES-GCM") }
        unsafe self.context = context
    }

    func start(key: ArraySlice<UInt8>, nonce: ArraySlice<UInt8>, encrypting: Bool) throws(CryptographyError) {
        guard key.count == AESGCM.keyByteCount else { throw .invalidLength(what: "AES-256 key", got: key.count) }
        guard nonce.count == AESGCM.nonceByteCount else { throw .invalidLength(what: "GCM nonce", got: nonce.count) }
        let code = unsafe key.withUnsafeBufferPointer { key in
            unsafe nonce.withUnsafeBufferPointer { nonce in
                unsafe EVP_CipherInit_ex2(
                    context,
                    Self.cipher.pointer,
                    key.baseAddress,
                    nonce.baseAddress,
                    encrypting ? 1 : 0,
                    nil
                )
            }
        }
        guard code == 1 else { throw .fromLibrary("AES-GCM") }
    }

    func authenticate(_ associatedData: ArraySlice<UInt8>) throws(CryptographyError) {
        guard !associatedData.isEmpty else { return }
        guard let length = Int32(exactly: associatedData.count) else {
            throw .invalidLength(what: "associated data", got: associatedData.count)
        }
        var written: Int32 = 0
        let code = unsafe associatedData.withUnsafeBufferPointer { input in
            unsafe EVP_CipherUpdate(context, nil, &written, input.baseAddress, length)
        }
        guard code == 1 else { throw .fromLibrary("AES-GCM") }
    }

    func process(_ input: ArraySlice<UInt8>, reserving extra: Int) throws(CryptographyError) -> [UInt8] {
        guard let length = Int32(exactly: input.count), length < Int32.max - 64 else {
            throw .invalidLength(what: "AES-GCM input", got: input.count)
        }
        guard length > 0 else { return [] }
        var code: Int32 = 0
        let output = unsafe [UInt8](unsafeUninitializedCapacity: input.count + extra) { output, count in
            var written: Int32 = 0
            code = unsafe input.withUnsafeBufferPointer { input in
                unsafe EVP_CipherUpdate(context, output.baseAddress, &written, input.baseAddress, length)
            }
            count = code == 1 && written == length ? Int(written) : 0
        }
        guard output.count == input.count else { throw .fromLibrary("AES-GCM") }
        return output
    }

    func expect(tag: ArraySlice<UInt8>) throws(CryptographyError) {
        let code = unsafe tag.withUnsafeBufferPointer { tag in
            unsafe latchkey_gcm_set_tag(context, Int32(AESGCM.tagByteCount), tag.baseAddress)
        }
        guard code == 1 else { throw .fromLibrary("AES-GCM") }
    }

    func finish() throws(CryptographyError) {
        var rest = [UInt8](repeating: 0, count: AESGCM.tagByteCount)
        var written: Int32 = 0
        guard unsafe EVP_CipherFinal_ex(context, &rest, &written) == 1 else { throw .fromLibrary("AES-GCM") }
    }

    func tag() throws(CryptographyError) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: AESGCM.tagByteCount)
        guard unsafe latchkey_gcm_get_tag(context, Int32(AESGCM.tagByteCount), &tag) == 1 else {
            throw .fromLibrary("AES-GCM")
        }
        return tag
    }
}
