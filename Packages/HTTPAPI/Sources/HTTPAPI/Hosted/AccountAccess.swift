import Identity
import Tokens

extension APIServices {
    /// The account of who is signed in, for the account page: in the name of the session's own client where that may
    /// begin ceremonies, else of another one of the tenant's that the user's directory is open to.
    ///
    /// - Throws: `unknown_client` when the tenant has none.
    func account(of signedIn: SessionAccess.SignedIn, in context: RequestContext) throws(APIError) -> OwnAccount {
        guard let connection = context.configuration.connection(signedIn.user.connection),
            let client = context.accountClient(of: connection, preferring: signedIn.session.client)
        else { throw .unknownClientPage }
        return OwnAccount(
            services: self,
            context: context,
            user: signedIn.user,
            session: signedIn.session,
            client: client
        )
    }
}

extension RequestContext {
    /// In whose name people come to the account page, which belongs to no application: the client named first, the
    /// tenant's `default_browser_client`, or the first one of the tenant's own that people sign in by.
    func accountClient(of connection: Connection, preferring first: ClientID? = nil) -> Client? {
        let own = configuration.clients.values.filter { client in
            client.isFirstParty && connection.enabledClients.contains(client.id)
        }
        for id in [first, settings.defaultBrowserClient] {
            if let client = own.first(where: { $0.id == id }) { return client }
        }
        return own.filter { $0.allows(.authorizationCode) || $0.allows(.webAuthn) }
            .min { $0.id.text.utf8.lexicographicallyPrecedes($1.id.text.utf8) }
    }

    /// Whose users come to the account page when nobody is signed in: the default directory, or the only one.
    var accountDirectory: Connection? {
        guard let name = settings.defaultDirectory, !name.isEmpty else {
            return configuration.connections.count == 1 ? configuration.connections.first : nil
        }
        return configuration.connection(named: name)
    }
}
