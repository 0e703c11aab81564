import Encodings

extension RefreshTokenSettings {
    /// The longest life of a refresh token, in seconds (HTTP contract 7.3).
    static let longestLifetime: Int64 = 31_557_600

    /// Reads the member `refresh_token` of a client; what is absent in it is as in `defaults`.
    init(_ reader: consuming DocumentReader, defaults: RefreshTokenSettings) throws(DocumentError) {
        self = defaults
        guard let rotation = try reader.text("rotation_type", .word(["rotating", "non-rotating"])) else {
            throw .missingMember(path: reader.path(of: "rotation_type"))
        }
        guard let expiration = try reader.text("expiration_type", .word(["expiring", "non-expiring"])) else {
            throw .missingMember(path: reader.path(of: "expiration_type"))
        }
        rotates = rotation == "rotating"
        expires = expiration == "expiring"
        guard expires || !rotates else {
            throw .invalid(reader.path(of: "expiration_type"), "non-expiring", mustBe: "expiring with rotating tokens")
        }
        leeway = try reader.integer("leeway", 0...Self.longestLifetime) ?? leeway
        lifetime = try reader.integer("token_lifetime", 1...Self.longestLifetime) ?? lifetime
        hasInfiniteLifetime = try reader.bool("infinite_token_lifetime") ?? !expires
        let idle = try reader.integer("idle_token_lifetime", 1...Self.longestLifetime)
        // An idle life that nobody chose gives way to a shorter absolute one.
        idleLifetime = idle ?? min(idleLifetime, lifetime)
        hasInfiniteIdleLifetime = try reader.bool("infinite_idle_token_lifetime") ?? !expires
        if let idle, idle > lifetime, !hasInfiniteLifetime, !hasInfiniteIdleLifetime {
            throw .invalid(
                reader.path(of: "idle_token_lifetime"),
                .integer(idle),
                mustBe: "at most token_lifetime, \(lifetime)"
            )
        }
        policies = try Self.policies(&reader)
        try reader.end()
    }

    private static func policies(_ reader: inout DocumentReader) throws(DocumentError) -> [RefreshPolicy]? {
        guard let entries = try reader.objects("policies", atMost: 100) else { return nil }
        var policies: [RefreshPolicy] = []
        for var entry in entries {
            guard let audience = try entry.text("audience", .plain(1...600)) else {
                throw .missingMember(path: entry.path(of: "audience"))
            }
            guard let scope = try entry.texts("scope", .plain(1...280), atMost: 1000) else {
                throw .missingMember(path: entry.path(of: "scope"))
            }
            try entry.end()
            policies.append(RefreshPolicy(audience: audience, scope: scope))
        }
        return policies
    }

    var document: JSONObject {
        var document: JSONObject = [
            "rotation_type": .string(rotates ? "rotating" : "non-rotating"),
            "expiration_type": .string(expires ? "expiring" : "non-expiring"),
            "leeway": .integer(leeway),
            "token_lifetime": .integer(lifetime),
            "infinite_token_lifetime": .bool(hasInfiniteLifetime),
            "idle_token_lifetime": .integer(idleLifetime),
            "infinite_idle_token_lifetime": .bool(hasInfiniteIdleLifetime),
        ]
        if let policies {
            document.set(
                "policies",
                .array(
                    policies.map {
                        ["audience": .string($0.audience), "scope": .array($0.scope.map { .string($0) })]
                    }
                )
            )
        }
        return document
    }
}
