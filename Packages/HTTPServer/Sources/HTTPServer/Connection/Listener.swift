import CLinux
import Synchronization
import Threads

/// One listening socket, which every loop watches.
///
/// The kernel wakes one of them for a new connection (`EPOLLEXCLUSIVE`). With a socket per loop (`SO_REUSEPORT`) it would
/// choose by a hash, and whatever waits in one queue would be lost when that socket is closed.
final class Listener: Sendable {
    let name: String
    let isTLS: Bool
    let files: TLSFiles?
    /// The address with the port that the system chose.
    let address: ListenAddress
    let descriptor: Int32
    private let context: Lock<TLSContext?>
    private let isClosed = Atomic<Bool>(false)

    init(_ configuration: ListenerConfiguration) throws(ServerError) {
        name = configuration.name
        files = configuration.tls
        isTLS = configuration.tls != nil
        context = Lock(try Self.load(configuration.tls))
        var address = configuration.address
        let result: Int32
        switch address {
        case .ip(let ip, let port):
            result = latchkey_listen_ip(ip.isIPv4 ? 4 : 6, UInt32(truncatingIfNeeded: ip.low), ip.high, ip.low, port)
        case .unix(let path):
            result = unsafe latchkey_listen_unix(path)
        }
        guard result >= 0 else { throw .cannotListen(address, reason: systemReason(-result)) }
        descriptor = result
        if case .ip(let ip, _) = address {
            var bound = latchkey_peer()
            unsafe latchkey_bound(result, &bound)
            address = .ip(ip, port: bound.port)
        }
        self.address = address
    }

    private static func load(_ files: TLSFiles?) throws(ServerError) -> TLSContext? {
        guard let files else { return nil }
        return try TLSContext(files)
    }

    /// Reads certificate and key again, for new connections.
    func reload() throws(ServerError) {
        guard let loaded = try Self.load(files) else { return }
        context.withLock { $0 = loaded }
    }

    func session(on descriptor: Int32) -> TLSSession? {
        context.withLock { $0 }?.session(on: descriptor)
    }

    /// Stops listening, once. Whoever waits in the queue is turned away, so empty it first.
    func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        latchkey_close(descriptor)
        if case .unix(let path) = address { unsafe unlink(path) }
    }
}
