internal import Cryptography
internal import Encodings
public import Identity

/// Sends a link by which a forgotten password is replaced (HTTP contract 9.2). Nobody learns from it whether an address
/// has an account: the answer is the same, and so is the work.
public struct ResetRequest: Sendable {
    private let store: any TicketStore & UserStore & PasswordStore
    private let mail: (any MailWriter)?
    private let random: RandomSource

    /// Seconds for which a link is good.
    public static let life: Int64 = 432_000

    /// - Parameters:
    ///   - store: where users, tickets and mails are kept.
    ///   - mail: writes the letter; `nil` where mail is off, and nothing is sent.
    ///   - random: gives secrets.
    public init(
        store: any TicketStore & UserStore & PasswordStore,
        mail: (any MailWriter)?,
        random: @escaping RandomSource
    ) {
        self.store = store
        self.mail = mail
        self.random = random
    }

    /// Sends the link to whoever has the address and a password.
    ///
    /// - Parameters:
    ///   - email: as typed.
    ///   - connection: whose users are looked among.
    ///   - languages: which the person reads, best first.
    ///   - isSent: false when the address has had its mails for now; then the work is the same, and nothing is sent.
    ///   - client: the client that asks; `nil`: none, but the server's own page.
    ///   - context: where.
    /// - Throws: `.invalid("email")` or `.store`.
    public func run(
        email: String,
        in connection: Connection,
        languages: [String],
        isSent: Bool,
        client: ClientID?,
        at context: RequestContext
    ) async throws(AccountError) {
        guard let identifier = CanonicalIdentifier.email(email) else { throw .invalid("email") }
        let found = try await account(identifier, connection, context)
        // Made for nobody, too.
        let secret = random(32)
        let letter = write(secret, to: found.address ?? email, languages, context)
        let reason: String? =
            if let refusal = found.refusal { refusal } else if !isSent { "rate_limited" } else if letter == nil {
                mail == nil ? "mail_off" : "mail_impossible"
            } else { nil }
        var details = JSONObject()
        if let reason { details.set("reason", .string(reason)) }
        let event = AuditEvent(
            tenant: context.tenant,
            types: [reason == nil ? "scpr" : "fcpr"],
            at: context.now,
            user: found.user,
            client: client,
            connection: connection.id,
            device: context.device,
            details: details
        )
        let ticket = ticket(secret, for: found.id, identifier, client, context)
        try await stored { () async throws(StoreError) in
            if reason == nil {
                try await store.add(ticket, mail: letter, audit: event)
            } else {
                try await store.feign(ticket, mail: letter, audit: event)
            }
        }
    }

    /// Whose address it is, and why no link is sent.
    private struct Found {
        /// Of nobody, where nobody has the address.
        let id: UserID
        var user: UserID?
        /// As the user wrote it.
        var address: String?
        var refusal: String?
    }

    /// Three reads, whether anybody is found or not.
    private func account(
        _ identifier: UserIdentifier,
        _ connection: Connection,
        _ context: RequestContext
    ) async throws(AccountError) -> Found {
        let tenant = context.tenant
        let nobody = UserID(now: context.now, random: random(8))
        return try await stored { () async throws(StoreError) in
            let id = try await store.user(with: identifier, in: connection.id, of: tenant)
            let user = try await store.user(id ?? nobody, of: tenant)
            let password = try await store.password(of: id ?? nobody, tenant: tenant)
            guard let user else { return Found(id: nobody, refusal: "unknown_user") }
            var found = Found(id: user.id, user: user.id, address: user.identifier(.email)?.entered)
            if user.blockedAt != nil { found.refusal = "user_blocked" }
            // Whoever has no password gets none by mail.
            if password == nil || !connection.options.passwordsEnabled { found.refusal = "no_password" }
            return found
        }
    }

    private func write(
        _ secret: [UInt8],
        to address: String,
        _ languages: [String],
        _ context: RequestContext
    ) -> OutboxMail? {
        let tenant = context.configuration.tenant
        let link = "\(context.base)/u/reset-password?ticket=\(Base64URL.encode(secret))"
        return try? mail?.write(
            Letter(.passwordReset(link: link, hours: Int(Self.life / 3600)), to: address, languages: languages),
            head: LetterHead(
                tenant: tenant.id,
                name: tenant.name,
                displayName: tenant.settings.friendlyName ?? tenant.name
            ),
            now: context.now
        )
    }

    private func ticket(
        _ secret: [UInt8],
        for user: UserID,
        _ identifier: UserIdentifier,
        _ client: ClientID?,
        _ context: RequestContext
    ) -> Ticket {
        // Whoever comes with it reads what is sent there.
        var parameters: JSONObject = ["email": .string(identifier.canonical)]
        if let client { parameters.set("client_id", .string(client.text)) }
        return Ticket(
            tenant: context.tenant,
            hash: SHA256.hash(secret),
            purpose: .passwordChange,
            user: user,
            parameters: parameters,
            createdAt: context.now,
            expiresAt: context.now.adding(seconds: Self.life)
        )
    }
}
