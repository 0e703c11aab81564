import Encodings
import Identity
import SoftwareAuthenticator
import Testing
import WebAuthn

@testable import Passkeys

@Suite("HTTP contract 5.1 and 5.3: sign-up with a passkey")
struct SignUpTests {
    @Test("A sign-up makes the user, the passkey and the session in one step")
    func makesAUser() async throws {
        let house = House()
        var phone = Authenticator()
        let verified = try await house.signUp("Ana@Example.com", &phone)

        let state = house.store.now
        let user = try #require(state.users[verified.user.id])
        #expect(user.identifier(.email)?.canonical == "ana@example.com")
        #expect(user.identifier(.email)?.entered == "Ana@Example.com")
        let passkey = try #require(state.passkeys.first)
        #expect(passkey.user == user.id)
        #expect(passkey.enrolledBy == .signup)
        #expect(passkey.record.uvInitialized)
        #expect(passkey.userHandle == state.handles[user.id])
        #expect(verified.authentication.amr == ["phr", "pop", "user", "mfa"])
        #expect(verified.authentication.acr == "phr")
        let login = try #require(state.logins.first)
        #expect(login.ceremony?.outcome == CeremonyRecord.accepted)
        #expect(login.ceremony?.purpose == "signup")
        #expect(login.audit.types == ["ss", "sepkft"])
        #expect(state.logins.count == 1)
    }

    @Test("A security key that is bound to its device and attests to nobody known is no hardware proof")
    func untrustedHardware() async throws {
        let house = House()
        var key = Authenticator(.securityKey)
        let verified = try await house.signUp("ana@example.com", &key)
        #expect(!verified.authentication.amr.contains("hwk"))
        #expect(verified.authentication.acr == "phr")
    }

    @Test("Each fault of a response is refused with its reason, and takes the session", arguments: registrationFaults)
    func refuses(_ fault: Fault) async throws {
        let house = House {
            $0.options.passkey.userVerification = .required
        }
        var phone = Authenticator()
        try await house.signUp("first@example.com", &phone)
        let begun = try await house.beginSignUp("ana@example.com")
        let answer = try phone.create(begun.options.json, origin: house.origin, fault: fault)
        let refused = await refusal {
            let verified = try await house.signUp.verify(
                answer,
                answering: house.takeSignUp(begun.session),
                in: house.context
            )
            try await house.signUp.store(
                verified,
                session: house.session(verified.authentication),
                refresh: nil,
                in: house.context
            )
        }
        #expect(refused?.error.reason == fault.reason)
        #expect(refused?.ceremony == begun.ceremony)
        #expect(house.store.now.users.count == 1)
        // The challenge is gone, and so is the chance.
        await #expect(throws: PasskeyError.sessionInvalid) { try await house.take(begun.session) }
        // The operator can be told why.
        _ = await house.refusals.flush()
        let record = try await house.store.ceremony(begun.ceremony)
        #expect(record?.outcome == fault.reason.rawValue)
        #expect(house.store.now.events.last?.types == ["fs", "fepkft"])
    }

    /// Those that the default policy refuses without an attestation being asked for.
    static let registrationFaults = Fault.allCases.filter { fault in
        fault.ceremonies.contains(.registration) && !fault.needsAttestation
    }

    @Test("A registered credential id is refused, and is never said to be unknown")
    func credentialExists() async throws {
        let house = House()
        var phone = Authenticator()
        try await house.signUp("first@example.com", &phone)
        let begun = try await house.beginSignUp("ana@example.com")
        let answer = try phone.create(begun.options.json, origin: house.origin, fault: .credentialExists)
        let refused = await refusal {
            let verified = try await house.signUp.verify(
                answer,
                answering: house.takeSignUp(begun.session),
                in: house.context
            )
            try await house.signUp.store(
                verified,
                session: house.session(verified.authentication),
                refresh: nil,
                in: house.context
            )
        }
        #expect(refused?.error.reason == .credentialExists)
        #expect(refused?.unknownCredential == nil)
    }

    @Test("A key that was made in vain may be signalled as unknown")
    func signalsTheKey() async throws {
        let house = House()
        var phone = Authenticator()
        let begun = try await house.beginSignUp("ana@example.com")
        let answer = try phone.create(begun.options.json, origin: "https://evil.example")
        let refused = await refusal {
            _ = try await house.signUp.verify(answer, answering: house.takeSignUp(begun.session), in: house.context)
        }
        #expect(refused?.error.reason == .originMismatch)
        #expect(refused?.unknownCredential?.credentialID == phone.credentials.last?.id)
        #expect(refused?.unknownCredential?.relyingPartyID == "login.example.com")
    }

    @Test("Two sessions for one address may be open; the first to finish wins")
    func raceForAnAddress() async throws {
        let house = House()
        var phones = [Authenticator(), Authenticator()]
        var verified: [SignUp.Verified] = []
        for index in phones.indices {
            let begun = try await house.beginSignUp("ana@example.com")
            let answer = try phones[index].create(begun.options.json, origin: house.origin)
            let pending = try await house.takeSignUp(begun.session)
            verified.append(try await house.signUp.verify(answer, answering: pending, in: house.context))
        }
        let session = house.session(verified[0].authentication)
        try await house.signUp.store(verified[0], session: session, refresh: nil, in: house.context)
        await #expect(throws: PasskeyError.userExistsAtFinish(verified[1].pending.id)) {
            let session = house.session(verified[1].authentication)
            try await house.signUp.store(verified[1], session: session, refresh: nil, in: house.context)
        }
        #expect(house.store.now.users.count == 1)
        #expect(house.store.now.passkeys.count == 1)
        // And from now on it is told at the start, whatever the spelling.
        await #expect(throws: PasskeyError.userExists) { try await house.beginSignUp(" ANA@example.com") }
    }

    @Test("Sign-up that was switched off meanwhile is refused, and the session is gone")
    func switchedOff() async throws {
        let house = House()
        var phone = Authenticator()
        let begun = try await house.beginSignUp("ana@example.com")
        let answer = try phone.create(begun.options.json, origin: house.origin)
        house.set { $0.options.signupDisabled = true }
        await #expect(throws: PasskeyError.signupDisabled) { try await house.beginSignUp("bo@example.com") }
        let pending = try await house.takeSignUp(begun.session)
        await #expect(throws: PasskeyError.signupDisabled) {
            try await house.signUp.verify(answer, answering: pending, in: house.context)
        }
    }

    @Test("A response of a login is no answer to a sign-up")
    func otherKindOfAnswer() async throws {
        let house = House()
        var phone = Authenticator()
        try await house.signUp("first@example.com", &phone)
        let login = try await house.beginLogin()
        let assertion = try phone.get(login.options.json, origin: house.origin)
        let begun = try await house.beginSignUp("ana@example.com")
        let refused = await refusal {
            _ = try await house.signUp.verify(assertion, answering: house.takeSignUp(begun.session), in: house.context)
        }
        #expect(refused?.error.reason == .invalidResponse)
    }

    @Test("A store that does not answer is no refusal of the ceremony")
    func storeDown() async throws {
        let house = House()
        house.store.change { $0.fault = .unavailable(reason: "test") }
        await #expect(throws: PasskeyError.store(.unavailable(reason: "test"))) {
            try await house.beginSignUp("ana@example.com")
        }
    }
}
