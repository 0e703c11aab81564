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
        let numbers = Numbers(components: components)
        let found = kept.withLock { $0.find(numbers) }
        if let found { return unsafe found.pointer }
        let made = try unsafe make()
        kept.withLock { unsafe $0.keep(made, numbers) }
        return unsafe made
    }

    /// About 3 KB each for RSA with 2048 bits, and 0.5 KB for EdDSA.
    static let maximum = 256

    private static let kept = Mutex(Table())

    /// What a key is found by. Its hash is made of eight bytes, since hashing all of them would take longer than making
    /// the key; so few keys are kept that even a row of collisions costs little.
    private struct Numbers: Hashable {
        let components: PublicKeyComponents

        func hash(into hasher: inout Hasher) {
            switch components {
            case .rsa(let number, _), .ed25519(let number), .ed448(let number), .mlDSA(_, let number),
                .ec(_, let number, _):
                hasher.combine(number.suffix(8).reduce(into: 0 as UInt64) { $0 = $0 << 8 | UInt64($1) })
            }
        }
    }

    private struct Table {
        private var keys: [Numbers: KeptKey] = [:]
        /// The oldest is at `next` once there are as many as may be.
        private var order: [Numbers] = []
        private var next = 0

        func find(_ numbers: Numbers) -> KeptKey? {
            guard let key = keys[numbers], unsafe EVP_PKEY_up_ref(key.pointer) == 1 else { return nil }
            return key
        }

        mutating func keep(_ key: OpaquePointer, _ numbers: Numbers) {
            guard keys[numbers] == nil, unsafe EVP_PKEY_up_ref(key) == 1 else { return }
            keys[numbers] = unsafe KeptKey(pointer: key)
            guard order.count == KeptKeys.maximum else {
                order.append(numbers)
                return
            }
            if let oldest = keys.removeValue(forKey: order[next]) { unsafe EVP_PKEY_free(oldest.pointer) }
            order[next] = numbers
            next = (next + 1) % KeptKeys.maximum
        }
    }

    /// `@unchecked Sendable`: the key is not changed once it is made, and libcrypto counts its references atomically.
    @safe private struct KeptKey: @unchecked Sendable {
        let pointer: OpaquePointer
    }
}
