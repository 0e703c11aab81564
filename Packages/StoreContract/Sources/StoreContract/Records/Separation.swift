import Identity
import WebAuthn

extension CredentialDatabaseContract {
    static let separation = [
        promise("A tenant never finds another's rows, by any key") { scene in
            let store = scene.store
            let person = try await scene.signUp()
            let cookie = randomBytes(32)
            let session = scene.session(of: person.user.id)
            let refresh = scene.refresh(for: session)
            let login = scene.login(session, refresh: refresh, cookieHash: cookie)
            _ = try await store.finishLogin(scene.use(person.number, signCount: 0), login: login)
            _ = try await store.remember(
                jtiHash: cookie,
                of: scene.tenant,
                until: scene.later(1000),
                now: scene.now
            )
            let other = try await Scene(store).tenant
            let email = try requireSome(person.user.identifiers.first, "the identifier")
            try requireEqual(
                try await store.user(with: email, in: scene.connection, of: other),
                nil,
                "the user by an identifier"
            )
            try requireEqual(try await store.user(person.user.id, of: other), nil, "the user")
            try requireEqual(try await store.users(of: other, before: nil, limit: 100), [], "the users")
            try requireEqual(try await store.userHandle(of: person.user.id, tenant: other), nil, "the user handle")
            try requireEqual(
                try await store.candidate(
                    credentialID: person.passkey.record.id,
                    relyingPartyID: scene.relyingPartyID,
                    tenant: other
                ),
                nil,
                "the candidate"
            )
            try requireEqual(
                try await store.passkeys(of: person.user.id, relyingPartyID: nil, tenant: other),
                [],
                "the passkeys"
            )
            try requireEqual(try await store.session(session.id, of: other), nil, "the session")
            try requireEqual(try await store.session(cookieHash: cookie, of: other), nil, "the session by cookie")
            try requireEqual(try await store.refreshGrant(refresh.token.id, of: other), nil, "the token")
            try requireEqual(try await store.signingKeys(of: other), [], "the signing keys")
            try requireEqual(
                try await store.ceremonies(of: other, failedOnly: false, since: nil, before: nil, limit: 10),
                [],
                "the ceremonies"
            )
            try require(
                try await store.remember(
                    jtiHash: cookie,
                    of: other,
                    until: scene.later(1000),
                    now: scene.now
                ),
                "an assertion that another tenant saw is new"
            )
        },
        promise("A tenant never changes another's rows, by any key") { scene in
            let store = scene.store
            let person = try await scene.signUp()
            let other = try await Scene(store)
            let audit = other.audit("x", at: scene.later(50))
            try requireEqual(
                try await store.remove(person.passkey.id, tenant: other.tenant, keepingLast: false, audit: audit),
                .notFound,
                "the removal of the passkey"
            )
            try await store.suspend(person.number, tenant: other.tenant, audit: audit)
            try await store.end(person.session.id, of: other.tenant, revokingRefreshTokens: true, audit: audit)
            try await store.touch(
                person.session.id,
                of: other.tenant,
                idleExpiresAt: scene.later(1),
                now: scene.later(50)
            )
            try await store.revoke(person.refresh.family.id, of: other.tenant, audit: audit)
            try await store.revokeAll(
                user: person.user.id,
                client: scene.client,
                audience: person.refresh.family.audience,
                of: other.tenant,
                audit: audit
            )
            let rotation = RefreshRotation(
                tenant: other.tenant,
                family: person.refresh.family.id,
                generation: 0,
                child: RefreshTokenID(TimeOrderedID(now: scene.now, random: randomBytes(10))),
                childSecretHash: randomBytes(32),
                leewayMilliseconds: 0,
                session: person.session.id,
                idleExpiresAt: scene.later(1),
                now: scene.later(50),
                device: scene.device
            )
            try requireEqual(
                try await store.rotate(rotation, exchanged: audit, reused: audit),
                .revoked,
                "the exchange"
            )
            try require(try await store.touch(rotation, exchanged: audit) == false, "the token is not touched")
            let added = try await store.add(
                other.passkey(of: person.user.id),
                maximum: 9,
                ceremony: other.ceremony(user: nil),
                audit: audit
            )
            try requireEqual(added, .userGone, "adding a passkey")
            let grant = try requireSome(
                try await store.refreshGrant(person.refresh.token.id, of: scene.tenant),
                "the token"
            )
            var session = person.session
            session.passkey = person.number
            try requireEqual(grant.family, person.refresh.family, "the family")
            try requireEqual(grant.session, session, "the session")
            let passkeys = try await store.passkeys(of: person.user.id, relyingPartyID: nil, tenant: scene.tenant)
            try requireEqual(passkeys.map(\.suspendedAt), [nil], "the passkeys' suspension")
        },
    ]
}
