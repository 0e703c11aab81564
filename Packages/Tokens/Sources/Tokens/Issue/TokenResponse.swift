public import Encodings

/// The answer of the token endpoint (HTTP contract 6.1).
public struct TokenResponse: Hashable, Sendable {
    public let accessToken: String
    public let idToken: String?
    public let refreshToken: String?
    public let scope: [String]
    /// Seconds.
    public let expiresIn: Int64

    /// Writes the answer as one JSON object.
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        writeMembers(to: &json)
        json.endObject()
    }

    /// Writes the members alone, for an object that has others too.
    public func writeMembers(to json: inout JSONWriter) {
        json.name("access_token")
        json.string(accessToken)
        if let idToken {
            json.name("id_token")
            json.string(idToken)
        }
        if let refreshToken {
            json.name("refresh_token")
            json.string(refreshToken)
        }
        json.name("scope")
        json.string(scope.joined(separator: " "))
        json.name("expires_in")
        json.integer(expiresIn)
        json.name("token_type")
        json.string("Bearer")
    }
}
