import Encodings
import Identity
import SoftwareAuthenticator
import Testing
import WebAuthn

@testable import Passkeys

@Suite("HTTP contract 5.2 to 5.3 and 12.3 to 12.4: sign-in with a passkey")
struct LoginTests {
    @Test("A sign-in stores counter, backup state and session in one step")
    func signsIn() async throws {
        let house = House()
        var key = Authenticator(.securityKey)
        let signedUp = try await house.signUp("ana@example.com", &key)
        house.pass(seconds: 60)
        let verified = try await house.signIn(&key)
        #expect(verified.user.id == signedUp.user.id)
        #expect(verified.authentication.passkey == verified.passkey.number)
        #expect(verified.authentication.amr == ["phr", "pop", "user", "mfa"])
        let state = house.store.now
        #expect(state.passkeys.first?.record.signCount == 1)
        #expect(state.passkeys.first?.lastUsedAt == house.setting.now)
        let login = try #require(state.logins.last)
        #expect(login.audit.types == ["s", "sepkft"])
        #expect(login.ceremony?.purpose == "login")
        #expect(login.ceremony?.user == signedUp.user.id)
    }

    @Test("Each fault of a response is refused with its reason, and takes the session", arguments: loginFaults)
    func refuses(_ fault: Fault) async throws {
        let house = House { $0.options.passkey.userVerification = .required }
        var key = Authenticator(.securityKey)
        try await house.signUp("ana@example.com", &key)
        try await house.signIn(&key)
        try await house.signIn(&key)
        let begun = try await house.beginLogin()
        let answer = try key.get(begun.options.json, origin: house.origin, fault: fault)
        let pending = try await house.takeLogin(begun.session)
        let refused = await refusal {
            _ = try await house.login.verify(answer, answering: pending, in: house.context)
        }
        #expect(refused?.error.reason == fault.reason)
        #expect(refused?.ceremony == begun.ceremony)
        #expect((refused?.unknownCredential != nil) == (fault == .credentialUnknown))
        #expect(house.store.now.logins.count == 3)
        await #expect(throws: PasskeyError.sessionInvalid) { try await house.take(begun.session) }
        _ = await house.refusals.flush()
        #expect(try await house.store.ceremony(begun.ceremony)?.outcome == fault.reason.rawValue)
        #expect(house.store.now.events.last?.types == ["fepkft"])
    }

    static let loginFaults = Fault.allCases.filter { fault in
        fault.ceremonies.contains(.authentication) && fault != .credentialNotListed
    }

    @Test("A challenge that came back after its ceremony ended answers as one that was used")
    func endsOnce() async throws {
        let house = House()
        var phone = Authenticator()
        let signedUp = try await house.signUp("ana@example.com", &phone)
        let verified = try await house.signIn(&phone)
        let session = house.session(verified.authentication)
        await #expect(throws: PasskeyError.sessionInvalid) {
            try await house.login.store(verified, session: session, refresh: nil, in: house.context)
        }
        // One that was refused before, and is answered rightly now.
        let begun = try await house.beginLogin()
        let pending = try await house.takeLogin(begun.session)
        let wrong = try phone.get(begun.options.json, origin: house.origin, fault: .signatureWrong)
        #expect(await refusal { _ = try await house.login.verify(wrong, answering: pending, in: house.context) } != nil)
        _ = await house.refusals.flush()
        let right = try phone.get(begun.options.json, origin: house.origin)
        let late = try await house.login.verify(right, answering: pending, in: house.context)
        await #expect(throws: PasskeyError.sessionInvalid) {
            try await house.login.store(late, session: session, refresh: nil, in: house.context)
        }
        // A sign-up whose user was removed since.
        house.store.change { state in
            state.users = [:]
            state.passkeys = []
        }
        await #expect(throws: PasskeyError.sessionInvalid) {
            try await house.signUp.store(signedUp, session: session, refresh: nil, in: house.context)
        }
        #expect(house.store.now.users.isEmpty && house.store.now.logins.count == 2)
    }

    @Test("A refusal's record holds no challenge")
    func recordsNoChallenge() async throws {
        let house = House()
        var phone = Authenticator()
        try await house.signUp("ana@example.com", &phone)
        let begun = try await house.beginLogin()
        let answer = try phone.get(begun.options.json, origin: house.origin, fault: .challengeWrong)
        let pending = try await house.takeLogin(begun.session)
        _ = await refusal { _ = try await house.login.verify(answer, answering: pending, in: house.context) }
        _ = await house.refusals.flush()
        let record = try #require(try await house.store.ceremony(begun.ceremony))
        let text = String(decoding: JSONValue.object(record.details).serialized(), as: UTF8.self)
        #expect(!text.contains(Base64URL.encode(begun.options.challenge)))
        #expect(record.step == "7.2 step 11")
    }

    @Test("A credential is unknown only where nobody in the deployment has it")
    func unknownOrNot() async throws {
        let house = House()
        var phone = Authenticator()
        try await house.signUp("ana@example.com", &phone)
        // Deleted: nobody has it any more.
        let kept = house.store.now.passkeys
        house.store.change { $0.passkeys = [] }
        var refused = await refusal { _ = try await house.verifyLogin(&phone) }
        #expect(refused?.error.reason == .unknownCredential)
        #expect(refused?.unknownCredential?.credentialID == phone.credentials.first?.id)
        // Another tenant has it.
        house.store.change { state in
            state.passkeys = kept.map { passkey in
                Passkey(
                    number: passkey.number,
                    id: passkey.id,
                    tenant: TenantID(number: 8),
                    user: passkey.user,
                    relyingPartyID: passkey.relyingPartyID,
                    userHandle: passkey.userHandle,
                    record: passkey.record,
                    enrolledBy: .signup,
                    createdAt: passkey.createdAt
                )
            }
        }
        refused = await refusal { _ = try await house.verifyLogin(&phone) }
        #expect(refused?.error.reason == .signatureInvalid)
        #expect(refused?.unknownCredential == nil)
    }

    @Test("A passkey of another directory is refused like a wrong signature")
    func otherDirectory() async throws {
        let client = House().client
        let other = Connection(
            id: ConnectionID("con_other"),
            tenant: House.tenant,
            name: "other",
            enabledClients: [client.id],
            createdAt: UnixTime(seconds: 0)
        )
        let house = House {
            $0.otherConnections = [other]
            $0.tenant.defaultDirectory = House.realm
        }
        var phone = Authenticator()
        try await house.signUp("ana@example.com", &phone)
        house.set { $0.tenant.defaultDirectory = "other" }
        for fault in [nil, Fault.signatureWrong, .userHandleWrong, .backupEligibilityChanged] {
            let refused = await refusal { _ = try await house.verifyLogin(&phone, fault: fault) }
            #expect(refused?.error.reason == .signatureInvalid)
            #expect(refused?.unknownCredential == nil)
        }
    }

    @Test("Nothing of a blocked user is told before the signature was right")
    func blockedUser() async throws {
        let house = House()
        var phone = Authenticator()
        let verified = try await house.signUp("ana@example.com", &phone)
        house.store.change { $0.users[verified.user.id]?.blockedAt = UnixTime(seconds: 1) }
        #expect(
            await refusal { _ = try await house.verifyLogin(&phone, fault: .signatureWrong) }?.error.reason
                == .signatureInvalid
        )
        #expect(await refusal { _ = try await house.verifyLogin(&phone) }?.error.reason == .userBlocked)
    }

    @Test("Who is blocked after the proof and before the session gets none")
    func blockedMeanwhile() async throws {
        let house = House()
        var phone = Authenticator()
        try await house.signUp("ana@example.com", &phone)
        let verified = try await house.verifyLogin(&phone)
        house.store.change { $0.users[verified.user.id]?.blockedAt = UnixTime(seconds: 1) }
        let refused = await refusal {
            try await house.login.store(
                verified,
                session: house.session(verified.authentication),
                refresh: nil,
                in: house.context
            )
        }
        #expect(refused?.error.reason == .userBlocked)
        #expect(house.store.now.logins.count == 1, "the sign-up's")
    }

    @Test("What a record holds is told to the holder of its key alone")
    func recordIsNotTold() async throws {
        let house = House()
        var phone = Authenticator()
        try await house.signUp("ana@example.com", &phone)
        for (fault, reason) in [
            (Fault.userHandleWrong, CeremonyReason.userHandleMismatch),
            (.backupEligibilityChanged, .backupFlagsInvalid),
        ] {
            #expect(await refusal { _ = try await house.verifyLogin(&phone, fault: fault) }?.error.reason == reason)
            // The same response with another signature tells no more than a made-up credential would.
            let begun = try await house.beginLogin()
            var answer = try phone.get(begun.options.json, origin: house.origin, fault: fault)
            var inner = try #require(answer["response"]?.object)
            var signature = try Base64URL.decode(try #require(inner["signature"]?.string))
            signature[signature.count - 1] ^= 1
            inner["signature"] = .string(Base64URL.encode(signature))
            answer["response"] = .object(inner)
            let pending = try await house.takeLogin(begun.session)
            let refused = await refusal {
                _ = try await house.login.verify(answer, answering: pending, in: house.context)
            }
            #expect(refused?.error.reason == .signatureInvalid)
        }
    }

    @Test("Of two sign-ins with one counter the second is refused when it is stored")
    func counterRace() async throws {
        let house = House()
        var key = Authenticator(.securityKey)
        try await house.signUp("ana@example.com", &key)
        var copy = key
        let first = try await house.verifyLogin(&key)
        let second = try await house.verifyLogin(&copy)
        let session = house.session(first.authentication)
        try await house.login.store(first, session: session, refresh: nil, in: house.context)
        let refused = await refusal {
            try await house.login.store(second, session: session, refresh: nil, in: house.context)
        }
        #expect(refused?.error.reason == .counterRegression)
        #expect(house.store.now.logins.count == 2)
    }

    @Test("A counter that stands still: refused, suspended or written down, by the policy")
    func counterPolicies() async throws {
        for policy in CounterPolicy.allCases {
            let house = House { $0.options.passkey.counterPolicy = policy }
            var key = Authenticator(.securityKey)
            try await house.signUp("ana@example.com", &key)
            try await house.signIn(&key)
            let begun = try await house.beginLogin()
            let answer = try key.get(begun.options.json, origin: house.origin, fault: .counterStands)
            let pending = try await house.takeLogin(begun.session)
            let refused = await refusal {
                let verified = try await house.login.verify(answer, answering: pending, in: house.context)
                let session = house.session(verified.authentication)
                try await house.login.store(verified, session: session, refresh: nil, in: house.context)
            }
            let state = house.store.now
            #expect(refused?.error.reason == (policy == .warn ? nil : .counterRegression))
            #expect((state.passkeys.first?.suspendedAt != nil) == (policy == .disable))
            #expect(state.events.contains { $0.types == ["passkey_suspended"] } == (policy == .disable))
            if policy == .warn { #expect(state.logins.last?.audit.details["counter_regressed"] == true) }
            // A suspended passkey signs nobody in, even with a counter that rises.
            let next = await refusal { _ = try await house.verifyLogin(&key) }
            #expect(next?.error.reason == (policy == .disable ? .counterRegression : nil))
        }
    }

    @Test("A name lists its passkeys and signs in that user or nobody")
    func named() async throws {
        let house = House()
        var phone = Authenticator()
        var tablet = Authenticator()
        let ana = try await house.signUp("ana@example.com", &phone)
        try await house.signUp("bo@example.com", &tablet)
        let begun = try await house.beginLogin(" ANA@example.com")
        let list = try #require(begun.options.allowCredentials)
        #expect(list.map(\.id) == phone.credentials.map(\.id))
        #expect(list.first?.transports == ["internal", "hybrid"])
        #expect(try await house.signIn(&phone, username: "ana@example.com").user.id == ana.user.id)
        // Another user's passkey, in a response that is right in itself.
        for lists in [true, false] {
            house.set { $0.tenant.listAllowCredentials = lists }
            let begun = try await house.beginLogin("ana@example.com")
            var options = begun.options.json
            options["allowCredentials"] = []
            let answer = try tablet.get(options, origin: house.origin)
            let pending = try await house.takeLogin(begun.session, at: .browser)
            let refused = await refusal {
                _ = try await house.login.verify(answer, answering: pending, in: house.context)
            }
            #expect(refused?.error.reason == .signatureInvalid)
            #expect(refused?.unknownCredential == nil)
        }
    }

    @Test("With lists switched off nobody's credentials are named, and the right user still signs in")
    func withoutLists() async throws {
        let house = House { $0.tenant.listAllowCredentials = false }
        var phone = Authenticator()
        let ana = try await house.signUp("ana@example.com", &phone)
        for name in ["ana@example.com", "nobody@example.com"] {
            #expect(try await house.beginLogin(name).options.allowCredentials == [])
        }
        #expect(try await house.signIn(&phone, username: "ana@example.com").user.id == ana.user.id)
        #expect(
            await refusal { _ = try await house.verifyLogin(&phone, username: "nobody@example.com") }?.error.reason
                == .signatureInvalid
        )
    }
}
