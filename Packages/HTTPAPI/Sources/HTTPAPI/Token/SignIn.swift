import Encodings
import Identity
import Passkeys
import Tokens

/// The end of a ceremony that signs somebody in, the same at the token endpoint and in the browser API: verify, decide
/// the tokens, store all in one durable step, sign.
struct SignIn {
    let services: APIServices
    let surface: Surface

    struct Result {
        let user: User
        let passkey: Passkey
        let tokens: TokenResponse
        let session: Session
        let ceremony: CeremonyID
    }

    /// A browser's new cookie, and the one that it replaces.
    struct Cookie {
        let hash: [UInt8]
        let replaced: [UInt8]?
    }

    /// Runs what an answer leads to. When it is refused after the client made a key, the refusal says which, so that the
    /// key does not stay behind where nobody knows it (contract 9.6).
    func answering<Value>(
        _ answer: JSONObject,
        in context: RequestContext,
        _ body: () async throws(APIError) -> Value
    ) async throws(APIError) -> Value {
        do throws(APIError) {
            return try await body()
        } catch {
            // A session that is gone may be in the hands of the same answer, sent twice: its key is about to be stored.
            let isUnderWay = error.reason == "auth_session_invalid"
            guard error.status < 500, error.unknownCredential == nil, !isUnderWay else { throw error }
            var refusal = error
            refusal.unknownCredential = await services.ceremonies.signal(forMadeInVain: answer, in: context)
            throw refusal
        }
    }

    func take(
        _ session: String,
        _ origin: CeremonySurface,
        realm: String?,
        client: Client,
        in context: RequestContext
    ) async throws(APIError) -> TakenCeremony {
        do throws(PasskeyError) {
            return try await services.ceremonies.take(
                session: session,
                at: origin,
                realm: realm,
                client: client,
                in: context
            )
        } catch { throw APIError(error, at: surface) }
    }

    func finish(
        _ taken: TakenCeremony,
        _ answer: JSONObject,
        _ decision: GrantDecision,
        client: Client,
        cookie: Cookie?,
        alongside session: Session? = nil,
        in context: RequestContext
    ) async throws(APIError) -> Result {
        switch taken {
        case .signUp(let pending):
            let verified: SignUp.Verified
            do throws(PasskeyError) {
                verified = try await services.signUp.verify(answer, answering: pending, in: context)
            } catch { throw APIError(error, at: surface) }
            let prepared = try await prepare(decision, verified.authentication, client, context)
            do throws(PasskeyError) {
                try await services.signUp.store(
                    verified,
                    session: prepared.session,
                    refresh: prepared.refresh,
                    cookieHash: cookie?.hash,
                    replacedCookieHash: cookie?.replaced,
                    in: context
                )
            } catch { throw APIError(error, at: surface) }
            return Result(
                user: verified.user,
                passkey: verified.passkey,
                tokens: try await sign(prepared, context),
                session: prepared.session,
                ceremony: pending.id
            )
        case .login(let pending):
            let verified: Login.Verified
            do throws(PasskeyError) {
                verified = try await services.login.verify(
                    answer,
                    answering: pending,
                    alongside: session,
                    in: context
                )
            } catch { throw APIError(error, at: surface) }
            let prepared = try await prepare(decision, verified.authentication, client, context)
            do throws(PasskeyError) {
                try await services.login.store(
                    verified,
                    session: prepared.session,
                    refresh: prepared.refresh,
                    cookieHash: cookie?.hash,
                    replacedCookieHash: cookie?.replaced,
                    in: context
                )
            } catch { throw APIError(error, at: surface) }
            return Result(
                user: verified.user,
                passkey: verified.passkey,
                tokens: try await sign(prepared, context),
                session: prepared.session,
                ceremony: pending.id
            )
        case .recovery(let pending):
            return try await recover(pending, answer, decision, client, context)
        case .enrollment:
            // Adding a passkey signs nobody in: its session is good for nothing here.
            throw APIError(PasskeyError.sessionInvalid, at: surface)
        }
    }

    /// The new passkey of a recovery, and the one session that it begins (contract 9.5).
    private func recover(
        _ pending: Recovery.Pending,
        _ answer: JSONObject,
        _ decision: GrantDecision,
        _ client: Client,
        _ context: RequestContext
    ) async throws(APIError) -> Result {
        let verified: Recovery.Verified
        do throws(PasskeyError) {
            verified = try await services.recovery.verify(answer, answering: pending, in: context)
        } catch { throw APIError(error, at: surface) }
        let prepared = try await prepare(decision, verified.authentication, client, context)
        do throws(PasskeyError) {
            try await services.recovery.store(
                verified,
                session: RecoverySession(prepared.session, cookieHash: nil, refresh: prepared.refresh),
                in: context
            )
        } catch { throw APIError(error, at: surface) }
        return Result(
            user: verified.user,
            passkey: verified.passkey,
            tokens: try await sign(prepared, context),
            session: prepared.session,
            ceremony: pending.id
        )
    }

    private func prepare(
        _ decision: GrantDecision,
        _ authentication: Authentication,
        _ client: Client,
        _ context: RequestContext
    ) async throws(APIError) -> PreparedTokens {
        do throws(TokenError) {
            return try await services.issuer.prepare(decision, for: authentication, client: client, in: context)
        } catch { throw APIError(error, base: context.base) }
    }

    private func sign(_ prepared: PreparedTokens, _ context: RequestContext) async throws(APIError) -> TokenResponse {
        do throws(TokenError) {
            return try await services.issuer.sign(prepared)
        } catch { throw APIError(error, base: context.base) }
    }
}
