import Cryptography
import Encodings
import JOSE
import Testing

/// The HTTP contract, asked of a running server. One server serves all suites in here.
@Suite(
    "The HTTP contract, on a running server",
    .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"),
    ServedSuite(local: ContractWorld.scoped) {
        let world = try await ContractWorld.make()
        return (world, [world.server])
    }
)
enum ContractTests {}

/// The tenants and clients of the contract tests.
struct ContractWorld: Sendable {
    static let scoped = TaskLocal<ContractWorld?>(wrappedValue: nil)

    static var current: ContractWorld {
        get throws { try #require(scoped.get()) }
    }

    let server: LatchkeyServer
    /// The one with every kind of client.
    let acme: Site
    let app: App
    /// RS256 ID tokens, web origins.
    let web: App
    /// A secret, sent in the body or by Basic; refresh tokens that do not rotate.
    let backend: App
    let basic: App
    let assertion: App
    let assertionKey: SigningKey
    /// No passkey grant.
    let codeOnly: App
    /// No refresh grant.
    let passkeyOnly: App
    let thirdParty: App
    let notConformant: App
    /// May sign in nobody's users.
    let noConnection: App
    let leeway0: App
    let leeway3: App

    let other: App
    let names: App
    let local: App
    let tenantOff: App
    let connectionOff: App
    let signupOff: App
    let customDomainOnly: App
    let customDomain: Site
    let hidesReasons: App
    let noDirectory: App
    let short: App
    let oneKey: App

    static func make() async throws -> ContractWorld {
        let server = try await LatchkeyServer.start(["LATCHKEY_TRUSTED_PROXIES": "127.0.0.2/32"])
        let acme = try await Site.make(
            "acme",
            on: server,
            domain: "login.acme.example",
            rpID: "acme.example",
            origins: ["https://shop.example"]
        )
        let key = try SigningKey.generate(.p256)
        let jwk = JWK(publicKey: key.publicKey.components, keyID: "k1", algorithm: .es256)
        var writer = JSONWriter()
        jwk.write(to: &writer)
        let keyJSON = try JSON.parse(writer.bytes[...])

        func rotating(_ leeway: Int64) -> [String: JSONValue] {
            ["refresh_token": ["rotation_type": "rotating", "expiration_type": "expiring", "leeway": .integer(leeway)]]
        }

        func tenant(_ name: String, _ settings: [String: JSONValue], _ connection: [String: JSONValue] = [:])
            async throws
            -> App
        {
            let site = try await Site.make(name, on: server, domain: "\(name).example")
            let app = try await site.client("App")
            if !connection.isEmpty { try await site.setConnection(connection) }
            if !settings.isEmpty { try await site.set(settings) }
            return app
        }

        let noConnection = try await acme.client("No connection", grants: ["refresh_token"])
        try await acme.setClient("No connection", ["grant_types": [.string(App.passkeyGrant)]])
        let passkeyGrants: JSONValue = [.string(App.passkeyGrant), "refresh_token"]
        let customDomainOnly = try await tenant("customonly", ["passkeys_require_custom_domain": true])
        _ = try await server.adminJSON(["domain", "add", "--tenant", "customonly", "login.customer.example"])
        let noDirectory = try await tenant("nodirectory", ["default_directory": nil])
        let orphan = try await noDirectory.site.client("Orphan", grants: ["refresh_token"])
        try await noDirectory.site.setClient("Orphan", ["grant_types": passkeyGrants])

        return ContractWorld(
            server: server,
            acme: acme,
            app: try await acme.client("App"),
            web: try await acme.client(
                "Web",
                type: "spa",
                idTokenAlgorithm: nil,
                webOrigins: ["https://app.acme.example", "https://*.wild.acme.example"],
                members: ["callbacks": ["https://back.acme.example/callback", "com.acme.app://callback"]]
            ),
            backend: try await acme.client("Backend", type: "regular_web"),
            basic: try await acme.client(
                "Basic",
                type: "regular_web",
                members: ["token_endpoint_auth_method": "client_secret_basic"]
            ),
            assertion: try await acme.client(
                "Assertion",
                type: "regular_web",
                members: [
                    "token_endpoint_auth_method": "private_key_jwt",
                    "client_authentication_methods": ["private_key_jwt": ["credentials": [keyJSON]]],
                ]
            ).withoutSecret,
            assertionKey: key,
            codeOnly: try await acme.client("Code only", grants: ["authorization_code"]),
            passkeyOnly: try await acme.client("Passkey only", grants: [App.passkeyGrant]),
            thirdParty: try await acme.client("Third party", members: ["is_first_party": false]),
            notConformant: try await acme.client("Not conformant", members: ["oidc_conformant": false]),
            noConnection: noConnection,
            leeway0: try await acme.client("Leeway 0", members: rotating(0)),
            leeway3: try await acme.client("Leeway 3", members: rotating(3)),
            other: try await tenant("other", [:]),
            names: try await tenant("names", [:], ["options.attributes": everyIdentifier]),
            local: try await Site.make("local", on: server, domain: "localhost:\(server.port)").client("App"),
            tenantOff: try await tenant("tenantoff", ["passkeys_enabled": false]),
            connectionOff: try await tenant(
                "connectionoff",
                [:],
                ["options.authentication_methods": ["passkey": ["enabled": false], "password": ["enabled": true]]]
            ),
            signupOff: try await tenant("signupoff", [:], ["options.disable_signup": true]),
            customDomainOnly: customDomainOnly,
            customDomain: Site(
                server: server,
                tenant: "customonly",
                host: "login.customer.example",
                relyingPartyID: "login.customer.example",
                origin: "https://login.customer.example"
            ),
            hidesReasons: try await tenant("hides", ["hide_passkey_reasons": true]),
            noDirectory: orphan,
            short: try await tenant("short", ["session_lifetime": 0.0014, "enrollment_max_auth_age": 1]),
            oneKey: try await tenant("onekey", [:], ["options.passkey_options.webauthn.max_passkeys_per_user": 1])
        )
    }

    /// E-mail, phone number and user name, none of them required.
    static let everyIdentifier: JSONValue = [
        "email": ["identifier": ["active": true], "signup": ["status": "optional"]],
        "phone_number": ["identifier": ["active": true], "signup": ["status": "optional"]],
        "username": ["identifier": ["active": true], "signup": ["status": "optional"]],
    ]
}

extension App {
    var withoutSecret: App { App(site: site, id: id, secret: nil) }

    /// The same client at another domain of its tenant.
    func at(_ site: Site) -> App { App(site: site, id: id, secret: secret) }
}
