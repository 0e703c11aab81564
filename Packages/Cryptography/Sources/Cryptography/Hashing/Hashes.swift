/// SHA-256 (FIPS 180-4), 32 bytes.
public enum SHA256 {
    /// The hash of `bytes`, 32 bytes.
    public static func hash(_ bytes: ArraySlice<UInt8>) -> [UInt8] { Digest.sha256.hash(bytes) }
    /// The hash of `bytes`, 32 bytes.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] { Digest.sha256.hash(bytes[...]) }
}

/// SHA-384 (FIPS 180-4), 48 bytes.
public enum SHA384 {
    /// The hash of `bytes`, 48 bytes.
    public static func hash(_ bytes: ArraySlice<UInt8>) -> [UInt8] { Digest.sha384.hash(bytes) }
    /// The hash of `bytes`, 48 bytes.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] { Digest.sha384.hash(bytes[...]) }
}

/// SHA-512 (FIPS 180-4), 64 bytes.
public enum SHA512 {
    /// The hash of `bytes`, 64 bytes.
    public static func hash(_ bytes: ArraySlice<UInt8>) -> [UInt8] { Digest.sha512.hash(bytes) }
    /// The hash of `bytes`, 64 bytes.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] { Digest.sha512.hash(bytes[...]) }
}

/// SHA-1 (FIPS 180-4), 20 bytes: for attestation formats, key identifiers and old certificates only.
public enum SHA1 {
    /// The hash of `bytes`, 20 bytes.
    public static func hash(_ bytes: ArraySlice<UInt8>) -> [UInt8] { Digest.sha1.hash(bytes) }
    /// The hash of `bytes`, 20 bytes.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] { Digest.sha1.hash(bytes[...]) }
}
