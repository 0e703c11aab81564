import Accounts
import Identity

/// A password compared, and its try counted, the same at the token endpoint and on the hosted pages (contract 1.4, 9.3).
struct PasswordCheck {
    let services: APIServices

    /// - Parameters:
    ///   - username: as typed.
    ///   - password: as typed.
    ///   - realm: the name of the connection; `nil`: the tenant's default directory.
    ///   - client: the client that asks.
    ///   - context: where; of the person, whoever asks for them.
    ///   - exchange: the request.
    /// - Returns: the proof.
    /// - Throws: what is wrong, as the contract has it.
    func verify(
        username: String,
        password: String,
        realm: String?,
        client: Client,
        in context: RequestContext,
        _ exchange: inout Exchange
    ) async throws(APIError) -> PasswordLogin.Verified {
        let counted = try await services.limits.countPassword(
            of: PasswordLogin.countedName(username),
            from: context.network,
            &exchange
        )
        let verified: PasswordLogin.Verified
        do throws(AccountError) {
            verified = try await services.passwordLogin.verify(
                username: username,
                password: password,
                realm: realm,
                triesInRow: services.limits.limits().passwordIdentifier,
                client: client,
                in: context
            )
        } catch {
            // Only a wrong password is a failure.
            if error != .wrongCredentials { await services.limits.takeBack(counted, wasRight: false) }
            throw APIError(error)
        }
        await services.limits.takeBack(counted, wasRight: true)
        return verified
    }
}
