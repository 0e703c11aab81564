import Encodings
import HTTPServer
import Identity
import Tokens

/// What clients find out by themselves: the discovery document and the keys (contract 6.6, 6.7).
struct DiscoveryRoutes: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/.well-known/openid-configuration", cors: .everyone, run: configuration),
            Endpoint(
                .get,
                "/.well-known/oauth-authorization-server",
                cors: .everyone,
                run: configuration
            ),
            Endpoint(.get, "/.well-known/jwks.json", cors: .everyone, run: keySet),
        ]
    }

    /// Lists what this server serves, and nothing else.
    private func configuration(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let base = exchange.context.base
        let clientAuthentication = ClientAuthenticationMethod.served
        var response = HTTPResponse.json(capacity: 2048) { json in
            json.beginObject()
            json.member("issuer", exchange.context.issuer)
            json.member("authorization_endpoint", base + "/authorize")
            json.member("token_endpoint", base + "/oauth/token")
            json.member("userinfo_endpoint", base + "/userinfo")
            json.member("jwks_uri", base + "/.well-known/jwks.json")
            json.member("revocation_endpoint", base + "/oauth/revoke")
            json.member("revocation_endpoint_auth_methods_supported", clientAuthentication)
            json.member("end_session_endpoint", base + "/oidc/logout")
            json.member(
                "scopes_supported",
                [
                    "openid", "profile", "offline_access", "name", "given_name", "family_name", "nickname", "email",
                    "email_verified", "picture", "created_at", "phone",
                ]
            )
            json.member("response_types_supported", ["code"])
            json.member("response_modes_supported", ["query", "form_post"])
            json.member("grant_types_supported", ServedGrant.allCases.map(\.type.rawValue))
            json.member("subject_types_supported", ["public"])
            json.member("id_token_signing_alg_values_supported", TokenAlgorithm.allCases.map(\.rawValue))
            json.member("token_endpoint_auth_methods_supported", clientAuthentication)
            json.member("token_endpoint_auth_signing_alg_values_supported", ["RS256", "PS256", "ES256"])
            json.member(
                "claims_supported",
                [
                    "aud", "auth_time", "created_at", "email", "email_verified", "exp", "family_name", "given_name",
                    "iat", "iss", "name", "nickname", "phone_number", "phone_number_verified", "picture", "sub", "sid",
                    "amr", "acr",
                ]
            )
            json.member("code_challenge_methods_supported", ["S256"])
            json.member("acr_values_supported", ["phr", "phrh"])
            json.member("prompt_values_supported", AuthorizationTransaction.Prompt.allCases.map(\.rawValue))
            json.name("authorization_response_iss_parameter_supported")
            json.bool(true)
            json.name("claims_parameter_supported")
            json.bool(false)
            json.name("request_uri_parameter_supported")
            json.bool(false)
            json.name("request_parameter_supported")
            json.bool(false)
            json.endObject()
        }
        response.headers.add("Cache-Control", "public, max-age=300")
        return response
    }

    private func keySet(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let keys: PublishedKeySet
        do throws(TokenError) {
            keys = try await services.keys.keySet(in: exchange.context)
        } catch { throw APIError(error, base: exchange.context.base) }
        return exchange.cacheable(
            .json(keys.body),
            tag: keys.entityTag,
            "public, max-age=300, stale-while-revalidate=60"
        )
    }
}

extension ClientAuthenticationMethod {
    /// In the order of the discovery document.
    static let served = [secretBasic, secretPost, privateKeyJWT, none].map(\.rawValue)
}

extension JSONWriter {
    mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }

    mutating func member(_ name: String, _ values: [String]) {
        self.name(name)
        beginArray()
        for value in values { string(value) }
        endArray()
    }
}
