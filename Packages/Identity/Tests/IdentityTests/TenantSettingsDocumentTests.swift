import Encodings
import Identity
import Testing

@Suite("HTTP contract 11.13: tenant settings as a document")
struct TenantSettingsDocumentTests {
    @Test("An empty document is the defaults, and they write themselves out")
    func defaults() throws {
        let settings = try TenantSettings(document: [:])
        #expect(settings == TenantSettings())
        #expect(settings.document["session_lifetime"] == 168)
        #expect(settings.document["rp_name_source"] == "rp_id")
        #expect(try TenantSettings(document: settings.document) == settings)
    }

    @Test("Every member comes back as it was given")
    func roundTrip() throws {
        let document: JSONObject = [
            "friendly_name": "Acme", "support_email": "help@acme.example", "support_url": "https://acme.example/help",
            "default_directory": "Username-Password-Authentication", "default_audience": "https://api.acme.example/",
            "allowed_logout_urls": ["https://*.acme.example/bye", "com.acme.app:/bye"], "session_lifetime": 0.5,
            "idle_session_lifetime": 24, "session_cookie": ["mode": "persistent"],
            "flags": [
                "enable_public_signup_user_exists_error": true, "revoke_refresh_token_grant": true,
                "disable_clickjack_protection_headers": false,
            ],
            "passkeys_enabled": false, "passkeys_require_custom_domain": true, "hide_passkey_reasons": true,
            "keep_refresh_tokens_on_logout": false, "default_browser_client": "abc", "list_allow_credentials": false,
            "rp_name_source": "friendly_name", "hash_client_secrets": false, "enrollment_max_auth_age": 60,
            "totp": true, "conformance_api": true, "picture_url": "https://acme.example/l.png",
            "enabled_locales": ["en", "sv"], "guardian_mfa_page": ["html": "<p>"], "sandbox_version": "18",
        ]
        let settings = try TenantSettings(document: document)
        #expect(settings.sessionCookieIsPersistent && settings.signupTellsUserExists && settings.totp)
        #expect(settings.document == document)
        #expect(try TenantSettings(document: settings.document) == settings)
    }

    @Test("A member that is null counts as absent")
    func nullIsAbsent() throws {
        #expect(try TenantSettings(document: ["friendly_name": nil, "totp": nil, "mtls": nil]) == TenantSettings())
    }

    @Test(
        "Each wrong member is named",
        arguments: [
            (["nonsense": 1], .unknownMember(path: "nonsense")),
            (["session_cookie": ["mode": "persistent", "x": 1]], .unknownMember(path: "session_cookie.x")),
            (["session_cookie": [:]], .missingMember(path: "session_cookie.mode")),
            (
                ["session_lifetime": 0],
                .invalidValue(path: "session_lifetime", value: "0", expected: "a number above 0, at most 87600")
            ),
            (["totp": "yes"], .invalidValue(path: "totp", value: "\"yes\"", expected: "true or false")),
            (
                ["rp_name_source": "name"],
                .invalidValue(path: "rp_name_source", value: "\"name\"", expected: "rp_id or friendly_name")
            ),
            (
                ["allowed_logout_urls": ["https://ok.example/", "javascript:alert(1)"]],
                .invalidValue(
                    path: "allowed_logout_urls[1]",
                    value: "\"javascript:alert(1)\"",
                    expected: "an absolute URL without a fragment, with * at most as its host's whole leftmost label"
                )
            ),
        ] as [(JSONObject, DocumentError)]
    )
    func refuses(_ document: JSONObject, _ error: DocumentError) {
        #expect(throws: error) { try TenantSettings(document: document) }
    }

    @Test("The Management API's words name the member")
    func payloadMessages() {
        #expect(
            DocumentError.unknownMember(path: "x").payloadMessage
                == "Payload validation error: 'Additional properties not allowed: x'."
        )
        #expect(
            DocumentError.missingMember(path: "name").payloadMessage
                == "Payload validation error: 'Missing required property: name'."
        )
        #expect(
            DocumentError.invalidValue(path: "totp", value: "1", expected: "true or false").payloadMessage
                == "Payload validation error: 'Invalid value 1' on property totp. It must be true or false."
        )
    }
}
