internal import Cryptography
internal import Encodings
public import Identity
internal import WebAuthn

/// Tells users by mail of what somebody may do in their name, with a link by which they stop it (HTTP contract 9.4, 9.5).
public struct Notices: Sendable {
    private let mail: (any MailWriter)?
    private let random: RandomSource

    /// Days for which a link is good that takes back what was done.
    static let days = 7

    /// - Parameters:
    ///   - mail: writes the letters; `nil` where mail is off, and nobody is told anything.
    ///   - random: gives the secrets of links.
    public init(mail: (any MailWriter)?, random: @escaping RandomSource) {
        self.mail = mail
        self.random = random
    }

    /// Whether mail is on.
    var isOn: Bool { mail != nil }

    /// Whether the user has an address, and mails are sent.
    func canReach(_ user: User) -> Bool { isOn && !Self.addresses(of: user).isEmpty }

    /// What tells of an upgrade, to every address of the user.
    func ofUpgrade(_ passkey: Passkey, to user: User, _ context: RequestContext) -> [Notice] {
        let provider = WellKnownProviders.name(passkey.record.aaguid) ?? passkey.record.aaguid.description
        return write(to: user, ticketed: passkey.id, seconds: Int64(Self.days) * 86400, context) { stop in
            .passkeyUpgraded(Self.circumstances(context), provider: provider, stop: stop, days: Self.days)
        }
    }

    /// What tells that a recovery ended, to every address of the user.
    func ofRecovery(_ passkey: Passkey, to user: User, _ context: RequestContext) -> [Notice] {
        write(to: user, ticketed: passkey.id, seconds: Int64(Self.days) * 86400, context) { stop in
            .recoveryEnded(Self.circumstances(context), stop: stop, days: Self.days)
        }
    }

    /// What tells that a recovery began, to every address of the user, with the code where that is sent.
    ///
    /// - Parameters:
    ///   - code: eight digits; `nil`: none is mailed.
    ///   - user: whose account it is.
    ///   - seconds: for how long it can be stopped.
    ///   - context: where.
    /// - Returns: a mail for each address that mail can reach.
    func ofStart(code: String?, to user: User, seconds: Int64, _ context: RequestContext) -> [Notice] {
        write(to: user, ticketed: nil, seconds: seconds, context) { stop in
            guard let code else { return .recoveryStarted(Self.circumstances(context), stop: stop) }
            let link = "\(context.base)/u/recover/code?code=\(code)"
            return .recoveryCode(code, link: link, minutes: Int(RecoveryRequest.life / 60), stop: stop)
        }
    }

    private func write(
        to user: User,
        ticketed passkey: PasskeyID?,
        seconds: Int64,
        _ context: RequestContext,
        _ occasion: (_ stop: String) -> Letter.Occasion
    ) -> [Notice] {
        guard let mail else { return [] }
        let tenant = context.configuration.tenant
        let head = LetterHead(
            tenant: tenant.id,
            name: tenant.name,
            displayName: tenant.settings.friendlyName ?? tenant.name
        )
        return Self.addresses(of: user).compactMap { address in
            let secret = random(32)
            // Whoever comes with it reads what is sent there.
            var parameters: JSONObject = ["email": .string(address.canonical)]
            if let passkey { parameters.set("passkey", .string(passkey.text)) }
            let letter = Letter(
                occasion("\(context.base)/u/not-me?ticket=\(Base64URL.encode(secret))"),
                to: address.entered,
                languages: context.languages
            )
            // An address that no mail can reach is told nothing, and nobody's way back ends at it.
            guard let written = try? mail.write(letter, head: head, now: context.now) else { return nil }
            return Notice(
                mail: written,
                ticket: Ticket(
                    tenant: user.tenant,
                    hash: SHA256.hash(secret),
                    purpose: .disowning,
                    user: user.id,
                    parameters: parameters,
                    createdAt: context.now,
                    expiresAt: context.now.adding(seconds: seconds)
                )
            )
        }
    }

    private static func addresses(of user: User) -> [UserIdentifier] {
        user.identifiers.filter { $0.kind == .email }
    }

    private static func circumstances(_ context: RequestContext) -> Letter.Circumstances {
        Letter.Circumstances(time: context.now, device: context.device)
    }
}
