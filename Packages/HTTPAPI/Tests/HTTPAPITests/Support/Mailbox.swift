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

    /// The eight digits of the newest letter, where it brings some.
    var code: String? {
        if case .recoveryCode(let code, _, _, _)? = letters.last?.occasion { return code }
        return nil
    }

    /// The address to which the code of the newest letter leads.
    var codeLink: String? {
        if case .recoveryCode(_, let link, _, _)? = letters.last?.occasion { return link }
        return nil
    }

    /// The link of the newest letter by which what it tells of is stopped.
    var stop: String? {
        switch letters.last?.occasion {
        case .recoveryCode(_, _, _, let stop), .recoveryStarted(_, let stop), .recoveryEnded(_, let stop, _),
            .passkeyUpgraded(_, _, let stop, _):
            stop
        case .test, .passwordReset, nil: nil
        }
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
