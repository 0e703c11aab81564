public import Identity

/// A message as it goes over the wire: RFC 5322, with a text and, where there is one, the same in HTML (RFC 2046 §5.1.4).
///
/// All of it is ASCII, in lines of at most 76 characters but for addresses; no value can begin a header of its own.
public struct MailMessage: Hashable, Sendable {
    public let sender: CorrespondentAddress
    public let recipient: CorrespondentAddress
    public let subject: String
    public let date: UnixTime
    /// Without angle brackets: `id@domain`.
    public let messageID: String
    /// The language of the texts (BCP 47).
    public let language: String
    public let text: String
    public let html: String?

    public init(
        from sender: CorrespondentAddress,
        to recipient: CorrespondentAddress,
        subject: String,
        date: UnixTime,
        messageID: String,
        language: String,
        text: String,
        html: String?
    ) {
        self.sender = sender
        self.recipient = recipient
        self.subject = subject
        self.date = date
        self.messageID = messageID
        self.language = language
        self.text = text
        self.html = html
    }

    /// The whole of it, each line with CR LF.
    public var bytes: [UInt8] {
        var head = "Date: \(date.rfc5322)\r\n"
        head += HeaderText.address("From", sender)
        head += HeaderText.address("To", recipient)
        head += HeaderText.unstructured("Subject", subject)
        head += "Message-ID: <\(Self.ascii(messageID))>\r\n"
        // RFC 3834 §5: no vacation notice answers it.
        head += "Auto-Submitted: auto-generated\r\n"
        head += "MIME-Version: 1.0\r\n"
        head += "Content-Language: \(Self.ascii(language))\r\n"
        guard let html else { return Array(head.utf8) + Self.part("text/plain", text) }
        // What Latchkey encodes has no "=_" (RFC 2045 §6.7).
        let boundary = "=_latchkey"
        head += "Content-Type: multipart/alternative; boundary=\"\(boundary)\"\r\n\r\n"
        var bytes = Array(head.utf8)
        for (type, text) in [("text/plain", text), ("text/html", html)] {
            bytes += Array("--\(boundary)\r\n".utf8)
            bytes += Self.part(type, text) + [13, 10]
        }
        return bytes + Array("--\(boundary)--\r\n".utf8)
    }

    private static func part(_ type: String, _ text: String) -> [UInt8] {
        let head = "Content-Type: \(type); charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        return Array(head.utf8) + QuotedPrintable.encode(text)
    }

    /// For words that are made here and never hold anything else.
    private static func ascii(_ text: String) -> String {
        String(
            decoding: text.utf8.filter { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") },
            as: UTF8.self
        )
    }
}

extension UnixTime {
    /// RFC 5322 §3.3, in UTC: `Mon, 30 Nov 2026 19:05:00 +0000`.
    var rfc5322: String {
        // 2026-11-30T19:05:00.000Z
        let parts = rfc3339.split { "-T.".contains($0) }.map(String.init)
        guard parts.count >= 4, let month = Int(parts[1]), Self.months.indices.contains(month - 1) else {
            return "Thu, 01 Jan 1970 00:00:00 +0000"
        }
        // The first of January 1970 was a Thursday.
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let weekday = Self.weekdays[Int(((days + 4) % 7 + 7) % 7)]
        return "\(weekday), \(parts[2]) \(Self.months[month - 1]) \(parts[0]) \(parts[3]) +0000"
    }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
