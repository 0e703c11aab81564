import COSE
import SoftwareAuthenticator
import Testing
import WebAuthn

@Suite("Each fault is refused for its own reason")
struct FaultTests {
    /// What is needed for a fault to be one.
    private func setting(for fault: Fault) throws -> (Server, AuthenticatorProfile) {
        var server = Server()
        let profile = AuthenticatorProfile.securityKey
        switch fault {
        case .userVerificationMissing: server.userVerification = .required
        case _ where fault.needsAttestation:
            let example = try #require(AttestationExample.allCases.first { fault.applies(to: $0.attestation) })
            return (example.server, example.profile)
        default: break
        }
        return (server, profile)
    }

    @Test(
        "At registration",
        arguments: Fault.allCases.filter { $0.ceremonies.contains(.registration) && $0 != .credentialExists }
    )
    func registration(_ fault: Fault) throws {
        let (server, profile) = try setting(for: fault)
        var authenticator = Authenticator(profile)
        #expect(try refusal { _ = try server.register(&authenticator, fault: fault) } == fault.reason)
        #expect(authenticator.credentials.isEmpty)
        // The same without the fault is right.
        _ = try server.register(&authenticator)
    }

    @Test("At login", arguments: Fault.allCases.filter { $0.ceremonies.contains(.authentication) })
    func authentication(_ fault: Fault) throws {
        let (server, profile) = try setting(for: fault)
        var authenticator = Authenticator(profile)
        var credential = try server.register(&authenticator).credential
        for _ in 0..<2 { credential.update(try server.logIn(&authenticator, with: credential)) }
        let listed = fault == .credentialNotListed
        let reason = try refusal {
            _ = try server.logIn(&authenticator, with: credential, listed: listed, fault: fault)
        }
        #expect(reason == fault.reason)
        _ = try server.logIn(&authenticator, with: credential, listed: listed)
    }

    @Test("A credential id that is taken comes again with another key")
    func credentialExists() throws {
        let server = Server()
        var authenticator = Authenticator()
        let first = try server.register(&authenticator).credential
        let second = try server.register(&authenticator, fault: .credentialExists).credential
        #expect(second.id == first.id && second.publicKey != first.publicKey)
    }

    @Test("Every refusal of a ceremony that a client can cause has its fault")
    func complete() {
        let reasons = Set(Fault.allCases.map(\.reason))
        #expect(Set(CeremonyReason.allCases).subtracting(reasons) == [.userBlocked, .userVerificationUnproven])
    }

    @Test("A fault that the setting cannot have is not made")
    func doesNotApply() throws {
        let server = Server()
        var authenticator = Authenticator()
        let credential = try server.register(&authenticator).credential
        #expect(throws: AuthenticatorError.faultDoesNotApply) {
            try server.register(&authenticator, fault: .attestationSignatureWrong)
        }
        #expect(throws: AuthenticatorError.faultDoesNotApply) {
            try server.register(&authenticator, fault: .signatureWrong)
        }
        #expect(throws: AuthenticatorError.faultDoesNotApply) {
            try server.logIn(&authenticator, with: credential, fault: .counterStands)
        }
        #expect(throws: AuthenticatorError.faultDoesNotApply) {
            try server.logIn(&authenticator, with: credential, fault: .algorithmNotOffered)
        }
    }
}
