import CPostgres
import Identity

/// Why there is no connection.
struct ConnectFault: Error, Hashable, Sendable {
    let reason: String
    /// Whether it may pass by itself.
    let isTemporary: Bool
    /// The database's encoding, when that is what is wrong.
    var encoding: String?
    /// Whether a server is there and takes no writes.
    var isReadOnly = false
}

extension PostgresConnection {
    /// Connects to the first host that takes it, beginning at `preferred`. Blocks the caller, each host for the
    /// options' time at most.
    ///
    /// Where no host takes writes, one that answers may do for reading: `canRead` says so.
    ///
    /// - Returns: the connection, and which host it leads to.
    static func connect(
        _ string: ConnectionString,
        _ options: PostgresOptions,
        preferring preferred: Int = 0,
        canRead: Bool = false
    ) throws(ConnectFault) -> (connection: PostgresConnection, host: Int) {
        var faults: [ConnectFault] = []
        var reading: (host: Int, reason: String)?
        for offset in string.hosts.indices {
            let index = (preferred + offset) % string.hosts.count
            do throws(ConnectFault) {
                return (try connect(to: string.hosts[index], options), index)
            } catch {
                faults.append(error)
                if error.isReadOnly, reading == nil { reading = (index, error.reason) }
            }
        }
        if canRead, let reading {
            var host = string.hosts[reading.host]
            host["target_session_attrs"] = "any"
            return (try connect(to: host, options, readOnlyReason: reading.reason), preferred)
        }
        throw ConnectFault(
            reason: faults.map(\.reason).joined(separator: "; "),
            isTemporary: faults.contains(where: \.isTemporary),
            encoding: faults.compactMap(\.encoding).first,
            isReadOnly: reading != nil
        )
    }

    private static func connect(
        to host: [String: String],
        _ options: PostgresOptions,
        readOnlyReason: String? = nil
    ) throws(ConnectFault) -> PostgresConnection {
        let place = ConnectionString.place(host)
        guard let handle = unsafe start(host) else {
            throw ConnectFault(reason: "\(place): no memory", isTemporary: true)
        }
        do throws(ConnectFault) {
            unsafe latchkey_silence(handle)
            let end = ContinuousClock.now + options.connectTimeout
            unsafe try establish(handle, place, end)
            unsafe try prepareSession(handle, place, end, options)
            let isBlocking = unsafe PQsetnonblocking(handle, 1) != 0
            guard !isBlocking, unsafe PQenterPipelineMode(handle) == 1 else { throw unsafe fault(handle, place) }
        } catch {
            unsafe PQfinish(handle)
            throw error
        }
        return unsafe PostgresConnection(handle, prepares: options.prepares, readOnlyReason: readOnlyReason)
    }

    private static func start(_ host: [String: String]) -> OpaquePointer? {
        let words = host.flatMap { [$0.key, $0.value] }.map { Array($0.utf8CString) }
        let bytes = words.flatMap { $0 }
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            var keywords: [UnsafePointer<CChar>?] = unsafe []
            var values: [UnsafePointer<CChar>?] = unsafe []
            var offset = 0
            for (index, word) in words.enumerated() {
                let pointer = unsafe buffer.baseAddress.map { unsafe $0 + offset }
                if index.isMultiple(of: 2) { unsafe keywords.append(pointer) } else { unsafe values.append(pointer) }
                offset += word.count
            }
            unsafe keywords.append(nil)
            unsafe values.append(nil)
            return unsafe PQconnectStartParams(keywords, values, 0)
        }
    }

    private static func establish(
        _ handle: OpaquePointer,
        _ place: String,
        _ end: ContinuousClock.Instant
    ) throws(ConnectFault) {
        guard unsafe PQstatus(handle) != CONNECTION_BAD else { throw unsafe fault(handle, place) }
        var state = PGRES_POLLING_WRITING
        while true {
            switch state {
            case PGRES_POLLING_OK: return
            case PGRES_POLLING_READING: unsafe try wait(handle, Int16(POLLIN), place, end)
            case PGRES_POLLING_WRITING: unsafe try wait(handle, Int16(POLLOUT), place, end)
            default: throw unsafe fault(handle, place)
            }
            state = unsafe PQconnectPoll(handle)
        }
    }

    /// Sets the limits of the session, where a session is ours alone, and looks at the encoding.
    private static func prepareSession(
        _ handle: OpaquePointer,
        _ place: String,
        _ end: ContinuousClock.Instant,
        _ options: PostgresOptions
    ) throws(ConnectFault) {
        let query =
            options.prepares
            ? "SELECT current_setting('server_encoding'), \(SessionLimits(options).text(isLocal: false))"
            : "SELECT current_setting('server_encoding')"
        guard unsafe PQsendQuery(handle, query) == 1 else { throw unsafe fault(handle, place) }
        while unsafe PQisBusy(handle) != 0 {
            unsafe try wait(handle, Int16(POLLIN), place, end)
            guard unsafe PQconsumeInput(handle) == 1 else { throw unsafe fault(handle, place) }
        }
        var encoding: String?
        while let result = unsafe PQgetResult(handle) {
            defer { unsafe PQclear(result) }
            guard unsafe PQresultStatus(result) == PGRES_TUPLES_OK, let text = unsafe PQgetvalue(result, 0, 0) else {
                throw unsafe fault(handle, place)
            }
            encoding = unsafe String(cString: text)
        }
        guard encoding == "UTF8" else {
            throw ConnectFault(
                reason: "\(place): the encoding is \(encoding ?? "none")",
                isTemporary: false,
                encoding: encoding ?? "none"
            )
        }
    }

    private static func wait(
        _ handle: OpaquePointer,
        _ events: Int16,
        _ place: String,
        _ end: ContinuousClock.Instant
    ) throws(ConnectFault) {
        var poller = unsafe pollfd(fd: PQsocket(handle), events: events, revents: 0)
        while true {
            let left = (end - ContinuousClock.now).milliseconds
            guard left > 0 else { throw ConnectFault(reason: "\(place) does not answer", isTemporary: true) }
            let count = unsafe latchkey_poll(&poller, 1, left)
            if count > 0 { return }
            guard count == 0 else {
                throw ConnectFault(reason: "\(place): error \(-count) of poll", isTemporary: true)
            }
        }
    }

    private static func fault(_ handle: OpaquePointer, _ place: String) -> ConnectFault {
        let message = unsafe String(cString: PQerrorMessage(handle))
        let line = message.split(separator: "\n").map { PostgresFault.printable($0) }.joined(separator: " ")
        let lasting = [
            "authentication failed", "does not exist", "pg_hba.conf", "certificate", "no password supplied",
            "permission denied", "not permitted to log in", "SSL is not enabled", "does not support SSL",
            // A word of the URL that libpq itself does not take, as `invalid sslmode value: "x"`.
            " value: \"", "invalid port number",
        ]
        return ConnectFault(
            reason: "\(place): \(line.prefix(300))",
            isTemporary: !lasting.contains { line.contains($0) },
            isReadOnly: ["session is read-only", "server is in hot standby mode"].contains { line.contains($0) }
        )
    }
}

/// The limits that the database itself keeps, so that it does not work on for somebody who has given up.
struct SessionLimits {
    let options: PostgresOptions

    init(_ options: PostgresOptions) {
        self.options = options
    }

    /// A list of expressions that set them. An answer has to be durable, whatever the role's own default.
    func text(isLocal: Bool) -> String {
        """
        set_config('statement_timeout', '\(options.statementTimeout)', \(isLocal)), \
        set_config('lock_timeout', '\(options.lockTimeout)', \(isLocal)), \
        set_config('idle_in_transaction_session_timeout', '5000', \(isLocal)), \
        CASE WHEN current_setting('synchronous_commit') = 'off' \
        THEN set_config('synchronous_commit', 'on', \(isLocal)) END
        """
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, as far as 32 bits go.
    var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds < 2_000_000 else { return .max }
        guard seconds > -2_000_000 else { return .min }
        return Int32(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
