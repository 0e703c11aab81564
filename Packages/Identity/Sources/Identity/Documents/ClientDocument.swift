public import Encodings

extension Client {
    /// Reads an application (HTTP contract 11.4). What is absent has its default, some by the `app_type` (3.2, 7.3).
    ///
    /// - Parameters:
    ///   - document: the members of the contract without `tenant`, `global`, `client_id` and the secrets.
    ///   - id: what the store keeps beside the document, and so for the others.
    ///   - tenant: whose application it is.
    ///   - secretHash: SHA-256 of the secret, 32 bytes.
    ///   - createdAt: when it was made.
    ///   - updatedAt: when it was last changed.
    /// - Throws: ``DocumentError`` for the first member at fault.
    public init(
        document: JSONObject,
        id: ClientID,
        tenant: TenantID,
        secretHash: [UInt8]?,
        createdAt: UnixTime,
        updatedAt: UnixTime
    ) throws(DocumentError) {
        var reader = DocumentReader(document)
        guard let name = try reader.text("name", .label(1...150)) else { throw .missingMember(path: "name") }
        let appType = try reader.text("app_type", .word(Self.appTypes))
        let isPublic = Self.isPublic(appType: appType)
        self.init(
            id: id,
            tenant: tenant,
            name: name,
            appType: appType,
            grantTypes: try Self.grantTypes(&reader) ?? Self.defaultGrantTypes(appType: appType),
            authenticationMethod: try reader.word("token_endpoint_auth_method", ClientAuthenticationMethod.self)
                ?? (isPublic ? .none : .secretPost),
            refreshToken: isPublic ? .publicDefault : .confidentialDefault,
            createdAt: createdAt
        )
        self.updatedAt = updatedAt
        self.secretHash = secretHash
        description = try reader.text("description", .plain(0...140)) ?? description
        isFirstParty = try reader.bool("is_first_party") ?? isFirstParty
        oidcConformant = try reader.bool("oidc_conformant") ?? oidcConformant
        callbacks = try reader.texts("callbacks", .callback, atMost: 100) ?? []
        allowedOrigins = try reader.texts("allowed_origins", .originOrPattern, atMost: 100) ?? []
        webOrigins = try reader.texts("web_origins", .originOrPattern, atMost: 100) ?? []
        allowedLogoutURLs = try reader.texts("allowed_logout_urls", .logoutURL, atMost: 100) ?? []
        let jwtKept = try readJWTConfiguration(&reader)
        if let settings = try reader.object("refresh_token") {
            refreshToken = try RefreshTokenSettings(settings, defaults: refreshToken)
        }
        if let settings = try reader.object("mobile") { mobile = try MobileSettings(settings) }
        assertionKeys = try Self.assertionKeys(&reader)
        guard authenticationMethod != .privateKeyJWT || !assertionKeys.isEmpty else {
            throw .missingMember(path: "client_authentication_methods.private_key_jwt.credentials")
        }
        trustsForwardedAddress =
            try reader.bool("is_token_endpoint_ip_header_trusted") ?? trustsForwardedAddress
        stored = try reader.keep(Self.kept)
        if !jwtKept.isEmpty { stored.set("jwt_configuration", .object(jwtKept)) }
        try reader.end()
    }

    /// The application in the words of the Management API, defaults written out; without its id and its secrets.
    public var document: JSONObject {
        var document = JSONObject()
        document.set("name", .string(name))
        document.set("description", .string(description))
        document.set("app_type", text: appType)
        document.set("is_first_party", .bool(isFirstParty))
        document.set("oidc_conformant", .bool(oidcConformant))
        document.set("callbacks", texts: callbacks)
        document.set("allowed_origins", texts: allowedOrigins)
        document.set("web_origins", texts: webOrigins)
        document.set("allowed_logout_urls", texts: allowedLogoutURLs)
        document.set("grant_types", texts: grantTypes.map(\.rawValue))
        document.set("token_endpoint_auth_method", .string(authenticationMethod.rawValue))
        var jwt: JSONObject = [
            "alg": .string(idTokenAlgorithm.rawValue), "lifetime_in_seconds": .integer(idTokenLifetime),
        ]
        jwt.restore(Self.keptOfJWT, from: stored["jwt_configuration"]?.object ?? JSONObject())
        document.set("jwt_configuration", .object(jwt))
        document.set("refresh_token", .object(refreshToken.document))
        let mobile = mobile.document
        if !mobile.isEmpty { document.set("mobile", .object(mobile)) }
        if !assertionKeys.isEmpty {
            document.set(
                "client_authentication_methods",
                ["private_key_jwt": ["credentials": .array(assertionKeys.map { .object($0) })]]
            )
        }
        document.set("is_token_endpoint_ip_header_trusted", .bool(trustsForwardedAddress))
        document.restore(Self.kept, from: stored)
        return document
    }

    /// Whether applications of this type cannot keep a secret: `native` and `spa`.
    public static func isPublic(appType: String?) -> Bool {
        appType == "native" || appType == "spa"
    }

    /// HTTP contract 3.2.
    public static func defaultGrantTypes(appType: String?) -> [GrantType] {
        switch appType {
        case "native", "spa": [.authorizationCode, .refreshToken]
        case "regular_web": [.authorizationCode, .refreshToken, .clientCredentials]
        case "non_interactive": [.clientCredentials]
        default: []
        }
    }

    private static func grantTypes(_ reader: inout DocumentReader) throws(DocumentError) -> [GrantType]? {
        guard let texts = try reader.texts("grant_types", .word(GrantType.known.map(\.rawValue)), atMost: 50) else {
            return nil
        }
        var seen: Set<GrantType> = []
        return texts.map { GrantType(rawValue: $0) }.filter { seen.insert($0).inserted }
    }

    private mutating func readJWTConfiguration(_ reader: inout DocumentReader) throws(DocumentError) -> JSONObject {
        guard var jwt = try reader.object("jwt_configuration") else { return JSONObject() }
        idTokenAlgorithm = try jwt.word("alg", TokenAlgorithm.self) ?? idTokenAlgorithm
        idTokenLifetime = try jwt.integer("lifetime_in_seconds", 1...2_592_000) ?? idTokenLifetime
        let kept = try jwt.keep(Self.keptOfJWT)
        try jwt.end()
        return kept
    }

    /// Public JWKs (RFC 7517) under `client_authentication_methods.private_key_jwt.credentials`.
    private static func assertionKeys(_ reader: inout DocumentReader) throws(DocumentError) -> [JSONObject] {
        guard var methods = try reader.object("client_authentication_methods") else { return [] }
        guard var method = try methods.object("private_key_jwt") else {
            try methods.end()
            return []
        }
        let place = method.path(of: "credentials")
        guard let value = method.take("credentials") else { throw .missingMember(path: place) }
        guard let elements = value.array, (1...10).contains(elements.count) else {
            throw .invalid(place, value, mustBe: "a list of 1 to 10 public keys, each a JWK")
        }
        var keys: [JSONObject] = []
        for (index, element) in elements.enumerated() {
            guard let key = element.object, let type = key["kty"]?.string, ["EC", "RSA", "OKP"].contains(type),
                !["d", "p", "q", "dp", "dq", "qi", "oth", "k"].contains(where: { key[$0] != nil })
            else {
                // The value is not shown: it may be a private key.
                throw .invalidValue(path: "\(place)[\(index)]", value: "that", expected: "a public key as a JWK")
            }
            keys.append(key)
        }
        try method.end()
        try methods.end()
        return keys
    }

    private static let appTypes = [
        "native", "spa", "regular_web", "non_interactive", "resource_server", "express_configuration", "rms", "box",
        "cloudbees", "concur", "dropbox", "mscrm", "echosign", "egnyte", "newrelic", "office365", "salesforce",
        "sentry", "sharepoint", "slack", "springcm", "zendesk", "zoom", "sso_integration", "oag",
    ]

    private static let keptOfJWT = [
        KeptMember("secret_encoded", .bool, absent: false),
        KeptMember("scopes", .object, absent: .object(JSONObject())),
    ]

    private static let kept: [KeptMember] =
        [
            KeptMember("logo_uri", .text(.webURL)),
            KeptMember("client_aliases", .texts(.plain(1...600)), absent: []),
            KeptMember("allowed_clients", .texts(.plain(1...64)), absent: []),
            KeptMember("client_metadata", .object, absent: .object(JSONObject())),
            KeptMember("cross_origin_authentication", .bool, absent: false),
            KeptMember("sso_disabled", .bool, absent: false),
            KeptMember("custom_login_page_on", .bool, absent: true),
            KeptMember("initiate_login_uri", .text(.webURL)),
            KeptMember("organization_usage", .words(["deny", "allow", "require"])),
        ]
        + KeptMember.all(
            "addons",
            "encryption_key",
            "sso",
            "oidc_logout",
            "oidc_backchannel_logout",
            "session_transfer",
            "native_social_login",
            "fedcm_login",
            "default_organization",
            "organization_require_behavior",
            "organization_discovery_methods",
            "require_pushed_authorization_requests",
            "require_proof_of_possession",
            "signed_request_object",
            "compliance_level",
            "token_exchange",
            "par_request_expiry",
            "token_quota",
            "cross_origin_loc",
            "custom_login_page",
            "custom_login_page_preview",
            "form_template",
            "resource_server_identifier",
            "skip_non_verifiable_callback_uri_confirmation_prompt",
            "third_party_security_mode",
            "redirection_policy",
            "async_approval_notification_channels",
            "express_configuration",
            "b2b_integration_configuration",
            "my_organization_configuration",
            "identity_assertion_authorization_grant",
            "anonymous_sessions",
            "enforce_anon_session_transfer_network_binding",
            "token_vault_privileged_access",
            "oidc_support",
            "callback_url_template",
            "cross_origin_auth"
        )
}

extension GrantType {
    /// Every value that a client may have: those that are served, and those that are kept so that configurations
    /// round-trip (HTTP contract 3.2).
    public static let known: [GrantType] =
        [.authorizationCode, .refreshToken, .clientCredentials, .password, .passwordRealm, .webAuthn]
        + [
            "implicit", "urn:ietf:params:oauth:grant-type:device_code",
            "http://auth0.com/oauth/grant-type/passwordless/otp", "http://auth0.com/oauth/grant-type/mfa-oob",
            "http://auth0.com/oauth/grant-type/mfa-otp", "http://auth0.com/oauth/grant-type/mfa-recovery-code",
        ].map { GrantType(rawValue: $0) }
}
