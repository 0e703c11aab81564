import Identity

extension CredentialDatabaseContract {
    static let tenants = [
        Promise<any CredentialDatabase>("A tenant is made whole and read back as it was") { store in
            let new = NewTenant.sample()
            let before = try await store.version()
            let tenant = try await store.create(new)
            try require(try await store.version() > before, "the version grows with a new tenant")
            try requireEqual(try await store.tenant(host: new.domain.host), tenant, "the tenant of the host")
            try requireEqual(try await store.tenant(named: new.name), tenant, "the tenant of the name")
            try require(
                try await store.tenants().contains { $0.id == tenant && $0.name == new.name },
                "the list of tenants has it"
            )
            let read = try requireSome(try await store.configuration(of: tenant), "the configuration")
            try requireEqual(read.tenant.settings, new.settings, "its settings")
            try requireEqual(read.tenant.createdAt, new.createdAt, "when it was made")
            try require(read.version > before, "the configuration carries the version")
            try requireEqual(read.domains.map(\.host), [new.domain.host], "its domains")
            try requireEqual(read.domains.first?.relatedOrigins, ["https://shop.example"], "the related origins")
            try requireEqual(read.domains.first?.tenant, tenant, "the tenant of its domain")
            let client = try requireSome(new.clients.first, "the client")
            let readClient = try requireSome(read.clients[client.id], "the client in the store")
            try requireEqual(readClient.callbacks, client.callbacks, "the client's callbacks")
            try requireEqual(readClient.grantTypes, client.grantTypes, "the client's grant types")
            try requireEqual(readClient.refreshToken, client.refreshToken, "the client's refresh settings")
            try requireEqual(readClient.tenant, tenant, "the client's tenant")
            let connection = try requireSome(read.connection(named: Connection.defaultName), "the connection")
            try requireEqual(connection.enabledClients, [client.id], "the clients of the connection")
            try requireEqual(connection.displayName, "People", "the connection's display name")
            try requireEqual(connection.options, new.connections.first?.options, "the connection's options")
            let api = try requireSome(read.resourceServer(identifier: "https://api.example/"), "the API")
            try requireEqual(api.scopes, new.resourceServers.first?.scopes, "the API's scopes")
            let grant = read.grant(of: client.id, audience: "https://api.example/", subject: .client)
            try requireEqual(grant?.scope, ["read:things"], "the scope of the grant")
        },
        Promise("A name, a host or an RP ID that is taken is refused by its name, and nothing is made") { store in
            let first = NewTenant.sample()
            _ = try await store.create(first)
            try await requireConflict(.tenantName, "a second tenant of one name") { () throws(StoreError) in
                _ = try await store.create(.sample(name: first.name, host: "other-\(first.name).example"))
            }
            let second = NewTenant.sample(host: first.domain.host)
            try await requireConflict(.domainHost, "a second tenant on one host") { () throws(StoreError) in
                _ = try await store.create(second)
            }
            let third = NewTenant.sample(relyingPartyID: first.domain.relyingPartyID)
            try await requireConflict(.relyingPartyID, "a second tenant of one RP ID") { () throws(StoreError) in
                _ = try await store.create(third)
            }
            try requireEqual(try await store.tenant(named: second.name), nil, "the tenant that was refused")
            try requireEqual(try await store.tenant(host: third.domain.host), nil, "the host that was refused")
            try requireEqual(
                try await store.tenants().filter { [second.name, third.name].contains($0.name) }.count,
                0,
                "the number of tenants that were refused"
            )
        },
        Promise("Of many who make one tenant at once, one does") { store in
            let new = NewTenant.sample()
            let conflicts = try await race(8) { _ in
                try await conflict { () throws(StoreError) in _ = try await store.create(new) }
            }
            try requireEqual(conflicts.filter { $0 == nil }.count, 1, "the number of winners")
        },
        promise("Settings and domains are changed, and an RP ID stays its tenant's") { scene in
            let store = scene.store
            var settings = TenantSettings()
            settings.supportEmail = "help@example.com"
            settings.enrollmentMaxAuthAge = 61
            let before = try await store.version()
            let made = try requireSome(try await store.configuration(of: scene.tenant), "the configuration").tenant
            let changed = ConfigurationChange.setSettings(settings, replacing: made.updatedAt, at: scene.later(5))
            try require(try await scene.change(changed), "the settings are changed")
            try require(
                try await scene.change(changed) == false,
                "settings that were changed since they were read stay as they are"
            )
            try require(try await store.version() > before, "the version grows with new settings")
            let host = "b.\(scene.relyingPartyID)"
            var domain = Domain.sample(of: scene.tenant, host: host, relyingPartyID: scene.relyingPartyID)
            try await scene.change(.addDomain(domain))
            domain.status = .failed
            domain.relyingPartyID = host
            domain.legacyRelyingPartyIDs = [scene.relyingPartyID]
            domain.updatedAt = scene.later(7)
            try await scene.change(.setDomain(domain, replacing: domain.createdAt))
            let read = try requireSome(try await store.configuration(of: scene.tenant), "the configuration")
            try requireEqual(read.tenant.settings, settings, "the settings")
            try requireEqual(read.tenant.updatedAt, scene.later(5), "when the settings changed")
            try requireEqual(read.domain(host: host), domain, "the domain")
            try await requireConflict(.domainHost, "a host that is taken") { () throws(StoreError) in
                _ = try await scene.change(
                    .addDomain(.sample(of: scene.tenant, host: host, relyingPartyID: host))
                )
            }
            let other = try await Scene(store)
            let claimed = Domain.sample(of: other.tenant, host: "c.\(host)", relyingPartyID: host)
            try await requireConflict(.relyingPartyID, "another tenant's RP ID") { () throws(StoreError) in
                _ = try await other.change(.addDomain(claimed))
            }
            let legacy = Domain.sample(
                of: other.tenant,
                host: "d.\(host)",
                relyingPartyID: other.relyingPartyID,
                legacy: [host]
            )
            try await requireConflict(.relyingPartyID, "another tenant's RP ID as a legacy one") {
                () throws(StoreError) in _ = try await other.change(.addDomain(legacy))
            }
            try requireEqual(try await store.tenant(host: legacy.host), nil, "the domain that was refused")
        },
    ]
}
