internal import CCurl

/// Speaks to an HTTP API over TLS, one request at a time.
///
/// Certificates are verified, from TLS 1.2 on; redirections are not followed, so that what a request carries goes to its
/// own address alone.
public struct WebClient: Sendable {
    /// The most bytes of an answer that are taken, after decompression.
    public var maximumSize: Int
    /// Milliseconds until the connection stands.
    public var connectTimeout: Int
    /// Milliseconds until the whole answer is there.
    public var timeout: Int
    /// A PEM file of the authorities to trust; `nil`: the system's.
    public var authorities: String?
    /// What the program calls itself.
    public var agent: String
    /// `HOST:PORT` that is connected to in place of what an `https://` address says, whose name the certificate has to
    /// have all the same; `nil`: the address's own.
    public var connectingTo: String?

    public init(
        maximumSize: Int = 64 << 20,
        connectTimeout: Int = 10_000,
        timeout: Int = 60_000,
        authorities: String? = nil,
        agent: String = "latchkey"
    ) {
        self.maximumSize = maximumSize
        self.connectTimeout = connectTimeout
        self.timeout = timeout
        self.authorities = authorities
        self.agent = agent
    }

    /// Sends one request and takes the whole answer, whatever its status is.
    ///
    /// This blocks the calling thread.
    ///
    /// - Throws: ``TransferError``: `badAddress` also for plain `http://` to another machine than this one, and for a method
    ///   or header that could not stand in a request.
    public func send(_ request: WebRequest) throws(TransferError) -> WebResponse {
        guard request.isSafe, !request.address.utf8.contains(0) else { throw .badAddress }
        let scheme: String
        if request.address.hasPrefix("https://") {
            scheme = "https"
        } else if Self.isLoopback(request.address) {
            scheme = "http"
        } else {
            throw .badAddress
        }
        guard Library.isReady else { throw .unavailable(reason: "libcurl cannot be started") }
        let transfer = try EasyHandle()
        try transfer.set(CURLOPT_URL, request.address)
        try transfer.set(CURLOPT_PROTOCOLS_STR, scheme)
        try transfer.set(CURLOPT_CONNECTTIMEOUT_MS, connectTimeout)
        try transfer.set(CURLOPT_TIMEOUT_MS, timeout)
        try transfer.set(CURLOPT_SSLVERSION, 6)  // CURL_SSLVERSION_TLSv1_2, and newer.
        try transfer.set(CURLOPT_ACCEPT_ENCODING, "")  // Whatever libcurl can take apart.
        try transfer.set(CURLOPT_USERAGENT, agent)
        // Without signals, for a process that has threads.
        try transfer.set(CURLOPT_NOSIGNAL, 1)
        if let authorities { try transfer.set(CURLOPT_CAINFO, authorities) }
        // Nothing between this machine and itself.
        if scheme == "http" { try transfer.set(CURLOPT_PROXY, "") }
        if let body = request.body {
            try transfer.set(body: body)
        } else if request.method == "HEAD" {
            try transfer.set(CURLOPT_NOBODY, 1)
        }
        try transfer.set(CURLOPT_CUSTOMREQUEST, request.method)
        // libcurl would wait for a "100 Continue" before a large body.
        let list = try transfer.set(headers: request.headers.map { "\($0.name): \($0.value)" } + ["Expect:"])
        let place = scheme == "https" ? connectingTo.map { ["::\($0)"] } : nil
        let places = try transfer.set(places: place ?? [])
        try transfer.set(CURLOPT_CERTINFO, 1)
        let sink = Sink(limit: maximumSize)
        let headers = Sink(limit: 1 << 18)
        try transfer.run(into: sink, headers: headers)
        _ = consume list
        _ = consume places
        return WebResponse(
            status: transfer.status,
            headers: Self.headers(headers.bytes),
            body: sink.bytes,
            certificate: transfer.certificate
        )
    }

    /// `http://localhost…`, `http://NAME.localhost…`, `http://127.…`, `http://[::1]…`.
    private static func isLoopback(_ address: String) -> Bool {
        guard address.hasPrefix("http://") else { return false }
        let rest = address.utf8.dropFirst("http://".utf8.count)
        let authority = String(rest.prefix { !"/?#".utf8.contains($0) }) ?? ""
        // A name in front of an @ is not where the request goes.
        guard !authority.contains("@"), !authority.contains("\\") else { return false }
        if authority == "[::1]" || authority.hasPrefix("[::1]:") { return true }
        let host = authority.split(separator: ":", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        let isNumber = host.hasPrefix("127.") && host.utf8.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") }
        return host == "localhost" || host.hasSuffix(".localhost") || isNumber
    }

    /// The headers of the last answer: those of a `100 Continue` before it do not count.
    private static func headers(_ bytes: [UInt8]) -> [WebHeader] {
        var headers: [WebHeader] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: Array("HTTP/".utf8)) {
                headers = []
            } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
                headers.append(
                    WebHeader(
                        String(decoding: line[..<colon], as: UTF8.self).lowercased(),
                        trimmed(line[line.index(after: colon)...])
                    )
                )
            }
        }
        return headers
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        var rest = bytes.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return String(decoding: rest, as: UTF8.self)
    }
}

/// One header of a request or an answer.
public struct WebHeader: Hashable, Sendable {
    /// In an answer in lower case.
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// What is sent.
public struct WebRequest: Hashable, Sendable {
    /// In capitals: `PATCH`.
    public var method: String
    /// `https://…`, or `http://` to this machine.
    public var address: String
    public var headers: [WebHeader]
    public var body: [UInt8]?

    public init(_ method: String, _ address: String, headers: [WebHeader] = [], body: [UInt8]? = nil) {
        self.method = method
        self.address = address
        self.headers = headers
        self.body = body
    }

    /// Whether no part could begin another line of the request.
    fileprivate var isSafe: Bool {
        func isWord(_ text: String) -> Bool {
            !text.isEmpty
                && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x41...0x5A ~= $0 || 0x61...0x7A ~= $0 || $0 == 0x2D }
        }
        return isWord(method)
            && headers.allSatisfy { isWord($0.name) && !$0.value.utf8.contains { $0 < 0x20 || $0 == 0x7F } }
            && address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

/// What came back.
public struct WebResponse: Hashable, Sendable {
    public let status: Int
    public let headers: [WebHeader]
    public let body: [UInt8]
    /// The other side's own certificate, PEM; `nil` without TLS.
    public let certificate: String?

    public init(status: Int, headers: [WebHeader] = [], body: [UInt8] = [], certificate: String? = nil) {
        self.status = status
        self.headers = headers
        self.body = body
        self.certificate = certificate
    }

    /// The first header of this name, which is given in lower case.
    public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
