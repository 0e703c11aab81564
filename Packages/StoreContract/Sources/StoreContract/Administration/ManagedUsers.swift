import Encodings
import Identity
import WebAuthn

extension CredentialDatabaseContract {
    static let managedUsers = [
        promise("A user is made with a password and passkeys, whose handles all lead there") { scene in
            let (own, brought) = (randomBytes(32), randomBytes(12))
            let password = PasswordRecord(hash: "$2b$10$x", changedAt: scene.later(5))
            let keys = (0..<2).map { _ in randomBytes(20) }
            let user = try await scene.made(
                "Ana",
                handle: own,
                password: password,
                passkeys: { user in keys.map { scene.passkey(of: user, credentialID: $0, handle: brought) } },
                at: scene.now
            )
            try requireEqual(try await scene.store.user(user.id, of: scene.tenant), user, "the user")
            try requireEqual(
                try await scene.store.password(of: user.id, tenant: scene.tenant),
                password,
                "the password"
            )
            try requireEqual(
                try await scene.store.userHandle(of: user.id, tenant: scene.tenant),
                own,
                "the handle for new passkeys"
            )
            for key in keys {
                let candidate = try await scene.store.candidate(
                    credentialID: key,
                    relyingPartyID: scene.relyingPartyID,
                    tenant: scene.tenant
                )
                try requireEqual(candidate?.userHandles, [own, brought], "the handles")
                try requireEqual(candidate?.passkey.userHandle, brought, "the handle of the passkey")
            }
            let details = try await scene.store.details(of: user.id, tenant: scene.tenant)
            try requireEqual(details?.passwordChangedAt, scene.later(5), "when the password was set")
            try requireEqual(details?.lastAddress, nil, "the address of somebody who never came")
        },
        promise("Of a user whose id, name, passkey or handle is taken nothing is made") { scene in
            let handle = randomBytes(32)
            let key = randomBytes(20)
            let email = scene.email()
            let there = try await scene.made(
                "Ana",
                [email],
                handle: handle,
                passkeys: { [scene.passkey(of: $0, credentialID: key, handle: handle)] },
                at: scene.now
            )
            let cases: [(StoreError.Conflict, (User) -> NewUser)] = [
                (.identifier, { NewUser(user: $0.with([email]), userHandle: randomBytes(32), password: nil) }),
                (.userHandle, { NewUser(user: $0, userHandle: handle, password: nil) }),
                (
                    .userHandle,
                    {
                        NewUser(
                            user: $0,
                            userHandle: randomBytes(32),
                            password: nil,
                            passkeys: [scene.passkey(of: $0.id, handle: handle)]
                        )
                    }
                ),
                (
                    .credential,
                    {
                        NewUser(
                            user: $0,
                            userHandle: randomBytes(32),
                            password: nil,
                            passkeys: [scene.passkey(of: $0.id, credentialID: key)]
                        )
                    }
                ),
            ]
            for (conflict, make) in cases {
                let user = scene.user()
                let new = make(user)
                try await requireConflict(conflict, "a \(conflict) that is taken") { () throws(StoreError) in
                    try await scene.store.add(new, audit: scene.audit("sapi"))
                }
                try requireEqual(try await scene.store.user(user.id, of: scene.tenant), nil, "the refused user")
            }
            try await requireConflict(.user, "an id that is taken") { () throws(StoreError) in
                var again = there
                again.identifiers = [scene.email()]
                try await scene.store.add(
                    NewUser(user: again, userHandle: randomBytes(32), password: nil),
                    audit: scene.audit("sapi")
                )
            }
        },
        promise("A user is changed as it was read, and not when somebody else was faster") { scene in
            let (old, second) = (scene.email(), scene.email())
            let user = try await scene.made("Ana", [old], at: scene.now)
            var changed = user
            changed.identifiers = [second]
            changed.profile.name = "Anna"
            changed.profile.appMetadata = ["role": "boss"]
            changed.updatedAt = scene.later(10)
            let password = PasswordRecord(hash: "$new", changedAt: scene.later(10), history: ["$old"])
            let change = UserChange(old: user, new: changed, password: password)
            try require(try await scene.store.change(change, audit: scene.audit("sapi")), "the change is made")
            try requireEqual(try await scene.store.user(user.id, of: scene.tenant), changed, "the user")
            try requireEqual(
                try await scene.store.password(of: user.id, tenant: scene.tenant),
                password,
                "the password"
            )
            try requireEqual(
                try await scene.store.user(with: old, in: scene.connection, of: scene.tenant),
                nil,
                "who has the old address"
            )
            try requireEqual(
                try await scene.store.user(with: second, in: scene.connection, of: scene.tenant),
                user.id,
                "who has the new one"
            )
            try require(
                try await !scene.store.change(change, audit: scene.audit("sapi")),
                "a change of what is no longer there is refused"
            )
            let other = try await scene.made("Bob", at: scene.now)
            var taking = other
            taking.identifiers = [second]
            taking.updatedAt = scene.later(10)
            try await requireConflict(.identifier, "somebody else's address") { () throws(StoreError) in
                _ = try await scene.store.change(
                    UserChange(old: other, new: taking),
                    audit: scene.audit("sapi")
                )
            }
            try requireEqual(try await scene.store.user(other.id, of: scene.tenant), other, "the other user")
        },
        promise("Who is blocked loses sessions and refresh tokens with it") { scene in
            let person = try await scene.signUp()
            let alone = scene.session(of: person.user.id, at: scene.later(10))
            _ = try await scene.store.finishLogin(
                scene.use(person.number, signCount: 0, at: scene.later(10)),
                login: scene.login(alone)
            )
            let user = try requireSome(try await scene.store.user(person.user.id, of: scene.tenant), "the user")
            var blocked = user
            blocked.blockedAt = scene.later(20)
            blocked.updatedAt = scene.later(20)
            try require(
                try await scene.store.change(
                    UserChange(old: user, new: blocked),
                    audit: scene.audit("sapi", at: scene.later(20))
                ),
                "the block is made"
            )
            for session in [person.session.id, alone.id] {
                try requireEqual(
                    try await scene.store.session(session, of: scene.tenant)?.revokedAt,
                    scene.later(20),
                    "the end of a session"
                )
            }
            let grant = try await scene.store.refreshGrant(person.refresh.token.id, of: scene.tenant)
            try requireEqual(grant?.family.revokedAt, scene.later(20), "the end of the tokens")
        },
        promise("A user who is removed leaves no way in, and the names are free again") { scene in
            let person = try await scene.signUp()
            let alone = scene.session(of: person.user.id, at: scene.later(10))
            _ = try await scene.store.finishLogin(
                scene.use(person.number, signCount: 0, at: scene.later(10)),
                login: scene.login(alone)
            )
            let id = person.user.id
            let other = try await Scene(scene.store).tenant
            try require(
                try await !scene.store.remove(id, tenant: other, audit: scene.audit("sapi")),
                "another tenant removes nobody"
            )
            try require(
                try await scene.store.remove(id, tenant: scene.tenant, audit: scene.audit("sapi")),
                "the user is removed"
            )
            try require(
                try await !scene.store.remove(id, tenant: scene.tenant, audit: scene.audit("sapi")),
                "a second removal finds nobody"
            )
            try requireEqual(try await scene.store.user(id, of: scene.tenant), nil, "the user")
            try requireEqual(
                try await scene.store.candidate(
                    credentialID: person.passkey.record.id,
                    relyingPartyID: scene.relyingPartyID,
                    tenant: scene.tenant
                ),
                nil,
                "the passkey"
            )
            for session in [person.session.id, alone.id] {
                try requireEqual(try await scene.store.session(session, of: scene.tenant), nil, "a session")
            }
            let grant = try await scene.store.refreshGrant(person.refresh.token.id, of: scene.tenant)
            try require(grant != nil && grant?.user == nil, "the token's user is gone, and the token is known")
            let again = scene.user(person.user.identifiers)
            try await scene.store.signUp(
                again,
                userHandle: person.handle,
                passkey: scene.passkey(
                    of: again.id,
                    credentialID: person.passkey.record.id,
                    handle: person.handle
                ),
                login: scene.login(scene.session(of: again.id))
            )
        },
        promise("Tries of a password are told and forgotten, and those before a passkey's use do not count") { scene in
            let person = try await scene.addWithPassword()
            let identifier = try requireSome(person.user.identifiers.first, "the identifier")
            let name = TriedName(
                connection: scene.connection,
                identifier: identifier,
                nameHash: scene.nameHash(of: person.user)
            )
            let untried = TriedName(connection: scene.connection, identifier: scene.email(), nameHash: randomBytes(32))
            for _ in 0..<3 { _ = try await scene.tryPassword(of: person.user, limit: 3) }
            try requireEqual(
                try await scene.store.passwordTries(of: [untried, name], tenant: scene.tenant),
                [0, 3],
                "the tries"
            )
            try requireEqual(try await scene.tryPassword(of: person.user, limit: 3), nil, "a try too many")
            try await scene.store.forgetPasswordTries(
                of: [name, untried],
                tenant: scene.tenant,
                audit: scene.audit("sapi", user: person.user.id)
            )
            try requireEqual(
                try await scene.store.passwordTries(of: [name], tenant: scene.tenant),
                [0],
                "the tries afterwards"
            )
            try requireEqual(try await scene.tryPassword(of: person.user, limit: 3)?.inRow, 1, "the next try")
            let user = try await scene.signUp()
            let email = try requireSome(user.user.identifiers.first, "the identifier")
            let tried = TriedName(
                connection: scene.connection,
                identifier: email,
                nameHash: scene.nameHash(of: user.user)
            )
            _ = try await scene.tryPassword(of: user.user, limit: 3)
            _ = try await scene.store.finishLogin(
                scene.use(user.number, signCount: 0, at: scene.later(60_000)),
                login: scene.login(scene.session(of: user.user.id, at: scene.later(60_000)))
            )
            try requireEqual(
                try await scene.store.passwordTries(of: [tried], tenant: scene.tenant),
                [0],
                "the tries before a passkey was used"
            )
        },
    ]
}

extension User {
    fileprivate func with(_ identifiers: [UserIdentifier]) -> User {
        var user = self
        user.identifiers = identifiers
        return user
    }
}
