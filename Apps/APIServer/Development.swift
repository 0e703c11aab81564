import Cryptography
import Encodings
import HTTPServer
import Identity
import Tenancy
import Terminal
import Tokens

/// What `latchkey-server dev` has beside a plain server: a tenant that it makes by itself, and a file with the names that
/// the other commands need.
struct Development {
    /// Where everything of this mode lies.
    let folder: String
    /// `localhost:8080`, or `localhost:8443` with TLS.
    let host: String
    /// A public name that the tenant answers to as well.
    let publicDomain: String?
    let isTLS: Bool

    static let tenantName = "dev"

    /// The tenant's clients, as they are printed and written to `dev.env`.
    struct Tenant: Sendable {
        let appClient: ClientID
        let managementClient: ClientID
        let environmentFile: String
    }

    /// Makes the tenant, or finds it again and makes it answer to this address.
    func makeTenant(_ deployment: Deployment) async throws -> Tenant {
        let random: @Sendable (Int) -> [UInt8] = { Random.bytes($0) }
        let administration = TenantAdministration(
            store: deployment.store,
            directory: deployment.directory,
            metadata: deployment.store,
            names: deployment.names,
            random: random
        )
        let now = SystemClock.now()
        var managementSecret: String?
        if try await deployment.store.tenant(named: Self.tenantName) == nil {
            let created = try await create(administration, now)
            managementSecret = created.managementSecret
            try await deployment.keys.makeFirstKeys(of: created.id, named: created.name, now: now)
        }
        var configuration = try await self.configuration(deployment)
        for (name, relyingPartyID) in [(host, "localhost"), (publicDomain ?? host, publicDomain ?? "localhost")]
        where configuration.domain(host: name) == nil {
            _ = try await administration.addDomain(name, relyingPartyID: relyingPartyID, in: configuration, now: now)
            configuration = try await self.configuration(deployment)
        }
        let app = try await appClient(administration, &configuration, deployment, now)
        guard
            let management = configuration.clients.values.first(where: {
                $0.name == TenantAdministration.managementClientName
            })
        else { throw CommandFailure("The tenant dev has lost its Management client. Delete \(folder) to start over.") }
        let file = EnvironmentFile(folder: folder)
        if managementSecret == nil, !file.exists {
            managementSecret =
                try await administration.newSecret(of: management.id, in: configuration, now: now).secret ?? ""
        }
        if let managementSecret {
            try file.write(
                url: "\(isTLS ? "https" : "http")://\(host)",
                client: management.id,
                secret: managementSecret
            )
        }
        return Tenant(appClient: app, managementClient: management.id, environmentFile: file.path)
    }

    private func create(_ administration: TenantAdministration, _ now: UnixTime) async throws -> CreatedTenant {
        try await administration.createTenant(
            TenantRequest(name: Self.tenantName, domain: host, relyingPartyID: "localhost", passkeyOnly: true),
            now: now
        )
    }

    private func configuration(_ deployment: Deployment) async throws -> TenantConfiguration {
        guard let tenant = try await deployment.store.tenant(named: Self.tenantName),
            let configuration = try await deployment.store.configuration(of: tenant)
        else { throw CommandFailure("The tenant dev is gone. Delete \(folder) to start over.") }
        return configuration
    }

    /// The native client of the demo page, which requests without a `client_id` mean.
    private func appClient(
        _ administration: TenantAdministration,
        _ configuration: inout TenantConfiguration,
        _ deployment: Deployment,
        _ now: UnixTime
    ) async throws -> ClientID {
        if let id = configuration.tenant.settings.defaultBrowserClient, configuration.clients[id] != nil { return id }
        let created = try await administration.createClient(
            [
                "name": "Demo", "app_type": "native",
                "grant_types": .array([
                    .string(GrantType.webAuthn.rawValue), .string(GrantType.refreshToken.rawValue),
                ]),
            ],
            in: configuration,
            now: now
        )
        // A name alone is enough here: people try this page without an e-mail address.
        if let connection = configuration.connections.first {
            _ = try await administration.setConnection(
                connection.id,
                DocumentPatch(["options": .object(Self.connectionOptions)]),
                in: try await self.configuration(deployment),
                now: now
            )
        }
        _ = try await administration.setSettings(
            DocumentPatch(["default_browser_client": .string(created.client.id.text)]),
            in: try await self.configuration(deployment),
            now: now
        )
        configuration = try await self.configuration(deployment)
        return created.client.id
    }

    /// User name or e-mail address, one of them; no passwords.
    private static let connectionOptions: JSONObject = [
        "authentication_methods": ["passkey": ["enabled": true], "password": ["enabled": false]],
        "attributes": [
            "email": ["identifier": ["active": true], "signup": ["status": "optional"]],
            "phone_number": ["identifier": ["active": true], "signup": ["status": "optional"]],
            "username": ["identifier": ["active": true], "signup": ["status": "optional"]],
        ],
    ]
}
