import Encodings
import Identity
import SoftwareAuthenticator
import Testing
import WebAuthn

@testable import Passkeys

@Suite("HTTP contract 12.1 and section 10: one more passkey, with fresh proof")
struct EnrollmentTests {
    /// A house with a user who has just signed up.
    private func signedIn(
        _ change: (inout House.Setting) -> Void = { _ in }
    ) async throws -> (House, User, Session, Authenticator) {
        let house = House(change)
        var phone = Authenticator()
        let verified = try await house.signUp("ana@example.com", &phone)
        return (house, verified.user, house.session(verified.authentication), phone)
    }

    private func begin(
        _ house: House,
        _ user: User,
        _ session: Session,
        username: String? = nil
    ) async throws -> Begun<CreationOptions> {
        try await house.enrollment.begin(
            username: username,
            user: user,
            session: session,
            at: .browser,
            client: house.client,
            in: house.context
        )
    }

    @Test("The new passkey has the user's handle, and the old ones are excluded")
    func enrolls() async throws {
        let (house, user, session, phone) = try await signedIn()
        let begun = try await begin(house, user, session, username: "Ana@example.com")
        #expect(begun.options.excludeCredentials?.map(\.id) == phone.credentials.map(\.id))
        #expect(begun.options.userID == house.store.now.handles[user.id])
        var tablet = Authenticator()
        let answer = try tablet.create(begun.options.json, origin: house.origin)
        let pending = try await house.takeEnrollment(begun.session)
        let passkey = try await house.enrollment.finish(
            answer,
            answering: pending,
            user: user,
            session: session,
            in: house.context
        )
        // Its challenge may come back, of a cache that was restored, when the passkey was removed.
        let kept = house.store.now.passkeys
        house.store.change { state in state.passkeys.removeAll { $0.id == passkey.id } }
        await #expect(throws: PasskeyError.sessionInvalid) {
            try await house.enrollment.finish(
                answer,
                answering: pending,
                user: user,
                session: session,
                in: house.context
            )
        }
        house.store.change { $0.passkeys = kept }
        #expect(passkey.enrolledBy == .enroll)
        #expect(house.store.now.passkeys.map(\.user) == [user.id, user.id])
        #expect(house.store.now.events.last?.types == ["gd_enrollment_complete"])
        #expect(try await house.signIn(&tablet).user.id == user.id)
    }

    @Test("A session that is too old, or was made with a password while there is a passkey, is no proof")
    func freshProof() async throws {
        let (house, user, session, _) = try await signedIn()
        let stale = PasskeyError.insufficientUserAuthentication(maximumAge: 900)
        house.pass(seconds: 900)
        _ = try await begin(house, user, session)
        house.pass(seconds: 1)
        await #expect(throws: stale) { try await begin(house, user, session) }

        let password = Authentication(user: user, amr: ["pwd"], acr: nil, passkey: nil, at: house.setting.now)
        await #expect(throws: stale) { try await begin(house, user, house.session(password)) }
        let recovered = Authentication(user: user, amr: ["rcv"], acr: nil, passkey: nil, at: house.setting.now)
        _ = try await begin(house, user, house.session(recovered))
        // A user without any passkey may come with a password.
        house.store.change { $0.passkeys = [] }
        _ = try await begin(house, user, house.session(password))
    }

    @Test("Another session than the one it was begun in adds nothing")
    func otherSession() async throws {
        let (house, user, session, _) = try await signedIn()
        let begun = try await begin(house, user, session)
        var tablet = Authenticator()
        let answer = try tablet.create(begun.options.json, origin: house.origin)
        let pending = try await house.takeEnrollment(begun.session)
        var other = Authenticator()
        let bo = try await house.signUp("bo@example.com", &other)
        let again = Authentication(user: user, amr: ["phr"], acr: nil, passkey: nil, at: house.setting.now)
        for (user, session) in [
            (user, house.session(again)), (bo.user, session), (bo.user, house.session(bo.authentication)),
        ] {
            await #expect(throws: PasskeyError.sessionInvalid) {
                try await house.enrollment.finish(
                    answer,
                    answering: pending,
                    user: user,
                    session: session,
                    in: house.context
                )
            }
        }
        #expect(house.store.now.passkeys.count == 2)
    }

    @Test("A name that is not the user's is refused")
    func foreignName() async throws {
        let (house, user, session, _) = try await signedIn()
        for name in ["bo@example.com", "", "no name"] {
            await #expect(throws: PasskeyError.invalidIdentifier("username")) {
                try await begin(house, user, session, username: name)
            }
        }
    }

    @Test("There are never more passkeys than the policy allows")
    func maximum() async throws {
        let (house, user, session, _) = try await signedIn { $0.options.passkey.maximumPerUser = 2 }
        var answers: [(JSONObject, Enrollment.Pending)] = []
        for _ in 0..<2 {
            let begun = try await begin(house, user, session)
            var tablet = Authenticator()
            let answer = try tablet.create(begun.options.json, origin: house.origin)
            answers.append((answer, try await house.takeEnrollment(begun.session)))
        }
        let (first, second) = (answers[0], answers[1])
        _ = try await house.enrollment.finish(
            first.0,
            answering: first.1,
            user: user,
            session: session,
            in: house.context
        )
        await #expect(throws: PasskeyError.tooManyPasskeys(second.1.id)) {
            try await house.enrollment.finish(
                second.0,
                answering: second.1,
                user: user,
                session: session,
                in: house.context
            )
        }
        await #expect(throws: PasskeyError.tooManyPasskeys(nil)) { try await begin(house, user, session) }
        _ = await house.refusals.flush()
        let record = try #require(try await house.store.ceremony(second.1.id))
        #expect(record.outcome == "too_many_passkeys")
        #expect(record.details["policy"] == "options.passkey_options.webauthn.max_passkeys_per_user")
        #expect(house.store.now.passkeys.count == 2)
    }

    @Test("A registered credential is refused, whoever owns it")
    func credentialExists() async throws {
        let (house, user, session, _) = try await signedIn()
        var theirs = Authenticator()
        try await house.signUp("bo@example.com", &theirs)
        let begun = try await begin(house, user, session)
        let answer = try theirs.create(begun.options.json, origin: house.origin, fault: .credentialExists)
        let pending = try await house.takeEnrollment(begun.session)
        let refused = await refusal {
            _ = try await house.enrollment.finish(
                answer,
                answering: pending,
                user: user,
                session: session,
                in: house.context
            )
        }
        #expect(refused?.error.reason == .credentialExists)
        #expect(house.store.now.passkeys.count == 2)
        _ = await house.refusals.flush()
        #expect(house.store.now.events.last?.types == ["gd_webauthn_enrollment_failed"])
    }
}
