import Identity
import Tokens

/// The session that a sign-in on the hosted pages begins, with its cookie (contract 8.4): a new value each time, and the
/// one before is dead at once.
struct HostedSession {
    let session: Session
    /// The header value that sets it.
    let cookie: String
    let cookieHash: [UInt8]
    let replacedCookieHash: [UInt8]?

    init(_ authentication: Authentication, _ client: Client, _ services: APIServices, _ exchange: Exchange) {
        let context = exchange.context
        let cookies = BrowserCookies(exchange)
        session = services.issuer.session(for: authentication, client: client, in: context)
        let new = SessionAccess.newCookie(random: services.random)
        let isPersistent = context.settings.sessionCookieIsPersistent
        let age = session.expiresAt.milliseconds(since: context.now) / 1000
        cookie = cookies.session(new.text, maximumAge: isPersistent ? age : nil)
        cookieHash = new.hash
        replacedCookieHash = exchange.cookie(cookies.sessionName).flatMap { SessionAccess.hash(ofCookie: $0) }
    }
}
