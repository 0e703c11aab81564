internal import Cryptography
internal import Encodings
public import Identity

/// Seals hosted sign-ins into the text that goes through the browser's address, for that browser alone, and makes the
/// tokens that forms carry against requests of other sites (HTTP contract 8.1).
///
/// Nothing of a sign-in under way is stored: whoever opens `/authorize` a million times fills nothing. The text opens with
/// the cookie of the browser that it was made for, on the domain and in the tenant that it was made in.
public struct HostedSeal: Sendable {
    private let transactionKey: [UInt8]
    private let formKey: [UInt8]
    private let random: RandomSource

    /// - Parameters:
    ///   - deployment: the keys are derived from its data key.
    ///   - random: gives nonces and cookies.
    public init(_ deployment: DeploymentKeys, random: @escaping RandomSource) {
        transactionKey = deployment.key(for: .transactions)
        formKey = deployment.key(for: .csrf)
        self.random = random
    }

    /// A browser, as the value of its cookie names it: 32 random bytes.
    public struct Browser: Hashable, Sendable {
        /// The cookie's value.
        public let text: String
        fileprivate let hash: [UInt8]

        fileprivate init(_ bytes: [UInt8]) {
            text = Base64URL.encode(bytes)
            hash = SHA256.hash(bytes)
        }

        /// Reads a cookie; `nil` when it cannot be one of ours.
        public init?(cookie: String?) {
            guard let cookie, cookie.utf8.count == 43, let bytes = try? Base64URL.decode(cookie), bytes.count == 32
            else {
                return nil
            }
            self.init(bytes)
        }
    }

    /// A browser that was not here before.
    public func newBrowser() -> Browser { Browser(random(32)) }

    /// The text that stands for `transaction`; `nil` only when the system's cryptography fails.
    public func text(
        of transaction: AuthorizationTransaction,
        for browser: Browser,
        in context: RequestContext
    ) -> String? {
        let sealed = try? Seal.seal(
            transaction.encoded,
            key: transactionKey,
            for: Self.place(browser, context),
            random: random
        )
        return sealed.map(Base64URL.encode)
    }

    /// Opens what ``text(of:for:in:)`` gave; `nil` for another browser, domain or tenant, after 15 minutes, and for
    /// anything else.
    public func transaction(
        _ text: String?,
        of browser: Browser?,
        in context: RequestContext
    ) -> AuthorizationTransaction? {
        guard let text, let browser, text.utf8.count <= 8192, let sealed = try? Base64URL.decode(text),
            let bytes = try? Seal.open(sealed, key: transactionKey, for: Self.place(browser, context)),
            let transaction = AuthorizationTransaction(decoding: bytes)
        else { return nil }
        let age = context.now.milliseconds(since: transaction.startedAt)
        return (0..<AuthorizationTransaction.lifetime).contains(age) ? transaction : nil
    }

    /// What a form of a page of `browser` carries, and a script sends along, so that no other site can send it.
    public func formToken(for browser: Browser, in context: RequestContext) -> String {
        Base64URL.encode(formCode(browser, context))
    }

    /// Whether `token` is the one of ``formToken(for:in:)``; compared in constant time.
    public func isFormToken(_ token: String?, of browser: Browser, in context: RequestContext) -> Bool {
        guard let token, let bytes = try? Base64URL.decode(token) else { return false }
        return constantTimeEqual(bytes, formCode(browser, context))
    }

    /// What a browser remembers a user by who does not want to be asked something for a while: it names nobody.
    public func mark(of user: UserID, in context: RequestContext) -> String {
        let message = ["not now", String(context.tenant.number), user.hex].joined(separator: "\n")
        return Base64URL.encode(HMACSHA256.authenticate(Array(message.utf8), key: formKey).prefix(16))
    }

    private func formCode(_ browser: Browser, _ context: RequestContext) -> [UInt8] {
        let message = Self.place(browser, context).joined(separator: "\n")
        return HMACSHA256.authenticate(Array(message.utf8), key: formKey)
    }

    private static func place(_ browser: Browser, _ context: RequestContext) -> [String] {
        ["hosted sign-in", String(context.tenant.number), context.domain.host, Hex.encode(browser.hash)]
    }
}
