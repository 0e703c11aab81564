import Identity
import Synchronization

/// Writes mails for a house, and remembers the letters.
final class Mailbox: MailWriter {
    private let kept = Mutex<[Letter]>([])

    var letters: [Letter] { kept.withLock { $0 } }

    /// The link in the newest letter that has one.
    var link: String? {
        for letter in letters.reversed() {
            if case .passwordReset(let link, _) = letter.occasion { return link }
        }
        return nil
    }

    func write(_ letter: Letter, head: LetterHead, now: UnixTime) throws(MailFault) -> OutboxMail {
        kept.withLock { $0.append(letter) }
        let random = (0..<10).map { _ in UInt8.random(in: .min ... .max) }
        return OutboxMail(
            id: MailID(TimeOrderedID(now: now, random: random)),
            tenant: head.tenant,
            kind: letter.occasion.kind,
            messageID: "x@example.com",
            sealed: Array(letter.recipient.utf8),
            createdAt: now
        )
    }
}
