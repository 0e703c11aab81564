public import Encodings

extension ConnectionOptions {
    /// Reads the member `options` of a connection (HTTP contract 11.5). What is absent has its default.
    ///
    /// - Throws: ``DocumentError`` for the first member at fault; paths begin with `options.`.
    public init(document: JSONObject) throws(DocumentError) {
        self.init()
        var reader = DocumentReader(document, path: "options")
        let methodsKept = try readMethods(&reader)
        if let options = try reader.object("passkey_options") { passkey = try PasskeyOptions(options) }
        if let attributes = try reader.object("attributes") {
            self.attributes = try ConnectionAttributes(attributes)
        }
        requiresUsername = try reader.bool("requires_username") ?? requiresUsername
        guard attributes == nil || !requiresUsername else {
            throw .conflict(
                path: "options.requires_username",
                message: "Cannot set both options.attributes and options.requires_username"
            )
        }
        try readPrecedence(&reader)
        try readUsernameLength(&reader)
        signupDisabled = try reader.bool("disable_signup") ?? signupDisabled
        password = try PasswordOptions(&reader)
        try readRecovery(&reader)
        stored = try reader.keep(Self.kept)
        if !methodsKept.isEmpty { stored.set("authentication_methods", .object(methodsKept)) }
        try reader.end()
    }

    /// The options in the words of the Management API, defaults written out.
    public var document: JSONObject {
        var document = JSONObject()
        var methods: JSONObject = [
            "password": ["enabled": .bool(passwordsEnabled)], "passkey": ["enabled": .bool(passkeysEnabled)],
        ]
        methods.restore(Self.keptMethods, from: stored["authentication_methods"]?.object ?? JSONObject())
        document.set("authentication_methods", .object(methods))
        document.set("passkey_options", .object(passkey.document))
        if let attributes { document.set("attributes", .object(attributes.document)) }
        document.set("requires_username", .bool(requiresUsername))
        document.set("precedence", texts: precedence.map(\.rawValue))
        if let length = usernameLengthWithoutAttributes {
            document.set(
                "validation",
                [
                    "username": [
                        "min": .integer(Int64(length.lowerBound)), "max": .integer(Int64(length.upperBound)),
                    ]
                ]
            )
        }
        document.set("disable_signup", .bool(signupDisabled))
        password.write(to: &document)
        var recovery = JSONObject()
        recovery.set("methods", texts: recoveryMethods.map(\.rawValue))
        document.set("recovery", .object(recovery))
        document.restore(Self.kept, from: stored)
        return document
    }

    /// - Returns: the methods that are only kept.
    private mutating func readMethods(_ reader: inout DocumentReader) throws(DocumentError) -> JSONObject {
        guard var methods = try reader.object("authentication_methods") else { return JSONObject() }
        if var password = try methods.object("password") {
            passwordsEnabled = try password.bool("enabled") ?? passwordsEnabled
            try password.end()
        }
        if var passkey = try methods.object("passkey") {
            passkeysEnabled = try passkey.bool("enabled") ?? passkeysEnabled
            try passkey.end()
        }
        let kept = try methods.keep(Self.keptMethods)
        try methods.end()
        return kept
    }

    private mutating func readPrecedence(_ reader: inout DocumentReader) throws(DocumentError) {
        let words = IdentifierKind.allCases.map(\.rawValue)
        guard let texts = try reader.texts("precedence", .word(words), atMost: words.count) else { return }
        let kinds = texts.compactMap { IdentifierKind(rawValue: $0) }
        guard !kinds.isEmpty, Set(kinds).count == kinds.count else {
            throw .invalid(
                "options.precedence",
                .array(texts.map { .string($0) }),
                mustBe: "a list of \(alternatives(words)), each at most once"
            )
        }
        precedence = kinds
    }

    private mutating func readRecovery(_ reader: inout DocumentReader) throws(DocumentError) {
        guard var recovery = try reader.object("recovery") else { return }
        let words = RecoveryMethod.allCases.map(\.rawValue)
        if let texts = try recovery.texts("methods", .word(words), atMost: words.count) {
            guard Set(texts).count == texts.count else {
                throw recovery.invalid(
                    "methods",
                    .array(texts.map { .string($0) }),
                    mustBe: "a list of \(alternatives(words)), each at most once"
                )
            }
            recoveryMethods = texts.compactMap(RecoveryMethod.init(rawValue:))
        }
        try recovery.end()
    }

    private mutating func readUsernameLength(_ reader: inout DocumentReader) throws(DocumentError) {
        guard var validation = try reader.object("validation") else { return }
        if let username = try validation.object("username") {
            usernameLengthWithoutAttributes = try ConnectionAttributes.length(username, minimum: "min", maximum: "max")
        }
        try validation.end()
    }

    private static let keptMethods = KeptMember.all("email_otp", "phone_otp")

    private static let kept: [KeptMember] =
        [
            KeptMember("brute_force_protection", .bool, absent: true),
            KeptMember("import_mode", .bool, absent: false),
        ]
        + KeptMember.all(
            "mfa",
            "customScripts",
            "configuration",
            "non_persistent_attrs",
            "enable_script_context",
            "enabledDatabaseCustomization",
            "realm_fallback",
            "disable_self_service_change_password",
            "password_options",
            "custom_password_hash",
            "strategy_version"
        )
}
