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
            try await store.add(client, enabling: [scene.connection])
            try require(try await store.version() > before, "the version grows with a new client")
            client.allowedLogoutURLs = ["https://app.example/out"]
            client.secretHash = nil
            client.updatedAt = scene.later(9)
            try require(try await store.update(client), "a client is changed")
            let read = try requireSome(try await store.configuration(of: scene.tenant), "the configuration")
            try requireEqual(read.clients[client.id], client, "the client")
            try requireEqual(
                read.connection(scene.connection)?.enabledClients,
                [scene.client, client.id],
                "the clients of the connection"
            )
            let again = client
            try await requireConflict(.clientID, "an id that is taken") { () throws(StoreError) in
                try await store.add(again, enabling: [])
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
            try require(try await store.update(missing) == false, "a client that is not there cannot be changed")
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
            try require(try await store.update(connection), "a connection is changed")
            let changed = try requireSome(try await store.configuration(of: scene.tenant), "the configuration")
            try requireEqual(changed.connection(scene.connection), connection, "the connection")
            let missing = Connection(
                id: ConnectionID("con_0"),
                tenant: scene.tenant,
                name: "x",
                enabledClients: [scene.client],
                createdAt: scene.now
            )
            try require(try await store.update(missing) == false, "a missing connection cannot be changed")
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
            try await store.add(server)
            var grant = ClientGrant(
                id: ClientGrantID(random: randomBytes(12)),
                tenant: scene.tenant,
                client: scene.client,
                audience: server.identifier,
                subject: .user,
                scope: ["a", "b"],
                createdAt: scene.now
            )
            try await store.add(grant)
            grant.scope = []
            grant.allowAllScopes = true
            try require(try await store.update(grant), "a grant is changed")
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
                try await store.add(twin)
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
                try await store.add(second)
            }
            try require(try await store.update(second) == false, "a grant that was refused cannot be changed")
        },
    ]
}
