import COSE
import Encodings
import SoftwareAuthenticator
import Testing
import WebAuthn

@Suite("An authenticator that is kept")
struct StoredAuthenticatorTests {
    @Test(
        "It signs in and attests after it was written down and read, as the one that it was",
        arguments: StoredAuthenticator.Kind.allCases,
        [true, false]
    )
    func roundTrip(_ kind: StoredAuthenticator.Kind, _ hasIntermediate: Bool) throws {
        let authority = try AttestationAuthority(
            aaguid: RightCeremonyTests.aaguid,
            validAt: Server.time,
            hasIntermediate: hasIntermediate
        )
        var server = Server()
        server.attestation = AttestationPolicy(
            preference: .direct,
            trustAnchors: [authority.root],
            trust: .required
        )
        var stored = StoredAuthenticator(kind, by: authority)
        var record: CredentialRecord?
        for _ in 0..<2 {
            var profile = stored.profile
            profile.attestation = .packed(stored.authority)
            var authenticator = Authenticator(profile, credentials: stored.credentials)
            let registered = try server.register(&authenticator).credential
            stored.credentials = authenticator.credentials
            let text = JSONValue.object(try stored.document).serialized()
            stored = try StoredAuthenticator(document: try #require(try JSON.parse(text).object))
            record = registered
        }
        #expect(stored.kind == kind && stored.credentials.count == 2)
        var authenticator = Authenticator(stored.profile, credentials: stored.credentials)
        let login = try server.logIn(&authenticator, with: try #require(record))
        #expect(login.signCount == (kind == .securityKey ? 1 : 0))
        #expect(login.backupEligible == (kind == .synced))
    }

    @Test("A document that lacks a member, or has another thing there, is an error that names it")
    func malformed() throws {
        let authority = try AttestationAuthority(aaguid: .zero, validAt: Server.time, hasIntermediate: true)
        var authenticator = Authenticator(.securityKey)
        _ = try Server().register(&authenticator)
        var stored = StoredAuthenticator(.securityKey, by: authority)
        stored.credentials = authenticator.credentials
        let document = try stored.document
        let inner = try #require(document["authority"]?.object)
        for name in inner.members.map(\.name) where name != "intermediate" {
            for value in [nil, 1.5, "*"] as [JSONValue?] {
                var spoilt = inner
                spoilt[name] = value
                var whole = document
                whole["authority"] = .object(spoilt)
                #expect(throws: StoredAuthenticatorError.self, "\(name)") { try StoredAuthenticator(document: whole) }
            }
        }
        let credential = try #require(document["credentials"]?.array?.first?.object)
        for name in ["id", "rpId", "userHandle", "alg", "key", "signCount"] {
            var spoilt = credential
            spoilt[name] = nil
            var whole = document
            whole["credentials"] = [.object(spoilt)]
            let error = #expect(throws: StoredAuthenticatorError.self) { try StoredAuthenticator(document: whole) }
            #expect(error?.member == name)
        }
        #expect(throws: StoredAuthenticatorError.self) { try StoredAuthenticator(document: [:]) }
    }
}
