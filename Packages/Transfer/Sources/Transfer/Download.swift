internal import CCurl

/// Gets one document over HTTPS.
public struct Download: Sendable {
    /// The most bytes that are taken, after decompression.
    public var maximumSize: Int
    /// Milliseconds until the connection stands.
    public var connectTimeout: Int
    /// Milliseconds until the whole document is there.
    public var timeout: Int
    /// A PEM file of the authorities to trust; `nil`: the system's.
    public var authorities: String?

    public init(
        maximumSize: Int = 64 << 20,
        connectTimeout: Int = 10_000,
        timeout: Int = 120_000,
        authorities: String? = nil
    ) {
        self.maximumSize = maximumSize
        self.connectTimeout = connectTimeout
        self.timeout = timeout
        self.authorities = authorities
    }

    /// Gets what is at `address`. Up to five redirections are followed, to other `https://` addresses alone; certificates
    /// are verified, from TLS 1.2 on.
    ///
    /// This blocks the calling thread.
    ///
    /// - Throws: ``TransferError``.
    public func fetch(_ address: String) throws(TransferError) -> [UInt8] {
        guard address.utf8.starts(with: Array("https://".utf8)), !address.utf8.contains(0) else { throw .badAddress }
        guard Library.isReady else { throw .unavailable(reason: "libcurl cannot be started") }
        let transfer = try EasyHandle()
        let sink = Sink(limit: maximumSize)
        try transfer.set(CURLOPT_URL, address)
        try transfer.set(CURLOPT_PROTOCOLS_STR, "https")
        try transfer.set(CURLOPT_REDIR_PROTOCOLS_STR, "https")
        try transfer.set(CURLOPT_FOLLOWLOCATION, 1)
        try transfer.set(CURLOPT_MAXREDIRS, 5)
        try transfer.set(CURLOPT_CONNECTTIMEOUT_MS, connectTimeout)
        try transfer.set(CURLOPT_TIMEOUT_MS, timeout)
        try transfer.set(CURLOPT_SSLVERSION, 6)  // CURL_SSLVERSION_TLSv1_2, and newer.
        try transfer.set(CURLOPT_ACCEPT_ENCODING, "")  // Whatever libcurl can take apart.
        try transfer.set(CURLOPT_USERAGENT, "latchkey")
        // Without signals, for a process that has threads.
        try transfer.set(CURLOPT_NOSIGNAL, 1)
        if let authorities { try transfer.set(CURLOPT_CAINFO, authorities) }
        try transfer.run(into: sink)
        let status = transfer.status
        guard status == 200 else { throw .status(status) }
        return sink.bytes
    }
}
