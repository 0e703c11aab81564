/// Writes a letter so that it can be kept until it is sent.
public protocol MailWriter: Sendable {
    /// Makes a mail of a letter. Whoever asks puts it into the store with what caused it, in one transaction.
    ///
    /// - Throws: ``MailFault`` for a recipient whom no mail can reach.
    func write(_ letter: Letter, head: LetterHead, now: UnixTime) throws(MailFault) -> OutboxMail
}

/// Why no mail could be made of a letter, or of what is stored.
public enum MailFault: Error, Hashable, Sendable {
    /// The address is none, or needs SMTPUTF8 (RFC 6531), which is not sent. The reason is one line.
    case recipient(reason: String)
    /// What is stored is not what was sealed, or was sealed under another key.
    case damaged
    /// libcrypto failed.
    case cryptography(reason: String)
}

/// Hands finished mails to whoever brings them on.
public protocol MailSender: Sendable {
    /// Hands one over.
    ///
    /// - Returns: what the other side said, one line.
    /// - Throws: ``MailSendingError``.
    func send(_ mail: FinishedMail) async throws(MailSendingError) -> String
}

/// A mail as it leaves.
public struct FinishedMail: Hashable, Sendable {
    /// The address that failures are sent to.
    public let sender: String
    public let recipient: String
    /// What the message says, for somebody who is only to see it.
    public let subject: String
    public let text: String
    /// RFC 5322, with CR LF.
    public let message: [UInt8]

    public init(sender: String, recipient: String, subject: String, text: String, message: [UInt8]) {
        self.sender = sender
        self.recipient = recipient
        self.subject = subject
        self.text = text
        self.message = message
    }
}

/// Why a mail was not handed over; each reason is one line for an operator.
public enum MailSendingError: Error, Hashable, Sendable {
    /// Nobody takes mail now: it is not about this one, which may even have been taken.
    case unavailable(reason: String)
    /// This mail is not taken now.
    case temporary(reason: String)
    /// This mail will never be taken.
    case permanent(reason: String)
}

extension MailSendingError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unavailable(let reason), .temporary(let reason), .permanent(let reason): reason
        }
    }
}

extension MailFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .recipient(let reason): "no mail can be sent to that address: \(reason)"
        case .damaged: "what is stored cannot be opened: it was changed, or sealed under another data key"
        case .cryptography(let reason): "it cannot be sealed: \(reason)"
        }
    }
}
