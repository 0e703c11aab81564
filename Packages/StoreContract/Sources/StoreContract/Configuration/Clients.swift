import Encodings
import Identity

extension CredentialDatabaseContract {
    static let clients = [
        promise("Clients are added to connections, changed, and refused when the id is taken") { scene in
            let store = scene.store
            var client = Client(
                id: ClientID(random: randomBytes(24)),
                tenant: scene.tenant,
                name: "Web",
                appType: "regular_web",
                grantTypes: [.webAuthn],
                authenticationMethod: .secretPost,
                refreshToken: .confidentialDefault,
                createdAt: scene.now
            )
            client.secretHash = randomBytes(32)
            let before = try await store.version()
            try await scene.change(.addClient(client, enabling: [scene.connection]))
            try require(try await store.version() > before, "the version grows with a new client")
            client.allowedLogoutURLs = ["https://app.example/out"]
            client.secretHash = nil
            client.updatedAt = scene.later(9)
            let changedClient = client
            try require(
                try await scene.change(.setClient(changedClient, replacing: scene.now)),
                "a client is changed"
            )
            let read = try requireSome(try await store.configuration(of: scene.tenant), "the configuration")
            try requireEqual(read.clients[client.id], client, "the client")
            try requireEqual(
                read.connection(scene.connection)?.enabledClients,
                [scene.client, client.id],
                "the clients of the connection"
            )
            let again = client
            try await requireConflict(.clientID, "an id that is taken") { () throws(StoreError) in
                _ = try await scene.change(.addClient(again, enabling: []))
            }
            let missing = Client(
                id: ClientID("nobody"),
                tenant: scene.tenant,
                name: "x",
                appType: nil,
                grantTypes: [],
                authenticationMethod: .none,
                refreshToken: .publicDefault,
                createdAt: scene.now
            )
            try require(
                try await scene.change(.setClient(missing, replacing: scene.now)) == false,
                "a client that is not there cannot be changed"
            )
            try require(
                try await scene.change(.setClient(again, replacing: scene.now)) == false,
                "a client that was changed since it was read stays as it is"
            )
        },
        promise("A connection is changed with its list of clients") { scene in
            let store = scene.store
            let read = try requireSome(try await store.configuration(of: scene.tenant), "the configuration")
            var connection = try requireSome(read.connection(scene.connection), "the connection")
            connection.options.signupDisabled = true
            connection.options.passkey.maximumPerUser = 3
            connection.displayName = nil
            connection.enabledClients = [ClientID("zzz"), scene.client, ClientID("aaa")]
            connection.updatedAt = scene.later(77)
            let updated = connection
            try require(
                try await scene.change(.setConnection(updated, replacing: connection.createdAt)),
                "a connection is changed"
            )
            try require(
                try await scene.change(.setConnection(updated, replacing: connection.createdAt)) == false,
                "a connection that was changed since it was read stays as it is"
            )
            let changed = try requireSome(try await store.configuration(of: scene.tenant), "the configuration")
            try requireEqual(changed.connection(scene.connection), connection, "the connection")
            let missing = Connection(
                id: ConnectionID("con_0"),
                tenant: scene.tenant,
                name: "x",
                enabledClients: [scene.client],
                createdAt: scene.now
            )
            try require(
                try await scene.change(.setConnection(missing, replacing: scene.now)) == false,
                "a missing connection cannot be changed"
            )
            let after = try requireSome(try await store.configuration(of: scene.tenant), "the configuration")
            try requireEqual(after.connections.count, 1, "the number of connections")
        },
        promise("APIs and grants are added, and refused by name when they are there") { scene in
            let store = scene.store
            var server = ResourceServer(
                id: ResourceServerID(random: randomBytes(12)),
                tenant: scene.tenant,
                name: "Second",
                identifier: "https://second.example/",
                createdAt: scene.now
            )
            server.allowOfflineAccess = true
            try await scene.change(.addResourceServer(server))
            var grant = ClientGrant(
                id: ClientGrantID(random: randomBytes(12)),
                tenant: scene.tenant,
                client: scene.client,
                audience: server.identifier,
                subject: .user,
                scope: ["a", "b"],
                createdAt: scene.now
            )
            try await scene.change(.addGrant(grant))
            grant.scope = []
            grant.allowAllScopes = true
            try require(try await scene.change(.setGrant(grant)), "a grant is changed")
            let read = try requireSome(try await store.configuration(of: scene.tenant), "the configuration")
            try requireEqual(read.resourceServer(identifier: server.identifier), server, "the API")
            try requireEqual(
                read.grant(of: scene.client, audience: server.identifier, subject: .user),
                grant,
                "the grant"
            )
            let twin = ResourceServer(
                id: ResourceServerID(random: randomBytes(12)),
                tenant: scene.tenant,
                name: "Twin",
                identifier: server.identifier,
                createdAt: scene.now
            )
            try await requireConflict(.resourceServer, "an identifier that is taken") { () throws(StoreError) in
                _ = try await scene.change(.addResourceServer(twin))
            }
            let second = ClientGrant(
                id: ClientGrantID(random: randomBytes(12)),
                tenant: scene.tenant,
                client: scene.client,
                audience: server.identifier,
                subject: .user,
                scope: [],
                createdAt: scene.now
            )
            try await requireConflict(.clientGrant, "a second grant for the same") { () throws(StoreError) in
                _ = try await scene.change(.addGrant(second))
            }
            try require(
                try await scene.change(.setGrant(second)) == false,
                "a grant that was refused cannot be changed"
            )
        },
        promise("A connection goes when nobody is in it, an API with its grants, a grant alone") { scene in
            let store = scene.store
            var connection = Connection(
                id: ConnectionID(random: randomBytes(12)),
                tenant: scene.tenant,
                name: "second",
                enabledClients: [scene.client],
                createdAt: scene.now
            )
            connection.stored = ["metadata": ["a": "b"]]
            try await scene.change(.addConnection(connection))
            var read = try requireSome(try await store.configuration(of: scene.tenant), "the configuration")
            try requireEqual(read.connection(connection.id), connection, "the connection")
            _ = try await scene.signUp()
            try require(
                try await scene.change(.removeConnection(scene.connection)) == false,
                "a connection with a user stays"
            )
            try require(try await scene.change(.removeConnection(connection.id)), "a connection without users goes")
            read = try requireSome(try await store.configuration(of: scene.tenant), "the configuration")
            try requireEqual(read.connections.map(\.id), [scene.connection], "the connections")

            var server = ResourceServer(
                id: ResourceServerID(random: randomBytes(12)),
                tenant: scene.tenant,
                name: "API",
                identifier: "https://leaving.example/",
                createdAt: scene.now
            )
            func grant(_ subject: ClientGrant.Subject) -> ClientGrant {
                ClientGrant(
                    id: ClientGrantID(random: randomBytes(12)),
                    tenant: scene.tenant,
                    client: scene.client,
                    audience: server.identifier,
                    subject: subject,
                    scope: [],
                    createdAt: scene.now
                )
            }
            let (one, two, before) = (grant(.client), grant(.user), read.grants)
            try await scene.change(.addResourceServer(server), .addGrant(one), .addGrant(two))
            server.name = "Renamed"
            server.updatedAt = scene.later(3)
            let renamed = server
            try require(
                try await scene.change(.setResourceServer(renamed, replacing: scene.now)),
                "an API is changed"
            )
            try require(
                try await scene.change(.setResourceServer(renamed, replacing: scene.now)) == false,
                "an API that was changed since it was read stays as it is"
            )
            try require(try await scene.change(.removeGrant(one.id)), "a grant goes")
            try require(try await scene.change(.removeGrant(one.id)) == false, "a grant goes once")
            read = try requireSome(try await store.configuration(of: scene.tenant), "the configuration")
            try requireEqual(read.resourceServer(identifier: server.identifier), server, "the API")
            try requireEqual(read.grants.filter { !before.contains($0) }, [two], "the grants")
            try require(try await scene.change(.removeResourceServer(renamed)), "an API goes")
            read = try requireSome(try await store.configuration(of: scene.tenant), "the configuration")
            try requireEqual(read.grants, before, "the grants")
            try requireEqual(read.resourceServer(identifier: server.identifier), nil, "the API")
        },
        promise("A client goes with its grants and out of its connections, and can go once") { scene in
            let store = scene.store
            let server = ResourceServer(
                id: ResourceServerID(random: randomBytes(12)),
                tenant: scene.tenant,
                name: "API",
                identifier: "https://gone.example/",
                createdAt: scene.now
            )
            let grant = ClientGrant(
                id: ClientGrantID(random: randomBytes(12)),
                tenant: scene.tenant,
                client: scene.client,
                audience: server.identifier,
                subject: .client,
                scope: [],
                createdAt: scene.now
            )
            try await scene.change(.addResourceServer(server), .addGrant(grant))
            let other = try await Scene(store)
            try require(
                try await other.change(.removeClient(scene.client)) == false,
                "another tenant cannot take a client away"
            )
            try require(try await scene.change(.removeClient(scene.client)), "a client is removed")
            let read = try requireSome(try await store.configuration(of: scene.tenant), "the configuration")
            try requireEqual(read.clients[scene.client], nil, "the client")
            try requireEqual(read.grants.count, 0, "the number of grants")
            try requireEqual(read.connection(scene.connection)?.enabledClients, [], "the clients of the connection")
            try require(
                try await scene.change(.removeClient(scene.client)) == false,
                "a client that is gone cannot be removed"
            )
        },
        promise("Several changes are made together with their records, or not at all") { scene in
            let store = scene.store
            var grant = ClientGrant(
                id: ClientGrantID(random: randomBytes(12)),
                tenant: scene.tenant,
                client: scene.client,
                audience: "https://one.example/",
                subject: .user,
                scope: [],
                createdAt: scene.now
            )
            let before = try requireSome(try await store.configuration(of: scene.tenant), "the configuration")
            let event = scene.audit("sapi")
            try require(
                try await scene.change(.addGrant(grant), .removeClient(ClientID("nobody")), events: [event]) == false,
                "one change that finds nothing undoes the others"
            )
            var read = try requireSome(try await store.configuration(of: scene.tenant), "the configuration")
            try requireEqual(read.grants, before.grants, "the grants")
            grant.scope = ["a"]
            try require(try await scene.change(.addGrant(grant), .setGrant(grant), events: [event]), "both are made")
            read = try requireSome(try await store.configuration(of: scene.tenant), "the configuration")
            try requireEqual(read.grants.filter { !before.grants.contains($0) }, [grant], "the grants")
            try require(try await store.version() > before.version, "the version grows")
        },
    ]
}
