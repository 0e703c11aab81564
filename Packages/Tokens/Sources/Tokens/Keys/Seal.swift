internal import Cryptography
internal import Identity

/// AES-256-GCM for what lies in the store: nonce (12 bytes), ciphertext and tag, bound to where it lies.
enum Seal {
    /// Seals `plaintext`.
    ///
    /// - Parameters:
    ///   - plaintext: what to keep secret.
    ///   - key: 32 bytes.
    ///   - place: table, tenant, row: what it is bound to, so that rows cannot be swapped.
    ///   - random: gives the nonce.
    /// - Returns: nonce, ciphertext and tag.
    /// - Throws: `CryptographyError.invalidLength` for a key of another length.
    static func seal(
        _ plaintext: [UInt8],
        key: [UInt8],
        for place: [String],
        random: RandomSource
    ) throws(CryptographyError) -> [UInt8] {
        let nonce = random(AESGCM.nonceByteCount)
        return nonce
            + (try AESGCM.seal(plaintext[...], key: key[...], nonce: nonce[...], associatedData: bound(to: place)[...]))
    }

    /// Opens what ``seal(_:key:for:random:)`` made for the same place.
    static func open(_ sealed: [UInt8], key: [UInt8], for place: [String]) throws(CryptographyError) -> [UInt8] {
        guard sealed.count >= AESGCM.nonceByteCount + AESGCM.tagByteCount else { throw .notAuthentic }
        return try AESGCM.open(
            sealed.dropFirst(AESGCM.nonceByteCount),
            key: key[...],
            nonce: sealed.prefix(AESGCM.nonceByteCount),
            associatedData: bound(to: place)[...]
        )
    }

    /// The words with a zero byte after each: no two places give the same bytes.
    private static func bound(to place: [String]) -> [UInt8] {
        place.flatMap { Array($0.utf8) + [0] }
    }
}
