import Identity
import SoftwareAuthenticator
import Testing
import WebAuthn

@testable import Passkeys

@Suite("HTTP contract 4.5 and 6.5: user verification that was not proven is no factor")
struct UserVerificationTests {
    /// A house whose user has a passkey that was made without UV, and an authenticator that has it.
    private func unproven(
        _ enrolledBy: EnrolledBy = .enroll,
        _ change: (inout House.Setting) -> Void = { _ in }
    ) async throws -> (House, Authenticator) {
        let house = House(change)
        var phone = Authenticator()
        try await house.signUp("ana@example.com", &phone)
        house.store.change { state in
            state.passkeys = state.passkeys.map { passkey in
                var record = passkey.record
                record.uvInitialized = false
                return Passkey(
                    number: passkey.number,
                    id: passkey.id,
                    tenant: passkey.tenant,
                    user: passkey.user,
                    relyingPartyID: passkey.relyingPartyID,
                    userHandle: passkey.userHandle,
                    record: record,
                    enrolledBy: enrolledBy,
                    createdAt: passkey.createdAt
                )
            }
        }
        return (house, phone)
    }

    private func isProven(_ house: House) -> Bool? { house.store.now.passkeys.first?.record.uvInitialized }

    @Test("It is no factor, however often UV comes")
    func staysUnproven() async throws {
        var (house, phone) = try await unproven()
        for _ in 0..<2 {
            #expect(try await house.signIn(&phone).authentication.amr == ["phr", "pop", "user"])
            #expect(isProven(house) == false)
        }
    }

    @Test("After an upgrade a login with UV makes it count from the next one on")
    func upgrade() async throws {
        var (house, phone) = try await unproven(.upgrade)
        phone.profile.verifiesWhenPreferred = false
        try await house.signIn(&phone)
        #expect(isProven(house) == false)
        phone.profile.verifiesWhenPreferred = true
        #expect(try await house.signIn(&phone).authentication.amr == ["phr", "pop", "user"])
        #expect(isProven(house) == true)
        #expect(try await house.signIn(&phone).authentication.amr == ["phr", "pop", "user", "mfa"])
    }

    @Test("Under second_factor an upgrade proves nothing")
    func secondFactor() async throws {
        var (house, phone) = try await unproven(.upgrade) { $0.options.passkey.userVerificationProof = .secondFactor }
        try await house.signIn(&phone)
        #expect(isProven(house) == false)
    }

    @Test("Another proof in the same session makes it count, for five minutes")
    func otherProof() async throws {
        for (amr, age, expected) in [
            (["pwd"], 300, true), (["phr", "pop", "mfa"], 0, true), (["pwd"], 301, false), (["phr", "pop"], 0, false),
        ] as [([String], Int64, Bool)] {
            var (house, phone) = try await unproven()
            let user = try #require(house.store.now.users.values.first)
            let session = house.session(
                Authentication(user: user, amr: amr, acr: nil, passkey: nil, at: house.setting.now)
            )
            house.pass(seconds: age)
            try await house.signIn(&phone, alongside: session)
            #expect(isProven(house) == expected)
        }
    }

    @Test("A proof of somebody else, or of the passkey itself, makes nothing count")
    func foreignProof() async throws {
        var (house, phone) = try await unproven()
        var tablet = Authenticator()
        let bo = try await house.signUp("bo@example.com", &tablet)
        try await house.signIn(&phone, alongside: house.session(bo.authentication))
        #expect(isProven(house) == false)
        let passkey = try #require(house.store.now.passkeys.first)
        let ana = try #require(house.store.now.users[passkey.user])
        let own = Authentication(
            user: ana,
            amr: ["phr", "mfa"],
            acr: nil,
            passkey: passkey.number,
            at: house.setting.now
        )
        try await house.signIn(&phone, alongside: house.session(own))
        #expect(isProven(house) == false)
    }

    @Test("Under refuse it signs nobody in until it is proven")
    func refuse() async throws {
        var (house, phone) = try await unproven { $0.options.passkey.unprovenUserVerificationLogin = .refuse }
        #expect(await refusal { _ = try await house.verifyLogin(&phone) }?.error.reason == .userVerificationUnproven)
        let user = try #require(house.store.now.users.values.first)
        let password = Authentication(user: user, amr: ["pwd"], acr: nil, passkey: nil, at: house.setting.now)
        try await house.signIn(&phone, alongside: house.session(password))
        #expect(isProven(house) == true)
        try await house.signIn(&phone)
    }
}
