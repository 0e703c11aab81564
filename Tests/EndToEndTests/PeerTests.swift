import Foundation
import Testing

/// Clients that others wrote, unmodified, each in a script of its own under `Peers/`.
@Suite("Peers", .serialized)
struct PeerTests {
    private func runScript(_ name: String, seconds: Double = 900) async throws {
        let result = try await run(
            Paths.python,
            ["-B", "\(Paths.peers)/\(name)"],
            environment: [
                "LATCHKEY_SERVER": Paths.server, "LATCHKEY_ADMIN": Paths.admin, "LATCHKEY_TENANT": Paths.tenant,
            ],
            seconds: seconds
        )
        #expect(result.exit == 0, "\(result)")
        #expect(result.output.contains("ok "), "\(result)")
    }

    @Test(
        "python-fido2 and PyJWT over TLS with a local CA: every journey and every refusal",
        .enabled(if: Paths.hasPeers, "\(Paths.noPeers)")
    )
    func fido2Client() async throws { try await runScript("fido2_client.py") }

    @Test(
        "auth0-python and latchkey-tenant over TLS with a local CA: a tenant is managed with a token of its own client",
        .enabled(if: Paths.hasPeers, "\(Paths.noPeers)")
    )
    func managementClient() async throws { try await runScript("management_client.py") }

    @Test(
        "Authlib over TLS with a local CA: users are signed in on the hosted pages, and every refusal",
        .enabled(if: Paths.hasPeers, "\(Paths.noPeers)")
    )
    func oauthClient() async throws { try await runScript("oauth_client.py") }

    @Test(
        "Authlib: the 33 modules of the OpenID Basic OpenID Provider, each re-told",
        .enabled(if: Paths.hasPeers, "\(Paths.noPeers)")
    )
    func openIDBasic() async throws { try await runScript("openid_basic.py") }

    @Test(
        "Chromium on the hosted pages: sign-up, autofill, password, with and without JavaScript",
        .enabled(if: Paths.hasBrowser, "\(Paths.noBrowser)")
    )
    func hostedPages() async throws { try await runScript("hosted_pages.py") }

    @Test(
        "Chromium on the account page: passkeys, sessions and password looked after, with and without JavaScript",
        .enabled(if: Paths.hasBrowser, "\(Paths.noBrowser)")
    )
    func accountPage() async throws { try await runScript("account_page.py") }

    @Test(
        "Chromium on a web app that uses latchkey.js as the guide shows it",
        .enabled(if: Paths.hasBrowser, "\(Paths.noBrowser)")
    )
    func webModule() async throws { try await runScript("web_module.py") }

    @Test(
        "Chromium and a mail server: recovery by a code and by its link, a stop, and a planted passkey taken back",
        .enabled(if: Paths.hasBrowser, "\(Paths.noBrowser)")
    )
    func recoveryPages() async throws { try await runScript("recovery_pages.py") }

    @Test(
        "Passkeys registered by PyPI webauthn in Chromium are imported, and the browser's key signs in here",
        .enabled(if: Paths.hasBrowser, "\(Paths.noBrowser)")
    )
    func importedPasskeys() async throws { try await runScript("imported_passkeys.py", seconds: 600) }

    @Test(
        "PyPI webauthn and fido2: every attestation format there and back",
        .enabled(if: Paths.hasPeers, "\(Paths.noPeers)")
    )
    func attestationFormats() async throws { try await runScript("attestation_formats.py", seconds: 1800) }

    @Test(
        "Chromium with a virtual authenticator, on the demo page",
        .enabled(if: Paths.hasBrowser, "\(Paths.noBrowser)")
    )
    func demoPage() async throws { try await runScript("demo_page.py") }

    @Test(
        "Chromium: a tenant moves to a new name, and its people's passkeys with it",
        .enabled(if: Paths.hasBrowser, "\(Paths.noBrowser)")
    )
    func domainMove() async throws { try await runScript("domain_move.py", seconds: 1800) }

    @Test(
        "Chromium's virtual authenticators: attestations, extensions, and each lie refused for its own reason",
        .enabled(if: Paths.hasBrowser, "\(Paths.noBrowser)")
    )
    func virtualAuthenticators() async throws { try await runScript("virtual_authenticators.py", seconds: 1800) }
}
