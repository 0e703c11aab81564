internal import CAres

/// Looks names up at name servers.
public struct Resolver: Sendable {
    /// `ADDRESS:PORT` each, an IPv6 address in brackets; empty: those of the system.
    public var servers: [String]
    /// Milliseconds until a lookup is over, however many servers are asked.
    public var timeout: Int
    /// How many bytes of text are taken at most.
    public var maximumSize: Int

    public init(servers: [String] = [], timeout: Int = 3000, maximumSize: Int = 64 << 10) {
        self.servers = servers
        self.timeout = max(1, timeout)
        self.maximumSize = maximumSize
    }

    /// The TXT records of `name`, in the order of the answer; each is its strings joined (RFC 7208 §3.3 reads them so).
    /// A name that is not there has none. Nothing is looked for in a hosts file or a search list.
    ///
    /// This blocks the calling thread.
    ///
    /// - Throws: ``ResolverError`` when no server said what there is.
    public func textRecords(of name: String) throws(ResolverError) -> [[UInt8]] {
        guard Library.isReady else { throw .unavailable(reason: "c-ares cannot be started") }
        guard (1...253).contains(name.utf8.count), !name.utf8.contains(0) else { throw .badName }
        let sink = Sink(limit: maximumSize)
        let channel = try Channel(servers: servers, timeout: max(1, timeout / 3), tries: 3)
        let code = channel.lookUp(name, timeout: timeout, into: sink)
        switch code {
        case ARES_SUCCESS:
            if sink.isFull { throw .tooLarge(limit: maximumSize) }
            return sink.records
        case ARES_ENOTFOUND, ARES_ENODATA: return []
        case ARES_EBADNAME: throw .badName
        case ARES_ECANCELLED, ARES_ETIMEOUT: throw .unavailable(reason: "no name server answered in time")
        default: throw .unavailable(reason: unsafe String(cString: ares_strerror(code)))
        }
    }
}

/// Where records go as they are read.
private final class Sink {
    let limit: Int
    private(set) var records: [[UInt8]] = []
    private(set) var isFull = false
    private var size = 0

    init(limit: Int) {
        self.limit = limit
    }

    func take(_ bytes: UnsafeBufferPointer<UInt8>, begins: Bool) {
        guard bytes.count <= limit - size else {
            isFull = true
            return
        }
        size += bytes.count
        if begins || records.isEmpty { records.append([]) }
        unsafe records[records.count - 1].append(contentsOf: bytes)
    }
}

/// One channel of c-ares, which ends with this value.
@safe private struct Channel: ~Copyable {
    private let channel: ares_channel

    init(servers: [String], timeout: Int, tries: Int) throws(ResolverError) {
        var opened: ares_channel?
        let list = servers.joined(separator: ",")
        let (timeout, tries) = (Int32(clamping: timeout), Int32(clamping: tries))
        let code =
            servers.isEmpty
            ? unsafe latchkey_ares_open(&opened, nil, timeout, tries)
            : unsafe latchkey_ares_open(&opened, list, timeout, tries)
        guard code == ARES_SUCCESS, let channel = unsafe opened else {
            throw .unavailable(reason: unsafe String(cString: ares_strerror(code)))
        }
        unsafe self.channel = channel
    }

    deinit { unsafe ares_destroy(channel) }

    /// - Returns: c-ares's code; that of a cancelled lookup when the time is over.
    func lookUp(_ name: String, timeout: Int, into sink: Sink) -> Int32 {
        var lookup = unsafe latchkey_ares_lookup()
        unsafe lookup.context = Unmanaged.passUnretained(sink).toOpaque()
        unsafe lookup.sink = { context, bytes, count, begins in
            guard let context = unsafe context, let bytes = unsafe bytes else { return }
            unsafe Unmanaged<Sink>.fromOpaque(context).takeUnretainedValue()
                .take(UnsafeBufferPointer(start: bytes, count: count), begins: begins != 0)
        }
        let clock = ContinuousClock()
        let end = clock.now + .milliseconds(timeout)
        return withExtendedLifetime(sink) {
            unsafe withUnsafeMutablePointer(to: &lookup) { lookup in
                unsafe latchkey_ares_ask(channel, name, lookup)
                while unsafe lookup.pointee.is_done == 0 {
                    let left = clock.now.duration(to: end) / .milliseconds(1)
                    guard left > 0 else {
                        // It answers the lookup before it returns.
                        unsafe ares_cancel(channel)
                        break
                    }
                    unsafe latchkey_ares_turn(channel, Int32(clamping: Int(left.rounded(.up))))
                }
                return unsafe lookup.pointee.status
            }
        }
    }
}

/// c-ares as a whole, which is to be started once.
private enum Library {
    static let isReady = latchkey_ares_start() == 0
}

/// Why it is not known what a name has. `reason` is one line for an operator.
public enum ResolverError: Error, Hashable, Sendable {
    /// It cannot be a name.
    case badName
    /// No server said so; trying again later may help.
    case unavailable(reason: String)
    /// There is more text than this many bytes.
    case tooLarge(limit: Int)
}

extension ResolverError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .badName: "that is no name"
        case .unavailable(let reason): reason
        case .tooLarge(let limit): "the records have more than \(limit) bytes"
        }
    }
}
