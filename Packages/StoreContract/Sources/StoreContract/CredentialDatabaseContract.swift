public import Identity

/// What every credential store promises.
public enum CredentialDatabaseContract {
    /// Every promise, in the order of the ports.
    public static let promises: [Promise<any CredentialDatabase>] =
        tenants + domains + clients + signingKeys + keyRotations + users + logins + passwords + passkeys + recoveries
        + recoveryCodes + sessions
        + rotation
        + revocation + authorizationCodes
        + searches + managedUsers + managedAccess + passwordResets + work
        + records + auditChains + outbox + expiry + separation + metadata + withoutSession + impact + adoption + removal

    /// Promises about the whole store: each wants a store of its own, with nobody else on it.
    public static let lonelyPromises: [Promise<any CredentialDatabase>] = lonelyKeyRotations + lonelyOutbox

    /// A promise that is tried in a tenant of its own.
    static func promise(
        _ description: String,
        _ body: @escaping @Sendable (Scene) async throws -> Void
    ) -> Promise<any CredentialDatabase> {
        Promise(description) { store in try await body(Scene(store)) }
    }
}
