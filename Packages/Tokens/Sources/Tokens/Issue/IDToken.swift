internal import Encodings
internal import Identity

/// The claims of an ID token (HTTP contract 6.2; OpenID Connect Core §2).
enum IDToken {
    static func claims(
        _ user: User,
        _ session: Session,
        scope: [String],
        client: Client,
        nonce: String?,
        in context: RequestContext
    ) -> [UInt8] {
        let issuedAt = context.now.seconds
        var json = JSONWriter(capacity: 640)
        json.beginObject()
        UserClaims.write(user, scope: scope, to: &json)
        json.member("iss", context.issuer)
        json.member("aud", client.id.text)
        json.member("sub", user.id.subject)
        json.member("iat", issuedAt)
        json.member("exp", issuedAt + client.idTokenLifetime)
        json.member("auth_time", session.authenticatedAt.seconds)
        json.member("sid", session.id.text)
        if let nonce { json.member("nonce", nonce) }
        if !session.amr.isEmpty {
            json.name("amr")
            json.strings(session.amr)
        }
        if let acr = session.acr { json.member("acr", acr) }
        json.endObject()
        return json.bytes
    }
}
