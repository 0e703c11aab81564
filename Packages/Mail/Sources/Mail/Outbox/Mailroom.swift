internal import Cryptography
internal import Encodings
public import Identity

/// Makes a mail of a letter, sealed: what lies in the store tells neither the recipient nor a link.
public struct Mailroom: MailWriter {
    private let key: [UInt8]
    private let sender: CorrespondentAddress
    private let random: RandomSource

    /// - Parameters:
    ///   - key: what mails are sealed under, 32 bytes.
    ///   - sender: in whose domain Message-IDs are made.
    ///   - random: for ids and nonces.
    public init(key: [UInt8], sender: CorrespondentAddress, random: @escaping RandomSource) {
        self.key = key
        self.sender = sender
        self.random = random
    }

    public func write(_ letter: Letter, head: LetterHead, now: UnixTime) throws(MailFault) -> OutboxMail {
        let recipient = try Self.recipient(letter.recipient)
        let id = MailID(TimeOrderedID(now: now, random: random(10)))
        var values = JSONObject()
        for (name, value) in letter.occasion.values { values.set(name, .string(value)) }
        let content: JSONObject = [
            "to": .string(recipient.address), "languages": .array(letter.languages.map { .string($0) }),
            "tenant": .string(head.name), "tenant_display": .string(head.displayName), "values": .object(values),
        ]
        let kind = letter.occasion.kind
        let nonce = random(AESGCM.nonceByteCount)
        do throws(CryptographyError) {
            let sealed = try AESGCM.seal(
                JSONValue.object(content).serialized()[...],
                key: key[...],
                nonce: nonce[...],
                associatedData: Self.place(head.tenant, id, kind)[...]
            )
            return OutboxMail(
                id: id,
                tenant: head.tenant,
                kind: kind,
                // The id tells nothing but the time; whoever has it cannot ask for anything.
                messageID: "\(id.id.base62)@\(sender.domain)",
                sealed: nonce + sealed,
                createdAt: now
            )
        } catch { throw .cryptography(reason: "\(error)") }
    }

    /// Makes a letter's message at once, for a mail that is sent while somebody waits.
    ///
    /// - Throws: what is wrong with it, as a `MailFault`.
    public func compose(
        _ letter: Letter,
        head: LetterHead,
        templates: MailTemplates,
        now: UnixTime
    ) throws(MailFault) -> FinishedMail {
        try finish(try write(letter, head: head, now: now), templates)
    }

    /// Makes the message of what was sealed.
    ///
    /// - Throws: a `MailFault`: what is stored was not sealed here, or under another key.
    func finish(_ mail: OutboxMail, _ templates: MailTemplates) throws(MailFault) -> FinishedMail {
        let letter = try Self.open(mail, key: key)
        let recipient = try Self.recipient(letter.recipient)
        guard
            let texts = templates.render(
                mail.kind,
                tenant: letter.tenant,
                languages: letter.languages,
                values: letter.values
            )
        else { throw .damaged }
        let message = MailMessage(
            from: sender,
            to: recipient,
            subject: texts.subject,
            date: mail.createdAt,
            messageID: mail.messageID,
            language: texts.language,
            text: texts.text,
            html: texts.html
        )
        return FinishedMail(
            sender: sender.address,
            recipient: recipient.address,
            subject: texts.subject,
            text: texts.text,
            message: message.bytes
        )
    }

    /// To whom a mail goes.
    ///
    /// - Parameters:
    ///   - mail: what lies in the store.
    ///   - key: what mails are sealed under.
    /// - Returns: the address.
    /// - Throws: a `MailFault` when it cannot be opened.
    public static func recipient(of mail: OutboxMail, key: [UInt8]) throws(MailFault) -> String {
        try open(mail, key: key).recipient
    }

    private struct Opened {
        let recipient: String
        let languages: [String]
        let tenant: String
        let values: [String: String]
    }

    private static func open(_ mail: OutboxMail, key: [UInt8]) throws(MailFault) -> Opened {
        let count = AESGCM.nonceByteCount
        guard mail.sealed.count >= count + AESGCM.tagByteCount else { throw .damaged }
        let bytes: [UInt8]
        do throws(CryptographyError) {
            bytes = try AESGCM.open(
                mail.sealed.dropFirst(count),
                key: key[...],
                nonce: mail.sealed.prefix(count),
                associatedData: place(mail.tenant, mail.id, mail.kind)[...]
            )
        } catch { throw .damaged }
        guard let content = (try? JSON.parse(bytes))?.object, let recipient = content["to"]?.string,
            let tenant = content["tenant"]?.string, let display = content["tenant_display"]?.string
        else { throw .damaged }
        var values = ["tenant": display, "address": recipient]
        for member in content["values"]?.object?.members ?? [] { values[member.name] = member.value.string }
        return Opened(
            recipient: recipient,
            languages: (content["languages"]?.array ?? []).compactMap(\.string),
            tenant: tenant,
            values: values
        )
    }

    private static func recipient(_ address: String) throws(MailFault) -> CorrespondentAddress {
        do throws(CorrespondentAddress.Fault) {
            return try CorrespondentAddress(address)
        } catch { throw .recipient(reason: error.description) }
    }

    /// What a mail is bound to, so that rows cannot be swapped: no two places give the same bytes.
    private static func place(_ tenant: TenantID, _ id: MailID, _ kind: MailKind) -> [UInt8] {
        ["outbox", "\(tenant.number)", id.text, kind.rawValue].flatMap { Array($0.utf8) + [0] }
    }
}
