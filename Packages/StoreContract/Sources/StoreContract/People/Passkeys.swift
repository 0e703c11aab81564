import Identity
import WebAuthn

extension CredentialDatabaseContract {
    static let passkeys = [
        promise("Credential ids of 1 and of 1023 bytes are kept, and told apart by their last byte") { scene in
            let long = randomBytes(1022)
            for id: [UInt8] in [[0], [255], long + [0], long + [255]] {
                let person = try await scene.signUp(credentialID: id)
                let candidate = try await scene.store.candidate(
                    credentialID: id,
                    relyingPartyID: scene.relyingPartyID,
                    tenant: scene.tenant
                )
                try requireEqual(candidate?.user.id, person.user.id, "whose credential of \(id.count) bytes it is")
                try requireEqual(candidate?.passkey.record.id, id, "the id")
            }
        },
        promise("A credential is known by its RP ID, whichever tenant has it") { scene in
            let person = try await scene.signUp()
            let other = try await Scene(scene.store)
            let id = person.passkey.record.id
            try require(
                try await scene.store.isKnown(credentialID: id, relyingPartyID: scene.relyingPartyID),
                "it is known"
            )
            try require(
                try await !scene.store.isKnown(credentialID: id, relyingPartyID: other.relyingPartyID),
                "it is not known under another RP ID"
            )
            try require(
                try await !scene.store.isKnown(credentialID: id + [0], relyingPartyID: scene.relyingPartyID),
                "a longer id is not known"
            )
            let twin = try await other.signUp(credentialID: id)
            let candidate = try await scene.store.candidate(
                credentialID: id,
                relyingPartyID: scene.relyingPartyID,
                tenant: scene.tenant
            )
            try requireEqual(candidate?.user.id, person.user.id, "whose it is here")
            try require(twin.user.id != person.user.id, "another tenant may have the same id")
        },
        promise("Of a user's passkeys those of an RP ID that sign in are described, newest first, up to a limit") {
            scene in
            let store = scene.store
            let person = try await scene.signUp()
            let more = (1...3).map { scene.passkey(of: person.user.id, at: scene.later(Int64($0))) }
            for passkey in more {
                _ = try await store.add(
                    passkey,
                    maximum: 9,
                    ceremony: scene.ceremony(user: person.user.id),
                    audit: scene.audit("x")
                )
            }
            _ = try await scene.signUp()
            func described(_ limit: Int, under id: String? = nil) async throws -> [[UInt8]] {
                try await store.descriptors(
                    of: person.user.id,
                    relyingPartyID: id ?? person.passkey.relyingPartyID,
                    tenant: scene.tenant,
                    limit: limit
                ).map(\.id)
            }
            let all = (more.reversed() + [person.passkey]).map(\.record.id)
            try requireEqual(try await described(9), all, "all of them")
            try requireEqual(try await described(2), Array(all.prefix(2)), "two of them")
            try requireEqual(try await described(9, under: "other.example"), [], "those of another RP ID")
            let first = try await store.descriptors(
                of: person.user.id,
                relyingPartyID: person.passkey.relyingPartyID,
                tenant: scene.tenant,
                limit: 1
            )
            try requireEqual(first.first?.transports, more[2].record.transports, "its transports")
            let number = try requireSome(
                try await store.passkeys(of: person.user.id, relyingPartyID: nil, tenant: scene.tenant)
                    .first { $0.id == more[2].id }?.number,
                "its number"
            )
            try await store.suspend(number, tenant: scene.tenant, audit: scene.audit("sapi"))
            try requireEqual(try await described(9), Array(all.dropFirst()), "those that are not suspended")
        },
        promise("With a passkey go the sessions that it began, and no others") { scene in
            let person = try await scene.signUp()
            let second = scene.passkey(of: person.user.id, at: scene.later(1))
            let added = try await scene.store.add(
                second,
                maximum: 5,
                ceremony: scene.ceremony(user: person.user.id),
                audit: scene.audit("x")
            )
            try requireEqual(added, .added, "the second passkey")
            let numbers = try await scene.store.passkeys(of: person.user.id, relyingPartyID: nil, tenant: scene.tenant)
            let number = try requireSome(numbers.first { $0.id == second.id }?.number, "its number")
            let (own, other) = (
                scene.session(of: person.user.id, at: scene.later(5)),
                scene.session(of: person.user.id, at: scene.later(6))
            )
            for (session, number) in [(own, person.number), (other, number)] {
                let taken = try await scene.store.finishLogin(
                    scene.use(number, signCount: 0, at: scene.later(7)),
                    login: scene.login(session)
                )
                try require(taken, "the sign-in")
            }
            let removed = try await scene.store.remove(
                person.passkey.id,
                tenant: scene.tenant,
                keepingLast: true,
                audit: scene.audit("x", at: scene.later(20))
            )
            try requireEqual(removed, .removed, "the removal")
            try requireEqual(
                try await scene.store.session(own.id, of: scene.tenant)?.revokedAt,
                scene.later(20),
                "the end of the session that it began"
            )
            try requireEqual(
                try await scene.store.session(other.id, of: scene.tenant)?.revokedAt,
                nil,
                "the end of another session"
            )
        },
        promise("Passkeys are added up to the maximum, also by many at once") { scene in
            let person = try await scene.signUp()
            let outcomes = try await race(10) { index in
                try await scene.store.add(
                    scene.passkey(of: person.user.id, at: scene.later(Int64(index) + 1)),
                    maximum: 5,
                    ceremony: scene.ceremony(user: person.user.id),
                    audit: scene.audit("x")
                )
            }
            try requireEqual(outcomes.filter { $0 == .added }.count, 4, "the number of added passkeys")
            try requireEqual(outcomes.filter { $0 == .tooMany }.count, 6, "the number of refusals")
            let all = try await scene.store.passkeys(
                of: person.user.id,
                relyingPartyID: scene.relyingPartyID,
                tenant: scene.tenant
            )
            try requireEqual(all.count, 5, "the number of passkeys")
            try requireEqual(all.map(\.createdAt), all.map(\.createdAt).sorted(by: >), "their order, newest first")
            let elsewhere = try await scene.store.passkeys(
                of: person.user.id,
                relyingPartyID: "elsewhere.example",
                tenant: scene.tenant
            )
            try require(elsewhere.isEmpty, "there is none of another RP ID")
            let nobody = scene.user()
            let gone = try await scene.store.add(
                scene.passkey(of: nobody.id),
                maximum: 5,
                ceremony: scene.ceremony(user: nil),
                audit: scene.audit("x")
            )
            try requireEqual(gone, .userGone, "adding to nobody")
        },
        promise("A credential belongs to one user, also when two register it many times at once") { scene in
            let people = try await race(2) { _ in try await scene.signUp() }
            let id = randomBytes(32)
            let conflicts = try await race(10) { index in
                try await conflict { () throws(StoreError) in
                    _ = try await scene.store.add(
                        scene.passkey(of: people[index % 2].user.id, credentialID: id),
                        maximum: 20,
                        ceremony: scene.ceremony(user: nil),
                        audit: scene.audit("x")
                    )
                }
            }
            try requireEqual(conflicts.filter { $0 == nil }.count, 1, "the number of winners")
            try requireEqual(conflicts.filter { $0 == .credential }.count, 9, "the number of losers")
            var owned = 0
            for person in people {
                let passkeys = try await scene.store.passkeys(
                    of: person.user.id,
                    relyingPartyID: nil,
                    tenant: scene.tenant
                )
                owned += passkeys.filter { $0.record.id == id }.count
            }
            try requireEqual(owned, 1, "the number of rows")
        },
        promise("Removing a passkey ends the tokens of its sessions alone, and keeps the last way in when told") {
            scene in
            let store = scene.store
            let person = try await scene.signUp()
            let second = scene.passkey(of: person.user.id, at: scene.later(1))
            _ = try await store.add(
                second,
                maximum: 9,
                ceremony: scene.ceremony(user: person.user.id),
                audit: scene.audit("x")
            )
            let number = try requireSome(
                try await store.passkeys(of: person.user.id, relyingPartyID: nil, tenant: scene.tenant)
                    .first { $0.id == second.id }?.number,
                "the second passkey"
            )
            let session = scene.session(of: person.user.id, at: scene.later(5000))
            let refresh = scene.refresh(for: session)
            try require(
                try await store.finishLogin(
                    scene.use(number, signCount: 0, at: scene.later(5000)),
                    login: scene.login(session, refresh: refresh)
                ),
                "the login with the second passkey"
            )
            try requireEqual(try await remove(second.id, scene), .removed, "the removal of one of two")
            let ended = try await store.refreshGrant(refresh.token.id, of: scene.tenant)
            try require(ended?.family.revokedAt != nil, "its refresh token is revoked")
            let first = try await store.refreshGrant(person.refresh.token.id, of: scene.tenant)
            try requireEqual(first?.family.revokedAt, nil, "the revocation of the other passkey's token")
            let user = try await store.user(person.user.id, of: scene.tenant)
            try requireEqual(user?.loginsCount, 2, "the number of logins, which stays")
            try requireEqual(user?.lastLogin, scene.later(5000), "the last login, which stays")
            try requireEqual(try await remove(second.id, scene), .notFound, "the removal of what is gone")
            try requireEqual(try await remove(person.passkey.id, scene), .lastSignInMethod, "the removal of the last")
            try requireEqual(
                try await remove(person.passkey.id, scene, keepingLast: false),
                .removed,
                "the removal of the last, when that is wanted"
            )
            let rest = try await store.passkeys(of: person.user.id, relyingPartyID: nil, tenant: scene.tenant)
            try require(rest.isEmpty, "none is left")
            let back = try await store.add(
                scene.passkey(of: person.user.id, credentialID: second.record.id),
                maximum: 9,
                ceremony: scene.ceremony(user: person.user.id),
                audit: scene.audit("x")
            )
            try requireEqual(back, .added, "registering a removed credential again")
        },
        promise("Of two removals at once that would leave nothing, one is refused") { scene in
            for _ in 0..<10 {
                let person = try await scene.signUp()
                let second = scene.passkey(of: person.user.id)
                _ = try await scene.store.add(
                    second,
                    maximum: 9,
                    ceremony: scene.ceremony(user: nil),
                    audit: scene.audit("x")
                )
                let ids = [person.passkey.id, second.id]
                let outcomes = try await race(2) { index in try await remove(ids[index], scene) }
                try requireEqual(Set(outcomes), [.removed, .lastSignInMethod], "the outcomes")
            }
        },
        promise("A suspended passkey is no way in: it does not keep another from being the last") { scene in
            let person = try await scene.signUp()
            let second = scene.passkey(of: person.user.id, at: scene.later(1))
            _ = try await scene.store.add(
                second,
                maximum: 9,
                ceremony: scene.ceremony(user: nil),
                audit: scene.audit("x")
            )
            try await scene.store.suspend(person.number, tenant: scene.tenant, audit: scene.audit("x"))
            try requireEqual(try await remove(second.id, scene), .lastSignInMethod, "removing the one that works")
            try requireEqual(try await remove(person.passkey.id, scene), .removed, "removing the suspended one")
        },
    ]

    @Sendable private static func remove(
        _ passkey: PasskeyID,
        _ scene: Scene,
        keepingLast: Bool = true
    ) async throws(StoreError) -> RemovePasskeyOutcome {
        try await scene.store.remove(
            passkey,
            tenant: scene.tenant,
            keepingLast: keepingLast,
            audit: scene.audit("x", at: scene.later(9000))
        )
    }
}
