internal import CCurl

/// Hands mails to a mail server over SMTP (RFC 5321), one connection a mail.
///
/// Certificates are verified, from TLS 1.2 on. With `smtps://` TLS comes first (RFC 8314 §3.3). With `smtp://` it begins
/// by STARTTLS (RFC 3207): always when there are credentials, which never leave in clear; without them when the server
/// offers it, and never on the way to this machine itself.
public struct MailRelay: Sendable {
    /// `smtp` or `smtps`.
    public var scheme: Scheme
    /// A name or an address, an IPv6 one without brackets.
    public var host: String
    /// `nil`: 25 for `smtp`, 465 for `smtps`; with credentials 587 for `smtp` (RFC 6409).
    public var port: UInt16?
    public var credentials: Credentials?
    /// What this machine calls itself in EHLO: a host name.
    public var greeting: String
    /// Milliseconds until the connection stands.
    public var connectTimeout: Int
    /// Milliseconds until the server has taken the mail; a server that then says nothing to QUIT has as long again.
    public var timeout: Int
    /// A PEM file of the authorities to trust; `nil`: the system's.
    public var authorities: String?

    public enum Scheme: String, Hashable, Sendable {
        case smtp, smtps
    }

    /// What the server wants to see before it takes a mail.
    public struct Credentials: Hashable, Sendable {
        public let user: String
        public let password: String

        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    public init(
        _ scheme: Scheme,
        host: String,
        port: UInt16? = nil,
        credentials: Credentials? = nil,
        greeting: String,
        connectTimeout: Int = 10_000,
        timeout: Int = 60_000,
        authorities: String? = nil
    ) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.credentials = credentials
        self.greeting = greeting
        self.connectTimeout = connectTimeout
        self.timeout = timeout
        self.authorities = authorities
    }

    /// The most bytes of replies that are taken of a server.
    static let repliesLimit = 1 << 16

    /// Hands over one mail.
    ///
    /// This blocks the calling thread.
    ///
    /// - Parameters:
    ///   - message: the whole of it, in lines that end with CR LF (RFC 5322); a dot that begins one is doubled here.
    ///   - sender: the address that failures are sent to.
    ///   - recipients: addresses, at least one; the server takes all of them or the mail is not sent.
    /// - Returns: what the server said when it had taken the mail: `250 …`.
    /// - Throws: ``MailRelayError``. Only ``MailRelayError/unavailable(reason:)`` leaves open whether the mail was taken.
    public func send(
        _ message: [UInt8],
        from sender: String,
        to recipients: [String]
    ) throws(MailRelayError) -> String {
        guard !recipients.isEmpty, ([sender] + recipients).allSatisfy(Self.isAddress), Self.isLines(message) else {
            throw .badMail
        }
        guard Library.isReady else { throw .unavailable(reason: "libcurl cannot be started") }
        let replies = Sink(limit: Self.repliesLimit)
        let code: CURLcode
        let status: Int
        do throws(TransferError) {
            let transfer = try EasyHandle()
            try prepare(transfer)
            try transfer.set(CURLOPT_MAIL_FROM, sender)
            let list = try transfer.set(recipients: recipients)
            code = try transfer.upload(Source(message), replies: replies)
            status = transfer.status
            _ = consume list
        } catch {
            throw .unavailable(reason: error.description)
        }
        let said = Replies(replies.bytes, status: status)
        guard code != CURLE_OK else { return said.last }
        throw fault(code, status, said, isFull: replies.isFull)
    }

    /// Greets the server, signs in where there are credentials, and hands over nothing (`NOOP`, RFC 5321 §4.1.1.9).
    ///
    /// This blocks the calling thread.
    ///
    /// - Throws: ``MailRelayError/unavailable(reason:)``.
    public func greet() throws(MailRelayError) {
        guard Library.isReady else { throw .unavailable(reason: "libcurl cannot be started") }
        do throws(TransferError) {
            let transfer = try EasyHandle()
            try prepare(transfer)
            try transfer.set(CURLOPT_CUSTOMREQUEST, "NOOP")
            try transfer.run(into: Sink(limit: Self.repliesLimit))
        } catch {
            throw .unavailable(reason: error.description)
        }
    }

    private func prepare(_ transfer: borrowing EasyHandle) throws(TransferError) {
        guard Self.isHost(host), Self.isHost(greeting) else { throw .badAddress }
        let isNumber = host.utf8.contains(UInt8(ascii: ":"))
        let port = port ?? (scheme == .smtps ? 465 : credentials == nil ? 25 : 587)
        // The path is the name that libcurl gives in EHLO.
        let address = "\(scheme.rawValue)://\(isNumber ? "[\(host)]" : host):\(port)/\(greeting)"
        try transfer.set(CURLOPT_URL, address)
        try transfer.set(CURLOPT_PROTOCOLS_STR, scheme.rawValue)
        try transfer.set(CURLOPT_CONNECTTIMEOUT_MS, connectTimeout)
        try transfer.set(CURLOPT_TIMEOUT_MS, timeout)
        try transfer.set(CURLOPT_SSLVERSION, 6)  // CURL_SSLVERSION_TLSv1_2, and newer.
        // To QUIT libcurl waits beyond the time above; and it does so here, not when it is taken apart.
        try transfer.set(CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, timeout / 1000))
        try transfer.set(CURLOPT_FORBID_REUSE, 1)
        // Without signals, for a process that has threads.
        try transfer.set(CURLOPT_NOSIGNAL, 1)
        try transfer.set(CURLOPT_PROXY, "")
        if let authorities { try transfer.set(CURLOPT_CAINFO, authorities) }
        // CURLUSESSL_ALL, _NONE and _TRY.
        try transfer.set(CURLOPT_USE_SSL, credentials != nil || scheme == .smtps ? 3 : isLoopback ? 0 : 1)
        if let credentials {
            try transfer.set(CURLOPT_USERNAME, credentials.user)
            try transfer.set(CURLOPT_PASSWORD, credentials.password)
        }
    }

    private func fault(_ code: CURLcode, _ status: Int, _ replies: Replies, isFull: Bool) -> MailRelayError {
        if isFull { return .unavailable(reason: "the mail server answers with more than \(Self.repliesLimit) bytes") }
        switch code {
        case CURLE_USE_SSL_FAILED:
            return .unavailable(
                reason:
                    "the mail server does not begin TLS by STARTTLS, without which no password is sent: use smtps://"
            )
        case CURLE_LOGIN_DENIED:
            return .unavailable(reason: "the mail server refuses the user or the password: \(replies.last)")
        // To MAIL, RCPT and DATA; and to the mail itself, whose reply comes after a 354.
        case CURLE_SEND_ERROR where Self.isRefusal(status), CURLE_WEIRD_SERVER_REPLY where replies.hadBegun:
            if Self.wantsCredentials.contains(status) {
                return .unavailable(reason: "the mail server wants a user and a password, or others: \(replies.last)")
            }
            return status >= 500 ? .permanent(reply: replies.last) : .temporary(reply: replies.last)
        default:
            let reason = unsafe String(cString: curl_easy_strerror(code))
            let reply = Self.isRefusal(status) ? ": " + replies.last : ""
            return .unavailable(reason: reason + reply)
        }
    }

    private static func isRefusal(_ status: Int) -> Bool { (400..<600).contains(status) }

    /// RFC 4954 §6: these are about who sends, and not about the mail.
    private static let wantsCredentials: Set<Int> = [530, 534, 535, 538]

    private var isLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "::1"
            || host.hasPrefix("127.") && host.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") }
    }

    private static func isHost(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x3A, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// ASCII that can stand between `<` and `>`.
    private static func isAddress(_ text: String) -> Bool {
        (3...254).contains(text.utf8.count) && text.utf8.contains(UInt8(ascii: "@"))
            && text.utf8.allSatisfy {
                0x20...0x7E ~= $0 && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">")
            }
    }

    /// Lines of at most 998 bytes, each with CR LF at its end, and neither of the two elsewhere (RFC 5321 §2.3.8): what
    /// one server takes for the end of a mail and the next does not could smuggle another one.
    private static func isLines(_ message: [UInt8]) -> Bool {
        var length = 0
        var previous: UInt8 = 0
        for byte in message {
            switch (previous, byte) {
            case (13, 10): length = 0
            case (13, _), (_, 10), (_, 0): return false
            case (_, 13): break
            default: length += 1
            }
            guard length <= 998 else { return false }
            previous = byte
        }
        return message.suffix(2) == [13, 10]
    }
}

/// What a server said, line by line.
private struct Replies {
    private let lines: [ArraySlice<UInt8>]
    private let status: Int

    /// - Parameters:
    ///   - bytes: all that it said.
    ///   - status: the code that counted: a "221 bye" may have followed.
    init(_ bytes: [UInt8], status: Int) {
        lines = bytes.split { $0 == 10 || $0 == 13 }
        self.status = status
    }

    /// The last line with the code that counted, of which an operator is shown 512 bytes of printable text; empty when
    /// it said nothing.
    var last: String {
        let line = lines.last { $0.starts(with: Array("\(status)".utf8)) } ?? lines.last ?? []
        return String(
            decoding: line.prefix(512).map { 0x20...0x7E ~= $0 ? $0 : UInt8(ascii: "?") },
            as: UTF8.self
        )
    }

    /// Whether it waited for the mail itself, or had it.
    var hadBegun: Bool { lines.contains { $0.starts(with: Array("354".utf8)) } }
}

/// Why a mail was not handed over. Texts are one line for an operator; a reply is as the server gave it.
public enum MailRelayError: Error, Hashable, Sendable {
    /// An address or the message is none that SMTP could carry: nothing was sent.
    case badMail
    /// No connection, no valid certificate, no log-in, no answer in time. It is not about this mail, and it may even have
    /// been taken: the answer could be what is missing.
    case unavailable(reason: String)
    /// The server does not take it now (4yz).
    case temporary(reply: String)
    /// The server will never take it (5yz).
    case permanent(reply: String)
}

extension MailRelayError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .badMail: "an address or the message is none that SMTP could carry"
        case .unavailable(let reason): reason
        case .temporary(let reply): "the mail server does not take it now: \(reply)"
        case .permanent(let reply): "the mail server refuses it: \(reply)"
        }
    }
}
