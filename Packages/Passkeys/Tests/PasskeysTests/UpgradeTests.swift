import Encodings
import Identity
import SoftwareAuthenticator
import Testing
import WebAuthn

@testable import Passkeys

@Suite("HTTP contract 9.4 and WebAuthn L3 §5.1.3: a passkey without asking, after a password")
struct UpgradeTests {
    /// A house with a user who has no passkey and came with a password.
    private func password(
        _ amr: [String] = ["pwd"],
        _ change: (inout House.Setting) -> Void = { _ in }
    ) async throws -> (House, User, Session) {
        let house = House { setting in
            setting.options.passkey.stored["upgrade_without_notice"] = true
            change(&setting)
        }
        var lost = Authenticator()
        let user = try await house.signUp("ana@example.com", &lost).user
        house.store.change { $0.passkeys = [] }
        return (house, user, session(house, user, amr))
    }

    private func session(_ house: House, _ user: User, _ amr: [String] = ["pwd"]) -> Session {
        house.session(Authentication(user: user, amr: amr, acr: nil, passkey: nil, at: house.setting.now))
    }

    /// Offers an upgrade, as a sign-in with a password that was set `age` seconds ago does.
    @discardableResult
    private func offer(
        _ house: House,
        _ user: User,
        _ session: Session,
        passwordAge age: Int64 = 86_400
    ) async throws -> Begun<CreationOptions>? {
        try await house.enrollment.offerUpgrade(
            to: user,
            in: session,
            passwordChangedAt: house.setting.now.adding(seconds: -age),
            client: house.client,
            house.context
        )
    }

    private func begin(
        _ house: House,
        _ user: User,
        _ session: Session,
        conditional: Bool = true
    ) async throws -> Begun<CreationOptions> {
        try await house.enrollment.begin(
            conditional: conditional,
            user: user,
            session: session,
            at: .browser,
            client: house.client,
            in: house.context
        )
    }

    /// Answers as an authenticator that asked nobody.
    private func finish(
        _ house: House,
        _ begun: Begun<CreationOptions>,
        _ user: User,
        _ session: Session,
        with phone: inout Authenticator
    ) async throws -> Passkey {
        try await house.enrollment.finish(
            try phone.create(begun.options.json, origin: house.origin, conditional: true),
            answering: house.takeEnrollment(begun.session),
            user: user,
            session: session,
            in: house.context
        )
    }

    @Test("UP and UV may be missing, the passkey says how it came, and its UV counts later by policy")
    func upgrades() async throws {
        let (house, user, session) = try await password(["pwd"]) { $0.options.passkey.userVerification = .required }
        let begun = try #require(try await offer(house, user, session))
        #expect(begun.options.authenticatorSelection.userVerification == .preferred, "whatever policy says")
        #expect(begun.options.excludeCredentials == [])
        var phone = Authenticator()
        let passkey = try await finish(house, begun, user, session, with: &phone)
        #expect(passkey.enrolledBy == .upgrade)
        #expect(!passkey.record.uvInitialized)
        let event = try #require(house.store.now.events.last)
        #expect(event.types == ["passkey_upgraded"])
        #expect(event.details["session_id"]?.string == session.id.text)
        let record = try #require(try await house.store.ceremony(begun.ceremony))
        #expect(record.purpose == "upgrade" && record.outcome == "accepted")
        #expect(record.details["flags"]?.array?.contains("UP") == false)
        // The password was the other proof: the first login with UV makes it count from the next one on.
        #expect(try await house.signIn(&phone).authentication.amr == ["phr", "pop", "user"])
        #expect(try await house.signIn(&phone).authentication.amr == ["phr", "pop", "user", "mfa"])
    }

    @Test("UP missing from the answer to any other ceremony is refused, also in the same session")
    func otherCeremonies() async throws {
        let (house, user, session) = try await password()
        let begun = try await begin(house, user, session, conditional: false)
        var phone = Authenticator()
        let refused = await refusal {
            _ = try await finish(house, begun, user, session, with: &phone)
        }
        #expect(refused?.error.reason == .userPresenceMissing)
    }

    @Test("A waiting upgrade goes through a cache outside the process and stays one")
    func cached() async throws {
        let (house, user, session) = try await password()
        try await offer(house, user, session)
        let pending = try #require(house.store.now.pending.values.first)
        #expect(PendingCeremony(decoding: pending.encoded) == pending)
    }

    @Test(
        "There is an offer after a password alone",
        arguments: [
            (["pwd"], true), (["pwd", "otp", "mfa"], true), (["phr", "pop"], false), (["rcv", "otp"], false),
            (["pwd", "rcv"], false), ([], false),
        ] as [([String], Bool)]
    )
    func methods(_ amr: [String], _ isOffered: Bool) async throws {
        let (house, user, session) = try await password(amr)
        #expect(try await (offer(house, user, session) != nil) == isOffered)
        if isOffered {
            _ = try await begin(house, user, session)
        } else {
            await #expect(throws: PasskeyError.upgradeNotOffered) { try await begin(house, user, session) }
        }
    }

    @Test("One offer, one ceremony: begun anew it voids the one before, and with its answer the offer ends")
    func oneCeremony() async throws {
        let (house, user, session) = try await password()
        await #expect(throws: PasskeyError.upgradeNotOffered, "a session alone is no offer") {
            try await begin(house, user, session)
        }
        let first = try #require(try await offer(house, user, session))
        let second = try await begin(house, user, session)
        var phone = Authenticator()
        await #expect(throws: PasskeyError.sessionInvalid) {
            try await finish(house, first, user, session, with: &phone)
        }
        let third = try await begin(house, user, session)
        await #expect(throws: PasskeyError.sessionInvalid) {
            try await finish(house, second, user, session, with: &phone)
        }
        let refused = await refusal {
            _ = try await house.enrollment.finish(
                try phone.create(third.options.json, origin: "https://evil.example.com", conditional: true),
                answering: house.takeEnrollment(third.session),
                user: user,
                session: session,
                in: house.context
            )
        }
        #expect(refused?.error.reason == .originMismatch)
        await #expect(throws: PasskeyError.upgradeNotOffered, "it was answered") {
            try await begin(house, user, session)
        }
        #expect(house.store.now.pending.isEmpty)
    }

    @Test("A ceremony that was taken and not yet answered is begun by nobody anew")
    func takenMeanwhile() async throws {
        let (house, user, session) = try await password()
        let begun = try #require(try await offer(house, user, session))
        let pending = try await house.takeEnrollment(begun.session)
        await #expect(throws: PasskeyError.upgradeNotOffered) { try await begin(house, user, session) }
        var phone = Authenticator()
        _ = try await house.enrollment.finish(
            try phone.create(begun.options.json, origin: house.origin, conditional: true),
            answering: pending,
            user: user,
            session: session,
            in: house.context
        )
    }

    @Test("A ceremony that nobody answered in its time may be begun anew while the offer stands")
    func timedOut() async throws {
        let (house, user, session) = try await password(["pwd"]) {
            $0.options.passkey.timeoutMilliseconds = 30_000
        }
        try await offer(house, user, session)
        house.pass(seconds: 120)
        let begun = try await begin(house, user, session)
        var phone = Authenticator()
        _ = try await finish(house, begun, user, session, with: &phone)
    }

    @Test("A password that was changed in the last 24 hours is followed by no offer; the first one is no change")
    func changedPassword() async throws {
        let (house, user, session) = try await password()
        #expect(try await offer(house, user, session, passwordAge: 0) != nil, "set at sign-up")
        house.pass(seconds: 3 * 86_400)
        let later = self.session(house, user)
        #expect(try await offer(house, user, later, passwordAge: 86_399) == nil)
        #expect(try await offer(house, user, later, passwordAge: 86_400) != nil)
    }

    @Test("The offer ends after five minutes, with the switch, with the session, and is this client's alone")
    func ends() async throws {
        let (house, user, session) = try await password()
        try await offer(house, user, session)
        house.pass(seconds: 299)
        _ = try await begin(house, user, session)
        house.pass(seconds: 2)
        await #expect(throws: PasskeyError.upgradeNotOffered) { try await begin(house, user, session) }

        var ended = self.session(house, user)
        try await offer(house, user, ended)
        ended.revokedAt = house.setting.now
        await #expect(throws: PasskeyError.upgradeNotOffered) { try await begin(house, user, ended) }

        let fresh = self.session(house, user)
        try await offer(house, user, fresh)
        let other = House.client("Other000000000000000000000000000")
        house.set { $0.otherClients = [other] }
        await #expect(throws: PasskeyError.upgradeNotOffered) {
            try await house.enrollment.begin(
                conditional: true,
                user: user,
                session: fresh,
                at: .browser,
                client: other,
                in: house.context
            )
        }
        house.set { $0.options.passkey.progressiveEnrollment = false }
        await #expect(throws: PasskeyError.upgradeNotOffered) { try await begin(house, user, fresh) }
        #expect(try await offer(house, user, self.session(house, user)) == nil)
    }

    @Test("Without mail there is an offer only where the tenant waives the notice")
    func notice() async throws {
        let (house, user, session) = try await password()
        try await offer(house, user, session)
        house.set { $0.options.passkey.stored["upgrade_without_notice"] = nil }
        await #expect(throws: PasskeyError.upgradeNotOffered) { try await begin(house, user, session) }
        #expect(try await offer(house, user, self.session(house, user)) == nil)
    }

    @Test("Who has a passkey of the RP ID is offered none, when it begins and when it ends")
    func once() async throws {
        let (house, user, session) = try await password()
        let other = self.session(house, user)
        let first = try #require(try await offer(house, user, session))
        let second = try #require(try await offer(house, user, other))
        var (phone, tablet) = (Authenticator(), Authenticator())
        _ = try await finish(house, first, user, session, with: &phone)
        await #expect(throws: PasskeyError.upgradeNotOffered) {
            try await finish(house, second, user, other, with: &tablet)
        }
        await #expect(throws: PasskeyError.upgradeNotOffered) { try await begin(house, user, session) }
        #expect(try await offer(house, user, self.session(house, user)) == nil)
        #expect(house.store.now.passkeys.count == 1)
        _ = await house.refusals.flush()
        let record = try #require(try await house.store.ceremony(second.ceremony))
        #expect(record.purpose == "upgrade" && record.outcome == "upgrade_not_offered")
    }

    @Test("A passkey of another RP ID stands in no upgrade's way")
    func otherRelyingParty() async throws {
        let (house, user, session) = try await password()
        house.set { $0.domain = House.domain("old.example.com", isCanonical: true) }
        var phone = Authenticator()
        let old = try #require(try await offer(house, user, session))
        _ = try await finish(house, old, user, session, with: &phone)
        house.set { $0.domain = House.domain("login.example.com", isCanonical: true) }
        let begun = try #require(try await offer(house, user, session))
        #expect(begun.options.excludeCredentials == [])
        var tablet = Authenticator()
        _ = try await finish(house, begun, user, session, with: &tablet)
        #expect(house.store.now.passkeys.map(\.relyingPartyID) == ["old.example.com", "login.example.com"])
    }
}
