import Identity
import Passkeys
import Tokens

extension APIServices {
    /// What may be asked on the way from a sign-in to the application (contract 9.4): nothing of who said in this browser
    /// that they do not want to, for 30 days, and nothing where the store does not answer.
    func question(
        for user: User,
        in session: Session,
        passwordChangedAt: UnixTime?,
        _ visit: HostedVisit,
        _ exchange: Exchange
    ) async -> EnrollmentQuestion? {
        let context = exchange.context
        let declined = BrowserCookies.marks(exchange.cookie(BrowserCookies.declinedName))
        guard !visit.transaction.isForAccount, !declined.contains(hosted.mark(of: user.id, in: context)) else {
            return nil
        }
        do throws(PasskeyError) {
            return try await enrollment.question(
                for: user,
                in: session,
                passwordChangedAt: passwordChangedAt,
                client: visit.client,
                context
            )
        } catch { return nil }
    }

    /// The same, for who the session's cookie says is signed in.
    func question(_ visit: HostedVisit, _ exchange: Exchange) async throws(APIError) -> EnrollmentQuestion? {
        guard let signedIn = try await signedIn(exchange) else { return nil }
        let details: UserDetails?
        do throws(StoreError) {
            details = try await people.details(of: signedIn.user.id, tenant: exchange.context.tenant)
        } catch { throw APIError(error) }
        return await question(
            for: signedIn.user,
            in: signedIn.session,
            passwordChangedAt: details?.passwordChangedAt,
            visit,
            exchange
        )
    }
}
