internal import CCrypto

/// An object of libcrypto that lives as long as the process and is only read once it is made.
///
/// `@unchecked Sendable`: fetched algorithms are immutable and reference-counted atomically by libcrypto.
@safe struct Fetched: @unchecked Sendable {
    let pointer: OpaquePointer

    /// - Parameters:
    ///   - pointer: what libcrypto's fetch answered.
    ///   - name: the algorithm, for the message.
    init(_ pointer: OpaquePointer?, _ name: StaticString) {
        guard let pointer = unsafe pointer else {
            fatalError("libcrypto offers no \(name): its default provider is missing or disabled")
        }
        unsafe self.pointer = pointer
    }
}

/// The hash functions of the signature algorithms, fetched once.
enum Digest: UInt8, Sendable {
    case sha1, sha256, sha384, sha512

    private static let fetchedSHA1 = unsafe Fetched(EVP_MD_fetch(nil, "SHA1", nil), "SHA-1")
    private static let fetchedSHA256 = unsafe Fetched(EVP_MD_fetch(nil, "SHA256", nil), "SHA-256")
    private static let fetchedSHA384 = unsafe Fetched(EVP_MD_fetch(nil, "SHA384", nil), "SHA-384")
    private static let fetchedSHA512 = unsafe Fetched(EVP_MD_fetch(nil, "SHA512", nil), "SHA-512")

    var fetched: Fetched {
        switch self {
        case .sha1: Self.fetchedSHA1
        case .sha256: Self.fetchedSHA256
        case .sha384: Self.fetchedSHA384
        case .sha512: Self.fetchedSHA512
        }
    }

    /// The length of the hash in bytes.
    var byteCount: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// Writes the hash of `bytes` to `output`, which has room for `byteCount` bytes.
    func hash(_ bytes: ArraySlice<UInt8>, into output: UnsafeMutablePointer<UInt8>) {
        let code = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe EVP_Digest(input.baseAddress, input.count, output, nil, fetched.pointer, nil)
        }
        // Only an allocation can fail here; a wrong hash must never leave this function.
        guard code == 1 else { fatalError("libcrypto cannot hash: out of memory") }
    }

    func hash(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
            guard let start = output.baseAddress else { return }
            unsafe hash(bytes, into: start)
            count = byteCount
        }
    }
}

extension CryptographyError {
    /// The oldest entry of libcrypto's error queue of this thread, which is then emptied.
    static func fromLibrary(_ operation: String) -> CryptographyError {
        let code = ERR_get_error()
        ERR_clear_error()
        guard code != 0, let reason = unsafe ERR_reason_error_string(code) else {
            return .library(operation: operation, reason: "no reason given")
        }
        return .library(operation: operation, reason: unsafe String(cString: reason))
    }
}
