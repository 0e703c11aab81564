import Encodings
import Identity
import SoftwareAuthenticator
import Tenancy
import Testing

@testable import HTTPAPI

/// Somebody who wants to get back in.
private struct Lost {
    var person: Person
    var house: House { person.house }
    private(set) var session = ""

    init(_ house: House) { person = Person(house) }

    mutating func start(_ identifier: String = "ana@example.com") async throws -> Answer {
        let answer = try await person.post("/recovery/start", ["identifier": .string(identifier)])
        session = answer.string("recovery_session") ?? ""
        return answer
    }

    func verify(_ code: String?, as member: String = "code", session other: String? = nil) async throws -> Answer {
        try await person.post(
            "/recovery/verify",
            ["recovery_session": .string(other ?? session), member: .string(code ?? "")]
        )
    }

    /// Makes the new passkey, and redeems it for tokens.
    mutating func redeem(_ begun: Answer, fault: Fault? = nil) async throws -> Answer {
        let options = try #require(begun["authn_params_public_key"]?.object, "\(begun)")
        let answer = try person.authenticator.create(options, origin: House.base, fault: fault)
        let session = begun.string("auth_session") ?? ""
        return try await person.send(
            .json("/oauth/token", person.redemption(session, answer, scope: "openid offline_access"))
        )
    }
}

@Suite("9.5: recovery by applications")
struct RecoveryRoutesTests {
    @Test("A mailed code leads to a new passkey and tokens, ends what was signed in, and tells of it")
    func byMail() async throws {
        try await House.with { (house) async throws in
            var owner = Person(house)
            let before = try await owner.signUp("ana@example.com")
            var lost = Lost(house)
            // The address was proven before.
            try await prove("ana@example.com", house)
            house.pass(seconds: 1)
            let started = try await lost.start()
            #expect(started.status == 202 && started.json.members.map(\.name) == ["recovery_session"], "\(started)")
            let code = try #require(house.mailbox.code)
            #expect(code.utf8.count == 8 && code.utf8.allSatisfy { 0x30...0x39 ~= $0 })
            #expect(house.mailbox.codeLink == House.base + "/u/recover/code?code=\(code)")

            // What fails is begun again with the same code.
            let failed = try await lost.redeem(try await lost.verify(code), fault: .originWrong)
            #expect(failed.status == 403 && failed.reason == "origin_mismatch", "\(failed)")
            let begun = try await lost.verify(code)
            #expect(begun.status == 200, "\(begun)")
            #expect(begun["authn_params_public_key"]?.object?["excludeCredentials"]?.array?.count == 1)
            let tokens = try await lost.redeem(begun)
            #expect(tokens.status == 200, "\(tokens)")
            let claims = try #require(AuthorizeTests.claims(tokens.string("id_token")))
            #expect(claims["amr"] == ["rcv", "otp"] && claims["acr"] == nil)
            #expect(tokens["passkey_upgrade"] == nil)

            let refreshed = try await owner.post(
                "/oauth/token",
                ["grant_type": "refresh_token", "refresh_token": .string(before.string("refresh_token") ?? "")]
            )
            #expect(refreshed.reason == "refresh_token_invalid", "\(refreshed)")
            // Older passkeys stay until their owner says so.
            #expect(try await owner.signIn()["verified"] == true)
            #expect(try await lost.person.signIn()["verified"] == true)
            let again = try await lost.verify(code)
            expect(again, 403, "invalid_grant", "Invalid or expired code", "recovery_code_invalid")
            let own = try await lost.person.post(
                "/oauth/token",
                ["grant_type": "refresh_token", "refresh_token": .string(tokens.string("refresh_token") ?? "")]
            )
            #expect(own.status == 200, "\(own)")

            guard case .recoveryEnded(let circumstances, let stop, 7)? = house.mailbox.letters.last?.occasion else {
                Issue.record("\(house.mailbox.letters)")
                return
            }
            #expect(circumstances.time == house.now && stop.hasPrefix(House.base + "/u/not-me?ticket="))
            let log = try await events(house)
            #expect(log.contains("recovery_started") && log.contains("recovery_succeeded"), "\(log)")
        }
    }

    @Test("An address that was never proven gets its account clean: what was made before goes")
    func clears() async throws {
        try await House.with { (house) async throws in
            var intruder = Person(house)
            let before = try await intruder.signUp("ana@example.com")
            var lost = Lost(house)
            _ = try await lost.start()
            let tokens = try await lost.redeem(try await lost.verify(house.mailbox.code))
            #expect(tokens.status == 200, "\(tokens)")
            #expect(try await intruder.signIn().reason == "unknown_credential")
            let refreshed = try await intruder.post(
                "/oauth/token",
                ["grant_type": "refresh_token", "refresh_token": .string(before.string("refresh_token") ?? "")]
            )
            #expect(refreshed.reason == "refresh_token_invalid", "\(refreshed)")
            let user = try await user("ana@example.com", house)
            #expect(user.identifier(.email)?.isVerified == true)
            let passkeys = try await house.store.passkeys(of: user.id, relyingPartyID: nil, tenant: user.tenant)
            #expect(passkeys.map(\.enrolledBy) == [.recovery])
        }
    }

    @Test("Nobody learns who is here: answers, and what follows from them, are the same")
    func tellsNobody() async throws {
        try await House.with { (house) async throws in
            var owner = Person(house)
            _ = try await owner.signUp("ana@example.com")
            for name in ["ana@example.com", "nobody@example.com", "+46701234567", "bo", "@", " "] {
                var lost = Lost(house)
                let started = try await lost.start(name)
                #expect(started.status == 202 && lost.session.utf8.count == 43, "\(name) \(started)")
                let wrong = try await lost.verify("12345678")
                expect(wrong, 403, "invalid_grant", "Invalid or expired code", "recovery_code_invalid")
                let printed = try await lost.verify("AAAAA-AAAAA-AAAAA-AAAAA", as: "recovery_code")
                expect(printed, 403, "invalid_grant", "Invalid or expired code", "recovery_code_invalid")
            }
            let tenant = house.management.id
            #expect(try await house.store.mails(dead: false, of: tenant, limit: 10).count == 1)
        }
    }

    @Test("A code is good for ten minutes, for the session and the client that asked, and until five were wrong")
    func limits() async throws {
        try await House.with { (house) async throws in
            var owner = Person(house)
            _ = try await owner.signUp("ana@example.com")
            var lost = Lost(house)
            var other = Lost(house)
            _ = try await other.start()
            _ = try await lost.start()
            let code = try #require(house.mailbox.code)
            #expect(try await other.verify(code).reason == "recovery_code_invalid")
            #expect(try await lost.verify(code, session: String(lost.session.reversed())).status == 403)
            #expect(try await lost.verify(code, session: "x").status == 403)
            var backend = lost
            backend.person.client = house.backend
            let foreign = try await backend.person.post(
                "/recovery/verify",
                [
                    "client_secret": .string(house.secret), "recovery_session": .string(lost.session),
                    "code": .string(code),
                ]
            )
            #expect(foreign.reason == "recovery_code_invalid", "\(foreign)")
            // Typed with a gap, as the mail shows it.
            #expect(try await lost.verify(code.prefix(4) + " " + code.dropFirst(4)).status == 200)
            for _ in 0..<5 { #expect(try await lost.verify("00000000").status == 403) }
            #expect(try await lost.verify(code).reason == "recovery_code_invalid")

            _ = try await lost.start()
            let late = house.mailbox.code
            house.pass(seconds: 599)
            let begun = try await lost.verify(late)
            #expect(begun.status == 200, "\(begun)")
            house.pass(seconds: 1)
            #expect(try await lost.verify(late).reason == "recovery_code_invalid")
            // What began in time ends in time.
            #expect(try await lost.redeem(begun).status == 200)
        }
    }

    @Test("Wrong codes are limited by name and by address, mails by name, and right codes count for nothing")
    func rates() async throws {
        try await House.with { (house) async throws in
            var owner = Person(house)
            _ = try await owner.signUp("ana@example.com")
            var limits = RateLimits.off
            limits.recoveryCodes = RateLimit(limit: 3, seconds: 3600)
            limits.recoveryMail = RateLimit(limit: 2, seconds: 3600)
            house.limit(limits)
            var lost = Lost(house)
            _ = try await lost.start()
            let code = house.mailbox.code
            for _ in 0..<5 { #expect(try await lost.verify(code).status == 200) }
            for _ in 0..<3 { #expect(try await lost.verify("00000000").status == 403) }
            let refused = try await lost.verify(code)
            #expect(refused.status == 429 && refused.reason == "rate_limited", "\(refused)")
            #expect(refused.header("retry-after") != nil)
            // Another name's are its own, as far as the address goes.
            for _ in 0..<12 { _ = try await lost.verify("00000000", session: "x") }
            var other = Lost(house)
            _ = try await other.start("bo@example.com")
            #expect(try await other.verify("00000000").status == 429)
            let tenant = house.management.id
            for _ in 0..<3 { #expect(try await lost.start().status == 202) }
            #expect(try await house.store.mails(dead: false, of: tenant, limit: 10).count == 2)
        }
    }

    @Test("The connection says which ways there are")
    func policy() async throws {
        try await House.with { (house) async throws in
            var owner = Person(house)
            _ = try await owner.signUp("ana@example.com")
            house.change { $0.options = { $0.recoveryMethods = [.recoveryCode] } }
            var lost = Lost(house)
            _ = try await lost.start()
            guard case .recoveryStarted? = house.mailbox.letters.last?.occasion else {
                Issue.record("\(house.mailbox.letters)")
                return
            }
            house.change { $0.options = { $0.recoveryMethods = [.email] } }
            _ = try await lost.start()
            let code = house.mailbox.code
            house.change { $0.options = { $0.recoveryMethods = [.passkey] } }
            #expect(try await lost.verify(code).reason == "recovery_code_invalid")
            house.change { $0.options = { $0.passkeysEnabled = false } }
            #expect(try await lost.start().reason == "passkeys_disabled")
        }
    }

    @Test("What a request lacks, and who may not ask, is told in the order of checks")
    func refusals() async throws {
        try await House.with { (house) async throws in
            let person = Person(house)
            expect(
                try await person.post("/recovery/start", [:]),
                400,
                "invalid_request",
                "Missing required parameter: identifier",
                "missing_parameter"
            )
            expect(
                try await person.post("/recovery/start", ["identifier": "a@example.com", "realm": "nowhere"]),
                400,
                "invalid_request",
                "The connection does not exist or is not enabled for the client",
                "unknown_connection"
            )
            let verify = "/recovery/verify"
            for (body, name) in [
                (["code": "1"], "recovery_session"), (["recovery_session": "x"], "code"),
            ] as [(JSONObject, String)] {
                let refused = try await person.post(verify, body)
                #expect(refused.string("error_description") == "Missing required parameter: \(name)", "\(refused)")
            }
            let both = try await person.post(
                verify,
                ["recovery_session": "x", "code": "1", "recovery_code": "2"]
            )
            #expect(both.reason == "invalid_parameter", "\(both)")
            let unknown = try await house.send(.json("/recovery/start", ["client_id": "x", "identifier": "a"]))
            #expect(unknown.status == 401 && unknown.reason == "unknown_client", "\(unknown)")
            house.change { $0.client = { $0.grantTypes.removeAll { $0 == .webAuthn } } }
            let grantless = try await person.post("/recovery/start", ["identifier": "a"])
            #expect(grantless.status == 400 && grantless.reason == "grant_not_allowed", "\(grantless)")
        }
    }

    @Test("Who is blocked, or has another address by now, does not get in by what was mailed")
    func changedUsers() async throws {
        try await House.with { (house) async throws in
            var owner = Person(house)
            _ = try await owner.signUp("ana@example.com")
            var lost = Lost(house)
            _ = try await lost.start()
            let code = house.mailbox.code
            let begun = try await lost.verify(code)
            #expect(begun.status == 200)
            house.pass(seconds: 1)
            let old = try await user("ana@example.com", house)
            var moved = old
            moved.updatedAt = house.now
            moved.identifiers = [try #require(CanonicalIdentifier.email("owner@example.com"))]
            #expect(try await house.store.change(UserChange(old: old, new: moved), audit: event(old, house)))
            #expect(try await lost.verify(code).reason == "recovery_code_invalid")
            #expect(try await lost.redeem(begun).reason == "auth_session_invalid")
            house.pass(seconds: 1)
            var blocked = moved
            (blocked.updatedAt, blocked.blockedAt) = (house.now, house.now)
            _ = try await lost.start("owner@example.com")
            let second = house.mailbox.code
            #expect(try await house.store.change(UserChange(old: moved, new: blocked), audit: event(old, house)))
            #expect(try await lost.verify(second).reason == "recovery_code_invalid")
        }
    }

    // MARK: Parts

    private func user(_ email: String, _ house: House) async throws -> User {
        let name = try #require(CanonicalIdentifier.email(email))
        let (tenant, connection) = (house.management.id, house.management.connection.id)
        let id = try #require(try await house.store.user(with: name, in: connection, of: tenant))
        return try #require(try await house.store.user(id, of: tenant))
    }

    private func prove(_ email: String, _ house: House) async throws {
        let old = try await user(email, house)
        var new = old
        new.updatedAt = old.updatedAt.adding(milliseconds: 1)
        new.identifiers = old.identifiers.map { identifier in
            var verified = identifier
            verified.isVerified = true
            return verified
        }
        #expect(try await house.store.change(UserChange(old: old, new: new), audit: event(old, house)))
    }

    private func event(_ user: User, _ house: House) -> AuditEvent {
        AuditEvent(
            tenant: user.tenant,
            types: ["sapi"],
            at: house.now,
            user: user.id,
            device: Device(address: "127.0.0.1", userAgent: "test")
        )
    }

    private func events(_ house: House) async throws -> [String] {
        try await house.store.events(of: house.management.id, user: nil, from: .before(nil), limit: 50)
            .flatMap(\.event.types)
    }
}
