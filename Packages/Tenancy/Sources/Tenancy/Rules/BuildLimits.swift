import Encodings
import Identity

/// What can be said in a document and is not done yet: it is refused by name, so that nobody relies on it.
enum BuildLimits {
    static func check(_ settings: TenantSettings) throws(TenancyError) {
        try refuse(settings.totp, "totp", "totp cannot be true: this build has no one-time passwords yet.")
        try refuse(
            !settings.hashClientSecrets,
            "hash_client_secrets",
            "hash_client_secrets cannot be false: this build keeps client secrets as hashes alone."
        )
        for member in ["ephemeral_session_lifetime", "idle_ephemeral_session_lifetime"] {
            try refuse(
                settings.stored[member] != nil,
                member,
                "\(member) cannot be set: this build has no ephemeral sessions yet."
            )
        }
    }

    static func check(_ client: Client) throws(TenancyError) {
        guard client.isConfidential || !client.allows(.clientCredentials) else {
            throw .conflict(
                "the grant client_credentials needs a client that keeps a secret: choose another "
                    + "token_endpoint_auth_method than none, or leave the grant out."
            )
        }
    }

    static func check(_ options: ConnectionOptions) throws(TenancyError) {
        guard options.passkeysEnabled || options.passwordsEnabled else {
            throw .conflict("options.authentication_methods must leave passkey or password enabled.")
        }
        try checkPasswords(options.stored)
        if let attributes = options.attributes { try check(attributes) }
    }

    static func check(_ server: ResourceServer) throws(TenancyError) {
        try refuse(
            server.stored["enforce_policies"]?.bool == true,
            "enforce_policies",
            "enforce_policies cannot be true: this build has no permissions of users yet."
        )
        try refuse(
            server.dialect == .accessTokenAuthz || server.dialect == .rfc9068Authz,
            "token_dialect",
            "token_dialect cannot be \(server.dialect.rawValue): this build has no permissions of users yet."
        )
    }

    /// What only passwords obey. What equals the default is not among `stored`.
    private static func checkPasswords(_ stored: JSONObject) throws(TenancyError) {
        try refuse(
            stored["brute_force_protection"] != nil,
            "options.brute_force_protection",
            "options.brute_force_protection cannot be false: tries of passwords are always counted."
        )
    }

    private static func check(_ attributes: ConnectionAttributes) throws(TenancyError) {
        let all = [
            ("email", attributes.email), ("phone_number", attributes.phoneNumber), ("username", attributes.username),
        ]
        for (name, attribute) in all {
            let path = "options.attributes.\(name)"
            try refuse(
                attribute.stored["verification"]?.object?["active"]?.bool == true,
                "\(path).signup.verification.active",
                "\(path).signup.verification.active cannot be true: this build verifies no addresses at sign-up."
            )
            try refuse(
                attribute.stored["unique"]?.bool == false,
                "\(path).unique",
                "\(path).unique cannot be false: an identifier is unique in its connection."
            )
            let types = attribute.stored["validation"]?.object?["allowed_types"]?.object
            try refuse(
                types?.members.contains { $0.value.bool == true } == true,
                "\(path).validation.allowed_types",
                "\(path).validation.allowed_types cannot have true: a user name never looks like an address or number."
            )
        }
    }

    private static func refuse(_ isAsked: Bool, _ member: String, _ sentence: String) throws(TenancyError) {
        if isAsked { throw .notBuilt(member: member, sentence: sentence) }
    }
}
