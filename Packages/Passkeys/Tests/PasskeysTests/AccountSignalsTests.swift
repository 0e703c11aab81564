import Identity
import SoftwareAuthenticator
import Testing
import WebAuthn

@testable import Passkeys

@Suite("HTTP contract 9.6: the lists that passkey managers are given")
struct AccountSignalsTests {
    @Test("All of each RP ID that the domain serves, its current one first, even when there are none")
    func lists() async throws {
        let house = House()
        var phone = Authenticator()
        let user = try await house.signUp("ana@example.com", &phone).user
        let made = try #require(house.store.now.passkeys.first)
        let one = try #require(await house.ceremonies.signals(for: user, in: house.context))
        #expect(one.accounts.map(\.credentialIDs) == [[made.record.id]])
        #expect(one.accounts.map(\.userHandle) == [made.userHandle])
        #expect(one.accounts.first?.names.name == "ana@example.com")

        house.set { $0.domain = House.domain("new.example.com", isCanonical: true) }
        let moved = try #require(await house.ceremonies.signals(for: user, in: house.context))
        #expect(moved.accounts.map(\.relyingPartyID) == ["new.example.com"], "no other site's is told here")
        #expect(moved.accounts.map(\.credentialIDs) == [[]])
    }

    @Test("A list that the store does not give is left out")
    func incomplete() async throws {
        let house = House()
        var phone = Authenticator()
        let user = try await house.signUp("ana@example.com", &phone).user
        let begun = try await house.beginSignUp("bob@example.com")
        let answer = try phone.create(begun.options.json, origin: house.origin)
        #expect(await house.ceremonies.signal(forMadeInVain: answer, in: house.context) != nil)
        house.store.change { $0.fault = .unavailable(reason: "away") }
        #expect(await house.ceremonies.signals(for: user, in: house.context) == nil)
        #expect(await house.ceremonies.signal(forMadeInVain: answer, in: house.context) == nil)
    }
}
