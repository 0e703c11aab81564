import CHiredis
import CRedisTLS

/// A connected socket, with TLS or without, that waits no longer than it is told. One thread uses it.
@safe final class RedisSocket {
    private let descriptor: Int32
    private var tls: OpaquePointer?

    /// Connects to the first place that answers.
    init(
        _ places: [RedisAddresses.Place],
        _ location: RedisLocation,
        _ context: RedisTLSContext?,
        until deadline: ContinuousClock.Instant
    ) throws(RedisFault) {
        descriptor = try Self.connect(places, until: deadline)
        unsafe tls = nil
        if let context {
            try startTLS(location, context, until: deadline)
        }
    }

    deinit {
        if let tls = unsafe tls { unsafe SSL_free(tls) }
        close(descriptor)
    }

    /// Whether the server has hung up, or has said something that nobody asked for, while nothing was under way.
    var isStale: Bool { latchkey_poll(descriptor, POLLIN | POLLHUP, 0) != 0 }

    enum Transfer {
        case done(Int)
        case wantsToRead, wantsToWrite
        case closed
        case failed(String)
    }

    func read(into buffer: inout [UInt8]) -> Transfer {
        if let tls = unsafe tls {
            return transfer(unsafe latchkey_client_read(tls, &buffer, Int32(clamping: buffer.count)))
        }
        let count = unsafe latchkey_receive(descriptor, &buffer, buffer.count)
        return count == 0 ? .closed : Self.transfer(count, wants: .wantsToRead)
    }

    func write(_ bytes: ArraySlice<UInt8>) -> Transfer {
        unsafe bytes.withUnsafeBytes { buffer in
            if let tls = unsafe tls {
                return transfer(
                    unsafe latchkey_client_write(tls, buffer.baseAddress, Int32(clamping: buffer.count))
                )
            }
            return Self.transfer(
                unsafe latchkey_send(descriptor, buffer.baseAddress, buffer.count),
                wants: .wantsToWrite
            )
        }
    }

    /// - Returns: false when the time was over.
    func wait(reading: Bool, writing: Bool, until deadline: ContinuousClock.Instant) -> Bool {
        Self.wait(descriptor, (reading ? POLLIN : 0) | (writing ? POLLOUT : 0), until: deadline)
    }

    private static func connect(
        _ places: [RedisAddresses.Place],
        until deadline: ContinuousClock.Instant
    ) throws(RedisFault) -> Int32 {
        var reason = "it has no address"
        for place in places {
            var place = place.place
            let descriptor = unsafe latchkey_begin_connect(&place)
            guard descriptor >= 0 else {
                reason = "it cannot be reached: \(systemText(-descriptor))"
                continue
            }
            guard wait(descriptor, POLLOUT, until: deadline) else {
                close(descriptor)
                throw .notSent("it does not accept the connection in time")
            }
            let code = latchkey_connect_error(descriptor)
            guard code != 0 else { return descriptor }
            close(descriptor)
            reason = "it cannot be reached: \(systemText(code))"
        }
        throw .notSent(reason)
    }

    private func startTLS(
        _ location: RedisLocation,
        _ context: RedisTLSContext,
        until deadline: ContinuousClock.Instant
    ) throws(RedisFault) {
        guard let tls = unsafe context.connection(descriptor, to: location) else {
            throw .notSent("TLS cannot be begun")
        }
        unsafe self.tls = tls
        while true {
            switch transfer(unsafe latchkey_client_handshake(tls)) {
            case .done: return
            case .closed: throw .notSent("it closed the connection while TLS began")
            case .failed(let reason): throw .notSent("TLS failed: \(reason)")
            case .wantsToRead:
                guard wait(reading: true, writing: false, until: deadline) else { throw .notSent("TLS took too long") }
            case .wantsToWrite:
                guard wait(reading: false, writing: true, until: deadline) else { throw .notSent("TLS took too long") }
            }
        }
    }

    private func transfer(_ count: Int32) -> Transfer {
        switch count {
        case 1...: return .done(Int(count))
        case 0: return .closed
        case Int32(LATCHKEY_CLIENT_WANTS_READ): return .wantsToRead
        case Int32(LATCHKEY_CLIENT_WANTS_WRITE): return .wantsToWrite
        default:
            guard let tls = unsafe tls else { return .closed }
            return .failed(unsafe String(cString: latchkey_client_failure(tls)))
        }
    }

    private static func transfer(_ count: Int, wants: Transfer) -> Transfer {
        if count >= 0 { return .done(count) }
        let code = Int32(clamping: -count)
        return code == EAGAIN || code == EINTR ? wants : .failed(systemText(code))
    }

    private static func wait(_ descriptor: Int32, _ events: Int32, until deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let left = deadline - ContinuousClock.now
            guard left > .zero else { return false }
            // A whole millisecond more, so that the last wait is not cut into many of none.
            let milliseconds = Int32(clamping: left.components.seconds * 1000) &+ left.wholeMilliseconds &+ 1
            if latchkey_poll(descriptor, events, milliseconds) != 0 { return true }
        }
    }
}

extension Duration {
    /// The part below a second, in milliseconds.
    fileprivate var wholeMilliseconds: Int32 {
        Int32(truncatingIfNeeded: components.attoseconds / 1_000_000_000_000_000)
    }
}

func systemText(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    unsafe latchkey_system_text(code, &buffer, Int32(buffer.count))
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
