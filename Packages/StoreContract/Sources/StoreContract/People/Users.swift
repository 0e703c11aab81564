import Identity
import WebAuthn

extension CredentialDatabaseContract {
    static let users = [
        promise("A sign-up is read back whole") { scene in
            let store = scene.store
            let person = try await scene.signUp([
                scene.email(),
                UserIdentifier(kind: .username, canonical: "ana-é", entered: "Ana-é", isVerified: true),
            ])
            let user = person.user
            for identifier in user.identifiers {
                try requireEqual(
                    try await store.user(with: identifier, in: scene.connection, of: scene.tenant),
                    user.id,
                    "who has \(identifier.kind)"
                )
            }
            try requireEqual(try await store.user(user.id, of: scene.tenant), user, "the user")
            try requireEqual(
                try await store.userHandle(of: user.id, tenant: scene.tenant),
                person.handle,
                "the user handle"
            )
            let stored = try await store.passkeys(of: user.id, relyingPartyID: nil, tenant: scene.tenant)
            let passkey = try requireSome(stored.first, "the passkey")
            try requireEqual(stored.count, 1, "the number of passkeys")
            try requireEqual(passkey.record, person.passkey.record, "the credential record")
            try requireEqual(passkey.name, person.passkey.name, "the passkey's name")
            try requireEqual(passkey.id, person.passkey.id, "the passkey's id")
            try requireEqual(passkey.userHandle, person.handle, "the passkey's user handle")
            try requireEqual(passkey.userAgent, "Maker/1", "the passkey's user agent")
            let candidate = try requireSome(
                try await store.candidate(
                    credentialID: passkey.record.id,
                    relyingPartyID: scene.relyingPartyID,
                    tenant: scene.tenant
                ),
                "the candidate"
            )
            try requireEqual(candidate.passkey, passkey, "the candidate's passkey")
            try requireEqual(candidate.user, user, "the candidate's user")
            try requireEqual(candidate.userHandles, [person.handle], "the candidate's user handles")
            var session = person.session
            session.passkey = person.number
            try requireEqual(try await store.session(session.id, of: scene.tenant), session, "the session")
            let grant = try requireSome(
                try await store.refreshGrant(person.refresh.token.id, of: scene.tenant),
                "the refresh token"
            )
            try requireEqual(grant.token, person.refresh.token, "the token")
            try requireEqual(grant.family, person.refresh.family, "the family")
            try requireEqual(grant.session, session, "the grant's session")
            try requireEqual(grant.user, user, "the grant's user")
        },
        promise("An identifier that is taken refuses the sign-up, and nothing of it stays") { scene in
            let store = scene.store
            let taken = scene.email()
            _ = try await scene.signUp([taken])
            let free = UserIdentifier(kind: .username, canonical: "free", entered: "free", isVerified: true)
            let user = scene.user([free, taken])
            let session = scene.session(of: user.id)
            let refresh = scene.refresh(for: session)
            let passkey = scene.passkey(of: user.id)
            let login = scene.login(session, refresh: refresh)
            try await requireConflict(.identifier, "a taken identifier") { () throws(StoreError) in
                try await store.signUp(user, userHandle: randomBytes(32), passkey: passkey, login: login)
            }
            try requireEqual(
                try await store.user(with: free, in: scene.connection, of: scene.tenant),
                nil,
                "who has the free identifier"
            )
            try requireEqual(try await store.user(user.id, of: scene.tenant), nil, "the user")
            try requireEqual(try await store.session(session.id, of: scene.tenant), nil, "the session")
            try requireEqual(try await store.refreshGrant(refresh.token.id, of: scene.tenant), nil, "the token")
            try requireEqual(
                try await store.ceremony(requireSome(login.ceremony, "the ceremony").id),
                nil,
                "the ceremony"
            )
            try require(
                try await !store.isKnown(
                    credentialID: passkey.record.id,
                    relyingPartyID: scene.relyingPartyID
                ),
                "the credential is not known"
            )
        },
        promise("Of many sign-ups with one identifier at once, one succeeds") { scene in
            let email = scene.email()
            let conflicts = try await race(20) { _ in
                try await conflict { () throws(StoreError) in _ = try await scene.signUp([email]) }
            }
            try requireEqual(conflicts.filter { $0 == nil }.count, 1, "the number of winners")
            try requireEqual(conflicts.filter { $0 == .identifier }.count, 19, "the number of losers")
            let users = try await scene.store.users(of: scene.tenant, before: nil, limit: 100)
            try requireEqual(users.count, 1, "the number of users")
        },
        promise("A credential or a user handle that is taken refuses the sign-up by its name") { scene in
            let store = scene.store
            let person = try await scene.signUp()
            let second = scene.user()
            let login = scene.login(scene.session(of: second.id))
            let passkey = scene.passkey(of: second.id, credentialID: person.passkey.record.id)
            try await requireConflict(.credential, "a known credential") { () throws(StoreError) in
                try await store.signUp(second, userHandle: randomBytes(32), passkey: passkey, login: login)
            }
            let fresh = scene.passkey(of: second.id)
            try await requireConflict(.userHandle, "a taken user handle") { () throws(StoreError) in
                try await store.signUp(second, userHandle: person.handle, passkey: fresh, login: login)
            }
            try requireEqual(try await store.user(second.id, of: scene.tenant), nil, "the user")
            try await store.signUp(second, userHandle: randomBytes(32), passkey: fresh, login: login)
            try requireEqual(try await store.user(second.id, of: scene.tenant), second, "the user")
        },
        promise("Identifiers are compared byte for byte, per kind") { scene in
            let composed = scene.email("\u{e9}@example.com")
            let decomposed = scene.email("e\u{301}@example.com")
            let name = UserIdentifier(kind: .username, canonical: composed.canonical, entered: "x", isVerified: true)
            let people = [
                try await scene.signUp([composed]), try await scene.signUp([decomposed]),
                try await scene.signUp([name]),
            ]
            for (identifier, person) in zip([composed, decomposed, name], people) {
                try requireEqual(
                    try await scene.store.user(with: identifier, in: scene.connection, of: scene.tenant),
                    person.user.id,
                    "who has it"
                )
            }
            let elsewhere = try await scene.store.user(
                with: composed,
                in: ConnectionID("con_another"),
                of: scene.tenant
            )
            try requireEqual(elsewhere, nil, "who has it in another connection")
        },
        promise("Users are listed newest first, page by page, with all that belongs to them") { scene in
            var expected: [User] = []
            for age in 0..<7 {
                expected.append(try await scene.signUp(at: scene.later(Int64(age) * -60_000)).user)
            }
            var listed: [User] = []
            while true {
                let page = try await scene.store.users(of: scene.tenant, before: listed.last?.id, limit: 3)
                listed += page
                if page.count < 3 { break }
            }
            try requireEqual(listed, expected, "the users")
        },
    ]
}
