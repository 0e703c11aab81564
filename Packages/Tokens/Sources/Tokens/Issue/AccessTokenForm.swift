internal import Encodings
internal import Identity

/// How an access token for one API looks (HTTP contract 6.3).
struct AccessTokenForm {
    let audience: [String]
    let algorithm: TokenAlgorithm
    /// Seconds.
    let lifetime: Int64
    let dialect: TokenDialect

    /// Names the code that the token was given for; for this server alone.
    static let codeClaim = "code"

    /// Seconds that a token for the user-info endpoint alone lives.
    static let userInfoLifetime: Int64 = 86400

    init(_ decision: GrantDecision, in context: RequestContext) {
        let userInfo = context.base + "/userinfo"
        guard let server = decision.server, let api = decision.audience else {
            audience = [userInfo]
            algorithm = .es256
            lifetime = Self.userInfoLifetime
            dialect = .rfc9068
            return
        }
        audience = decision.scope.contains(Scopes.openID) ? [api, userInfo] : [api]
        algorithm = server.signingAlgorithm
        lifetime = server.tokenLifetime
        dialect = server.dialect
    }

    /// The `typ` of the header.
    var type: String {
        switch dialect {
        case .accessToken, .accessTokenAuthz: "JWT"
        case .rfc9068, .rfc9068Authz: "at+jwt"
        }
    }

    /// Whom a token speaks for.
    enum Subject {
        /// The user of this session.
        case user(Session)
        /// The client itself, which proved itself with its secret or key.
        case client
    }

    /// The claims, as one JSON object.
    ///
    /// - Parameters:
    ///   - subject: whom the token speaks for.
    ///   - scope: given scopes; none leave the claim out.
    ///   - client: who gets the token.
    ///   - grantType: the claim `gty`, where the dialect has it.
    ///   - identifier: the claim `jti`, where the dialect has it.
    ///   - code: SHA-256 of the authorization code that it is given for, by which it is refused when that comes again.
    ///   - context: where and when.
    /// - Returns: JSON.
    func claims(
        of subject: Subject,
        scope: [String],
        client: ClientID,
        grantType: String?,
        identifier: ArraySlice<UInt8>,
        code: [UInt8]? = nil,
        in context: RequestContext
    ) -> [UInt8] {
        let issuedAt = context.now.seconds
        var json = JSONWriter(capacity: 640)
        json.beginObject()
        json.member("iss", context.issuer)
        switch subject {
        case .user(let session): json.member("sub", session.user.subject)
        case .client: json.member("sub", client.text + "@clients")
        }
        json.name("aud")
        if audience.count == 1, let only = audience.first { json.string(only) } else { json.strings(audience) }
        json.member("iat", issuedAt)
        json.member("exp", issuedAt + lifetime)
        if !scope.isEmpty { json.member("scope", scope.joined(separator: " ")) }
        switch dialect {
        case .accessToken, .accessTokenAuthz:
            json.member("azp", client.text)
            if let grantType { json.member("gty", grantType) }
        case .rfc9068, .rfc9068Authz:
            json.member("client_id", client.text)
            json.name("jti")
            json.base64URL(identifier)
            if case .user(let session) = subject {
                json.member("auth_time", session.authenticatedAt.seconds)
                if let acr = session.acr { json.member("acr", acr) }
                if !session.amr.isEmpty {
                    json.name("amr")
                    json.strings(session.amr)
                }
            }
        }
        if case .user(let session) = subject { json.member("sid", session.id.text) }
        if let code {
            json.name(Self.codeClaim)
            json.base64URL(code[...])
        }
        if dialect == .accessTokenAuthz || dialect == .rfc9068Authz {
            // Nobody has permissions of their own yet: the claim is there, and empty.
            json.name("permissions")
            json.strings([])
        }
        json.endObject()
        return json.bytes
    }
}

extension JSONWriter {
    mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }

    mutating func member(_ name: String, _ value: Int64) {
        self.name(name)
        integer(value)
    }

    mutating func strings(_ values: [String]) {
        beginArray()
        for value in values { string(value) }
        endArray()
    }
}
