public import Identity

extension UserAdministration {
    /// The user's names that are locked for wrong passwords: those with `limit` tries in a row; `nil`: none are.
    public func locks(of user: User, limit: Int?) async throws(StoreError) -> [UserIdentifier] {
        try await locks(of: Self.names(of: user), tenant: user.tenant, limit: limit)
    }

    /// The same of what somebody types, in all directories of the tenant, whether or not anybody has it.
    public func locks(
        of typed: String,
        in configuration: TenantConfiguration,
        limit: Int?
    ) async throws(StoreError) -> [UserIdentifier] {
        try await locks(of: Self.names(of: typed, in: configuration), tenant: configuration.tenant.id, limit: limit)
    }

    /// Forgets the tries, so that the right password is let in again.
    public func unlock(_ user: User, audit: AuditEvent) async throws(StoreError) {
        try await tries.forgetPasswordTries(of: Self.names(of: user), tenant: user.tenant, audit: audit)
    }

    public func unlock(
        _ typed: String,
        in configuration: TenantConfiguration,
        audit: AuditEvent
    ) async throws(StoreError) {
        let names = Self.names(of: typed, in: configuration)
        try await tries.forgetPasswordTries(of: names, tenant: configuration.tenant.id, audit: audit)
    }

    private func locks(of names: [TriedName], tenant: TenantID, limit: Int?) async throws(StoreError)
        -> [UserIdentifier]
    {
        guard let limit else { return [] }
        let counts = try await tries.passwordTries(of: names, tenant: tenant)
        return zip(names, counts).filter { $0.1 >= limit }.map(\.0.identifier)
    }

    static func names(of user: User) -> [TriedName] {
        user.identifiers.map { identifier in
            TriedName(
                connection: user.connection,
                identifier: identifier,
                nameHash: PasswordLogin.nameHash(identifier, identifier.canonical)
            )
        }
    }

    private static func names(of typed: String, in configuration: TenantConfiguration) -> [TriedName] {
        configuration.connections.compactMap { connection in
            CanonicalIdentifier.any(typed, usernameLength: connection.options.usernameLength).map { identifier in
                TriedName(
                    connection: connection.id,
                    identifier: identifier,
                    nameHash: PasswordLogin.nameHash(identifier, typed)
                )
            }
        }
    }
}
