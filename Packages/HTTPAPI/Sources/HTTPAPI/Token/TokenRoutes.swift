import Accounts
import Encodings
import HTTPServer
import Identity
import Passkeys
import Tokens

/// `POST /oauth/token` and `POST /oauth/revoke` (contract 5.3 to 5.5).
struct TokenRoutes: Sendable {
    let services: APIServices

    var endpoints: [Endpoint] {
        [
            Endpoint(.post, "/oauth/token", cors: .clients, run: token),
            Endpoint(.post, "/oauth/revoke", cors: .clients, run: revoke),
        ]
    }

    private func token(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let parameters = try exchange.parameters()
        try await services.limits.count(.token, &exchange)
        if let name = parameters.repeated { throw .repeated(name) }
        let client = try await authenticate(parameters, &exchange)
        switch try grant(parameters, client, exchange) {
        case .webAuthn: return try await webAuthn(parameters, client, &exchange)
        case .refreshToken: return try await refresh(parameters, client, &exchange)
        case .clientCredentials: return try await clientCredentials(parameters, client, exchange)
        case .authorizationCode: return try await code(parameters, client, exchange)
        case .password: return try await password(parameters, client, realm: nil, &exchange)
        case .passwordRealm:
            return try await password(parameters, client, realm: try parameters.requiredString("realm"), &exchange)
        }
    }

    /// `urn:okta:params:oauth:grant-type:webauthn`: a sign-up or a login, by the session's purpose.
    private func webAuthn(
        _ parameters: Parameters,
        _ client: Client,
        _ exchange: inout Exchange
    ) async throws(APIError) -> HTTPResponse {
        let context = exchange.context
        let session = try parameters.requiredString("auth_session")
        guard let answer = try parameters.object("authn_response") else { throw .missing("authn_response") }
        let realm = try parameters.realm()
        let audience = try parameters.string("audience")
        let scope = try parameters.string("scope")
        do throws(PasskeyError) {
            try services.ceremonies.admit(realm: realm, client: client, in: context)
        } catch { throw APIError(error, at: .token) }
        let decision: GrantDecision
        do throws(TokenError) {
            decision = try GrantDecision.user(audience: audience, scope: scope, client: client, in: context)
        } catch { throw APIError(error, base: context.base) }

        let signIn = SignIn(services: services, surface: .token)
        let signedIn = try await signIn.answering(answer, in: context) { () async throws(APIError) in
            let taken = try await signIn.take(session, .token, realm: realm, client: client, in: context)
            return try await signIn.finish(taken, answer, decision, client: client, cookie: nil, in: context)
        }
        var response = HTTPResponse.json(capacity: 4096) { signedIn.tokens.write(to: &$0) }
        response.headers.add("X-Ceremony-Id", signedIn.ceremony.text)
        return response
    }

    private func refresh(
        _ parameters: Parameters,
        _ client: Client,
        _ exchange: inout Exchange
    ) async throws(APIError) -> HTTPResponse {
        let token = try parameters.requiredString("refresh_token")
        let audience = try parameters.string("audience")
        let scope = try parameters.string("scope")
        do throws(TokenError) {
            let answer = try await services.refresh.exchange(
                token,
                audience: audience,
                scope: scope,
                client: client,
                in: exchange.context
            )
            return .json(capacity: 4096) { answer.write(to: &$0) }
        } catch { throw APIError(error, base: exchange.context.base) }
    }

    /// A token that speaks for the client itself (contract 5.4). What was asked and refused is written down as well as
    /// what was given.
    private func clientCredentials(
        _ parameters: Parameters,
        _ client: Client,
        _ exchange: Exchange
    ) async throws(APIError) -> HTTPResponse {
        let context = exchange.context
        let audience = try parameters.string("audience")
        let scope = try parameters.string("scope")
        func event(_ type: String, _ details: JSONObject) -> AuditEvent {
            AuditEvent(
                tenant: context.tenant,
                types: [type],
                at: context.now,
                client: client.id,
                device: context.device,
                details: details
            )
        }
        do throws(TokenError) {
            let decision = try GrantDecision.client(audience: audience, scope: scope, client: client, in: context)
            let granted = event(
                "seccft",
                ["audience": .string(decision.audience ?? ""), "scope": .string(decision.scope.joined(separator: " "))]
            )
            do throws(StoreError) {
                try await services.audit.append(ceremonies: [], events: [granted])
            } catch {
                throw TokenError.store(error)
            }
            let answer = try await services.issuer.clientToken(decision, of: client, in: context)
            return .json(capacity: 2048) { answer.write(to: &$0) }
        } catch {
            let refusal = APIError(error, base: context.base)
            if refusal.status < 500 {
                services.ceremonies.refusals.add(event("feccft", ["reason": .string(refusal.reason)]))
            }
            throw refusal
        }
    }

    /// `password` and `password-realm` (contract 5.4, 9.3).
    private func password(
        _ parameters: Parameters,
        _ client: Client,
        realm: String?,
        _ exchange: inout Exchange
    ) async throws(APIError) -> HTTPResponse {
        // A password is never given to somebody else's client (RFC 9700 §2.4).
        guard client.isFirstParty else {
            throw .grantNotAllowed(realm == nil ? .password : .passwordRealm, status: 403)
        }
        let username = try parameters.requiredString("username")
        let password = try parameters.requiredString("password")
        let context = try exchange.endUserContext(client)
        do throws(DirectoryError) {
            _ = try context.connection(realm: realm, for: client)
        } catch { throw APIError(.directory(error)) }
        let audience = try parameters.string("audience")
        let scope = try parameters.string("scope")
        let decision: GrantDecision
        do throws(TokenError) {
            decision = try GrantDecision.user(audience: audience, scope: scope, client: client, in: context)
        } catch { throw APIError(error, base: context.base) }

        let verified = try await PasswordCheck(services: services).verify(
            username: username,
            password: password,
            realm: realm,
            client: client,
            in: context,
            &exchange
        )
        let prepared: PreparedTokens
        do throws(TokenError) {
            prepared = try await services.issuer.prepare(
                decision,
                for: verified.authentication,
                grantType: "password",
                client: client,
                in: context
            )
        } catch { throw APIError(error, base: context.base) }
        do throws(AccountError) {
            try await services.passwordLogin.store(
                verified,
                session: prepared.session,
                refresh: prepared.refresh,
                client: client,
                in: context
            )
        } catch { throw APIError(error) }
        let answer: TokenResponse
        do throws(TokenError) {
            answer = try await services.issuer.sign(prepared)
        } catch { throw APIError(error, base: context.base) }
        let upgrade = await upgrade(
            of: verified.user,
            prepared.session,
            passwordChangedAt: verified.passwordChangedAt,
            client,
            context
        )
        return Self.answer(answer, upgrade)
    }

    /// `authorization_code`: what a hosted sign-in ends in (contract 5.4, 8.1).
    private func code(
        _ parameters: Parameters,
        _ client: Client,
        _ exchange: Exchange
    ) async throws(APIError) -> HTTPResponse {
        let context = exchange.context
        let presented = CodeGrant.Presented(
            code: try parameters.requiredString("code"),
            redirectURI: try parameters.string("redirect_uri"),
            verifier: try parameters.string("code_verifier")
        )
        let exchanged: CodeGrant.Exchanged
        do throws(TokenError) {
            exchanged = try await services.codes.exchange(presented, client: client, in: context)
        } catch { throw APIError(error, base: context.base) }
        return Self.answer(exchanged.tokens, await upgrade(after: exchanged, client, context))
    }

    /// The offer after a code that a password led to.
    private func upgrade(
        after exchanged: CodeGrant.Exchanged,
        _ client: Client,
        _ context: RequestContext
    ) async -> UpgradeAnswer? {
        guard exchanged.session.amr.contains("pwd"),
            let password = try? await services.passwordStore.password(of: exchanged.user.id, tenant: context.tenant)
        else { return nil }
        return await upgrade(
            of: exchanged.user,
            exchanged.session,
            passwordChangedAt: password.changedAt,
            client,
            context
        )
    }

    private static func answer(_ tokens: TokenResponse, _ upgrade: UpgradeAnswer?) -> HTTPResponse {
        .json(capacity: 4096) { json in
            json.beginObject()
            tokens.writeMembers(to: &json)
            if let upgrade {
                json.name("passkey_upgrade")
                upgrade.write(to: &json)
            }
            json.endObject()
        }
    }

    /// What is offered after a right password (contract 9.4). Nobody's sign-in fails for want of it.
    private func upgrade(
        of user: User,
        _ session: Session,
        passwordChangedAt: UnixTime,
        _ client: Client,
        _ context: RequestContext
    ) async -> UpgradeAnswer? {
        do throws(PasskeyError) {
            return try await services.enrollment.offerUpgrade(
                to: user,
                in: session,
                passwordChangedAt: passwordChangedAt,
                client: client,
                context
            ).map(UpgradeAnswer.init)
        } catch { return nil }
    }

    private func revoke(_ exchange: inout Exchange) async throws(APIError) -> HTTPResponse {
        let parameters = try exchange.parameters()
        try await services.limits.count(.token, &exchange)
        if let name = parameters.repeated { throw .repeated(name) }
        let client = try await authenticate(parameters, &exchange)
        let token = try parameters.requiredString("token")
        // A hint, which is not needed: a token says itself what it is. Its type counts like any other's.
        _ = try parameters.string("token_type_hint")
        do throws(TokenError) {
            try await services.revocation.revoke(token, client: client, in: exchange.context)
        } catch { throw APIError(error, base: exchange.context.base) }
        return HTTPResponse(status: 200, headers: HTTPHeaders(), body: [])
    }

    private func authenticate(
        _ parameters: Parameters,
        _ exchange: inout Exchange
    ) async throws(APIError) -> Client {
        let credentials = try exchange.clientCredentials(parameters)
        do throws(TokenError) {
            let client = try await services.clients.authenticate(credentials, in: exchange.context)
            exchange.client = client
            return client
        } catch {
            var refusal = APIError(error, base: exchange.context.base)
            // RFC 6749 §5.2: whatever is wrong with the client, the scheme that it used is named.
            if refusal.status == 401, exchange.usesBasic {
                refusal.challenge = "Basic realm=\"\(exchange.context.base)\""
            }
            throw refusal
        }
    }

    private func grant(
        _ parameters: Parameters,
        _ client: Client,
        _ exchange: Exchange
    ) throws(APIError) -> ServedGrant {
        let type = try parameters.string("grant_type")
        do throws(TokenError) {
            return try ClientAuthentication.grant(type, of: client)
        } catch { throw APIError(error, base: exchange.context.base) }
    }
}
