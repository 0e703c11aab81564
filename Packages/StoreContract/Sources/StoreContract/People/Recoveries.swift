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
        at time: UnixTime? = nil
    ) -> FinishedRecovery {
        let time = time ?? later(10)
        return FinishedRecovery(
            passkey: passkey(of: person.user.id, credentialID: credentialID, at: time),
            proof: proof,
            ceremony: ceremony(user: person.user.id, at: time),
            audit: audit("recovery_succeeded", user: person.user.id, at: time)
        )
    }
}
