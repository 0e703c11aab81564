internal import Cryptography
internal import Encodings
public import Identity

/// Gives users codes to print, by each of which they get back in once (HTTP contract 9.5, 10.2).
public struct RecoveryCodes: Sendable {
    private let store: any RecoveryCodeStore & CredentialStore
    private let key: [UInt8]
    private let random: RandomSource

    /// How many a set has.
    private static let count = 10
    /// Symbols of a code, of five random bits each: 100 bits.
    private static let symbols = 20
    /// Base32 of Crockford: without I, L, O and U, which are read as others.
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// - Parameters:
    ///   - store: where codes and passkeys are kept.
    ///   - key: codes are hashed under it, 32 bytes.
    ///   - random: gives codes.
    public init(store: any RecoveryCodeStore & CredentialStore, key: [UInt8], random: @escaping RandomSource) {
        self.store = store
        self.key = key
        self.random = random
    }

    /// A set that was made: what is shown once.
    public struct Made: Sendable {
        public let set: RecoveryCodeSet
        /// By which whoever got them says that they have them: 43 characters.
        public let session: String
        /// Ten, each of four groups of five symbols.
        public let codes: [String]
    }

    /// Makes a set; the one before is void.
    ///
    /// - Parameters:
    ///   - user: who is signed in.
    ///   - session: the session that says so.
    ///   - connection: the user's.
    ///   - context: where.
    ///   - audit: the record of a set with this id.
    /// - Returns: the codes.
    /// - Throws: `.insufficientUserAuthentication`, `.onProbation`, `.sessionInvalid` when the user is gone or blocked, or
    ///   `.store`.
    public func make(
        for user: User,
        in session: Session,
        of connection: Connection,
        _ context: RequestContext,
        audit: (RecoveryCodeSet) -> AuditEvent
    ) async throws(PasskeyError) -> Made {
        try await checkProof(of: user, in: session, of: connection, context)
        let secret = random(32)
        let set = RecoveryCodeSet(
            id: RecoveryCodeSetID(random: random(12)),
            tenant: context.tenant,
            user: user.id,
            sessionHash: SHA256.hash(secret),
            createdAt: context.now
        )
        let codes = (0..<Self.count).map { _ in code() }
        let hashes = codes.map { Self.hash($0, of: user.id, key: key) }
        let event = audit(set)
        let isMade = try await stored { () async throws(StoreError) in
            try await store.replaceRecoveryCodes(with: set, codes: hashes, audit: event)
        }
        guard isMade else { throw .sessionInvalid }
        return Made(set: set, session: Base64URL.encode(secret), codes: codes)
    }

    /// The user's set; `nil` without one.
    ///
    /// - Throws: `.store`.
    public func set(of user: UserID, _ context: RequestContext) async throws(PasskeyError) -> RecoveryCodeSet? {
        try await stored { () async throws(StoreError) in
            try await store.recoveryCodes(of: user, tenant: context.tenant)
        }
    }

    /// Whether a set is the one that this session was given with.
    public static func isSession(_ session: String, of set: RecoveryCodeSet) -> Bool {
        guard let bytes = try? Base64URL.decode(session), bytes.count == 32 else { return false }
        return constantTimeEqual(SHA256.hash(bytes), set.sessionHash)
    }

    /// Removes the user's set.
    ///
    /// - Returns: false when it was gone already.
    /// - Throws: as ``make(for:in:of:_:audit:)``.
    public func remove(
        _ set: RecoveryCodeSet,
        of user: User,
        in session: Session,
        of connection: Connection,
        _ context: RequestContext,
        audit: AuditEvent
    ) async throws(PasskeyError) -> Bool {
        try await checkProof(of: user, in: session, of: connection, context)
        return try await stored { () async throws(StoreError) in
            try await store.removeRecoveryCodes(set.id, of: user.id, tenant: context.tenant, audit: audit)
        }
    }

    /// Codes are a way in: they want the proof that a passkey wants, and no passkey on probation gives it.
    private func checkProof(
        of user: User,
        in session: Session,
        of connection: Connection,
        _ context: RequestContext
    ) async throws(PasskeyError) {
        let passkeys = try await stored { () async throws(StoreError) in
            try await store.passkeys(of: user.id, relyingPartyID: nil, tenant: context.tenant)
        }
        try FreshProof.check(session, hasPasskey: !passkeys.isEmpty, in: context)
        let policy = connection.options.passkey
        guard !Probation.holds(session, having: passkeys, by: policy, now: context.now) else { throw .onProbation }
    }

    private func code() -> String {
        let symbols = random(Self.symbols).map { Self.alphabet[Int($0 & 31)] }
        let groups = stride(from: 0, to: symbols.count, by: 5).map { start in
            String(decoding: symbols[start..<start + 5], as: UTF8.self)
        }
        return groups.joined(separator: "-")
    }

    /// What a code is known by. Case, blanks and hyphens do not matter, nor letters that are read as others.
    static func hash(_ code: String, of user: UserID, key: [UInt8]) -> [UInt8] {
        let symbols = code.utf8.prefix(200).compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): read(byte - 32)
            case UInt8(ascii: " "), UInt8(ascii: "-"): nil
            default: read(byte)
            }
        }
        return HMACSHA256.authenticate(Array("recovery code\n".utf8) + user.bytes + symbols, key: key)
    }

    private static func read(_ symbol: UInt8) -> UInt8 {
        switch symbol {
        case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
        case UInt8(ascii: "O"): UInt8(ascii: "0")
        default: symbol
        }
    }
}
