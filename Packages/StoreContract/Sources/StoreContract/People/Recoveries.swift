import Encodings
import Identity
import WebAuthn

extension CredentialDatabaseContract {
    static let recoveries = [
        promise("A recovery stores the passkey, spends its proof and ends all sessions, in one step") { scene in
            let person = try await scene.signUp()
            let proof = try await scene.link(for: person.user)
            let recovery = scene.recovery(of: person, proof: proof)
            try requireEqual(try await scene.store.finishRecovery(recovery), .recovered, "the recovery")
            let passkeys = try await scene.store.passkeys(
                of: person.user.id,
                relyingPartyID: nil,
                tenant: scene.tenant
            )
            try requireEqual(
                passkeys.map(\.id),
                [recovery.passkey.id, person.passkey.id],
                "the passkeys, the newest first"
            )
            try requireEqual(passkeys.first?.enrolledBy, recovery.passkey.enrolledBy, "how it came to be")
            let session = try await scene.store.session(person.session.id, of: scene.tenant)
            try requireEqual(session?.revokedAt, recovery.audit.at, "the end of the session")
            let grant = try await scene.store.refreshGrant(person.refresh.token.id, of: scene.tenant)
            try requireEqual(grant?.family.revokedAt, recovery.audit.at, "the end of the family")
            try requireEqual(
                try await scene.store.finishRecovery(scene.recovery(of: person, proof: proof)),
                .proofSpent,
                "the second try with the proof"
            )
        },
        promise("Of many recoveries with one proof one is taken") { scene in
            let person = try await scene.signUp()
            let proof = try await scene.link(for: person.user)
            let outcomes = try await race(8) { _ in
                try await scene.store.finishRecovery(scene.recovery(of: person, proof: proof))
            }
            try requireEqual(outcomes.filter { $0 == .recovered }.count, 1, "the recoveries")
            try requireEqual(outcomes.filter { $0 == .proofSpent }.count, 7, "those that came too late")
        },
        promise("A recovery whose proof is somebody else's, over or unknown does nothing and spends nothing") { scene in
            let (person, other) = (try await scene.signUp(), try await scene.signUp())
            let proof = try await scene.link(for: person.user)
            for (whose, proof, delay) in [
                (other, proof, Int64(10)), (person, proof, 1000),
                (person, RecoveryProof(.link, hash: randomBytes(32)), 10),
            ] {
                let late = scene.recovery(of: whose, proof: proof, at: scene.later(delay))
                try requireEqual(try await scene.store.finishRecovery(late), .proofSpent, "the recovery")
            }
            let session = try await scene.store.session(other.session.id, of: scene.tenant)
            try requireEqual(session?.revokedAt, nil, "the other's session")
            // What cannot be stored spends nothing either.
            let taken = scene.recovery(of: person, proof: proof, credentialID: other.passkey.record.id)
            try await requireConflict(.credential, "somebody else's credential") { () throws(StoreError) in
                _ = try await scene.store.finishRecovery(taken)
            }
            try requireEqual(
                try await scene.store.finishRecovery(scene.recovery(of: person, proof: proof)),
                .recovered,
                "the recovery after all that"
            )
        },
        promise("Who is blocked, or gone, does not recover") { scene in
            let blocked = try await scene.signUp(blockedAt: scene.now)
            let proof = try await scene.link(for: blocked.user)
            try requireEqual(
                try await scene.store.finishRecovery(scene.recovery(of: blocked, proof: proof)),
                .userGone,
                "the blocked user's recovery"
            )
            let gone = try await scene.signUp()
            let second = try await scene.link(for: gone.user)
            try require(
                try await scene.store.remove(gone.user.id, tenant: scene.tenant, audit: scene.audit("sapi")),
                "the user is removed"
            )
            try requireEqual(
                try await scene.store.finishRecovery(scene.recovery(of: gone, proof: second)),
                .userGone,
                "the recovery of who is gone"
            )
        },
        promise("A recovery that is begun is there with its mail; one that is feigned sends none") { scene in
            let store = scene.store
            let person = try await scene.signUp()
            let (recovery, notice) = (scene.started(for: person.user.id), scene.notice(of: person.user.id))
            try await store.begin(recovery, notices: [notice], isFeigned: false, audit: scene.audit("recovery_started"))
            try requireEqual(
                try await store.recovery(recovery.hash, of: scene.tenant, now: scene.later(4999)),
                recovery,
                "the recovery"
            )
            try requireEqual(
                try await store.recovery(recovery.hash, of: scene.tenant, now: scene.later(5000)),
                nil,
                "the recovery that takes no code any more"
            )
            let nobodys = scene.started(for: scene.user().id)
            try await store.begin(
                nobodys,
                notices: [scene.notice(of: nobodys.user)],
                isFeigned: true,
                audit: scene.audit("recovery_failed")
            )
            try requireEqual(
                try await store.recovery(nobodys.hash, of: scene.tenant, now: scene.now),
                nobodys,
                "nobody's recovery"
            )
            let waiting = try await store.mails(dead: false, of: scene.tenant, limit: 10)
            try requireEqual(waiting.map(\.mail), [notice.mail], "the mails")
        },
        promise("Wrong codes are counted, also many at once, and after five of them the right one is wrong") { scene in
            let person = try await scene.signUp()
            let recovery = scene.started(for: person.user.id)
            try await scene.store.begin(recovery, notices: [], isFeigned: false, audit: scene.audit("x"))
            for _ in 0..<4 {
                try require(try await !scene.tries(randomBytes(32), .mail, recovery), "a wrong code")
                try require(try await scene.tries(recovery.codeHash, .mail, recovery), "the right one, uncounted")
            }
            try require(
                try await !scene.tries(recovery.codeHash, .mail, recovery, at: recovery.expiresAt),
                "the right one, too late"
            )
            _ = try await race(4) { _ in try await scene.tries(randomBytes(32), .recoveryCode, recovery) }
            try require(try await !scene.tries(recovery.codeHash, .mail, recovery), "the right one after all of them")
        },
        promise("A recovery by a mailed code spends it, and by a recovery code that one alone") { scene in
            let store = scene.store
            let person = try await scene.signUp()
            let (mailed, other) = (scene.started(for: person.user.id), scene.started(for: person.user.id))
            for recovery in [mailed, other] {
                try await store.begin(recovery, notices: [], isFeigned: false, audit: scene.audit("x"))
            }
            // Later than codes are taken, for its ceremony was begun before that.
            let first = scene.recovery(
                of: person,
                proof: RecoveryProof(.mail, hash: mailed.hash),
                at: scene.later(9000)
            )
            try requireEqual(try await store.finishRecovery(first), .recovered, "by mail")
            for spent in [mailed, other] {
                let again = scene.recovery(of: person, proof: RecoveryProof(.mail, hash: spent.hash))
                try requireEqual(try await store.finishRecovery(again), .proofSpent, "one that began before")
            }
            let codes = [randomBytes(32), randomBytes(32), randomBytes(32)]
            let set = scene.codeSet(of: person.user.id)
            _ = try await store.replaceRecoveryCodes(with: set, codes: codes, audit: scene.audit("x"))
            let stranger = try await scene.signUp()
            for (whose, code, outcome) in [
                (stranger, codes[0], RecoveryOutcome.proofSpent), (person, codes[0], .recovered),
                (person, codes[0], .proofSpent), (person, codes[1], .recovered),
            ] {
                let recovery = scene.recovery(of: whose, proof: RecoveryProof(.recoveryCode, hash: code))
                try requireEqual(try await store.finishRecovery(recovery), outcome, "by a recovery code")
            }
        },
        promise("A recovery that clears leaves its own passkey alone, with session, review, notice and verified name") {
            scene in
            let store = scene.store
            let person = try await scene.signUp()
            let old = try requireSome(try await store.user(person.user.id, of: scene.tenant), "the user")
            let recovery = scene.started(for: old.id)
            try await store.begin(recovery, notices: [], isFeigned: false, audit: scene.audit("x"))
            _ = try await store.replaceRecoveryCodes(
                with: scene.codeSet(of: old.id),
                codes: [randomBytes(32)],
                audit: scene.audit("x")
            )
            var passworded = old
            passworded.updatedAt = scene.later(3)
            let change = UserChange(old: old, new: passworded, password: scene.password())
            try require(try await store.change(change, audit: scene.audit("sapi")), "the password")
            let (session, cookie) = (scene.session(of: old.id, at: scene.later(10)), randomBytes(32))
            let notice = scene.notice(of: old.id)
            let begun = RecoverySession(session, cookieHash: cookie, refresh: scene.refresh(for: session))
            func clearing(_ read: User) -> FinishedRecovery {
                var new = read
                new.updatedAt = scene.later(11)
                new.identifiers = read.identifiers.map { identifier in
                    var verified = identifier
                    verified.isVerified = true
                    return verified
                }
                return scene.recovery(
                    of: person,
                    proof: RecoveryProof(.mail, hash: recovery.hash),
                    change: UserChange(old: read, new: new),
                    clears: true,
                    notices: [notice],
                    session: begun
                )
            }
            try requireEqual(
                try await store.finishRecovery(clearing(old)),
                .changedMeanwhile,
                "of a user who was changed since"
            )
            let done = clearing(passworded)
            try requireEqual(try await store.finishRecovery(done), .recovered, "the recovery")
            let passkeys = try await store.passkeys(of: old.id, relyingPartyID: nil, tenant: scene.tenant)
            try requireEqual(passkeys.map(\.id), [done.passkey.id], "the passkeys")
            try requireEqual(try await store.password(of: old.id, tenant: scene.tenant), nil, "the password")
            try requireEqual(try await store.recoveryCodes(of: old.id, tenant: scene.tenant), nil, "the codes")
            let user = try await store.user(old.id, of: scene.tenant)
            try requireEqual(user?.identifiers.map(\.isVerified), [true], "what is verified")
            let stored = try await store.session(cookieHash: cookie, of: scene.tenant)
            try requireEqual(stored?.revokedAt, nil, "the end of the new session")
            try requireEqual(stored?.passkey, passkeys.first?.number, "what it was begun by")
            let before = try await store.session(person.session.id, of: scene.tenant)
            try requireEqual(before?.revokedAt, done.audit.at, "the end of the session before")
            let grant = try await store.refreshGrant(
                begun.refresh?.token.id ?? person.refresh.token.id,
                of: scene.tenant
            )
            try requireEqual(grant?.family.revokedAt, nil, "the end of the new tokens")
            let waiting = try await store.mails(dead: false, of: scene.tenant, limit: 10)
            try requireEqual(waiting.map(\.mail), [notice.mail], "the mails")
        },
        promise("Who says that it was not them stops recoveries, and takes back the passkey that is named") { scene in
            let store = scene.store
            let person = try await scene.signUp()
            let recovery = scene.started(for: person.user.id)
            let (stop, disown) = (scene.notice(of: person.user.id), scene.notice(of: person.user.id))
            try await store.begin(recovery, notices: [stop, disown], isFeigned: false, audit: scene.audit("x"))
            let at = scene.later(100)
            let stopping = Disowning(ticket: stop.ticket, passkey: nil, reset: nil)
            try require(
                try await store.disown(stopping, audit: scene.audit("recovery_failed", at: at)),
                "the recovery is stopped"
            )
            try requireEqual(
                try await store.recovery(recovery.hash, of: scene.tenant, now: scene.now),
                nil,
                "the recovery that was stopped"
            )
            var session = try await store.session(person.session.id, of: scene.tenant)
            try requireEqual(session?.revokedAt, nil, "the end of the session, which stays")
            try require(
                try await !store.disown(stopping, audit: scene.audit("recovery_failed", at: at)),
                "a ticket is spent"
            )
            let reset = Identity.Ticket(
                tenant: scene.tenant,
                hash: randomBytes(32),
                purpose: .passwordChange,
                user: person.user.id,
                parameters: [:],
                createdAt: at,
                expiresAt: scene.later(1000)
            )
            let disowning = Disowning(ticket: disown.ticket, passkey: person.passkey.id, reset: reset)
            let outcomes = try await race(4) { _ in
                try await store.disown(disowning, audit: scene.audit("passkey_disowned", at: at))
            }
            try requireEqual(outcomes.filter { $0 }.count, 1, "those that are done")
            let passkeys = try await store.passkeys(of: person.user.id, relyingPartyID: nil, tenant: scene.tenant)
            try requireEqual(passkeys, [], "the passkeys")
            session = try await store.session(person.session.id, of: scene.tenant)
            try requireEqual(session?.revokedAt, at, "the end of the session")
            let grant = try await store.refreshGrant(person.refresh.token.id, of: scene.tenant)
            try requireEqual(grant?.family.revokedAt, at, "the end of the family")
            try require(
                try await store.ticket(hash: reset.hash, for: .passwordChange, of: scene.tenant, now: at) != nil,
                "the way to a new password"
            )
        },
        promise("Recoveries that are over go") { scene in
            // Before all that other promises hold over.
            let past = UnixTime(seconds: 1000)
            let old = StartedRecovery(
                tenant: scene.tenant,
                hash: randomBytes(32),
                client: scene.client,
                connection: scene.connection,
                user: scene.user().id,
                name: "x",
                codeHash: randomBytes(32),
                createdAt: past,
                expiresAt: past.adding(seconds: 5),
                keptUntil: past.adding(seconds: 10)
            )
            let live = scene.started(for: scene.user().id)
            for recovery in [old, live] {
                try await scene.store.begin(recovery, notices: [], isFeigned: false, audit: scene.audit("x"))
            }
            while try await scene.store.removeExpired(now: past.adding(seconds: 10)) {}
            try requireEqual(
                try await scene.store.recovery(old.hash, of: scene.tenant, now: past),
                nil,
                "one that is over"
            )
            try requireEqual(
                try await scene.store.recovery(live.hash, of: scene.tenant, now: scene.now),
                live,
                "one that is not"
            )
        },
    ]
}

extension Scene {
    /// An operator's link, good until a thousand milliseconds from now.
    fileprivate func link(for user: User) async throws(StoreError) -> RecoveryProof {
        let hash = randomBytes(32)
        try await store.add(
            Identity.Ticket(
                tenant: tenant,
                hash: hash,
                purpose: .passkeyEnrollment,
                user: user.id,
                parameters: [:],
                createdAt: now,
                expiresAt: later(1000)
            ),
            mail: nil,
            audit: audit("sapi", user: user.id)
        )
        return RecoveryProof(.link, hash: hash)
    }

    fileprivate func recovery(
        of person: Person,
        proof: RecoveryProof,
        credentialID: [UInt8] = randomBytes(32),
        change: UserChange? = nil,
        clears: Bool = false,
        notices: [Notice] = [],
        session: RecoverySession? = nil,
        at time: UnixTime? = nil
    ) -> FinishedRecovery {
        let time = time ?? later(10)
        return FinishedRecovery(
            passkey: passkey(of: person.user.id, credentialID: credentialID, at: time),
            proof: proof,
            change: change,
            clears: clears,
            notices: notices,
            session: session,
            ceremony: ceremony(user: person.user.id, at: time),
            audit: audit("recovery_succeeded", user: person.user.id, at: time)
        )
    }
}
