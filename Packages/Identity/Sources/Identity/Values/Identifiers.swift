import Encodings

/// The store's own number of a tenant; never shown outside. Every key and every method of a store begins with it.
public struct TenantID: Hashable, Sendable {
    public let number: Int64

    public init(number: Int64) {
        self.number = number
    }
}

/// An application's public name in the protocol: 32 characters of `[A-Za-z0-9]`.
public struct ClientID: Hashable, Sendable {
    public let text: String

    /// Any text: what a request names may be unknown, and a look-up says so.
    public init(_ text: String) {
        self.text = text
    }

    /// A new one, from 24 random bytes.
    public init(random bytes: [UInt8]) {
        self.text = Base62.encode(bytes, count: 32)
    }
}

/// A user directory's id: `con_` and 16 characters.
public struct ConnectionID: Hashable, Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    /// A new one, from 12 random bytes.
    public init(random bytes: [UInt8]) {
        self.text = "con_" + Base62.encode(bytes, count: 16)
    }
}

/// A domain's id: `cd_` and 16 characters.
public struct DomainID: Hashable, Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    /// A new one, from 12 random bytes.
    public init(random bytes: [UInt8]) {
        self.text = "cd_" + Base62.encode(bytes, count: 16)
    }
}

/// A resource server's id: `rs_` and 16 characters.
public struct ResourceServerID: Hashable, Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    /// A new one, from 12 random bytes.
    public init(random bytes: [UInt8]) {
        self.text = "rs_" + Base62.encode(bytes, count: 16)
    }
}

/// A client grant's id: `cgr_` and 16 characters.
public struct ClientGrantID: Hashable, Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    /// A new one, from 12 random bytes.
    public init(random bytes: [UInt8]) {
        self.text = "cgr_" + Base62.encode(bytes, count: 16)
    }
}

/// A user: 12 bytes, the first four the second it was made, so that rows lie in the order of time.
///
/// Outside it is `auth0|` and 24 hexadecimal digits, the `sub` of every token.
public struct UserID: Hashable, Sendable {
    public let bytes: [UInt8]

    /// - Returns: `nil` unless there are exactly 12 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 12 else { return nil }
        self.bytes = bytes
    }

    /// A new one, from the time and 8 random bytes (more are not used, fewer count as zeros).
    public init(now: UnixTime, random: [UInt8]) {
        let second = UInt32(truncatingIfNeeded: now.seconds)
        var bytes = (0..<4).map { UInt8(truncatingIfNeeded: second >> (24 - 8 * $0)) }
        bytes.append(contentsOf: random.prefix(8))
        while bytes.count < 12 { bytes.append(0) }
        self.bytes = bytes
    }

    /// Reads `auth0|` and 24 hexadecimal digits, or the digits alone.
    public init?(_ text: String) {
        let digits = text.utf8.starts(with: "auth0|".utf8) ? String(text.dropFirst(6)) : text
        guard let bytes = try? Hex.decode(digits) else { return nil }
        self.init(bytes: bytes)
    }

    /// 24 hexadecimal digits.
    public var hex: String { Hex.encode(bytes) }
    /// The `sub` of tokens and the `user_id` of the APIs.
    public var subject: String { "auth0|" + hex }
}

/// A passkey's id outside: `dev_` and 16 characters; with `passkey|` before it in the My Account API.
public struct PasskeyID: Hashable, Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    /// A new one, from 12 random bytes.
    public init(random bytes: [UInt8]) {
        self.text = "dev_" + Base62.encode(bytes, count: 16)
    }
}

/// A set of recovery codes: `dev_` and 16 base62 characters.
public struct RecoveryCodeSetID: Hashable, Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }

    /// A new one, from 12 random bytes.
    public init(random bytes: [UInt8]) {
        self.text = "dev_" + Base62.encode(bytes, count: 16)
    }
}

/// The store's own narrow number of a passkey: what each login updates by.
public struct PasskeyNumber: Hashable, Sendable {
    public let number: Int64

    public init(number: Int64) {
        self.number = number
    }
}

/// Sixteen bytes that begin with the time in milliseconds: rows lie in the order they were made, and the ten random
/// bytes keep ids of the same millisecond, of a restarted process and of another server apart.
public struct TimeOrderedID: Hashable, Sendable {
    // Two words, so that ids are copied, compared and hashed without memory of their own.
    private let first: UInt64
    private let second: UInt64

    /// - Returns: `nil` unless there are exactly 16 bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        first = Self.word(bytes.prefix(8))
        second = Self.word(bytes.dropFirst(8))
    }

    /// A new one, from the time and 10 random bytes (more are not used, fewer count as zeros).
    public init(now: UnixTime, random: some Collection<UInt8>) {
        let start = random.prefix(2)
        let end = random.dropFirst(2).prefix(8)
        first = UInt64(bitPattern: now.milliseconds) << 16 | Self.word(start) << (8 * (2 - UInt64(start.count)))
        second = end.isEmpty ? 0 : Self.word(end) << (8 * (8 - UInt64(end.count)))
    }

    /// The 16 bytes, as they are sorted and stored.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: first >> shift))
        }
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: second >> shift))
        }
        return bytes
    }

    private static func word(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// 22 characters of base 62.
    public var base62: String { Base62.encode(bytes, count: 22) }

    /// Reads 22 characters of base 62.
    public init?(base62 text: some Sequence<UInt8>) {
        guard let bytes = Base62.decode(text, count: 16) else { return nil }
        self.init(bytes: bytes)
    }
}

/// A session's id, the `sid` of tokens: `ses_` and 22 characters. No secret: the cookie is another value.
public struct SessionID: Hashable, Sendable {
    public let id: TimeOrderedID

    public init(_ id: TimeOrderedID) {
        self.id = id
    }

    /// Reads `ses_` and 22 characters.
    public init?(_ text: String) {
        guard text.utf8.count == 26, text.utf8.starts(with: "ses_".utf8),
            let id = TimeOrderedID(base62: text.utf8.dropFirst(4))
        else { return nil }
        self.id = id
    }

    public var text: String { "ses_" + id.base62 }
}

/// A ceremony's id, the `trace_id` of a refusal: `cer_` and 22 characters.
public struct CeremonyID: Hashable, Sendable {
    public let id: TimeOrderedID

    public init(_ id: TimeOrderedID) {
        self.id = id
    }

    /// Reads `cer_` and 22 characters.
    public init?(_ text: String) {
        guard text.utf8.count == 26, text.utf8.starts(with: "cer_".utf8),
            let id = TimeOrderedID(base62: text.utf8.dropFirst(4))
        else { return nil }
        self.id = id
    }

    public var text: String { "cer_" + id.base62 }
}

/// A refresh-token family: all tokens that descend from one sign-in by rotation.
public struct RefreshFamilyID: Hashable, Sendable {
    public let id: TimeOrderedID

    public init(_ id: TimeOrderedID) {
        self.id = id
    }
}

/// The public half of a refresh token: it finds the row; the secret half is compared with its hash.
public struct RefreshTokenID: Hashable, Sendable {
    public let id: TimeOrderedID

    public init(_ id: TimeOrderedID) {
        self.id = id
    }
}

/// The `kid` of a signing key: base64url of 16 random bytes.
public struct KeyID: Hashable, Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }
}
