import Encodings
import Identity
import Testing

@Suite("HTTP contract 11.4: clients as documents")
struct ClientDocumentTests {
    private func client(_ document: JSONObject) throws(DocumentError) -> Client {
        try Client(
            document: document,
            id: ClientID("abc"),
            tenant: TenantID(number: 7),
            secretHash: [1, 2, 3],
            createdAt: UnixTime(seconds: 5),
            updatedAt: UnixTime(seconds: 6)
        )
    }

    private static let fingerprint = Array(repeating: "D8", count: 31).joined(separator: ":") + ":0a"

    private static let whole: JSONObject = [
        "name": "Acme iOS", "description": "The app", "logo_uri": "https://acme.example/l.png", "app_type": "native",
        "is_first_party": false, "oidc_conformant": false,
        "callbacks": ["com.acme.app://cb", "https://acme.example/cb"],
        "allowed_origins": ["https://*.acme.example"],
        "web_origins": ["https://acme.example", "http://localhost:5173"],
        "allowed_logout_urls": ["https://*.acme.example/bye"], "client_aliases": ["a"], "allowed_clients": ["b"],
        "grant_types": ["authorization_code", "refresh_token", "urn:okta:params:oauth:grant-type:webauthn"],
        "token_endpoint_auth_method": "private_key_jwt",
        "jwt_configuration": [
            "alg": "ES256", "lifetime_in_seconds": 600, "secret_encoded": true, "scopes": ["a": ["b"]],
        ],
        "refresh_token": [
            "rotation_type": "rotating", "expiration_type": "expiring", "leeway": 3, "token_lifetime": 1000,
            "infinite_token_lifetime": false, "idle_token_lifetime": 900, "infinite_idle_token_lifetime": false,
            "policies": [["audience": "https://api.example/", "scope": ["a", "b"]]],
        ],
        "mobile": [
            "ios": ["team_id": "ABCDE12345", "app_bundle_identifier": "com.acme.app"],
            "android": [
                "app_package_name": "com.acme.app_2",
                "sha256_cert_fingerprints": [.string(fingerprint.uppercased())],
            ],
        ],
        "client_authentication_methods": [
            "private_key_jwt": ["credentials": [["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "alg": "ES256"]]]
        ],
        "client_metadata": ["k": "v"], "cross_origin_authentication": true, "sso_disabled": true,
        "custom_login_page_on": false, "is_token_endpoint_ip_header_trusted": true,
        "initiate_login_uri": "https://acme.example/login", "organization_usage": "deny", "addons": ["samlp": [:]],
        "encryption_key": ["pub": "x"],
    ]

    @Test("Every member comes back as it was given, and the store's own columns stay beside it")
    func roundTrip() throws {
        let client = try client(Self.whole)
        #expect(client.document == Self.whole)
        #expect(try self.client(client.document) == client)
        #expect(client.secretHash == [1, 2, 3] && client.updatedAt == UnixTime(seconds: 6))
        #expect(client.mobile.android?.fingerprints.first?.last == 0x0A)
        #expect(client.refreshToken.policies?.first?.scope == ["a", "b"])
        #expect(client.stored["addons"] != nil && client.assertionKeys.count == 1)
    }

    @Test(
        "The defaults follow the kind of application",
        arguments: [
            ("native", .none, ["authorization_code", "refresh_token"], true),
            ("spa", .none, ["authorization_code", "refresh_token"], true),
            ("regular_web", .secretPost, ["authorization_code", "refresh_token", "client_credentials"], false),
            ("non_interactive", .secretPost, ["client_credentials"], false),
            (nil, .secretPost, [], false),
        ] as [(String?, ClientAuthenticationMethod, [String], Bool)]
    )
    func defaults(type: String?, method: ClientAuthenticationMethod, grants: [String], rotates: Bool) throws {
        var document: JSONObject = ["name": "A"]
        if let type { document["app_type"] = .string(type) }
        let client = try client(document)
        #expect(client.authenticationMethod == method)
        #expect(client.grantTypes.map(\.rawValue) == grants)
        #expect(client.refreshToken.rotates == rotates)
        #expect(client.idTokenAlgorithm == .rs256 && client.idTokenLifetime == 36000 && client.oidcConformant)
        #expect(try self.client(client.document) == client)
    }

    @Test("Origins are kept in their one spelling")
    func originsAreNormalised() throws {
        let client = try client([
            "name": "A", "web_origins": ["https://Example.com:443/", "http://LOCALHOST:5173", "capacitor://localhost"],
        ])
        #expect(client.webOrigins == ["https://example.com", "http://localhost:5173", "capacitor://localhost"])
    }

    @Test("A life that nobody chose gives way to a shorter absolute one")
    func idleLifeFollows() throws {
        let client = try client([
            "name": "A", "app_type": "spa",
            "refresh_token": ["rotation_type": "rotating", "expiration_type": "expiring", "token_lifetime": 60],
        ])
        #expect(client.refreshToken.idleLifetime == 60)
        #expect(try self.client(client.document) == client)
    }

    @Test(
        "Each wrong member is named by its path",
        arguments: [
            (["name": nil], "name"), (["name": "a<b"], "name"), (["name": ""], "name"), (["nme": 1], "nme"),
            (["client_secret": "x"], "client_secret"), (["app_type": "web"], "app_type"),
            (["grant_types": ["webauthn"]], "grant_types[0]"),
            (["token_endpoint_auth_method": "tls"], "token_endpoint_auth_method"),
            (["callbacks": ["/relative"]], "callbacks[0]"), (["callbacks": ["https://a.example/#x"]], "callbacks[0]"),
            (["callbacks": ["https://*.a.example/"]], "callbacks[0]"),
            (["callbacks": "https://a.example/"], "callbacks"),
            (["allowed_logout_urls": ["https://a.*.example/"]], "allowed_logout_urls[0]"),
            (["web_origins": ["https://a.example/path"]], "web_origins[0]"),
            (["web_origins": ["http://a.example"]], "web_origins[0]"),
            (["web_origins": ["https://*"]], "web_origins[0]"),
            (["web_origins": ["https://a*.example.com"]], "web_origins[0]"),
            (["web_origins": ["https://*.com"]], "web_origins[0]"),
            (["web_origins": ["https://u@a.example"]], "web_origins[0]"),
            (["jwt_configuration": ["alg": "HS256"]], "jwt_configuration.alg"),
            (["jwt_configuration": ["lifetime_in_seconds": 0]], "jwt_configuration.lifetime_in_seconds"),
            (["refresh_token": ["expiration_type": "expiring"]], "refresh_token.rotation_type"),
            (["refresh_token": ["rotation_type": "rotating"]], "refresh_token.expiration_type"),
            (
                ["refresh_token": ["rotation_type": "rotating", "expiration_type": "non-expiring"]],
                "refresh_token.expiration_type"
            ),
            (
                [
                    "refresh_token": [
                        "rotation_type": "rotating", "expiration_type": "expiring", "token_lifetime": 10,
                        "idle_token_lifetime": 11,
                    ]
                ], "refresh_token.idle_token_lifetime"
            ),
            (
                [
                    "refresh_token": [
                        "rotation_type": "rotating", "expiration_type": "expiring", "token_lifetime": 31_557_601,
                    ]
                ], "refresh_token.token_lifetime"
            ),
            (["mobile": ["ios": ["team_id": "abcde12345", "app_bundle_identifier": "a.b"]]], "mobile.ios.team_id"),
            (["mobile": ["ios": ["team_id": "ABCDE12345"]]], "mobile.ios.app_bundle_identifier"),
            (
                ["mobile": ["android": ["app_package_name": "acme", "sha256_cert_fingerprints": []]]],
                "mobile.android.app_package_name"
            ),
            (
                ["mobile": ["android": ["app_package_name": "a.b", "sha256_cert_fingerprints": ["D8:A0"]]]],
                "mobile.android.sha256_cert_fingerprints[0]"
            ),
            (
                [
                    "mobile": [
                        "android": [
                            "app_package_name": "a.b",
                            "sha256_cert_fingerprints": .array(Array(repeating: .string(fingerprint), count: 21)),
                        ]
                    ]
                ], "mobile.android.sha256_cert_fingerprints"
            ),
            (["mobile": ["windows": [:]]], "mobile.windows"),
            (
                ["token_endpoint_auth_method": "private_key_jwt"],
                "client_authentication_methods.private_key_jwt.credentials"
            ),
            (
                ["client_authentication_methods": ["private_key_jwt": ["credentials": [["kty": "EC", "d": "AA"]]]]],
                "client_authentication_methods.private_key_jwt.credentials[0]"
            ),
        ] as [(JSONObject, String)]
    )
    func refuses(_ members: JSONObject, _ path: String) {
        var document: JSONObject = ["name": "A"]
        for member in members.members { document[member.name] = member.value }
        let error = #expect(throws: DocumentError.self) { try client(document) }
        #expect(error?.path == path)
    }

    @Test("A private key among the registered ones is not repeated in the message")
    func privateKeyIsNotShown() {
        let error = #expect(throws: DocumentError.self) {
            try client([
                "name": "A",
                "client_authentication_methods": [
                    "private_key_jwt": ["credentials": [["kty": "EC", "d": "very-secret"]]]
                ],
            ])
        }
        #expect(error.map { "\($0)" }?.contains("very-secret") == false)
    }
}
