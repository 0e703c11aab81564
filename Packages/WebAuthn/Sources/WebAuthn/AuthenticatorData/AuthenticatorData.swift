internal import CBOR

/// Authenticator data (WebAuthn L3 §6.1): 37 bytes, then with AT the attested credential data, then with ED one CBOR
/// map, then nothing.
public struct AuthenticatorData: Hashable, Sendable {
    /// All of it, as it was signed.
    public let bytes: [UInt8]
    public let flags: AuthenticatorFlags
    public let signCount: UInt32
    /// With AT only.
    public let attestedCredentialData: AttestedCredentialData?
    /// With ED only: the bytes of one CBOR map.
    public let extensions: [UInt8]?

    /// SHA-256 of the RP ID that the authenticator signed for, 32 bytes.
    public var rpIDHash: ArraySlice<UInt8> { bytes.prefix(32) }

    /// Takes authenticator data apart.
    ///
    /// - Parameters:
    ///   - bytes: all of it.
    ///   - member: what a fault is reported as.
    /// - Throws: ``ResponseError`` at `member`.
    public init(decoding bytes: [UInt8], member: String = "authenticatorData") throws(ResponseError) {
        var reader = ByteReader(bytes[...], member: member)
        _ = try reader.take(32, "the RP ID hash")
        let flags = AuthenticatorFlags(rawValue: try reader.byte("the flags"))
        signCount = try reader.take(4, "the counter").reduce(0) { $0 << 8 | UInt32($1) }
        attestedCredentialData =
            flags.contains(.attestedCredentialData) ? try AttestedCredentialData(reading: &reader) : nil
        extensions = flags.contains(.extensionData) ? Array(try reader.map("the extension data").bytes) : nil
        guard reader.isAtEnd else {
            throw ResponseError(member, .malformed(reason: "\(reader.rest.count) bytes left over"))
        }
        self.flags = flags
        self.bytes = bytes
    }
}

/// A cursor over bytes from outside: a read past the end is an error value.
struct ByteReader {
    private(set) var rest: ArraySlice<UInt8>
    let member: String

    init(_ bytes: ArraySlice<UInt8>, member: String) {
        rest = bytes
        self.member = member
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ count: Int, _ what: String) throws(ResponseError) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw ResponseError(member, .malformed(reason: "it ends inside \(what)")) }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    mutating func byte(_ what: String) throws(ResponseError) -> UInt8 {
        guard let byte = rest.first else { throw ResponseError(member, .malformed(reason: "it ends before \(what)")) }
        rest = rest.dropFirst()
        return byte
    }

    /// The next CBOR item, which must be a map, and the bytes it stood in.
    mutating func map(_ what: String) throws(ResponseError) -> (map: CBORMap, bytes: ArraySlice<UInt8>) {
        do throws(CBORError) {
            let (value, after) = try CBOR.decodeFirst(rest, as: .interoperable)
            let bytes = rest[..<after.startIndex]
            rest = after
            if case .map(let map) = value { return (map, bytes) }
        } catch {
            throw ResponseError(member, .malformed(reason: "\(what): \(error)"))
        }
        throw ResponseError(member, .malformed(reason: "\(what) is not a CBOR map"))
    }
}
