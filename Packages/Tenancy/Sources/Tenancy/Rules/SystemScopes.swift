public import Identity

extension SystemAPI {
    /// Every scope of the API, in the order of the contract (11.16; section 10).
    public var scopes: [ResourceServer.Scope] {
        switch self {
        case .management: Self.managementScopes.map { ResourceServer.Scope(value: $0) }
        case .myAccount: Self.myAccountScopes.map { ResourceServer.Scope(value: $0) }
        }
    }

    /// What it is called where people read.
    public var title: String {
        switch self {
        case .management: "Management API"
        case .myAccount: "My Account API"
        }
    }

    private static let managementScopes: [String] =
        [
            "clients", "client_keys", "client_grants", "connections", "custom_domains", "resource_servers", "users",
            "users_app_metadata", "authentication_methods",
        ].flatMap { thing in ["create", "read", "update", "delete"].map { "\($0):\(thing)" } } + [
            "read:device_credentials", "delete:device_credentials", "read:refresh_tokens", "update:refresh_tokens",
            "delete:refresh_tokens", "read:sessions", "update:sessions", "delete:sessions", "read:logs",
            "read:logs_users", "create:signing_keys", "read:signing_keys", "update:signing_keys",
            "read:tenant_settings", "update:tenant_settings", "create:user_tickets", "read:user_custom_blocks",
            "delete:user_custom_blocks",
        ]

    private static let myAccountScopes = [
        "read:me:factors", "create:me:authentication_methods", "read:me:authentication_methods",
        "update:me:authentication_methods", "delete:me:authentication_methods",
    ]
}
