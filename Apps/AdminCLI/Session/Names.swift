import Identity
import Tenancy
import Terminal

/// Finding things by what people call them. A miss suggests the nearest name.
extension Deployment {
    /// The tenant that `--tenant` names, or the only one there is.
    func tenant() async throws -> TenantConfiguration {
        if let name = invocation.value("tenant") { return try await tenant(named: name) }
        let all = try await store.tenants()
        guard let only = all.first, all.count == 1 else {
            throw CommandFailure(
                .wrongUse,
                all.isEmpty
                    ? "there is no tenant yet. Make one with: \(AdminProgram.name) tenant create NAME --domain HOST"
                    : "--tenant is missing: there are \(all.map(\.name).sorted().joined(separator: ", "))."
            )
        }
        return try await configuration(of: only.id, name: only.name)
    }

    func tenant(named name: String) async throws -> TenantConfiguration {
        guard let id = try await store.tenant(named: name) else {
            throw CommandFailure.notFound("tenant", name, among: try await store.tenants().map(\.name))
        }
        return try await configuration(of: id, name: name)
    }

    private func configuration(of id: TenantID, name: String) async throws -> TenantConfiguration {
        guard let configuration = try await store.configuration(of: id) else {
            throw CommandFailure.notFound("tenant", name)
        }
        return configuration
    }

    /// A user by id, or by a mail address, phone number or user name.
    func user(_ name: String, in tenant: TenantConfiguration) async throws -> User {
        if let id = UserID(name), let user = try await store.user(id, of: tenant.tenant.id) { return user }
        var found: [User] = []
        for connection in tenant.connections {
            guard let identifier = CanonicalIdentifier.any(name, usernameLength: connection.options.usernameLength),
                let id = try await store.user(with: identifier, in: connection.id, of: tenant.tenant.id),
                let user = try await store.user(id, of: tenant.tenant.id)
            else { continue }
            found.append(user)
        }
        guard let user = found.first else { throw CommandFailure.notFound("user", name) }
        guard found.count == 1 else {
            throw CommandFailure(
                .wrongUse,
                "\(quoted(name)) is several users: \(found.map(\.id.subject).joined(separator: ", ")). Name one by its id."
            )
        }
        return user
    }
}

extension TenantConfiguration {
    /// A client by id, or by its name when only one has it.
    func client(_ name: String) throws(CommandFailure) -> Client {
        if let client = clients[ClientID(name)] { return client }
        let named = clients.values.filter { $0.name.utf8.elementsEqual(name.utf8) }
        guard let client = named.first else {
            throw .notFound("client", name, among: clients.values.map(\.name).sorted())
        }
        guard named.count == 1 else {
            let ids = named.map(\.id.text).sorted().joined(separator: ", ")
            throw CommandFailure(
                .wrongUse,
                "\(quoted(name)) is the name of several clients: \(ids). Name one by its id."
            )
        }
        return client
    }

    /// A connection by id or name.
    func connection(called name: String) throws(CommandFailure) -> Connection {
        if let connection = connection(ConnectionID(name)) ?? connection(named: name) { return connection }
        throw .notFound("connection", name, among: connections.map(\.name))
    }

    /// What an API is called where people read: the identifier, of a system API the address under the first domain.
    func audience(_ identifier: String) -> String {
        guard SystemAPI(rawValue: identifier) != nil else { return identifier }
        return (canonicalDomain?.base ?? "") + identifier
    }

    var canonicalDomain: Domain? { domains.first(where: \.isCanonical) ?? domains.first }
}
