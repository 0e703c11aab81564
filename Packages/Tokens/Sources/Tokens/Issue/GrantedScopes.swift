internal import Identity

extension TenantConfiguration {
    /// The scopes that a client may have at an API in the name of its users; `nil` where it gets no token at all.
    func scopesForUsers(_ client: Client, at server: ResourceServer) -> [String]? {
        // Third-party clients never get to a user's own account.
        guard server.userAccess != .denyAll, server.system != .myAccount || client.isFirstParty else { return nil }
        let all = server.scopes.map(\.value)
        guard server.userAccess == .requireClientGrant else { return all }
        guard let grant = grant(of: client.id, audience: server.identifier, subject: .user) else { return nil }
        if grant.allowAllScopes { return all }
        return all.filter { word in grant.scope.contains { $0.utf8.elementsEqual(word.utf8) } }
    }

    /// The scopes that a client may have for itself at an API; `nil` where it gets no token at all.
    ///
    /// What a grant lists and the API no longer has is left out. The tenant's own APIs are asked for scopes that this
    /// server has no use for, so that configurations round-trip: they may be granted, and mean nothing.
    func scopesForItself(_ client: ClientID, at server: ResourceServer) -> [String]? {
        let all = server.scopes.map(\.value)
        switch server.clientAccess {
        case .denyAll: return nil
        case .allowAll: return all
        case .requireClientGrant:
            guard let grant = grant(of: client, audience: server.identifier, subject: .client) else { return nil }
            if grant.allowAllScopes { return all }
            guard server.system == nil else { return grant.scope }
            let known = Set(all.map { Array($0.utf8) })
            return grant.scope.filter { known.contains(Array($0.utf8)) }
        }
    }
}
