public import Identity

/// What comes next in a hosted sign-in (HTTP contract 8.1).
public enum AuthorizationStep: Hashable, Sendable {
    /// The session is good enough: a code.
    case code
    /// The user has to say yes to the application.
    case consent
    /// The user has to sign in, with a passkey where the request asks for one.
    case signIn
    case refused(AuthorizationError)
}

extension AuthorizationTransaction {
    /// Decides by the session that the browser has now, and by nothing that happened before.
    ///
    /// - Parameters:
    ///   - signedIn: who the session's cookie says is signed in.
    ///   - client: the transaction's.
    ///   - hasConsent: whether the user has just said yes to this request.
    ///   - context: where and when.
    /// - Returns: what to do now.
    public func step(
        for signedIn: SessionAccess.SignedIn?,
        client: Client,
        hasConsent: Bool = false,
        in context: RequestContext
    ) -> AuthorizationStep {
        // What nobody can reach is not tried.
        let reachable = acrValues.filter { $0 == "phr" || $0 == "phrh" }
        guard acrValues.isEmpty || !reachable.isEmpty else { return .refused(.unmetAuthenticationRequirements) }
        guard let signedIn, mayUse(signedIn.user, client, context), isFresh(signedIn.session, at: context.now) else {
            return prompts.contains(.none) ? .refused(.loginRequired) : .signIn
        }
        guard hintedUser == nil || hintedUser == signedIn.user.id else { return .refused(.loginRequired) }
        guard isStrong(signedIn.session, reachable) else {
            let hasJustSignedIn = signedIn.session.authenticatedAt >= startedAt
            if hasJustSignedIn || prompts.contains(.none) { return .refused(.unmetAuthenticationRequirements) }
            return .signIn
        }
        guard hasConsent || (client.isFirstParty && !prompts.contains(.consent)) else {
            return prompts.contains(.none) ? .refused(.consentRequired) : .consent
        }
        return .code
    }

    /// Whether the session's user belongs to a directory of this client, and to the one that was asked for.
    private func mayUse(_ user: User, _ client: Client, _ context: RequestContext) -> Bool {
        guard let own = context.configuration.connection(user.connection), own.enabledClients.contains(client.id) else {
            return false
        }
        return connection.map { $0.utf8.elementsEqual(own.name.utf8) } ?? true
    }

    /// Whether the user signed in as lately as the request asks: for this very request, or not longer ago than its
    /// `max_age` says.
    private func isFresh(_ session: Session, at now: UnixTime) -> Bool {
        if session.authenticatedAt >= startedAt { return true }
        guard prompts.isDisjoint(with: [.login, .selectAccount, .create]) else { return false }
        guard let maximumAge else { return true }
        return now.milliseconds(since: session.authenticatedAt) / 1000 <= maximumAge && maximumAge > 0
    }

    /// Whether the session is one of those that `acr_values` names; a key in hardware is a phishing-resistant one, too.
    private func isStrong(_ session: Session, _ reachable: [String]) -> Bool {
        guard !reachable.isEmpty else { return true }
        guard let acr = session.acr else { return false }
        return reachable.contains(acr) || (acr == "phrh" && reachable.contains("phr"))
    }
}
