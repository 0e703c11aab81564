public import Identity

extension Ceremonies {
    /// Whether an answer may be taken here at all: the realm, and the tenant's switch as it is now. The token endpoint
    /// asks before audience and scope are judged and before the ceremony is taken. Changes nothing.
    ///
    /// - Parameters:
    ///   - realm: the request's `realm` or `connection`; `nil` is no fault, the ceremony has its own.
    ///   - client: the authenticated client.
    ///   - context: where.
    /// - Returns: the connection that `realm` names.
    /// - Throws: `.unknownConnection` or `.passkeysDisabledForTenant`.
    @discardableResult
    public func admit(
        realm: String?,
        client: Client,
        in context: RequestContext
    ) throws(PasskeyError) -> ConnectionID? {
        var named: ConnectionID?
        if let realm, !realm.isEmpty { named = try context.directory(realm: realm, for: client).id }
        guard context.settings.passkeysEnabled else { throw .passkeysDisabledForTenant }
        return named
    }
}
