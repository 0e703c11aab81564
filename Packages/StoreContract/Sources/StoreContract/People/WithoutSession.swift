import Identity
import WebAuthn

extension CredentialDatabaseContract {
    static let withoutSession = [
        promise("A user is made with a passkey and without a session, whole or not at all") { scene in
            let store = scene.store
            let email = scene.email()
            let user = scene.user([email])
            let handle = randomBytes(32)
            let passkey = scene.passkey(of: user.id)
            let record = scene.ceremony(user: user.id)
            try await store.add(
                user,
                userHandle: handle,
                passkey: passkey,
                ceremony: record,
                audit: scene.audit("ss", user: user.id)
            )
            try requireEqual(
                try await store.user(with: email, in: scene.connection, of: scene.tenant),
                user.id,
                "who has the identifier"
            )
            try requireEqual(try await store.userHandle(of: user.id, tenant: scene.tenant), handle, "the handle")
            try requireEqual(try await store.ceremony(record.id)?.id, record.id, "the ceremony's record")
            let again = scene.user([email])
            let taken = try await conflict { () throws(StoreError) in
                try await store.add(
                    again,
                    userHandle: randomBytes(32),
                    passkey: scene.passkey(of: again.id),
                    ceremony: scene.ceremony(user: again.id),
                    audit: scene.audit("ss", user: again.id)
                )
            }
            try requireEqual(taken, .identifier, "what is taken")
            try requireEqual(try await store.user(again.id, of: scene.tenant), nil, "the second user")
        },
        promise("A use that signs nobody in sets the counter, and of two with one counter one does") { scene in
            let person = try await scene.signUp()
            let outcomes = try await race(5) { _ in
                try await scene.store.record(
                    scene.use(person.number, signCount: 7),
                    of: person.user.id,
                    ceremony: scene.ceremony(user: person.user.id),
                    audit: scene.audit("x", user: person.user.id)
                )
            }
            try requireEqual(outcomes.filter { $0 }.count, 1, "the number of uses that were taken")
            let stored = try await scene.store.candidate(
                credentialID: person.passkey.record.id,
                relyingPartyID: scene.relyingPartyID,
                tenant: scene.tenant
            )
            try requireEqual(stored?.passkey.record.signCount, 7, "the counter")
        },
        promise("A connection is added once under a name, and the version grows") { scene in
            let before = try await scene.store.version()
            func connection() -> Connection {
                Connection(
                    id: ConnectionID(random: randomBytes(12)),
                    tenant: scene.tenant,
                    name: "another-directory",
                    displayName: "Another",
                    createdAt: scene.now
                )
            }
            let added = connection()
            try await scene.change(.addConnection(added))
            let configuration = try await scene.store.configuration(of: scene.tenant)
            try requireEqual(configuration?.connection(named: added.name), added, "the connection")
            try require(try await scene.store.version() > before, "the version grows")
            let taken = try await conflict { () throws(StoreError) in
                _ = try await scene.change(.addConnection(connection()))
            }
            try requireEqual(taken, .connectionName, "what is taken")
        },
    ]
}
