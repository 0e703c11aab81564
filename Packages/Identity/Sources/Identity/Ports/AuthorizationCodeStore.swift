/// Keeps authorization codes, and for a day what became of each.
public protocol AuthorizationCodeStore: Sendable {
    func add(_ code: AuthorizationCode) async throws(StoreError)
    /// Takes a code, atomically: of two callers one gets it. Whoever comes after that has a replay in hand: the refresh
    /// family that the code founded is revoked by this very call, or cannot be founded any more.
    ///
    /// - Parameters:
    ///   - hash: SHA-256 of the code.
    ///   - client: whose it must be; another client's request takes and revokes nothing.
    ///   - tenant: the tenant.
    ///   - now: the time.
    ///   - replayed: what a replay is written down as.
    /// - Returns: the code, or why there is none.
    /// - Throws: only what the store itself is at fault for.
    func takeCode(
        hash: [UInt8],
        of client: ClientID,
        tenant: TenantID,
        now: UnixTime,
        replayed: AuditEvent
    ) async throws(StoreError) -> CodeTaking
    /// The one durable step of an exchange: the refresh family if there is one, the session's idle end, the record.
    ///
    /// - Parameters:
    ///   - code: what was taken.
    ///   - refresh: what it founds.
    ///   - session: the session that it is bound to; its row is kept as long as the family.
    ///   - audit: what it is written down as.
    /// - Returns: false when the code was replayed meanwhile; then nothing was done.
    /// - Throws: only what the store itself is at fault for.
    func finish(
        _ code: AuthorizationCode,
        refresh: NewRefresh?,
        session: Session,
        audit: AuditEvent
    ) async throws(StoreError) -> Bool
    /// Whether the code came a second time, so that what it was exchanged for is good no more.
    func wasReplayed(codeHash: [UInt8], of tenant: TenantID) async throws(StoreError) -> Bool
}

/// What becomes of a try to take a code.
public enum CodeTaking: Hashable, Sendable {
    case taken(AuthorizationCode)
    /// It was taken before.
    case replayed
    /// Nobody was given it, it is another client's, or it is over.
    case unknown
}
