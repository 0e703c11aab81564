extension RequestContext {
    /// The connection that `realm` names, or that requests without one mean (HTTP contract 3.3).
    ///
    /// - Parameters:
    ///   - realm: its name, as the request has it; `nil` or empty: the tenant's default, or the only one of the client.
    ///   - client: who asks; another client's connection is as good as none.
    /// - Returns: the connection.
    /// - Throws: that there is none.
    public func connection(realm: String?, for client: Client) throws(DirectoryError) -> Connection {
        let name: String
        if let realm, !realm.isEmpty {
            name = realm
        } else if let directory = settings.defaultDirectory, !directory.isEmpty {
            name = directory
        } else {
            let enabled = configuration.connections.filter { $0.enabledClients.contains(client.id) }
            guard enabled.count == 1, let only = enabled.first else { throw .noDefaultDirectory }
            return only
        }
        guard let connection = configuration.connection(named: name), connection.enabledClients.contains(client.id)
        else {
            throw .unknownConnection
        }
        return connection
    }
}

/// Why a request leads to no connection.
public enum DirectoryError: Error, Hashable, Sendable {
    case unknownConnection
    case noDefaultDirectory
}
