import Identity
import WebAuthn

extension CredentialDatabaseContract {
    static let managedAccess = [
        promise("A passkey from elsewhere is added with its handle, unless somebody else has that") { scene in
            let (person, other) = (try await scene.signUp(), try await scene.signUp())
            let brought = scene.passkey(of: person.user.id, handle: randomBytes(9))
            try requireEqual(
                try await scene.store.bring(brought, maximum: 5, audit: scene.audit("sapi")),
                .added,
                "what becomes of it"
            )
            let candidate = try await scene.store.candidate(
                credentialID: brought.record.id,
                relyingPartyID: scene.relyingPartyID,
                tenant: scene.tenant
            )
            try requireEqual(candidate?.user.id, person.user.id, "whose it is")
            try requireEqual(candidate?.userHandles, [person.handle, brought.userHandle], "the handles")
            let second = scene.passkey(of: person.user.id, handle: brought.userHandle)
            try requireEqual(
                try await scene.store.bring(second, maximum: 5, audit: scene.audit("sapi")),
                .added,
                "a second one with the handle"
            )
            try requireEqual(
                try await scene.store.bring(
                    scene.passkey(of: person.user.id, handle: person.handle),
                    maximum: 3,
                    audit: scene.audit("sapi")
                ),
                .tooMany,
                "one too many"
            )
            let foreign = scene.passkey(of: person.user.id, handle: other.handle)
            try await requireConflict(.userHandle, "another's handle") { () throws(StoreError) in
                _ = try await scene.store.bring(foreign, maximum: 5, audit: scene.audit("sapi"))
            }
            let known = scene.passkey(
                of: person.user.id,
                credentialID: other.passkey.record.id,
                handle: randomBytes(7)
            )
            try await requireConflict(.credential, "a known credential") { () throws(StoreError) in
                _ = try await scene.store.bring(known, maximum: 5, audit: scene.audit("sapi"))
            }
            try requireEqual(
                try await scene.store.passkeys(of: person.user.id, relyingPartyID: nil, tenant: scene.tenant).count,
                3,
                "the passkeys"
            )
            try requireEqual(
                try await scene.store.bring(
                    scene.passkey(of: scene.user().id),
                    maximum: 5,
                    audit: scene.audit("sapi")
                ),
                .userGone,
                "one for nobody"
            )
        },
        promise("A passkey gets a name, and an administrator removes one or all, the last one too") { scene in
            let (person, other) = (try await scene.signUp(), try await scene.signUp())
            let brought = scene.passkey(of: person.user.id, handle: person.handle)
            _ = try await scene.store.bring(brought, maximum: 5, audit: scene.audit("sapi"))
            let store = scene.store
            func names() async throws -> Set<String?> {
                Set(
                    try await store.passkeys(of: person.user.id, relyingPartyID: nil, tenant: scene.tenant).map(\.name)
                )
            }
            for (user, isDone) in [(other.user.id, false), (person.user.id, true)] {
                try requireEqual(
                    try await store.rename(
                        brought.id,
                        of: user,
                        to: "New",
                        tenant: scene.tenant,
                        audit: scene.audit("sapi")
                    ),
                    isDone,
                    "the naming"
                )
            }
            try requireEqual(try await names(), ["New", "Key of Ana"], "the names")
            func remove(_ passkey: PasskeyID?, of user: UserID) async throws -> Int {
                try await store.removePasskeys(
                    of: user,
                    only: passkey,
                    tenant: scene.tenant,
                    audit: scene.audit("sapi", at: scene.later(30))
                )
            }
            try requireEqual(try await remove(brought.id, of: other.user.id), 0, "one of somebody else")
            try requireEqual(try await remove(brought.id, of: person.user.id), 1, "the one")
            try requireEqual(try await names(), ["Key of Ana"], "what is left")
            try requireEqual(try await remove(nil, of: person.user.id), 1, "all that are left")
            try requireEqual(try await names(), [], "what is left then")
            let grant = try await store.refreshGrant(person.refresh.token.id, of: scene.tenant)
            try requireEqual(grant?.family.revokedAt, scene.later(30), "the end of its tokens")
            try requireEqual(
                try await store.passkeys(of: other.user.id, relyingPartyID: nil, tenant: scene.tenant).count,
                1,
                "the other's"
            )
        },
        promise("A user removes a passkey of their own, and never the last way in, unless there is a password") {
            scene in
            let (person, other) = (try await scene.signUp(), try await scene.signUp())
            let store = scene.store
            let second = scene.passkey(of: person.user.id, handle: person.handle)
            _ = try await store.bring(second, maximum: 5, audit: scene.audit("sapi"))
            func remove(_ passkey: PasskeyID, of user: UserID, countingPassword: Bool = true) async throws
                -> RemovePasskeyOutcome
            {
                try await store.removeOwn(
                    passkey,
                    of: user,
                    by: person.session.id,
                    countingPassword: countingPassword,
                    tenant: scene.tenant,
                    audit: scene.audit("x", at: scene.later(30))
                )
            }
            try requireEqual(try await remove(second.id, of: other.user.id), .notFound, "one of somebody else")
            try requireEqual(try await remove(second.id, of: person.user.id), .removed, "one of two")
            try requireEqual(try await remove(second.id, of: person.user.id), .notFound, "what is gone")
            try requireEqual(try await remove(person.passkey.id, of: person.user.id), .lastSignInMethod, "the last")
            let grant = try await store.refreshGrant(person.refresh.token.id, of: scene.tenant)
            try requireEqual(grant?.family.revokedAt, nil, "the end of its tokens")
            let old = try requireSome(try await store.user(person.user.id, of: scene.tenant), "the user")
            var new = old
            new.updatedAt = scene.later(20)
            let change = UserChange(old: old, new: new, password: scene.password())
            try require(try await store.change(change, audit: scene.audit("sapi")), "a password is set")
            try requireEqual(
                try await remove(person.passkey.id, of: person.user.id, countingPassword: false),
                .lastSignInMethod,
                "the last, where passwords sign nobody in"
            )
            try requireEqual(try await remove(person.passkey.id, of: person.user.id), .removed, "the last beside one")
            let ended = try await store.refreshGrant(person.refresh.token.id, of: scene.tenant)
            try requireEqual(ended?.family.revokedAt, scene.later(30), "the end of its tokens then")
        },
        promise("Of two removals of one's own at once that would leave nothing, one is refused") { scene in
            for _ in 0..<5 {
                let person = try await scene.signUp()
                let second = scene.passkey(of: person.user.id, handle: person.handle)
                _ = try await scene.store.bring(second, maximum: 5, audit: scene.audit("sapi"))
                let ids = [person.passkey.id, second.id]
                let outcomes = try await race(2) { index in
                    try await scene.store.removeOwn(
                        ids[index],
                        of: person.user.id,
                        by: person.session.id,
                        countingPassword: true,
                        tenant: scene.tenant,
                        audit: scene.audit("x")
                    )
                }
                try requireEqual(Set(outcomes), [.removed, .lastSignInMethod], "the outcomes")
            }
        },
        promise("A password is retired while enough passkeys sign in instead of it, and once") { scene in
            let (person, other) = (try await scene.signUp(), try await scene.signUp())
            let store = scene.store
            func retire(_ user: UserID, having passkeys: Int) async throws -> RetirePasswordOutcome {
                try await store.retirePassword(
                    of: user,
                    having: passkeys,
                    tenant: scene.tenant,
                    audit: scene.audit("scp", at: scene.later(30))
                )
            }
            for id in [person.user.id, other.user.id] {
                let old = try requireSome(try await store.user(id, of: scene.tenant), "the user")
                var new = old
                new.updatedAt = scene.later(20)
                let change = UserChange(old: old, new: new, password: scene.password())
                try require(try await store.change(change, audit: scene.audit("sapi")), "a password is set")
            }
            try requireEqual(try await retire(person.user.id, having: 2), .tooFewPasskeys, "with one of two")
            try require(
                try await store.password(of: person.user.id, tenant: scene.tenant) != nil,
                "the password is there"
            )
            try requireEqual(try await retire(scene.user().id, having: 1), .notFound, "of nobody")
            try requireEqual(try await retire(person.user.id, having: 1), .retired, "with enough")
            try require(try await store.password(of: person.user.id, tenant: scene.tenant) == nil, "it is gone")
            try requireEqual(try await retire(person.user.id, having: 1), .notFound, "a second time")
            try require(
                try await store.password(of: other.user.id, tenant: scene.tenant) != nil,
                "somebody else's is there"
            )
            try requireEqual(
                try await store.removeOwn(
                    person.passkey.id,
                    of: person.user.id,
                    by: person.session.id,
                    countingPassword: true,
                    tenant: scene.tenant,
                    audit: scene.audit("x")
                ),
                .lastSignInMethod,
                "the passkey is the last way in now"
            )
            // Nobody is left without a way in, whatever is asked.
            _ = try await store.removePasskeys(
                of: other.user.id,
                only: nil,
                tenant: scene.tenant,
                audit: scene.audit("x")
            )
            try requireEqual(try await retire(other.user.id, having: 0), .tooFewPasskeys, "without a passkey")
        },
        promise("A user's other sessions end with their tokens, and the one that asks goes on") { scene in
            let (person, bystander) = (try await scene.signUp(), try await scene.signUp())
            let store = scene.store
            let own = scene.session(of: person.user.id, at: scene.later(10))
            _ = try await store.finishLogin(
                scene.use(person.number, signCount: 0, at: scene.later(10)),
                login: scene.login(own)
            )
            try await store.withdraw(
                .otherSessions(of: person.user.id, than: own.id),
                of: try await Scene(store).tenant,
                audit: scene.audit("slo")
            )
            try requireEqual(
                try await store.session(person.session.id, of: scene.tenant)?.revokedAt,
                nil,
                "the other session, asked for elsewhere"
            )
            try await store.withdraw(
                .otherSessions(of: person.user.id, than: own.id),
                of: scene.tenant,
                audit: scene.audit("slo", at: scene.later(30))
            )
            func live() async throws -> [SessionID] {
                try await store.sessions(
                    of: person.user.id,
                    after: nil,
                    limit: 9,
                    tenant: scene.tenant,
                    now: scene.later(31)
                ).map(\.id)
            }
            try requireEqual(try await live(), [own.id], "the sessions that hold")
            let grant = try await store.refreshGrant(person.refresh.token.id, of: scene.tenant)
            try requireEqual(grant?.family.revokedAt, scene.later(30), "the tokens of the other")
            try await store.withdraw(
                .otherSessions(of: person.user.id, than: person.session.id),
                of: scene.tenant,
                audit: scene.audit("slo", at: scene.later(40))
            )
            try requireEqual(try await live(), [], "the sessions when another one asks")
            let theirs = try await store.session(bystander.session.id, of: scene.tenant)
            try requireEqual(theirs?.revokedAt, nil, "somebody else's session")
        },
        promise("A user's sessions and families are listed as long as they hold, and found again by id") { scene in
            let person = try await scene.signUp()
            let alone = scene.session(of: person.user.id, at: scene.later(10))
            _ = try await scene.store.finishLogin(
                scene.use(person.number, signCount: 0, at: scene.later(10)),
                login: scene.login(alone)
            )
            let store = scene.store
            func sessions(after last: SessionID? = nil, limit: Int = 10, at delay: Int64 = 20) async throws
                -> [SessionID]
            {
                try await store.sessions(
                    of: person.user.id,
                    after: last,
                    limit: limit,
                    tenant: scene.tenant,
                    now: scene.later(delay)
                ).map(\.id)
            }
            try requireEqual(try await sessions(), [person.session.id, alone.id], "the sessions")
            try requireEqual(try await sessions(limit: 1), [person.session.id], "the first of them")
            try requireEqual(try await sessions(after: person.session.id), [alone.id], "those behind it")
            try requireEqual(try await sessions(at: 3_600_000), [alone.id], "those that are not idle for too long")
            let families = try await store.refreshFamilies(
                of: person.user.id,
                after: nil,
                limit: 10,
                tenant: scene.tenant,
                now: scene.later(20)
            )
            try requireEqual(families, [person.refresh.family], "the families")
            try requireEqual(
                try await store.refreshFamilies(
                    of: person.user.id,
                    after: person.refresh.family.id,
                    limit: 10,
                    tenant: scene.tenant,
                    now: scene.later(20)
                ),
                [],
                "the families behind the last"
            )
            try requireEqual(
                try await store.refreshFamily(person.refresh.family.id, of: scene.tenant),
                person.refresh.family,
                "the family by its id"
            )
            let other = try await Scene(store).tenant
            try requireEqual(
                try await store.refreshFamily(person.refresh.family.id, of: other),
                nil,
                "the family elsewhere"
            )
            try requireEqual(
                try await store.sessions(of: person.user.id, after: nil, limit: 9, tenant: other, now: scene.now),
                [],
                "the sessions elsewhere"
            )
        },
        promise("Each way of ending access ends what it says and nothing else") { scene in
            let store = scene.store
            struct State: Equatable {
                var session: Bool
                var family: Bool
            }
            func state(_ person: Person) async throws -> State {
                let session = try await store.session(person.session.id, of: scene.tenant)
                let family = try await store.refreshFamily(person.refresh.family.id, of: scene.tenant)
                return State(session: session != nil && session?.revokedAt == nil, family: family?.revokedAt == nil)
            }
            let client = scene.client
            let cases: [(String, (Person) -> Withdrawal, State)] = [
                ("all sessions", { .sessions(of: $0.user.id, tokens: false) }, State(session: false, family: true)),
                ("all with tokens", { .sessions(of: $0.user.id, tokens: true) }, State(session: false, family: false)),
                ("a session", { .session($0.session.id, tokens: false) }, State(session: false, family: true)),
                (
                    "a session with tokens", { .session($0.session.id, tokens: true) },
                    State(session: false, family: false)
                ),
                (
                    "the user's tokens", { .tokens(of: $0.user.id, client: nil, audience: nil) },
                    State(session: true, family: false)
                ),
                (
                    "those of a client", { .tokens(of: $0.user.id, client: client, audience: "https://api.example/") },
                    State(session: true, family: false)
                ),
                (
                    "those of another API", { .tokens(of: $0.user.id, client: client, audience: "https://x/") },
                    State(session: true, family: true)
                ),
                (
                    "those of another client", { .tokens(of: $0.user.id, client: ClientID("x"), audience: nil) },
                    State(session: true, family: true)
                ),
                ("a family", { .families([$0.refresh.family.id]) }, State(session: true, family: false)),
            ]
            let bystander = try await scene.signUp()
            let other = try await Scene(store).tenant
            for (name, withdrawal, expected) in cases {
                let person = try await scene.signUp()
                try await store.withdraw(withdrawal(person), of: other, audit: scene.audit("sapi"))
                try requireEqual(try await state(person), State(session: true, family: true), "\(name), elsewhere")
                try await store.withdraw(
                    withdrawal(person),
                    of: scene.tenant,
                    audit: scene.audit("sapi", at: scene.later(9))
                )
                try requireEqual(try await state(person), expected, name)
            }
            try requireEqual(try await state(bystander), State(session: true, family: true), "somebody else's access")
        },
    ]
}
