internal import CArgon2

/// Argon2 (RFC 9106), the memory-hard hash of passwords.
public struct Argon2: Hashable, Sendable {
    /// Which addresses depend on the password: `d` all, `i` none, `id` those of the second half of the first pass on.
    public enum Variant: String, Hashable, Sendable, CaseIterable {
        case d = "argon2d"
        case i = "argon2i"
        case id = "argon2id"
    }

    public let variant: Variant
    /// 0x13 (RFC 9106 §3.1), or 0x10 of hashes made before it.
    public let version: UInt32
    /// Memory in KiB, 8 per lane at least.
    public let memory: UInt32
    /// Passes over the memory.
    public let passes: UInt32
    /// Degree of parallelism. It is part of what is computed; one thread computes it.
    public let lanes: UInt32

    /// - Throws: `invalidLength` when a parameter is outside RFC 9106 §3.1, or over 256 MiB, 10 passes or 8 lanes: a hash
    ///   that came from elsewhere must not cost more than a sign-in may.
    public init(
        variant: Variant = .id,
        version: UInt32 = 0x13,
        memory: UInt32,
        passes: UInt32,
        lanes: UInt32 = 1
    ) throws(CryptographyError) {
        guard version == 0x13 || version == 0x10 else { throw .unsupported(what: "Argon2 version \(version)") }
        guard (1...8).contains(lanes) else { throw .invalidLength(what: "Argon2 lanes", got: Int(lanes)) }
        guard (8 * lanes...256 * 1024).contains(memory) else {
            throw .invalidLength(what: "Argon2 memory in KiB", got: Int(memory))
        }
        guard (1...10).contains(passes) else { throw .invalidLength(what: "Argon2 passes", got: Int(passes)) }
        self.variant = variant
        self.version = version
        self.memory = memory
        self.passes = passes
        self.lanes = lanes
    }

    /// The tag of `password` with `salt`. It computes for tens of milliseconds: never on an event loop.
    ///
    /// - Parameters:
    ///   - password: any bytes, at most 4096.
    ///   - salt: 8 to 64 bytes.
    ///   - count: length of the tag, 4 to 128 bytes.
    /// - Returns: the tag.
    /// - Throws: `invalidLength`, or `library` when there is no memory for it.
    public func hash(_ password: [UInt8], salt: [UInt8], count: Int = 32) throws(CryptographyError) -> [UInt8] {
        guard password.count <= 4096 else { throw .invalidLength(what: "password", got: password.count) }
        guard (8...64).contains(salt.count) else { throw .invalidLength(what: "Argon2 salt", got: salt.count) }
        guard (4...128).contains(count) else { throw .invalidLength(what: "Argon2 tag", got: count) }
        var tag = [UInt8](repeating: 0, count: count)
        // The library reads both only, though its structure does not say so.
        var password = password
        var salt = salt
        defer { erase(&password) }
        let code = unsafe tag.withUnsafeMutableBufferPointer { output in
            unsafe password.withUnsafeMutableBufferPointer { password in
                unsafe salt.withUnsafeMutableBufferPointer { salt in
                    var context = unsafe argon2_context()
                    unsafe context.out = output.baseAddress
                    unsafe context.outlen = UInt32(output.count)
                    unsafe context.pwd = password.baseAddress
                    unsafe context.pwdlen = UInt32(password.count)
                    unsafe context.salt = salt.baseAddress
                    unsafe context.saltlen = UInt32(salt.count)
                    unsafe context.t_cost = passes
                    unsafe context.m_cost = memory
                    unsafe context.lanes = lanes
                    unsafe context.threads = 1
                    unsafe context.version = version
                    return unsafe argon2_ctx(&context, variant.type)
                }
            }
        }
        guard code == ARGON2_OK.rawValue else {
            throw .library(operation: "Argon2", reason: unsafe String(cString: argon2_error_message(code)))
        }
        return tag
    }
}

extension Argon2.Variant {
    fileprivate var type: argon2_type {
        switch self {
        case .d: Argon2_d
        case .i: Argon2_i
        case .id: Argon2_id
        }
    }
}
