import Encodings
import JOSE
import Testing

/// The claims of a token, unverified or verified with the tenant's published keys.
struct Claims {
    let header: JSONObject
    let object: JSONObject

    /// Without a look at the signature.
    init(_ token: String) throws {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        try #require(parts.count == 3)
        header = try #require(try JSON.parse(Base64URL.decode(parts[0])[...]).object)
        object = try #require(try JSON.parse(Base64URL.decode(parts[1])[...]).object)
    }

    /// With the signature verified by the key set that the site publishes.
    static func verified(_ token: String, by site: Site) async throws -> Claims {
        let document = try await site.send(.get("/.well-known/jwks.json")).json
        let keys = try JWKSet(document).keys.map { try JWSKey($0) }
        _ = try JWS.verify(token, with: try JWSKeySet(keys))
        return try Claims(token)
    }

    subscript(name: String) -> JSONValue? { object[name] }
    var subject: String? { object["sub"]?.string }
}
