import Encodings
import Identity

/// The JSON Schema (2020-12) of the tenant file, for editors. It knows the shape and the words; the rules are the server's,
/// and `validate` has those that need no tenant.
enum TenantFileSchema {
    static let document: JSONObject = [
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Latchkey tenant file",
        "type": "object",
        "properties": [
            "tenant": object("What holds for the whole tenant; what is absent has its default.", tenant),
            "clients": list("The applications, known by their names.", client, required: ["name"]),
            "databases": list("The user directories.", database, required: ["name", "strategy"]),
            "resourceServers": list("The APIs that access tokens are for.", server, required: ["identifier"]),
            "clientGrants": list(
                "Which client gets tokens for which API.",
                grant,
                required: ["client_id", "audience"]
            ),
            "customDomains": list("The names that the tenant answers to.", domain, required: ["domain"]),
            "policy_tests": text("A file of policy tests beside this one, run before apply."),
        ],
    ]

    private static let tenant: JSONObject = [
        "friendly_name": text("What people call the tenant."),
        "default_directory": text("The database that requests without a realm mean."),
        "default_audience": text("The API that requests without an audience mean."),
        "default_browser_client": text("The client that browser requests without one mean, by name."),
        "session_lifetime": ["type": "number", "description": "Hours."],
        "idle_session_lifetime": ["type": "number", "description": "Hours."],
        "allowed_logout_urls": texts("Where a logout may lead."),
    ]

    private static let client: JSONObject = [
        "name": text("Unique in the file."), "description": text("For people."),
        "app_type": ["type": "string", "examples": ["native", "spa", "regular_web", "non_interactive"]],
        "token_endpoint_auth_method": words(ClientAuthenticationMethod.allCases.map(\.rawValue)),
        "grant_types": ["type": "array", "items": words(GrantType.known.map(\.rawValue))],
        "callbacks": texts("Where the hosted pages may send the browser back."),
        "web_origins": texts("Origins whose pages may call with this client."),
        "allowed_origins": texts("More of them, patterns too."),
        "allowed_logout_urls": texts("Where a logout may lead."),
        "jwt_configuration": object(
            "How ID tokens are signed.",
            ["alg": words(TokenAlgorithm.allCases.map(\.rawValue)), "lifetime_in_seconds": ["type": "integer"]]
        ),
        "refresh_token": object("How refresh tokens live.", [:]),
        "mobile": object("The apps of iOS and Android.", ["ios": object("", [:]), "android": object("", [:])]),
    ]

    private static let database: JSONObject = [
        "name": text("Unique; letters, digits and hyphens."), "strategy": ["const": "auth0"],
        "display_name": text("For people."), "enabled_clients": texts("Clients by name."),
        "options": object(
            "How its users sign up and in.",
            [
                "authentication_methods": object("", [:]), "attributes": object("", [:]),
                "passkey_options": object(
                    "The passkey policy.",
                    [
                        "challenge_ui": words(["both", "autofill", "button"]),
                        "webauthn": object(
                            "",
                            [
                                "user_verification": words(["required", "preferred", "discouraged"]),
                                "resident_key": words(["required", "preferred", "discouraged"]),
                                "attestation": words(["none", "indirect", "direct", "enterprise"]),
                                "algorithms": ["type": "array", "items": ["type": "integer"]],
                                "allowed_aaguids": texts("Models."), "denied_aaguids": texts("Models."),
                                "require_trusted_attestation": ["type": "boolean"],
                                "require_backup_eligible": ["type": "boolean"],
                            ]
                        ),
                    ]
                ),
            ]
        ),
    ]

    private static let server: JSONObject = [
        "identifier": text("The audience."), "name": text("For people."),
        "scopes": list("", ["value": text(""), "description": text("")], required: ["value"]),
        "signing_alg": words(TokenAlgorithm.allCases.map(\.rawValue)), "token_lifetime": ["type": "integer"],
        "allow_offline_access": ["type": "boolean"],
    ]

    private static let grant: JSONObject = [
        "client_id": text("A client, by name."), "audience": text("An API, by identifier."),
        "scope": texts("Scopes of the API."), "subject_type": words(["client", "user"]),
        "allow_all_scopes": ["type": "boolean"],
    ]

    private static let domain: JSONObject = [
        "domain": text("A host name."), "type": ["const": "self_managed_certs"],
        "relying_party_identifier": text("The RP ID: the name itself or a parent of it."),
        "legacy_relying_party_identifiers": texts("RP IDs used before."),
        "related_origins": texts("Origins under other names that may use the RP ID."),
    ]

    private static func text(_ description: String) -> JSONValue {
        ["type": "string", "description": .string(description)]
    }

    private static func texts(_ description: String) -> JSONValue {
        ["type": "array", "items": ["type": "string"], "description": .string(description)]
    }

    private static func words(_ words: [String]) -> JSONValue {
        ["enum": .array(words.map { .string($0) })]
    }

    private static func object(_ description: String, _ properties: JSONObject) -> JSONValue {
        ["type": "object", "description": .string(description), "properties": .object(properties)]
    }

    private static func list(_ description: String, _ properties: JSONObject, required: [String]) -> JSONValue {
        [
            "type": "array", "description": .string(description),
            "items": [
                "type": "object", "properties": .object(properties),
                "required": .array(required.map { .string($0) }),
            ],
        ]
    }
}
