public import Identity
public import Threads
public import Transfer

/// Hands mails to a relay over SMTP, on a thread that may wait.
public struct RelaySender: MailSender {
    private let relay: MailRelay
    private let pool: BlockingPool

    public init(_ relay: MailRelay, pool: BlockingPool) {
        self.relay = relay
        self.pool = pool
    }

    public func send(_ mail: FinishedMail) async throws(MailSendingError) -> String {
        try await pool.run(
            refused: { _ in MailSendingError.unavailable(reason: "too many mails are being sent at once") }
        ) { [relay] () throws(MailSendingError) in
            do throws(MailRelayError) {
                return try relay.send(mail.message, from: mail.sender, to: [mail.recipient])
            } catch {
                switch error {
                case .unavailable: throw .unavailable(reason: error.description)
                case .temporary: throw .temporary(reason: error.description)
                case .permanent, .badMail: throw .permanent(reason: error.description)
                }
            }
        }
    }
}
