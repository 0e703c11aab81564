import Identity
import WebAuthn

extension CredentialDatabaseContract {
    static let logins = [
        promise("A login stores the counter, the flags, the session, the token and the records in one step") { scene in
            let store = scene.store
            let person = try await scene.signUp(signCount: 7, backupEligible: nil, uvInitialized: false)
            let session = scene.session(of: person.user.id, at: scene.later(1000))
            let refresh = scene.refresh(for: session)
            let login = scene.login(session, refresh: refresh)
            let use = scene.use(
                person.number,
                signCount: 8,
                backupState: true,
                userAgent: "Later/2",
                at: scene.later(1000)
            )
            try require(try await store.finishLogin(use, login: login), "the login is accepted")
            let candidate = try requireSome(
                try await store.candidate(
                    credentialID: person.passkey.record.id,
                    relyingPartyID: scene.relyingPartyID,
                    tenant: scene.tenant
                ),
                "the candidate"
            )
            let passkey = candidate.passkey
            try requireEqual(passkey.record.signCount, 8, "the counter")
            try requireEqual(passkey.record.backupEligible, true, "BE, which had not been known")
            try requireEqual(passkey.record.backupState, true, "BS")
            try requireEqual(passkey.record.uvInitialized, true, "UV initialized")
            try requireEqual(passkey.userAgent, "Later/2", "the user agent of the last use")
            try requireEqual(passkey.lastUsedAt, scene.later(1000), "the last use")
            try requireEqual(candidate.user.lastLogin, scene.later(1000), "the user's last login")
            try requireEqual(candidate.user.loginsCount, 2, "the user's number of logins")
            try requireEqual(
                try await store.session(session.id, of: scene.tenant)?.passkey,
                person.number,
                "the session's passkey"
            )
            try require(
                try await store.refreshGrant(refresh.token.id, of: scene.tenant) != nil,
                "the refresh token is stored"
            )
            try requireEqual(
                try await store.ceremony(requireSome(login.ceremony, "the ceremony").id),
                login.ceremony,
                "the ceremony"
            )
            let second = scene.session(of: person.user.id)
            let older = scene.use(person.number, signCount: 9, uvInitialized: false, at: scene.later(2000))
            try require(try await store.finishLogin(older, login: scene.login(second)), "the login is accepted")
            let after = try await store.passkeys(of: person.user.id, relyingPartyID: nil, tenant: scene.tenant)
            try requireEqual(after.first?.record.uvInitialized, true, "UV initialized, which stays")
            try requireEqual(after.first?.userAgent, "Later/2", "the user agent, when none was given")
        },
        promise("The counter goes up or stays 0, and a login that breaks this leaves nothing behind") { scene in
            let cases: [(stored: UInt32, new: UInt32, acceptsAny: Bool, isAccepted: Bool)] = [
                (0, 0, false, true), (0, 5, false, true), (5, 6, false, true), (5, 5, false, false),
                (5, 4, false, false), (5, 0, false, false), (5, 4, true, true), (5, 5, true, true),
                (4_294_967_294, 4_294_967_295, false, true), (4_294_967_295, 4_294_967_295, false, false),
                (2_147_483_647, 2_147_483_648, false, true), (4_294_967_295, 0, false, false),
            ]
            for (stored, new, acceptsAny, isAccepted) in cases {
                let what = "\(stored) then \(new)"
                let person = try await scene.signUp(signCount: stored)
                let session = scene.session(of: person.user.id)
                let login = scene.login(session, refresh: scene.refresh(for: session))
                let use = scene.use(person.number, signCount: new, acceptsAny: acceptsAny)
                try requireEqual(try await scene.store.finishLogin(use, login: login), isAccepted, what)
                let after = try await scene.store.passkeys(
                    of: person.user.id,
                    relyingPartyID: scene.relyingPartyID,
                    tenant: scene.tenant
                )
                try requireEqual(after.first?.record.signCount, isAccepted ? new : stored, "the counter of \(what)")
                let session2 = try await scene.store.session(session.id, of: scene.tenant)
                try requireEqual(session2 != nil, isAccepted, "whether \(what) has a session")
                let ceremony = try await scene.store.ceremony(requireSome(login.ceremony, "the ceremony").id)
                try requireEqual(ceremony != nil, isAccepted, "whether \(what) has a ceremony")
            }
        },
        promise("Of many logins with one counter value at once, one succeeds, and one session begins") { scene in
            let person = try await scene.signUp(signCount: 1)
            let sessions = (0..<32).map { _ in scene.session(of: person.user.id) }
            let accepted = try await race(32) { index in
                try await scene.store.finishLogin(
                    scene.use(person.number, signCount: 2),
                    login: scene.login(sessions[index], refresh: scene.refresh(for: sessions[index]))
                )
            }
            try requireEqual(accepted.filter { $0 }.count, 1, "the number of winners")
            var begun = 0
            for session in sessions where try await scene.store.session(session.id, of: scene.tenant) != nil {
                begun += 1
            }
            try requireEqual(begun, 1, "the number of sessions")
        },
        promise("Logins that cross each other all count") { scene in
            let people = try await race(4) { _ in try await scene.signUp() }
            let accepted = try await race(80) { index in
                let person = people[index % 4]
                let session = scene.session(of: person.user.id)
                return try await scene.store.finishLogin(
                    scene.use(person.number, signCount: 0),
                    login: scene.login(session, refresh: scene.refresh(for: session))
                )
            }
            try require(accepted.allSatisfy { $0 }, "every login succeeds")
            for person in people {
                let user = try await scene.store.user(person.user.id, of: scene.tenant)
                try requireEqual(user?.loginsCount, 21, "the user's number of logins")
            }
        },
        promise("A passkey that is suspended, removed or another tenant's signs nobody in") { scene in
            let person = try await scene.signUp()
            let session = scene.session(of: person.user.id)
            let other = try await Scene(scene.store)
            let foreign = try await other.store.finishLogin(
                other.use(person.number, signCount: 1),
                login: other.login(other.session(of: person.user.id))
            )
            try require(!foreign, "another tenant's login by the number is refused")
            try await scene.store.suspend(
                person.number,
                tenant: scene.tenant,
                audit: scene.audit("fepkft", at: scene.later(3))
            )
            let suspended = try await scene.store.passkeys(
                of: person.user.id,
                relyingPartyID: nil,
                tenant: scene.tenant
            )
            try requireEqual(suspended.first?.suspendedAt, scene.later(3), "when it was suspended")
            let use = scene.use(person.number, signCount: 1, acceptsAny: true)
            try require(
                try await scene.store.finishLogin(use, login: scene.login(session)) == false,
                "a suspended passkey is refused"
            )
            let removed = try await scene.store.remove(
                person.passkey.id,
                tenant: scene.tenant,
                keepingLast: false,
                audit: scene.audit("x")
            )
            try requireEqual(removed, .removed, "the removal")
            try require(
                try await scene.store.finishLogin(use, login: scene.login(session)) == false,
                "a removed passkey is refused"
            )
            try requireEqual(try await scene.store.session(session.id, of: scene.tenant), nil, "the session")
        },
        promise("A user who was blocked since the sign-in was proven does not get in") { scene in
            let person = try await scene.signUp(blockedAt: scene.now)
            let session = scene.session(of: person.user.id)
            try require(
                try await scene.store.finishLogin(
                    scene.use(person.number, signCount: 1),
                    login: scene.login(session)
                ) == false,
                "the login of a blocked user is refused"
            )
            try requireEqual(try await scene.store.session(session.id, of: scene.tenant), nil, "the session")
        },
    ]
}
