import Encodings
import Identity

extension CredentialDatabaseContract {
    static let recoveryCodes = [
        promise("A new set of recovery codes voids the one before, and a set that is removed has none") { scene in
            let store = scene.store
            let person = try await scene.signUp()
            let (first, second) = (scene.codeSet(of: person.user.id), scene.codeSet(of: person.user.id))
            let (old, new) = (randomBytes(32), randomBytes(32))
            try require(
                try await store.replaceRecoveryCodes(with: first, codes: [old], audit: scene.audit("x")),
                "the first set"
            )
            try requireEqual(
                try await store.recoveryCodes(of: person.user.id, tenant: scene.tenant),
                first,
                "the set"
            )
            let recovery = scene.started(for: person.user.id)
            try await store.begin(recovery, notices: [], isFeigned: false, audit: scene.audit("recovery_started"))
            try require(try await scene.tries(old, .recoveryCode, recovery), "a code of the set is right")
            try require(
                try await store.replaceRecoveryCodes(with: second, codes: [new], audit: scene.audit("x")),
                "the second set"
            )
            try require(try await !scene.tries(old, .recoveryCode, recovery), "a code of before is wrong")
            try require(try await scene.tries(new, .recoveryCode, recovery), "a new one is right")
            try require(try await !scene.tries(new, .mail, recovery), "and is no mailed one")
            let other = try await Scene(store)
            for (id, tenant, isRemoved) in [
                (first.id, scene.tenant, false), (second.id, other.tenant, false), (second.id, scene.tenant, true),
                (second.id, scene.tenant, false),
            ] {
                let done = try await store.removeRecoveryCodes(
                    id,
                    of: person.user.id,
                    tenant: tenant,
                    audit: scene.audit("x")
                )
                try requireEqual(done, isRemoved, "the removal of a set")
            }
            try requireEqual(
                try await store.recoveryCodes(of: person.user.id, tenant: scene.tenant),
                nil,
                "the set that was removed"
            )
            try require(try await !scene.tries(new, .recoveryCode, recovery), "its codes are void")
        },
        promise("With all passkeys that an administrator takes away go the recovery codes, and with one of them none") {
            scene in
            let store = scene.store
            let person = try await scene.signUp()
            func left() async throws -> Bool {
                try await store.recoveryCodes(of: person.user.id, tenant: scene.tenant) != nil
            }
            func remove(_ passkey: PasskeyID?) async throws -> Int {
                try await store.removePasskeys(
                    of: person.user.id,
                    only: passkey,
                    tenant: scene.tenant,
                    audit: scene.audit("sapi")
                )
            }
            let set = scene.codeSet(of: person.user.id)
            for removed in [1, 0] {
                _ = try await store.replaceRecoveryCodes(with: set, codes: [randomBytes(32)], audit: scene.audit("x"))
                try requireEqual(try await remove(PasskeyID(random: randomBytes(12))), 0, "one that nobody has")
                try require(try await left(), "the codes stay")
                try requireEqual(try await remove(nil), removed, "all passkeys")
                try require(try await !left(), "the codes go")
            }
        },
        promise("Who is blocked gets no recovery codes, and who is removed leaves none") { scene in
            let store = scene.store
            let blocked = try await scene.signUp(blockedAt: scene.now)
            try require(
                try await !store.replaceRecoveryCodes(
                    with: scene.codeSet(of: blocked.user.id),
                    codes: [randomBytes(32)],
                    audit: scene.audit("x")
                ),
                "the blocked user's set"
            )
            let person = try await scene.signUp()
            let code = randomBytes(32)
            _ = try await store.replaceRecoveryCodes(
                with: scene.codeSet(of: person.user.id),
                codes: [code],
                audit: scene.audit("x")
            )
            let recovery = scene.started(for: person.user.id)
            try await store.begin(recovery, notices: [], isFeigned: false, audit: scene.audit("recovery_started"))
            try require(
                try await store.remove(person.user.id, tenant: scene.tenant, audit: scene.audit("sapi")),
                "the user is removed"
            )
            try requireEqual(
                try await store.recoveryCodes(of: person.user.id, tenant: scene.tenant),
                nil,
                "the set of who is gone"
            )
            try require(try await !scene.tries(code, .recoveryCode, recovery), "their codes are void")
        },
    ]
}

extension Scene {
    func codeSet(of user: UserID) -> RecoveryCodeSet {
        RecoveryCodeSet(
            id: RecoveryCodeSetID(random: randomBytes(12)),
            tenant: tenant,
            user: user,
            sessionHash: randomBytes(32),
            createdAt: now
        )
    }

    /// A recovery that takes codes for five seconds, and may end within ten.
    func started(for user: UserID) -> StartedRecovery {
        StartedRecovery(
            tenant: tenant,
            hash: randomBytes(32),
            client: client,
            connection: connection,
            user: user,
            name: "name \(user.hex)",
            codeHash: randomBytes(32),
            createdAt: now,
            expiresAt: later(5000),
            keptUntil: later(10_000)
        )
    }

    func tries(
        _ hash: [UInt8],
        _ kind: RecoveryProof.Kind,
        _ recovery: StartedRecovery,
        at time: UnixTime? = nil
    ) async throws(StoreError) -> Bool {
        try await store.tryCode(RecoveryProof(kind, hash: hash), for: recovery, limit: 5, now: time ?? later(1))
    }

    /// A mail with the ticket of its link.
    func notice(of user: UserID) -> Notice {
        Notice(
            mail: OutboxMail(
                id: MailID(TimeOrderedID(now: now, random: randomBytes(10))),
                tenant: tenant,
                kind: .recoveryEnded,
                messageID: "x@example.com",
                sealed: randomBytes(40),
                createdAt: now
            ),
            ticket: Identity.Ticket(
                tenant: tenant,
                hash: randomBytes(32),
                purpose: .disowning,
                user: user,
                parameters: [:],
                createdAt: now,
                expiresAt: later(100_000)
            )
        )
    }
}
