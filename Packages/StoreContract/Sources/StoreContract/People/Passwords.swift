import Identity

extension CredentialDatabaseContract {
    static let passwords = [
        promise("A user with a password is read back whole, and found by its name") { scene in
            let person = try await scene.addWithPassword()
            let found = try requireSome(try await scene.tryPassword(of: person.user), "the try")
            try requireEqual(found.inRow, 1, "the tries in a row")
            try requireEqual(found.user, person.user, "the user")
            try requireEqual(found.password, person.password, "the password")
            try requireEqual(
                try await scene.store.password(of: person.user.id, tenant: scene.tenant),
                person.password,
                "the password by the user's id"
            )
            try requireEqual(
                try await scene.store.userHandle(of: person.user.id, tenant: scene.tenant),
                person.handle,
                "the user handle"
            )
        },
        promise("A name that is taken refuses the user, and nothing of it stays") { scene in
            let taken = scene.email()
            _ = try await scene.addWithPassword([taken])
            let free = scene.email()
            let user = scene.user([free, taken])
            try await requireConflict(.identifier, "a taken identifier") { () throws(StoreError) in
                try await scene.store.add(
                    user,
                    userHandle: randomBytes(32),
                    password: scene.password(),
                    audit: scene.audit("ss", user: user.id)
                )
            }
            try requireEqual(try await scene.store.user(user.id, of: scene.tenant), nil, "the user")
            try requireEqual(
                try await scene.store.password(of: user.id, tenant: scene.tenant),
                nil,
                "the password"
            )
            try requireEqual(
                try await scene.store.user(with: free, in: scene.connection, of: scene.tenant),
                nil,
                "who has the free identifier"
            )
        },
        promise("Tries are counted by name, whether or not anybody has it, and end at the limit") { scene in
            let person = try await scene.addWithPassword()
            let nobody = scene.user()
            for user in [person.user, nobody] {
                for expected in 1...5 {
                    let found = try await scene.tryPassword(of: user, limit: 5)
                    try requireEqual(found?.inRow, expected, "the tries in a row")
                    try requireEqual(found?.user?.id, user.id == person.user.id ? user.id : nil, "the user")
                }
                try requireEqual(try await scene.tryPassword(of: user, limit: 5), nil, "a try too many")
            }
            let text = try await scene.store.beginPasswordTry(
                nameHash: randomBytes(32),
                identifier: nil,
                in: scene.connection,
                of: scene.tenant,
                limit: 5,
                now: scene.now
            )
            try requireEqual(text, PasswordTry(inRow: 1, user: nil, password: nil), "the try of what is no name")
        },
        promise("Of many tries at once, as many are let through as the limit says") { scene in
            let person = try await scene.addWithPassword()
            let found = try await race(30) { _ in try await scene.tryPassword(of: person.user, limit: 10) }
            try requireEqual(found.compactMap { $0?.inRow }.sorted(), Array(1...10), "the tries let through")
        },
        promise("A sign-in by password is one step, and forgets the tries in vain") { scene in
            let person = try await scene.addWithPassword()
            for _ in 1...4 { _ = try await scene.tryPassword(of: person.user, limit: 5) }
            let session = scene.session(of: person.user.id, at: scene.later(50))
            let refresh = scene.refresh(for: session)
            let login = LoginEffect(
                session: session,
                cookieHash: nil,
                replacedCookieHash: nil,
                refresh: refresh,
                ceremony: nil,
                audit: scene.audit("s", "sepft", user: person.user.id)
            )
            let use = scene.use(person, newHash: "$new", at: scene.later(50))
            try require(try await scene.store.finishLogin(use, login: login), "the sign-in is taken")
            try requireEqual(try await scene.store.session(session.id, of: scene.tenant), session, "the session")
            let grant = try await scene.store.refreshGrant(refresh.token.id, of: scene.tenant)
            try requireEqual(grant?.family, refresh.family, "the family")
            let user = try requireSome(try await scene.store.user(person.user.id, of: scene.tenant), "the user")
            try requireEqual(user.lastLogin, scene.later(50), "the last sign-in")
            try requireEqual(user.loginsCount, person.user.loginsCount + 1, "the number of sign-ins")
            let after = try await scene.tryPassword(of: person.user, limit: 5)
            try requireEqual(after?.inRow, 1, "the tries in a row afterwards")
            try requireEqual(after?.password?.hash, "$new", "the hash")
            try requireEqual(after?.password?.changedAt, person.password.changedAt, "when the password was changed")
        },
        promise("A sign-in with a password that is no longer the user's does nothing") { scene in
            let person = try await scene.addWithPassword()
            let session = scene.session(of: person.user.id)
            let old = PasswordUse(
                tenant: scene.tenant,
                user: person.user.id,
                connection: scene.connection,
                nameHash: scene.nameHash(of: person.user),
                hash: person.password.hash,
                changedAt: UnixTime(milliseconds: person.password.changedAt.milliseconds - 1),
                newHash: "$new",
                at: scene.now
            )
            try require(
                try await !scene.store.finishLogin(old, login: scene.login(session)),
                "the sign-in is refused"
            )
            try requireEqual(try await scene.store.session(session.id, of: scene.tenant), nil, "the session")
            try requireEqual(
                try await scene.store.password(of: person.user.id, tenant: scene.tenant),
                person.password,
                "the password"
            )
        },
        promise("Of sign-ins at once that each hash the password anew, all are taken, and one of the hashes stays") {
            scene in
            let person = try await scene.addWithPassword()
            let taken = try await race(8) { number in
                try await scene.store.finishLogin(
                    scene.use(person, newHash: "$new\(number)", at: scene.later(50)),
                    login: scene.login(scene.session(of: person.user.id, at: scene.later(50)))
                )
            }
            try requireEqual(taken, Array(repeating: true, count: 8), "the sign-ins")
            let kept = try await scene.store.password(of: person.user.id, tenant: scene.tenant)
            try require((0..<8).contains { kept?.hash == "$new\($0)" }, "the hash is one of the new ones")
            try requireEqual(kept?.changedAt, person.password.changedAt, "when the password was changed")
        },
        promise("A password that is set within the same millisecond is another one still, and later") { scene in
            let person = try await scene.addWithPassword()
            let user = try requireSome(try await scene.store.user(person.user.id, of: scene.tenant), "the user")
            var changed = user
            changed.updatedAt = scene.later(10)
            try require(
                try await scene.store.change(
                    UserChange(old: user, new: changed, password: scene.password()),
                    audit: scene.audit("sapi")
                ),
                "the change is made"
            )
            let kept = try await scene.store.password(of: person.user.id, tenant: scene.tenant)
            try require(
                kept.map { $0.changedAt > person.password.changedAt } ?? false,
                "the new password is later than the old"
            )
            let login = scene.login(scene.session(of: person.user.id))
            try require(
                try await !scene.store.finishLogin(scene.use(person), login: login),
                "the sign-in with the old password is refused"
            )
        },
        promise("A sign-in with a passkey begins the row of tries anew") { scene in
            let person = try await scene.signUp()
            for _ in 1...3 { _ = try await scene.tryPassword(of: person.user, limit: 3, at: scene.later(10)) }
            try requireEqual(
                try await scene.tryPassword(of: person.user, limit: 3, at: scene.later(11)),
                nil,
                "a try too many"
            )
            let session = scene.session(of: person.user.id, at: scene.later(20))
            _ = try await scene.store.finishLogin(
                scene.use(person.number, signCount: 9, at: scene.later(20)),
                login: scene.login(session)
            )
            let found = try await scene.tryPassword(of: person.user, limit: 3, at: scene.later(30))
            try requireEqual(found?.inRow, 1, "the tries in a row")
            try requireEqual(found?.password, nil, "the password of a user without one")
        },
        promise("Tries of long ago are removed, those of late are not") { scene in
            // Before anything of other promises is over.
            func day(_ day: Int64) -> UnixTime { UnixTime(seconds: day * 86_400) }
            let (old, young) = (scene.user(), scene.user())
            _ = try await scene.tryPassword(of: old, at: day(-90))
            _ = try await scene.tryPassword(of: young, at: day(-50))
            while try await scene.store.removeExpired(now: day(1)) {}
            try requireEqual(try await scene.tryPassword(of: old)?.inRow, 1, "the tries of long ago")
            try requireEqual(try await scene.tryPassword(of: young)?.inRow, 2, "the tries of late")
        },
    ]
}

extension Scene {
    struct PersonWithPassword: Sendable {
        let user: User
        let handle: [UInt8]
        let password: PasswordRecord
    }

    func password() -> PasswordRecord {
        PasswordRecord(
            hash: "$argon2id$\(UInt64.random(in: 0 ... .max))",
            changedAt: now,
            history: ["$old \" é", "$b"]
        )
    }

    func addWithPassword(_ identifiers: [UserIdentifier]? = nil) async throws(StoreError) -> PersonWithPassword {
        let person = PersonWithPassword(user: user(identifiers), handle: randomBytes(32), password: password())
        try await store.add(
            person.user,
            userHandle: person.handle,
            password: person.password,
            audit: audit("ss", user: person.user.id)
        )
        return person
    }

    func nameHash(of user: User) -> [UInt8] {
        // 32 bytes that are the same for the same user; the store takes any.
        Array((Array("name of \(user.id.subject)".utf8) + [UInt8](repeating: 0, count: 32)).prefix(32))
            + user.id.bytes
    }

    func tryPassword(
        of user: User,
        limit: Int = 100,
        at time: UnixTime? = nil
    ) async throws(StoreError) -> PasswordTry? {
        try await store.beginPasswordTry(
            nameHash: nameHash(of: user),
            identifier: user.identifiers.first,
            in: connection,
            of: tenant,
            limit: limit,
            now: time ?? now
        )
    }

    func use(_ person: PersonWithPassword, newHash: String? = nil, at time: UnixTime? = nil) -> PasswordUse {
        PasswordUse(
            tenant: tenant,
            user: person.user.id,
            connection: connection,
            nameHash: nameHash(of: person.user),
            hash: person.password.hash,
            changedAt: person.password.changedAt,
            newHash: newHash,
            at: time ?? now
        )
    }
}
