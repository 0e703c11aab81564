/// HKDF (RFC 5869).
public enum HKDF {
    /// Derives `count` bytes (1 to 8160) from `key` with HKDF-SHA-256.
    ///
    /// - Parameters:
    ///   - key: the input keying material.
    ///   - salt: a value that need not be secret; empty stands for 32 zero bytes.
    ///   - info: what the derived key is for.
    ///   - count: the length of the answer in bytes.
    /// - Returns: the derived bytes.
    /// - Throws: `CryptographyError.invalidLength` when `count` is out of range.
    public static func sha256(
        _ key: ArraySlice<UInt8>,
        salt: ArraySlice<UInt8>,
        info: ArraySlice<UInt8>,
        count: Int
    ) throws(CryptographyError) -> [UInt8] {
        guard (1...255 * 32).contains(count) else { throw .invalidLength(what: "HKDF output", got: count) }
        var extracted = HMACSHA256.authenticate(key, key: salt)
        defer { erase(&extracted) }
        var output: [UInt8] = []
        output.reserveCapacity((count + 31) / 32 * 32)
        var block: [UInt8] = []
        defer { erase(&block) }
        var number: UInt8 = 0
        while output.count < count {
            number &+= 1
            block.append(contentsOf: info)
            block.append(number)
            var next = HMACSHA256.authenticate(block[...], key: extracted[...])
            erase(&block)
            swap(&block, &next)
            output.append(contentsOf: block.prefix(count - output.count))
        }
        return output
    }

    /// Derives `count` bytes (1 to 8160) from `key` with HKDF-SHA-256.
    ///
    /// - Parameters:
    ///   - key: the input keying material.
    ///   - salt: a value that need not be secret; empty stands for 32 zero bytes.
    ///   - info: what the derived key is for.
    ///   - count: the length of the answer in bytes.
    /// - Returns: the derived bytes.
    /// - Throws: `CryptographyError.invalidLength` when `count` is out of range.
    public static func sha256(
        _ key: [UInt8],
        salt: [UInt8],
        info: [UInt8],
        count: Int
    ) throws(CryptographyError) -> [UInt8] {
        try sha256(key[...], salt: salt[...], info: info[...], count: count)
    }
}
