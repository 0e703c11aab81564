import Identity
import SoftwareAuthenticator
import Testing

@testable import Passkeys

@Suite("HTTP contract 4.6: a session is used once, by whom and where it was begun")
struct CeremonySessionTests {
    @Test("Of many that come at once exactly one gets it")
    func onlyOnce() async throws {
        let house = House()
        let begun = try await house.beginLogin()
        let taken = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask { (try? await house.take(begun.session)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 1)
    }

    @Test("Unknown, malformed, overlong and expired sessions are one refusal")
    func invalid() async throws {
        let house = House()
        let begun = try await house.beginLogin()
        let texts = [
            "", "x", String(repeating: "A", count: 43), String(repeating: "A", count: 10000), begun.session + "=",
        ]
        for text in texts {
            await #expect(throws: PasskeyError.sessionInvalid) { try await house.take(text) }
        }
        house.pass(seconds: 90)
        await #expect(throws: PasskeyError.sessionInvalid) { try await house.take(begun.session) }
    }

    @Test("Another client takes nothing")
    func otherClient() async throws {
        let other = House.client("Other000000000000000000000000000")
        let house = House { $0.otherClients = [other] }
        let begun = try await house.beginLogin()
        await #expect(throws: PasskeyError.sessionInvalid) {
            try await house.ceremonies.take(
                session: begun.session,
                at: .token,
                realm: nil,
                client: other,
                in: house.context
            )
        }
        _ = try await house.takeLogin(begun.session)
    }

    @Test("A session belongs to its interface and its domain")
    func otherPlace() async throws {
        let house = House { $0.otherDomains = [House.domain("other.example.com", rpID: "login.example.com")] }
        let browser = try await house.login.begin(at: .browser, realm: nil, client: house.client, in: house.context)
        await #expect(throws: PasskeyError.sessionInvalid) { try await house.take(browser.session, at: .token) }
        let begun = try await house.beginLogin()
        house.set { swap(&$0.domain, &$0.otherDomains[0]) }
        await #expect(throws: PasskeyError.sessionInvalid) { try await house.take(begun.session) }
    }

    @Test("A realm that is named must be the session's; one that does not exist takes nothing")
    func realms() async throws {
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
        let begun = try await house.beginLogin()
        await #expect(throws: PasskeyError.unknownConnection) { try await house.take(begun.session, realm: "nobody") }
        _ = try await house.take(begun.session, realm: House.realm)
        let second = try await house.beginLogin()
        await #expect(throws: PasskeyError.sessionInvalid) { try await house.take(second.session, realm: "other") }
    }

    @Test("Switches that were turned off since count as they are now")
    func switches() async throws {
        let house = House()
        let begun = try await house.beginLogin()
        house.set { $0.tenant.passkeysEnabled = false }
        await #expect(throws: PasskeyError.passkeysDisabledForTenant) { try await house.take(begun.session) }
        house.set { $0.tenant.passkeysEnabled = true }
        house.set { $0.options.passkeysEnabled = false }
        await #expect(throws: PasskeyError.passkeysDisabledForConnection) { try await house.take(begun.session) }
    }

    @Test("The checks before a ceremony come in the contract's order")
    func order() async throws {
        let house = House {
            $0.client.grantTypes = []
            $0.client.isFirstParty = false
            $0.defaultIsEnabled = false
            $0.tenant.passkeysEnabled = false
            $0.tenant.passkeysRequireCustomDomain = true
            $0.options.passkeysEnabled = false
            $0.options.signupDisabled = true
        }
        func begin() async throws { _ = try await house.beginSignUp("no address") }
        await #expect(throws: PasskeyError.grantNotAllowed) { try await begin() }
        house.set { $0.client.grantTypes = [.webAuthn] }
        await #expect(throws: PasskeyError.clientNotFirstParty) { try await begin() }
        house.set { $0.client.isFirstParty = true }
        await #expect(throws: PasskeyError.noDefaultDirectory) { try await begin() }
        house.set { $0.tenant.defaultDirectory = House.realm }
        await #expect(throws: PasskeyError.unknownConnection) { try await begin() }
        house.set { $0.defaultIsEnabled = true }
        await #expect(throws: PasskeyError.passkeysDisabledForTenant) { try await begin() }
        house.set { $0.tenant.passkeysEnabled = true }
        await #expect(throws: PasskeyError.passkeysDisabledForConnection) { try await begin() }
        house.set { $0.options.passkeysEnabled = true }
        await #expect(throws: PasskeyError.customDomainRequired) { try await begin() }
        house.set { $0.tenant.passkeysRequireCustomDomain = false }
        await #expect(throws: PasskeyError.signupDisabled) { try await begin() }
        house.set { $0.options.signupDisabled = false }
        await #expect(throws: PasskeyError.invalidIdentifier("email")) { try await begin() }
    }
}
