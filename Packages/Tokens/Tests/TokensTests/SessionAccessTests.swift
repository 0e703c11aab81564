import Cryptography
import Encodings
import Identity
import Testing

@testable import Tokens

@Suite("HTTP contract 8.4, 12.5 and 12.6: who is signed in")
struct SessionAccessTests {
    private func access(_ house: House) -> SessionAccess {
        SessionAccess(
            sessions: house.store,
            users: house.store,
            verifier: AccessTokenVerifier(keys: house.keys)
        )
    }

    /// Both proofs of one sign-in, and the refusal that each gets when it no longer holds.
    private func proofs(_ house: House) async throws -> (Session, [(SessionAccess.Proof, TokenError)]) {
        let cookie = SessionAccess.newCookie(random: { Random.bytes($0) })
        #expect(SessionAccess.hash(ofCookie: cookie.text) == cookie.hash)
        let signIn = try await house.signIn(audience: nil, cookieHash: cookie.hash)
        return (
            signIn.session,
            [(.cookie(cookie.text), .notSignedIn), (.bearer(signIn.response.accessToken), .invalidToken)]
        )
    }

    @Test("A cookie and a bearer token lead to the session and its user")
    func signedIn() async throws {
        let house = try await House()
        let (session, proofs) = try await proofs(house)
        for (proof, _) in proofs {
            let signedIn = try await access(house).signedIn(proof, in: house.context)
            #expect(signedIn.session.id == session.id)
            #expect(signedIn.user.id == House.user.id)
        }
        await #expect(throws: TokenError.notSignedIn) { try await access(house).signedIn(nil, in: house.context) }
        for text in ["", "x", String(repeating: "A", count: 43), String(repeating: "A", count: 10000)] {
            await #expect(throws: TokenError.notSignedIn) {
                try await access(house).signedIn(.cookie(text), in: house.context)
            }
            await #expect(throws: TokenError.invalidToken) {
                try await access(house).signedIn(.bearer(text), in: house.context)
            }
        }
    }

    @Test("An ended session, its ends in time, a blocked and a deleted user refuse it at once")
    func ends() async throws {
        let spoilers: [(House, SessionID) -> Void] = [
            { house, id in house.store.change { $0.sessions[id]?.revokedAt = UnixTime(seconds: 1) } },
            { house, id in house.store.change { $0.sessions[id] = nil } },
            { house, _ in house.store.change { $0.users[House.user.id]?.blockedAt = UnixTime(seconds: 1) } },
            { house, _ in house.store.change { $0.users[House.user.id] = nil } },
            { house, id in house.store.change { $0.sessions[id]?.idleExpiresAt = house.setting.now } },
        ]
        for spoil in spoilers {
            let house = try await House()
            let (session, proofs) = try await proofs(house)
            spoil(house, session.id)
            for (proof, refusal) in proofs {
                await #expect(throws: refusal) { try await access(house).signedIn(proof, in: house.context) }
            }
        }
    }

    @Test("The idle end moves, once a minute at most, and a store that cannot write refuses nobody")
    func idleEnd() async throws {
        let house = try await House()
        let (session, proofs) = try await proofs(house)
        let proof = proofs[0].0
        house.pass(seconds: 59)
        for _ in 0..<3 { _ = try await access(house).signedIn(proof, in: house.context) }
        #expect(house.store.now.touches == 0)
        house.pass(seconds: 1)
        for _ in 0..<3 { _ = try await access(house).signedIn(proof, in: house.context) }
        #expect(house.store.now.touches == 1)
        #expect(
            house.store.now.sessions[session.id]?.idleExpiresAt == house.setting.now.adding(seconds: 72 * 3600)
        )
    }

    @Test("Logging out ends the session and its refresh tokens; without a session nothing happens")
    func logOut() async throws {
        for index in 0..<2 {
            let house = try await House()
            let (session, proofs) = try await proofs(house)
            try await access(house).logOut(nil, in: house.context)
            try await access(house).logOut(.cookie("x"), in: house.context)
            try await access(house).logOut(.bearer("x"), in: house.context)
            #expect(house.store.now.events.isEmpty)
            try await access(house).logOut(proofs[index].0, in: house.context)
            try await access(house).logOut(proofs[index].0, in: house.context)
            #expect(house.store.now.events.map(\.types) == [["slo"]])
            #expect(house.store.now.sessions[session.id]?.revokedAt != nil)
            #expect(house.store.now.families.values.allSatisfy { $0.revokedAt != nil })
            for (proof, refusal) in proofs {
                await #expect(throws: refusal) { try await access(house).signedIn(proof, in: house.context) }
            }
        }
    }
}

@Suite("HTTP contract 5.6: user-info")
struct UserInfoTests {
    private func answer(_ house: House, _ token: String?) async throws -> JSONObject {
        let info = UserInfo(verifier: AccessTokenVerifier(keys: house.keys), users: house.store)
        return try JSON.parse(try await info.answer(token, in: house.context).body).object ?? JSONObject()
    }

    @Test("The claims are those that the scopes open; absent values are left out")
    func claims() async throws {
        let house = try await House()
        let all = try await house.signIn(scope: "openid profile email phone").response.accessToken
        #expect(
            try await answer(house, all) == [
                "sub": .string(House.user.id.subject), "name": "Ana \"A\"", "given_name": "Ana",
                "updated_at": "2023-11-14T22:13:20.123Z", "email": "Ana@example.com", "email_verified": false,
                "phone_number": "+4670", "phone_number_verified": true,
            ]
        )
        let bare = try await house.signIn(scope: "openid", audience: nil).response.accessToken
        #expect(try await answer(house, bare) == ["sub": .string(House.user.id.subject)])
    }

    @Test("No token, no openid, and a user deleted or blocked since are refused")
    func refuses() async throws {
        let house = try await House()
        await #expect(throws: TokenError.notSignedIn) { try await answer(house, nil) }
        let plain = try await house.signIn(scope: "profile", audience: nil).response.accessToken
        await #expect(throws: TokenError.insufficientScope("openid")) { try await answer(house, plain) }
        let token = try await house.signIn().response.accessToken
        house.store.change { $0.users[House.user.id]?.blockedAt = UnixTime(seconds: 1) }
        await #expect(throws: TokenError.invalidToken) { try await answer(house, token) }
        house.store.change { $0.users[House.user.id] = nil }
        await #expect(throws: TokenError.invalidToken) { try await answer(house, token) }
    }
}
