internal import CCurl

/// Where a document goes as it comes.
final class Sink {
    let limit: Int
    private(set) var bytes: [UInt8] = []
    private(set) var isFull = false

    init(limit: Int) {
        self.limit = limit
    }

    /// - Returns: how many were taken; fewer than came end the transfer.
    func take(_ more: UnsafeRawBufferPointer) -> Int {
        guard more.count <= limit - bytes.count else {
            isFull = true
            return 0
        }
        unsafe bytes.append(contentsOf: more)
        return more.count
    }
}

/// What is sent, as libcurl asks for it.
final class Source {
    private var rest: ArraySlice<UInt8>
    let count: Int

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
        count = bytes.count
    }

    /// - Returns: how many bytes were put into `buffer`; none at the end.
    func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let next = rest.prefix(buffer.count)
        unsafe buffer.copyBytes(from: next)
        rest = rest.dropFirst(next.count)
        return next.count
    }
}

/// One transfer of libcurl's, which ends with this value.
@safe struct EasyHandle: ~Copyable {
    private let handle: UnsafeMutableRawPointer

    init() throws(TransferError) {
        guard let handle = unsafe curl_easy_init() else { throw .unavailable(reason: "libcurl has no memory left") }
        unsafe self.handle = handle
    }

    deinit { unsafe curl_easy_cleanup(handle) }

    func set(_ option: CURLoption, _ value: Int) throws(TransferError) {
        try check(unsafe latchkey_curl_set_long(handle, option, value))
    }

    func set(_ option: CURLoption, _ text: String) throws(TransferError) {
        try check(unsafe latchkey_curl_set_text(handle, option, text))
    }

    /// Lines such as `Accept: application/json`. libcurl reads the list until the transfer ends, so it is handed back to
    /// be kept until then.
    func set(headers lines: [String]) throws(TransferError) -> HeaderList {
        let list = try HeaderList(lines)
        try check(unsafe latchkey_curl_set_headers(handle, list.first))
        return list
    }

    /// Where to connect to in place of what addresses say, as `::HOST:PORT`; kept as headers are.
    func set(places lines: [String]) throws(TransferError) -> HeaderList {
        let list = try HeaderList(lines)
        try check(unsafe latchkey_curl_set_places(handle, list.first))
        return list
    }

    func set(body bytes: [UInt8]) throws(TransferError) {
        // One byte more, so that an empty body has an address too.
        try check(
            unsafe (bytes + [0]).withUnsafeBufferPointer { buffer in
                unsafe latchkey_curl_set_body(handle, buffer.baseAddress, curl_off_t(bytes.count))
            }
        )
    }

    /// Sends what was set. The headers of each answer on the way go to `headers`, line by line.
    func run(into sink: Sink, headers: Sink? = nil) throws(TransferError) {
        if let headers {
            let context = unsafe Unmanaged.passUnretained(headers).toOpaque()
            try check(unsafe latchkey_curl_set_header_sink(handle, EasyHandle.taking, context))
        }
        let context = unsafe Unmanaged.passUnretained(sink).toOpaque()
        try check(
            unsafe latchkey_curl_set_sink(
                handle,
                EasyHandle.taking,
                context
            )
        )
        let code = withExtendedLifetime((sink, headers)) { unsafe curl_easy_perform(handle) }
        for full in [sink, headers] {
            if let full, full.isFull { throw .tooLarge(limit: full.limit) }
        }
        try check(code)
    }

    /// libcurl's callback: the bytes go to the sink that `context` is.
    private static let taking: latchkey_curl_sink = { bytes, one, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let sink = unsafe Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
        return unsafe sink.take(UnsafeRawBufferPointer(start: bytes, count: one * count))
    }

    /// The addresses of a mail's recipients; handed back to be kept until the transfer ends.
    func set(recipients: [String]) throws(TransferError) -> HeaderList {
        let list = try HeaderList(recipients)
        try check(unsafe latchkey_curl_set_recipients(handle, list.first))
        return list
    }

    /// Sends `source` to a mail server, whose replies go to `replies`, line by line.
    ///
    /// - Returns: how it ended, in libcurl's words.
    /// - Throws: when libcurl takes an option amiss; then nothing was sent.
    func upload(_ source: Source, replies: Sink) throws(TransferError) -> CURLcode {
        let sink = unsafe Unmanaged.passUnretained(replies).toOpaque()
        try check(unsafe latchkey_curl_set_header_sink(handle, EasyHandle.taking, sink))
        let context = unsafe Unmanaged.passUnretained(source).toOpaque()
        try check(unsafe latchkey_curl_set_source(handle, EasyHandle.giving, context))
        try set(CURLOPT_UPLOAD, 1)
        try check(unsafe latchkey_curl_set_large(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(source.count)))
        return withExtendedLifetime((source, replies)) { unsafe curl_easy_perform(handle) }
    }

    /// libcurl's callback: the next bytes of the source that `context` is.
    private static let giving: latchkey_curl_sink = { bytes, one, count, context in
        guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
        let source = unsafe Unmanaged<Source>.fromOpaque(context).takeUnretainedValue()
        return unsafe source.give(UnsafeMutableRawBufferPointer(start: bytes, count: one * count))
    }

    var status: Int { unsafe latchkey_curl_status(handle) }

    /// The other side's own certificate, PEM; `nil` without TLS, and where it was not asked for.
    var certificate: String? { unsafe latchkey_curl_certificate(handle).map { unsafe String(cString: $0) } }

    private func check(_ code: CURLcode) throws(TransferError) {
        switch code {
        case CURLE_OK: return
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: throw .badAddress
        default: throw .unavailable(reason: unsafe String(cString: curl_easy_strerror(code)))
        }
    }
}

/// A list of lines, such as headers, as libcurl takes them; they go with this value.
@safe struct HeaderList: ~Copyable {
    private(set) var first: UnsafeMutablePointer<curl_slist>?

    init(_ lines: [String]) throws(TransferError) {
        unsafe first = nil
        for line in lines {
            guard let longer = unsafe curl_slist_append(first, line) else {
                throw .unavailable(reason: "libcurl has no memory left")
            }
            unsafe first = longer
        }
    }

    deinit { unsafe curl_slist_free_all(first) }
}

/// libcurl as a whole, which is to be started once.
enum Library {
    static let isReady = latchkey_curl_start() == CURLE_OK
}
