import Encodings
import Identity
import WebAuthn

extension CredentialDatabaseContract {
    static let passwordResets = [
        promise("A ticket and the mail that brings it are kept together") { scene in
            let person = try await scene.signUp()
            let ticket = ticket(of: person.user.id, scene)
            let mail = OutboxMail(
                id: MailID(TimeOrderedID(now: scene.now, random: randomBytes(10))),
                tenant: scene.tenant,
                kind: .passwordReset,
                messageID: "x@example.com",
                sealed: randomBytes(40),
                createdAt: scene.now
            )
            try await scene.store.add(ticket, mail: mail, audit: scene.audit("scpr"))
            let waiting = try await scene.store.mails(dead: false, of: scene.tenant, limit: 10)
            try requireEqual(waiting.map(\.mail), [mail], "the mails")
            try require(
                try await scene.store.ticket(
                    hash: ticket.hash,
                    for: .passwordChange,
                    of: scene.tenant,
                    now: ticket.expiresAt
                ) == nil,
                "none when it is over"
            )
        },
        promise("A ticket for nobody leaves nothing but its record") { scene in
            let ticket = ticket(of: scene.user().id, scene)
            let mail = OutboxMail(
                id: MailID(TimeOrderedID(now: scene.now, random: randomBytes(10))),
                tenant: scene.tenant,
                kind: .passwordReset,
                messageID: "x@example.com",
                sealed: randomBytes(40),
                createdAt: scene.now
            )
            try await scene.store.feign(ticket, mail: mail, audit: scene.audit("fcpr"))
            let waiting = try await scene.store.mails(dead: false, of: scene.tenant, limit: 10)
            try require(waiting.isEmpty, "no mail waits")
            let kept = try await scene.store.ticket(
                hash: ticket.hash,
                for: .passwordChange,
                of: scene.tenant,
                now: scene.now
            )
            try require(kept == nil, "no ticket is there")
            let events = try await scene.store.events(of: scene.tenant, user: nil, from: .before(nil), limit: 10)
            try require(events.contains { $0.event.types == ["fcpr"] }, "the record is there")
        },
        promise("A new password by a ticket ends sessions and tokens, and forgets the tries in vain") { scene in
            let store = scene.store
            let person = try await scene.signUp()
            let ticket = ticket(of: person.user.id, scene)
            try await store.add(ticket, mail: nil, audit: scene.audit("scpr"))
            let name = try requireSome(person.user.identifiers.first, "a name")
            let tried = TriedName(connection: person.user.connection, identifier: name, nameHash: randomBytes(32))
            _ = try await store.beginPasswordTry(
                nameHash: tried.nameHash,
                identifier: name,
                in: tried.connection,
                of: scene.tenant,
                limit: 9,
                now: scene.later(9_000)
            )
            let review = ticket2(of: person.user.id, scene)
            let effect = try await effect(ticket, person.user.id, scene, tries: [tried], review: review)
            try requireEqual(try await store.reset(effect, audit: audit(scene)), .done, "the reset")
            try requireEqual(
                try await store.password(of: person.user.id, tenant: scene.tenant),
                effect.password,
                "the password"
            )
            let user = try requireSome(try await store.user(person.user.id, of: scene.tenant), "the user")
            try requireEqual(user.identifiers, effect.new.identifiers, "the names, verified")
            try requireEqual(user.updatedAt, effect.new.updatedAt, "the time of the change")
            let session = try await store.session(person.session.id, of: scene.tenant)
            try requireEqual(session?.revokedAt, scene.later(10_000), "the end of the session")
            let grant = try await store.refreshGrant(person.refresh.token.id, of: scene.tenant)
            try requireEqual(grant?.family.revokedAt, scene.later(10_000), "the end of its tokens")
            try requireEqual(
                try await store.passwordTries(of: [tried], tenant: scene.tenant),
                [0],
                "the tries in vain"
            )
            let passkeys = try await store.passkeys(of: person.user.id, relyingPartyID: nil, tenant: scene.tenant)
            try requireEqual(passkeys.map(\.id), [person.passkey.id], "the passkeys, which stay")
            try requireEqual(try await store.reset(effect, audit: audit(scene)), .ticketGone, "another time")

            // The last page: what the user does not know goes.
            let other = try await scene.signUp()
            try require(
                try await store.review(
                    review,
                    removing: [person.passkey.id, other.passkey.id],
                    now: scene.later(11_000),
                    audit: audit(scene)
                ),
                "the review"
            )
            let left = try await store.passkeys(of: person.user.id, relyingPartyID: nil, tenant: scene.tenant)
            try require(left.isEmpty, "the passkey is gone")
            let others = try await store.passkeys(of: other.user.id, relyingPartyID: nil, tenant: scene.tenant)
            try requireEqual(others.count, 1, "another's passkeys")
            let isAgain = try await store.review(
                review,
                removing: [],
                now: scene.later(11_000),
                audit: audit(scene)
            )
            try require(!isAgain, "a review is spent")
        },
        promise("A password for an address that is proven for the first time leaves nothing of before") { scene in
            let store = scene.store
            let person = try await scene.signUp()
            let ticket = ticket(of: person.user.id, scene)
            try await store.add(ticket, mail: nil, audit: scene.audit("scpr"))
            let effect = try await effect(ticket, person.user.id, scene, removesPasskeys: true)
            try requireEqual(try await store.reset(effect, audit: audit(scene)), .done, "the reset")
            let passkeys = try await store.passkeys(of: person.user.id, relyingPartyID: nil, tenant: scene.tenant)
            try require(passkeys.isEmpty, "no passkey is left")
            let candidate = try await store.candidate(
                credentialID: person.passkey.record.id,
                relyingPartyID: scene.relyingPartyID,
                tenant: scene.tenant
            )
            try require(candidate == nil, "it signs nobody in")
        },
        promise("A user who was changed meanwhile keeps the ticket, and of two resets at once one is done") { scene in
            let store = scene.store
            let person = try await scene.signUp()
            let ticket = ticket(of: person.user.id, scene)
            try await store.add(ticket, mail: nil, audit: scene.audit("scpr"))
            let late = try await effect(ticket, person.user.id, scene)
            var changed = late.old
            changed.updatedAt = scene.later(50)
            try require(
                try await store.change(UserChange(old: late.old, new: changed), audit: scene.audit("sapi")),
                "somebody changes the user"
            )
            try requireEqual(try await store.reset(late, audit: audit(scene)), .changedMeanwhile, "the reset")
            try require(
                try await store.password(of: person.user.id, tenant: scene.tenant) == nil,
                "no password was set"
            )
            let again = try await effect(ticket, person.user.id, scene)
            let outcomes = try await race(4) { _ in try await store.reset(again, audit: audit(scene)) }
            try requireEqual(outcomes.filter { $0 == .done }.count, 1, "the resets that are done")
        },
    ]

    private static func ticket(of user: UserID, _ scene: Scene) -> Identity.Ticket {
        Identity.Ticket(
            tenant: scene.tenant,
            hash: randomBytes(32),
            purpose: .passwordChange,
            user: user,
            parameters: ["email": "a@example.com"],
            createdAt: scene.now,
            expiresAt: scene.later(60_000)
        )
    }

    private static func ticket2(of user: UserID, _ scene: Scene) -> Identity.Ticket {
        Identity.Ticket(
            tenant: scene.tenant,
            hash: randomBytes(32),
            purpose: .passkeyReview,
            user: user,
            parameters: [:],
            createdAt: scene.later(10_000),
            expiresAt: scene.later(60_000)
        )
    }

    @Sendable private static func audit(_ scene: Scene) -> AuditEvent {
        scene.audit("scp", at: scene.later(10_000))
    }

    private static func effect(
        _ ticket: Identity.Ticket,
        _ user: UserID,
        _ scene: Scene,
        removesPasskeys: Bool = false,
        tries: [TriedName] = [],
        review: Identity.Ticket? = nil
    ) async throws -> PasswordResetEffect {
        let old = try requireSome(try await scene.store.user(user, of: scene.tenant), "the user")
        var new = old
        new.updatedAt = old.updatedAt.adding(milliseconds: 10_000)
        new.identifiers = old.identifiers.map { identifier in
            var verified = identifier
            verified.isVerified = true
            return verified
        }
        return PasswordResetEffect(
            ticket: ticket,
            old: old,
            new: new,
            password: scene.password(),
            removesPasskeys: removesPasskeys,
            tries: tries,
            review: review
        )
    }
}
