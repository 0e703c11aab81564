public import Encodings

extension ResourceServer {
    /// Reads an API (HTTP contract 11.7). What is absent has its default.
    ///
    /// - Parameters:
    ///   - document: the members of the contract without `id` and `is_system`; the `identifier` of a system API is its
    ///     path (``SystemAPI``).
    ///   - id: what the store keeps beside the document, and so for the others.
    ///   - tenant: whose API it is.
    ///   - createdAt: when it was made.
    ///   - updatedAt: when it was last changed.
    /// - Throws: ``DocumentError`` for the first member at fault.
    public init(
        document: JSONObject,
        id: ResourceServerID,
        tenant: TenantID,
        createdAt: UnixTime,
        updatedAt: UnixTime
    ) throws(DocumentError) {
        var reader = DocumentReader(document)
        guard let identifier = try reader.text("identifier", .plain(1...600)) else {
            throw .missingMember(path: "identifier")
        }
        guard !identifier.utf8.contains(where: { $0 <= 0x20 }) else {
            throw .invalid("identifier", .string(identifier), mustBe: "a text without white space")
        }
        self.init(
            id: id,
            tenant: tenant,
            name: try reader.text("name", .label(1...200)) ?? identifier,
            identifier: identifier,
            system: SystemAPI(rawValue: identifier),
            createdAt: createdAt
        )
        self.updatedAt = updatedAt
        scopes = try Self.scopes(&reader)
        signingAlgorithm = try reader.word("signing_alg", TokenAlgorithm.self) ?? signingAlgorithm
        allowOfflineAccess = try reader.bool("allow_offline_access") ?? allowOfflineAccess
        tokenLifetime = try reader.integer("token_lifetime", 1...2_592_000) ?? tokenLifetime
        dialect = try reader.word("token_dialect", TokenDialect.self) ?? dialect
        if var subjects = try reader.object("subject_type_authorization") {
            clientAccess = try Self.policy("client", of: &subjects) ?? clientAccess
            userAccess = try Self.policy("user", of: &subjects) ?? userAccess
            try subjects.end()
        }
        stored = try reader.keep(Self.kept)
        try reader.end()
    }

    /// The API in the words of the Management API, defaults written out; without its id.
    public var document: JSONObject {
        var document = JSONObject()
        document.set("identifier", .string(identifier))
        document.set("name", .string(name))
        document.set(
            "scopes",
            .array(scopes.map { ["value": .string($0.value), "description": .string($0.description)] })
        )
        document.set("signing_alg", .string(signingAlgorithm.rawValue))
        document.set("allow_offline_access", .bool(allowOfflineAccess))
        document.set("token_lifetime", .integer(tokenLifetime))
        document.set("token_dialect", .string(dialect.rawValue))
        document.set(
            "subject_type_authorization",
            [
                "client": ["policy": .string(clientAccess.rawValue)],
                "user": ["policy": .string(userAccess.rawValue)],
            ]
        )
        document.restore(Self.kept, from: stored)
        return document
    }

    private static func scopes(_ reader: inout DocumentReader) throws(DocumentError) -> [Scope] {
        guard let entries = try reader.objects("scopes", atMost: 1000) else { return [] }
        var scopes: [Scope] = []
        var seen: Set<String> = []
        for var entry in entries {
            guard let value = try entry.text("value", .plain(1...280)) else {
                throw .missingMember(path: entry.path(of: "value"))
            }
            // RFC 6749 §3.3: scope-token.
            guard value.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C }) else {
                throw entry.invalid("value", .string(value), mustBe: "printable ASCII without spaces, quotes and \\")
            }
            guard seen.insert(value).inserted else {
                throw entry.invalid("value", .string(value), mustBe: "a scope that is not in the list already")
            }
            scopes.append(Scope(value: value, description: try entry.text("description", .plain(0...500)) ?? ""))
            try entry.end()
        }
        return scopes
    }

    private static func policy(
        _ name: String,
        of subjects: inout DocumentReader
    ) throws(DocumentError) -> AccessPolicy? {
        guard var subject = try subjects.object(name) else { return nil }
        let policy = try subject.word("policy", AccessPolicy.self)
        try subject.end()
        return policy
    }

    private static let kept: [KeptMember] =
        [
            KeptMember("token_lifetime_for_web", .integer(1...2_592_000), absent: 7200),
            KeptMember("enforce_policies", .bool, absent: false),
            KeptMember("skip_consent_for_verifiable_first_party_clients", .bool, absent: true),
        ]
        + KeptMember.all(
            "allow_online_access",
            "allow_online_access_with_ephemeral_sessions",
            "token_lifetime_for_anonymous_access_tokens",
            "access_token",
            "token_encryption",
            "consent_policy",
            "require_consent_non_repudiation",
            "authorization_details",
            "proof_of_possession",
            "authorization_policy",
            "client_id",
            "verificationLocation"
        )
}
