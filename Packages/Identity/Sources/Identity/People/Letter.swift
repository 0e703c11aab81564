/// What a mail is about. Raw values are the names of its templates; they never change.
public enum MailKind: String, Hashable, Sendable, CaseIterable {
    /// Shows an operator that mail works.
    case test
    /// Leads to the page on which a new password is set (HTTP contract 9.2).
    case passwordReset = "reset-password"
    /// Brings the code by which an account is recovered (HTTP contract 9.5).
    case recoveryCode = "recover"
    /// Tells that somebody began to recover an account, where no code goes there.
    case recoveryStarted = "recovery-started"
    /// Tells that an account was recovered.
    case recoveryEnded = "recovery-ended"
    /// Tells of a passkey that was made without asking, after a password (HTTP contract 9.4).
    case passkeyUpgraded = "passkey-upgraded"
}

/// What somebody is to be told by mail.
public struct Letter: Hashable, Sendable {
    /// Why it is written, with what only this letter has.
    public enum Occasion: Hashable, Sendable {
        case test
        /// A link that is good once, for so many hours.
        case passwordReset(link: String, hours: Int)
        /// Eight digits, and the page that takes them in the browser that asked; `stop` ends the recovery.
        case recoveryCode(String, link: String, minutes: Int, stop: String)
        case recoveryStarted(Circumstances, stop: String)
        case recoveryEnded(Circumstances, stop: String, days: Int)
        /// `provider` is who keeps the passkey, as far as it is known.
        case passkeyUpgraded(Circumstances, provider: String, stop: String, days: Int)

        public var kind: MailKind {
            switch self {
            case .test: .test
            case .passwordReset: .passwordReset
            case .recoveryCode: .recoveryCode
            case .recoveryStarted: .recoveryStarted
            case .recoveryEnded: .recoveryEnded
            case .passkeyUpgraded: .passkeyUpgraded
            }
        }
    }

    /// When, from where and with what something was done that a letter tells of.
    public struct Circumstances: Hashable, Sendable {
        public let time: UnixTime
        public let device: Device

        public init(time: UnixTime, device: Device) {
            self.time = time
            self.device = device
        }
    }

    public let occasion: Occasion
    /// An e-mail address.
    public let recipient: String
    /// Languages that the recipient reads, best first (BCP 47); the first that there are templates for is taken.
    public let languages: [String]

    public init(_ occasion: Occasion, to recipient: String, languages: [String] = []) {
        self.occasion = occasion
        self.recipient = recipient
        self.languages = languages
    }
}

/// In whose name a letter is written.
public struct LetterHead: Hashable, Sendable {
    public let tenant: TenantID
    /// The tenant's name, after which the folder of its own templates is called.
    public let name: String
    /// As people know it; in every mail.
    public let displayName: String

    public init(tenant: TenantID, name: String, displayName: String) {
        self.tenant = tenant
        self.name = name
        self.displayName = displayName
    }
}
