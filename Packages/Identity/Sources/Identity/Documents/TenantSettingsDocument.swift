public import Encodings

extension TenantSettings {
    /// Reads the settings of a tenant (HTTP contract 11.13). What is absent has its default.
    ///
    /// - Throws: ``DocumentError`` for the first member at fault.
    public init(document: JSONObject) throws(DocumentError) {
        self.init()
        var reader = DocumentReader(document)
        friendlyName = try reader.text("friendly_name", .label(1...300))
        supportEmail = try reader.text("support_email", .email)
        supportURL = try reader.text("support_url", .webURL)
        defaultDirectory = try reader.text("default_directory", .plain(1...128))
        defaultAudience = try reader.text("default_audience", .plain(1...600))
        allowedLogoutURLs = try reader.texts("allowed_logout_urls", .logoutURL, atMost: 100) ?? []
        sessionLifetime = try reader.positiveNumber("session_lifetime", upTo: 87600) ?? sessionLifetime
        idleSessionLifetime = try reader.positiveNumber("idle_session_lifetime", upTo: 87600) ?? idleSessionLifetime
        try readCookie(&reader)
        let otherFlags = try readFlags(&reader)
        passkeysEnabled = try reader.bool("passkeys_enabled") ?? passkeysEnabled
        passkeysRequireCustomDomain =
            try reader.bool("passkeys_require_custom_domain") ?? passkeysRequireCustomDomain
        hidePasskeyReasons = try reader.bool("hide_passkey_reasons") ?? hidePasskeyReasons
        keepRefreshTokensOnLogout = try reader.bool("keep_refresh_tokens_on_logout") ?? keepRefreshTokensOnLogout
        defaultBrowserClient = try reader.text("default_browser_client", .plain(1...64)).map { ClientID($0) }
        listAllowCredentials = try reader.bool("list_allow_credentials") ?? listAllowCredentials
        relyingPartyNameSource =
            try reader.word("rp_name_source", RelyingPartyNameSource.self) ?? relyingPartyNameSource
        hashClientSecrets = try reader.bool("hash_client_secrets") ?? hashClientSecrets
        enrollmentMaxAuthAge = try reader.integer("enrollment_max_auth_age", 1...86400) ?? enrollmentMaxAuthAge
        totp = try reader.bool("totp") ?? totp
        conformanceAPI = try reader.bool("conformance_api") ?? conformanceAPI
        stored = try reader.keep(Self.kept)
        if !otherFlags.isEmpty { stored.set("flags", .object(otherFlags)) }
        try reader.end()
    }

    /// The settings in the words of the Management API, defaults written out.
    public var document: JSONObject {
        var document = JSONObject()
        document.set("friendly_name", text: friendlyName)
        document.set("support_email", text: supportEmail)
        document.set("support_url", text: supportURL)
        document.set("default_directory", text: defaultDirectory)
        document.set("default_audience", text: defaultAudience)
        document.set("allowed_logout_urls", texts: allowedLogoutURLs)
        document.set("session_lifetime", number: sessionLifetime)
        document.set("idle_session_lifetime", number: idleSessionLifetime)
        document.set("session_cookie", ["mode": .string(sessionCookieIsPersistent ? "persistent" : "non-persistent")])
        var flags = stored["flags"]?.object ?? JSONObject()
        flags.set("enable_public_signup_user_exists_error", .bool(signupTellsUserExists))
        flags.set("revoke_refresh_token_grant", .bool(revokeRefreshTokenGrant))
        document.set("flags", .object(flags))
        document.set("passkeys_enabled", .bool(passkeysEnabled))
        document.set("passkeys_require_custom_domain", .bool(passkeysRequireCustomDomain))
        document.set("hide_passkey_reasons", .bool(hidePasskeyReasons))
        document.set("keep_refresh_tokens_on_logout", .bool(keepRefreshTokensOnLogout))
        document.set("default_browser_client", text: defaultBrowserClient?.text)
        document.set("list_allow_credentials", .bool(listAllowCredentials))
        document.set("rp_name_source", .string(relyingPartyNameSource.rawValue))
        document.set("hash_client_secrets", .bool(hashClientSecrets))
        document.set("enrollment_max_auth_age", .integer(enrollmentMaxAuthAge))
        document.set("totp", .bool(totp))
        document.set("conformance_api", .bool(conformanceAPI))
        document.restore(Self.kept, from: stored)
        return document
    }

    private mutating func readCookie(_ reader: inout DocumentReader) throws(DocumentError) {
        guard var cookie = try reader.object("session_cookie") else { return }
        let mode = try cookie.text("mode", .word(["persistent", "non-persistent"]))
        guard let mode else { throw .missingMember(path: cookie.path(of: "mode")) }
        sessionCookieIsPersistent = mode == "persistent"
        try cookie.end()
    }

    /// - Returns: the flags that are only kept, under whatever name.
    private mutating func readFlags(_ reader: inout DocumentReader) throws(DocumentError) -> JSONObject {
        guard var flags = try reader.object("flags") else { return JSONObject() }
        signupTellsUserExists =
            try flags.bool("enable_public_signup_user_exists_error") ?? signupTellsUserExists
        revokeRefreshTokenGrant = try flags.bool("revoke_refresh_token_grant") ?? revokeRefreshTokenGrant
        return flags.remainder()
    }

    private static let kept: [KeptMember] =
        [
            KeptMember("picture_url", .text(.webURL)),
            KeptMember("default_redirection_uri", .text(.callback)),
            KeptMember("ephemeral_session_lifetime"),
            KeptMember("idle_ephemeral_session_lifetime"),
            KeptMember("enabled_locales", .texts(.plain(2...35))),
        ]
        + KeptMember.all(
            "change_password",
            "guardian_mfa_page",
            "error_page",
            "device_flow",
            "default_token_quota",
            "sandbox_version",
            "sandbox_versions_available",
            "legacy_sandbox_version",
            "security_headers",
            "sessions",
            "oidc_logout",
            "allow_organization_name_in_authentication_api",
            "customize_mfa_in_postlogin_action",
            "acr_values_supported",
            "mtls",
            "pushed_authorization_requests_supported",
            "authorization_response_iss_parameter_supported",
            "dpop_strict_refresh_token_binding",
            "skip_non_verifiable_callback_uri_confirmation_prompt",
            "resource_parameter_profile",
            "client_id_metadata_document_supported",
            "phone_consolidated_experience",
            "enable_ai_guide",
            "universal_login",
            "country_codes"
        )
}
