import HTTPServer
import Identity

/// The cookies of the browser API and of the hosted pages (contract 8.1, 8.4, 12.1).
struct BrowserCookies {
    /// Whether the browser reached us over https.
    let isSecure: Bool

    init(_ exchange: Exchange) {
        isSecure = exchange.context.base.hasPrefix("https://")
    }

    /// `__Host-` binds a cookie to this host and to https; loopback http cannot have it.
    var sessionName: String { isSecure ? "__Host-pk_session" : "pk_session" }
    /// Names the browser that a hosted sign-in belongs to.
    var transactionName: String { isSecure ? "__Host-pk_tx" : "pk_tx" }
    /// Keeps a recovery for the browser that asked for it.
    var recoveryName: String { isSecure ? "__Host-pk_recovery" : "pk_recovery" }
    static let ceremonyName = "pk_ceremony"

    /// The header value that sets a session cookie, for `maximumAge` seconds or, when that is `nil`, until the browser
    /// closes.
    func session(_ value: String, maximumAge: Int64?) -> String {
        let age = maximumAge.map { "; Max-Age=\($0)" } ?? ""
        return "\(sessionName)=\(value); Path=/; HttpOnly; SameSite=Lax\(secure)\(age)"
    }

    var clearedSession: String { "\(sessionName)=; Path=/; HttpOnly; SameSite=Lax\(secure); Max-Age=0" }

    /// The header value that names the browser until it closes.
    func transaction(_ browser: String) -> String {
        "\(transactionName)=\(browser); Path=/; HttpOnly; SameSite=Lax\(secure)"
    }

    /// Who does not want to be asked for a passkey in this browser, for 30 days.
    static let declinedName = "pk_not_now"
    /// As many as one browser remembers.
    private static let maximumDeclined = 8

    /// The header value that adds `mark` to those that the browser has in `known`, the newest last.
    func declined(_ mark: String, known: String?) -> String {
        let others = Self.marks(known).filter { $0 != mark }.suffix(Self.maximumDeclined - 1)
        let value = (others + [mark]).joined(separator: ".")
        return "\(Self.declinedName)=\(value); Path=/u/; HttpOnly; SameSite=Lax\(secure); Max-Age=2592000"
    }

    static func marks(_ cookie: String?) -> [String] {
        (cookie ?? "").prefix(400).split(separator: ".").map(String.init)
    }

    /// The header value that keeps a recovery for as long as it may last.
    func recovery(_ session: String) -> String {
        "\(recoveryName)=\(session); Path=/; HttpOnly; SameSite=Lax\(secure); Max-Age=1800"
    }

    var clearedRecovery: String { "\(recoveryName)=; Path=/; HttpOnly; SameSite=Lax\(secure); Max-Age=0" }

    /// The header value that keeps a ceremony's session for as long as it lives.
    func ceremony(_ session: String, seconds: Int64) -> String {
        "\(Self.ceremonyName)=\(session); Path=/; HttpOnly; SameSite=Strict\(secure); Max-Age=\(max(0, seconds))"
    }

    var clearedCeremony: String { "\(Self.ceremonyName)=; Path=/; HttpOnly; SameSite=Strict\(secure); Max-Age=0" }

    private var secure: String { isSecure ? "; Secure" : "" }
}
