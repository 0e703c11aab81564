import Encodings
import HTTPServer
import Identity
import Passkeys
import Tokens
import WebAuthn

/// `POST /passkey/register` and `POST /passkey/challenge`: how native and web clients begin (contract 5.1, 5.2).
struct PasskeyRoutes: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        [
            Endpoint(.post, "/passkey/register", cors: .clients, run: register),
            Endpoint(.post, "/passkey/challenge", cors: .clients, run: challenge),
        ]
    }

    private func register(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let (parameters, client, realm) = try await begin(&exchange, limits: [.passkeyChallenges, .signup])
        let profile = try parameters.object("user_profile")
        do throws(PasskeyError) {
            let begun = try await services.signUp.begin(
                .profile(profile ?? JSONObject(), metadata: parameters["user_metadata"]),
                at: .token,
                realm: realm,
                client: client,
                in: exchange.context
            )
            return answer(begun.session) { begun.options.write(to: &$0) }
        } catch { throw refused(error, to: "register", client, exchange) }
    }

    private func challenge(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let (parameters, client, realm) = try await begin(&exchange, limits: [.passkeyChallenges])
        let relyingPartyID = try parameters.string("rp_id")
        do throws(PasskeyError) {
            let begun = try await services.login.begin(
                relyingPartyID: relyingPartyID,
                at: .token,
                realm: realm,
                client: client,
                in: exchange.context
            )
            return answer(begun.session) { begun.options.write(to: &$0) }
        } catch { throw refused(error, to: "login", client, exchange) }
    }

    /// Writes down that a ceremony did not begin: it has no record of its own.
    private func refused(
        _ error: PasskeyError,
        to purpose: String,
        _ client: Client,
        _ exchange: Exchange
    ) -> APIError {
        let refusal = APIError(error, at: .passkey)
        if case .store = error { return refusal }
        let context = exchange.context
        services.ceremonies.refusals.add(
            AuditEvent(
                tenant: context.tenant,
                types: ["passkey_challenge_failed"],
                at: context.now,
                client: client.id,
                device: context.device,
                details: [
                    "purpose": .string(purpose), "reason": .string(refusal.reason),
                    "error": ["message": .string(refusal.description)],
                ]
            )
        )
        return refusal
    }

    /// Steps 3 to 8 of the order of checks, the same for both.
    private func begin(
        _ exchange: inout Exchange,
        limits: [RateLimiter.Key.Bucket]
    ) async throws(APIError) -> (Parameters, Client, realm: String?) {
        let parameters = Parameters(try exchange.jsonBody())
        for limit in limits { try await services.limits.count(limit, &exchange) }
        let credentials = try exchange.clientCredentials(parameters)
        let client: Client
        do throws(TokenError) {
            client = try await services.clients.authenticate(credentials, in: exchange.context)
        } catch { throw APIError(error, base: exchange.context.base) }
        exchange.client = client
        guard client.allows(.webAuthn) else { throw .grantNotAllowed(.webAuthn, status: 400) }
        let realm = try parameters.realm()
        if parameters["organization"] != nil {
            throw APIError(400, "invalid_request", "Organizations are not supported", "organizations_not_supported")
        }
        return (parameters, client, realm)
    }

    private func answer(_ session: String, _ options: (inout JSONWriter) -> Void) -> HTTPResponse {
        .json(capacity: 1024) { json in
            json.beginObject()
            json.name("auth_session")
            json.string(session)
            json.name("authn_params_public_key")
            options(&json)
            json.endObject()
        }
    }
}
