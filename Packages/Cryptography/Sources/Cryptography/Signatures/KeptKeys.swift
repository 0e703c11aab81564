internal import CCrypto
internal import Synchronization

/// Public keys of libcrypto that are dear to make, kept for owners who sign in again soon: RSA and EdDSA.
///
/// An RSA key that is made anew pays for its import and, at its first use, for the numbers that multiplying modulo it
/// needs: together half a verification. What is kept was checked when it was made, and is found by all of its numbers.
enum KeptKeys {
    /// The key with these numbers. The caller owns one reference and frees it.
    ///
    /// - Throws: what `make` throws, which checks the numbers.
    static func load(
        _ components: PublicKeyComponents,
        _ make: () throws(CryptographyError) -> OpaquePointer
    ) throws(CryptographyError) -> OpaquePointer {
        let found = kept.withLock { $0.find(components) }
        if let found { return unsafe found.pointer }
        let made = try unsafe make()
        kept.withLock { unsafe $0.keep(made, components) }
        return unsafe made
    }

    /// About 3 KB each for RSA with 2048 bits, and 0.5 KB for EdDSA.
    static let maximum = 256

    private static let kept = Mutex(Table())

    private struct Table {
        private var keys: [PublicKeyComponents: KeptKey] = [:]
        /// The oldest is at `next` once there are as many as may be.
        private var order: [PublicKeyComponents] = []
        private var next = 0

        func find(_ components: PublicKeyComponents) -> KeptKey? {
            guard let key = keys[components], unsafe EVP_PKEY_up_ref(key.pointer) == 1 else { return nil }
            return key
        }

        mutating func keep(_ key: OpaquePointer, _ components: PublicKeyComponents) {
            guard keys[components] == nil, unsafe EVP_PKEY_up_ref(key) == 1 else { return }
            keys[components] = unsafe KeptKey(pointer: key)
            guard order.count == KeptKeys.maximum else {
                order.append(components)
                return
            }
            if let oldest = keys.removeValue(forKey: order[next]) { unsafe EVP_PKEY_free(oldest.pointer) }
            order[next] = components
            next = (next + 1) % KeptKeys.maximum
        }
    }

    /// `@unchecked Sendable`: the key is not changed once it is made, and libcrypto counts its references atomically.
    @safe private struct KeptKey: @unchecked Sendable {
        let pointer: OpaquePointer
    }
}
