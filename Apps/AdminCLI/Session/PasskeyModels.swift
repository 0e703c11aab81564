import Identity
import WebAuthn

/// What an authenticator's model is called, for people.
struct PasskeyModel {
    let name: String?
    /// A `data:` URL of the metadata.
    let icon: String?
}

/// The models of passkeys: by the metadata that was imported, or by the list of well-known providers.
struct PasskeyModels {
    private let metadata: AuthenticatorMetadata?
    private let store: any CredentialDatabase

    /// Reads the metadata, where one of the passkeys could be found in it.
    init(of passkeys: [Passkey], in store: any CredentialDatabase) async throws {
        self.store = store
        let stored = passkeys.contains(where: Self.saysItsModel) ? try await store.metadata() : nil
        metadata = try stored.map { try Shape.read($0) }
    }

    /// A U2F key says it by its certificate, others by their AAGUID.
    private static func saysItsModel(_ passkey: Passkey) -> Bool {
        passkey.record.aaguid != .zero || passkey.record.attestationType != .none
    }

    func model(of passkey: Passkey) async throws -> PasskeyModel {
        let record = passkey.record
        let found = try await entry(of: passkey)?.statement
        let name = found.flatMap { $0.name.isEmpty ? nil : $0.name } ?? WellKnownProviders.name(record.aaguid)
        return PasskeyModel(name: name, icon: found?.icon)
    }

    private func entry(of passkey: Passkey) async throws -> MetadataEntry? {
        guard let metadata, Self.saysItsModel(passkey) else { return nil }
        var object: [UInt8]?
        if passkey.record.aaguid == .zero, let number = passkey.number {
            object = try await store.attestationObject(of: number, tenant: passkey.tenant)
        }
        return metadata.model(passkey.record.aaguid, attestationObject: object)
    }
}
