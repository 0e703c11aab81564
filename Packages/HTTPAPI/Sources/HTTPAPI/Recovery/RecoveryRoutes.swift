import Accounts
import Encodings
import HTTPServer
import Identity
import Passkeys
import Tokens
import WebAuthn

/// `POST /recovery/start` and `POST /recovery/verify`: how an application gets somebody back in who lost what they
/// signed in with (contract 9.5). The new passkey is made at `/oauth/token`.
struct RecoveryRoutes: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        [
            Endpoint(.post, "/recovery/start", cors: .clients, run: start),
            Endpoint(.post, "/recovery/verify", cors: .clients, run: verify),
        ]
    }

    private func start(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let (parameters, client) = try await begin(&exchange)
        let identifier = try parameters.requiredString("identifier")
        let realm = try parameters.realm()
        let connection: Connection
        do throws(DirectoryError) {
            connection = try exchange.context.connection(realm: realm, for: client)
        } catch { throw APIError(AccountError.directory(error)) }
        let name = PasswordLogin.countedName(identifier)
        let isSent = await services.limits.mayMail(name, &exchange)
        let session: String
        do throws(PasskeyError) {
            session = try await services.recoveryRequest.start(
                identifier,
                countedAs: name,
                in: connection,
                isSent: isSent,
                surface: .token,
                client: client,
                in: exchange.context
            )
        } catch { throw APIError(error, at: .passkey) }
        return .json(status: 202, capacity: 96) { json in
            json.beginObject()
            json.member("recovery_session", session)
            json.endObject()
        }
    }

    private func verify(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let (parameters, client) = try await begin(&exchange)
        let session = try parameters.requiredString("recovery_session")
        let code = try RecoveryCheck.code(parameters)
        let check = RecoveryCheck(services: services, surface: .token)
        let leave = try await check.prove(code, session: session, client: client, &exchange)
        let begun: Begun<CreationOptions>
        do throws(PasskeyError) {
            begun = try await services.recovery.begin(leave, at: .token, in: exchange.context)
        } catch { throw APIError(error, at: .passkey) }
        var response = HTTPResponse.json(capacity: 1024) { json in
            json.beginObject()
            json.member("auth_session", begun.session)
            json.name("authn_params_public_key")
            begun.options.write(to: &json)
            json.endObject()
        }
        response.headers.add("X-Ceremony-Id", begun.ceremony.text)
        return response
    }

    /// Steps 3 to 7 of the order of checks, the same for both.
    private func begin(_ exchange: inout Exchange) async throws(APIError) -> (Parameters, Client) {
        let parameters = Parameters(try exchange.jsonBody())
        try await services.limits.count(.passkeyChallenges, &exchange)
        let credentials = try exchange.clientCredentials(parameters)
        let client: Client
        do throws(TokenError) {
            client = try await services.clients.authenticate(credentials, in: exchange.context)
        } catch { throw APIError(error, base: exchange.context.base) }
        exchange.client = client
        guard client.allows(.webAuthn) else { throw .grantNotAllowed(.webAuthn, status: 400) }
        return (parameters, client)
    }
}
