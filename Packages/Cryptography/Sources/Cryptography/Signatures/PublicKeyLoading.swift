internal import CCrypto
internal import Synchronization

/// ECDSA public keys in libcrypto.
enum ECPublicKey {
    /// Takes a key that was given back, or else copies the curve's template, and sets the point.
    ///
    /// A copy costs a quarter of `EVP_PKEY_fromdata`, which builds the group each time; a key that was given back costs a
    /// fifth of a copy, and verifies as fast as one that was kept.
    static func load(_ curve: EllipticCurve, x: [UInt8], y: [UInt8]) throws(CryptographyError) -> OpaquePointer {
        let width = curve.coordinateByteCount
        guard x.count == width, y.count == width else {
            throw .invalidKey("\(curve.rawValue) coordinates of \(x.count) and \(y.count) bytes instead of \(width)")
        }
        let key: OpaquePointer
        if curve == .p256, let given = idle.withLock({ $0.popLast() }) {
            unsafe key = given.pointer
        } else {
            guard let copy = unsafe EVP_PKEY_dup(template(curve).pointer) else { throw .fromLibrary("copying a key") }
            unsafe key = copy
        }
        // The leading 04 and the exact length keep out compressed points and infinity, which libcrypto would take.
        let code = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1 + 2 * width) { point in
            unsafe point.initialize(repeating: 4)
            _ = unsafe point[1...].update(from: x)
            _ = unsafe point[(1 + width)...].update(from: y)
            return unsafe EVP_PKEY_set1_encoded_public_key(key, point.baseAddress, point.count)
        }
        guard code == 1 else {
            unsafe EVP_PKEY_free(key)
            ERR_clear_error()
            throw .invalidKey("a point that is not on \(curve.rawValue)")
        }
        return unsafe key
    }

    /// Takes back a key that nobody refers to any more. Those on P-256 wait for their next point.
    static func giveBack(_ key: OpaquePointer, _ curve: EllipticCurve) {
        let given = unsafe IdleKey(pointer: key)
        let isKept =
            curve == .p256
            && idle.withLock { keys in
                guard keys.count < maximumIdle else { return false }
                keys.append(given)
                return true
            }
        if !isKept { unsafe EVP_PKEY_free(key) }
    }

    /// More than threads verify at once; about 2 KB each.
    private static let maximumIdle = 64
    private static let idle = Mutex<[IdleKey]>([])

    /// `@unchecked Sendable`: whoever took it from the list owns it alone.
    @safe private struct IdleKey: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    private static func template(_ curve: EllipticCurve) -> Fetched {
        switch curve {
        case .p256: p256
        case .p384: p384
        case .p521: p521
        case .secp256k1: secp256k1
        }
    }

    private static let p256 = makeTemplate(.p256)
    private static let p384 = makeTemplate(.p384)
    private static let p521 = makeTemplate(.p521)
    private static let secp256k1 = makeTemplate(.secp256k1)

    /// A key with the curve's parameters and no point.
    private static func makeTemplate(_ curve: EllipticCurve) -> Fetched {
        let context = unsafe Fetched(EVP_PKEY_CTX_new_from_name(nil, "EC", nil), "elliptic curves")
        defer { unsafe EVP_PKEY_CTX_free(context.pointer) }
        var key: OpaquePointer?
        var name: [CChar] = Array(curve.libraryName.utf8CString)
        unsafe name.withUnsafeMutableBufferPointer { name in
            var parameters = unsafe [
                latchkey_group_parameter(name.baseAddress),
                OSSL_PARAM_construct_end(),
            ]
            guard unsafe EVP_PKEY_fromdata_init(context.pointer) == 1 else { return }
            _ = unsafe EVP_PKEY_fromdata(context.pointer, &key, latchkey_parameters_selection, &parameters)
        }
        return unsafe Fetched(key, "curve of ECDSA")
    }
}

/// Ed25519 and Ed448 public keys in libcrypto.
enum EdwardsPublicKey {
    static func load(
        _ type: StaticString,
        _ raw: [UInt8],
        byteCount: Int
    ) throws(CryptographyError) -> OpaquePointer {
        guard raw.count == byteCount else {
            throw .invalidKey("\(type) key of \(raw.count) bytes instead of \(byteCount)")
        }
        let name = unsafe UnsafeRawPointer(type.utf8Start).assumingMemoryBound(to: CChar.self)
        guard let key = unsafe EVP_PKEY_new_raw_public_key_ex(nil, name, nil, raw, raw.count) else {
            ERR_clear_error()
            throw .invalidKey("\(type) key that libcrypto refuses")
        }
        return unsafe key
    }
}

/// RSA public keys in libcrypto.
enum RSAPublicKey {
    /// Made once and lent to one thread at a time, which is a third cheaper than a context for each key.
    private static let importer: Mutex<Fetched> = {
        let context = unsafe Fetched(EVP_PKEY_CTX_new_from_name(nil, "RSA", nil), "RSA")
        guard unsafe EVP_PKEY_fromdata_init(context.pointer) == 1 else {
            // As with a fetch: nothing from outside decides it.
            fatalError("libcrypto cannot import RSA keys")
        }
        return Mutex(context)
    }()

    static func load(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) -> OpaquePointer {
        try check(modulus: modulus, exponent: exponent)
        // libcrypto takes numbers in the machine's byte order.
        var modulus = nativeOrder(modulus)
        var exponent = nativeOrder(exponent)
        var key: OpaquePointer?
        unsafe modulus.withUnsafeMutableBufferPointer { modulus in
            unsafe exponent.withUnsafeMutableBufferPointer { exponent in
                var parameters = unsafe [
                    latchkey_modulus_parameter(modulus.baseAddress, modulus.count),
                    latchkey_exponent_parameter(exponent.baseAddress, exponent.count),
                    OSSL_PARAM_construct_end(),
                ]
                importer.withLock { context in
                    _ = unsafe EVP_PKEY_fromdata(context.pointer, &key, latchkey_public_key_selection, &parameters)
                }
            }
        }
        guard let key = unsafe key else { throw .fromLibrary("importing an RSA key") }
        return unsafe key
    }

    /// A modulus of 2048 to 8192 bits and odd; an exponent odd, at least 3 and of at most 32 bits; no leading zeros.
    ///
    /// Exponent 1 would make every signature valid. Each bit of it makes verifying slower, and whoever registers chooses
    /// the keys: with 8192 bits a check takes twice as long at 32 bits as for the usual exponent, and thrice at 64.
    private static func check(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) {
        guard let first = modulus.first, let last = modulus.last, first != 0 else {
            throw .invalidKey("RSA modulus that is empty or has leading zeros")
        }
        let bits = modulus.count * 8 - first.leadingZeroBitCount
        guard (2048...8192).contains(bits) else { throw .invalidKey("RSA modulus of \(bits) bits") }
        guard last & 1 == 1 else { throw .invalidKey("RSA modulus that is even") }
        guard let top = exponent.first, let bottom = exponent.last, top != 0 else {
            throw .invalidKey("RSA exponent that is empty or has leading zeros")
        }
        guard exponent.count <= 4 else { throw .invalidKey("RSA exponent of \(exponent.count) bytes") }
        guard bottom & 1 == 1, exponent != [1] else { throw .invalidKey("RSA exponent that is even, or 1") }
    }

    private static func nativeOrder(_ bigEndian: [UInt8]) -> [UInt8] {
        #if _endian(little)
            bigEndian.reversed()
        #else
            bigEndian
        #endif
    }
}
