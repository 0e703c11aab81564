import Encodings
import Identity
import Testing

@Suite("HTTP contract 11.5: connection options as a document")
struct ConnectionOptionsDocumentTests {
    private static let whole: JSONObject = [
        "authentication_methods": [
            "password": ["enabled": false], "passkey": ["enabled": true], "email_otp": ["enabled": false],
        ],
        "passkey_options": [
            "challenge_ui": "button", "progressive_enrollment_enabled": false, "local_enrollment_enabled": false,
            "upgrade_probation_hours": 24, "upgrade_without_notice": true,
            "webauthn": [
                "user_verification": "required", "resident_key": "preferred", "authenticator_attachment": "platform",
                "attestation": "direct", "timeout_ms": 120000, "algorithms": [-7, -257], "counter_policy": "warn",
                "allowed_aaguids": ["ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4"],
                "denied_aaguids": ["00000000-0000-0000-0000-000000000000"], "require_backup_eligible": true,
                "require_trusted_attestation": true, "attestation_formats": ["packed", "tpm"],
                "unknown_attestation": "as_none", "allow_sha1_attestation": true, "backup_eligibility": "observe",
                "extensions": ["credProps": true], "hints": ["client-device"], "allow_cross_origin": true,
                "allowed_top_origins": ["https://top.example"], "max_passkeys_per_user": 3,
                "uv_proof": "second_factor", "uv_unproven_login": "refuse",
            ],
        ],
        "attributes": [
            "email": [
                "identifier": ["active": false], "unique": true, "profile_required": true,
                "verification_method": "link", "signup": ["status": "optional", "verification": ["active": false]],
            ],
            "phone_number": [
                "identifier": ["active": true], "profile_required": false,
                "signup": ["status": "required", "verification": ["active": true]],
            ],
            "username": [
                "identifier": ["active": true], "profile_required": false, "signup": ["status": "inactive"],
                "validation": [
                    "min_length": 3, "max_length": 20, "allowed_types": ["email": false, "phone_number": true],
                ],
            ],
        ],
        "precedence": ["username", "email"], "disable_signup": true, "brute_force_protection": false,
        "import_mode": true, "requires_username": false, "passwordPolicy": "excellent",
        "password_history": ["enable": true, "size": 9], "password_dictionary": ["enable": true, "dictionary": ["x"]],
        "password_no_personal_info": ["enable": true], "password_complexity_options": ["min_length": 12],
        "mfa": ["active": true], "customScripts": [:], "recovery": ["methods": ["email"]],
    ]

    @Test("An empty document is the defaults, and they write themselves out")
    func defaults() throws {
        let options = try ConnectionOptions(document: [:])
        #expect(options == ConnectionOptions())
        #expect(options.document["passwordPolicy"] == "good")
        #expect(try ConnectionOptions(document: options.document) == options)
    }

    @Test("Every member comes back as it was given")
    func roundTrip() throws {
        let options = try ConnectionOptions(document: Self.whole)
        #expect(options.document == Self.whole)
        #expect(try ConnectionOptions(document: options.document) == options)
        #expect(options.usernameLength == 3...20)
        #expect(options.passkey.timeoutMilliseconds == 120000 && options.passkey.maximumPerUser == 3)
    }

    @Test("The older rule has its own place for a user name's length")
    func olderRule() throws {
        let options = try ConnectionOptions(document: [
            "requires_username": true, "validation": ["username": ["min": 4, "max": 30]],
        ])
        #expect(options.usernameLength == 4...30 && options.requiresUsername && options.attributes == nil)
        #expect(try ConnectionOptions(document: options.document) == options)
    }

    @Test("attributes and requires_username exclude each other, in the contract's words")
    func attributesAgainstUsername() {
        let document: JSONObject = [
            "requires_username": true, "attributes": ["email": ["identifier": ["active": true]]],
        ]
        let error = #expect(throws: DocumentError.self) { try ConnectionOptions(document: document) }
        #expect(error?.payloadMessage == "Cannot set both options.attributes and options.requires_username")
    }

    @Test("An identifier is required at sign-up unless it says otherwise")
    func signupStatus() throws {
        let options = try ConnectionOptions(document: ["attributes": ["email": ["identifier": ["active": true]]]])
        #expect(options.attributes?.email.signup == .required)
        #expect(options.attributes?.username.isIdentifier == false)
    }

    @Test(
        "Each wrong member is named by its path",
        arguments: [
            (["strategy": 1], "options.strategy"),
            (["authentication_methods": ["sms": [:]]], "options.authentication_methods.sms"),
            (["authentication_methods": ["passkey": ["enabled": 1]]], "options.authentication_methods.passkey.enabled"),
            (["passkey_options": ["challenge_ui": "none"]], "options.passkey_options.challenge_ui"),
            (["attributes": [:]], "options.attributes"),
            (["attributes": ["email": ["identifier": ["active": false]]]], "options.attributes"),
            (
                [
                    "attributes": [
                        "username": [
                            "identifier": ["active": true], "validation": ["min_length": 9, "max_length": 8],
                        ]
                    ]
                ], "options.attributes.username.validation.min_length"
            ),
            (["attributes": ["email": ["validation": [:]]]], "options.attributes.email.validation"),
            (["precedence": ["email", "email"]], "options.precedence"), (["precedence": []], "options.precedence"),
            (["precedence": ["name"]], "options.precedence[0]"), (["passwordPolicy": "ok"], "options.passwordPolicy"),
        ] as [(JSONObject, String)]
    )
    func refuses(_ document: JSONObject, _ path: String) {
        let error = #expect(throws: DocumentError.self) { try ConnectionOptions(document: document) }
        #expect(error?.path == path)
    }

    @Test(
        "Each wrong member of the passkey policy is named",
        arguments: [
            (["timeout_ms": 14999], "timeout_ms"), (["timeout_ms": 600_001], "timeout_ms"),
            (["timeout_ms": 20000.5], "timeout_ms"), (["algorithms": []], "algorithms"),
            (["algorithms": [-7, -7]], "algorithms"), (["algorithms": [-65535]], "algorithms"),
            (["algorithms": ["ES256"]], "algorithms"), (["user_verification": "yes"], "user_verification"),
            (["allowed_aaguids": ["ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4"]], "allowed_aaguids"),
            (["attestation": "indirect", "require_trusted_attestation": true], "require_trusted_attestation"),
            (["denied_aaguids": ["ea9b8d66-4d01-1d21-3ce4-b6b48cb575dX"]], "denied_aaguids[0]"),
            (["attestation_formats": []], "attestation_formats"),
            (["attestation_formats": ["packed", "packed"]], "attestation_formats"),
            (["attestation_formats": ["x5c"]], "attestation_formats[0]"), (["hints": ["phone"]], "hints[0]"),
            (["allowed_top_origins": ["https://a.example/x"]], "allowed_top_origins[0]"),
            (["allowed_top_origins": ["https://*.a.example"]], "allowed_top_origins[0]"),
            (["max_passkeys_per_user": 0], "max_passkeys_per_user"), (["extensions": []], "extensions"),
            (["uv_proof": "none"], "uv_proof"), (["userVerification": "required"], "userVerification"),
        ] as [(JSONObject, String)]
    )
    func refusesPolicy(_ policy: JSONObject, _ member: String) {
        let document: JSONObject = ["passkey_options": ["webauthn": .object(policy)]]
        let error = #expect(throws: DocumentError.self) { try ConnectionOptions(document: document) }
        #expect(error?.path == "options.passkey_options.webauthn.\(member)")
    }
}
