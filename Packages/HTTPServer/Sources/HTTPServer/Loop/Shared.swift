import Synchronization
import Threads

/// What the loops of one server have in common.
final class Shared: Sendable {
    let configuration: ServerConfiguration
    let limits: ServerLimits
    let requestsInFlight = Atomic<Int>(0)
    /// Answers say `Connection: close` from now on.
    let isDraining = Atomic<Bool>(false)
    /// How many loops still watch the listeners.
    let watchingLoops = Atomic<Int>(0)
    let ticks: Ticks
    private let addresses = Lock<[IPAddress: Int]>([:])

    init(_ configuration: ServerConfiguration) {
        self.configuration = configuration
        limits = configuration.limits
        ticks = Ticks(limits)
    }

    /// The time limits, in ticks of the wheel.
    struct Ticks {
        let handshake: Int64
        let head: Int64
        let request: Int64
        let writeProgress: Int64
        let idle: Int64
        let linger: Int64

        init(_ limits: ServerLimits) {
            handshake = limits.handshake.ticks
            head = limits.head.ticks
            request = limits.request.ticks
            writeProgress = limits.writeProgress.ticks
            idle = limits.idle.ticks
            linger = limits.linger.ticks
        }
    }

    /// Counts a connection of this peer, unless it has as many as it may have.
    func admit(_ peer: PeerAddress) -> Bool {
        guard let key = countedAddress(peer) else { return true }
        let limit = limits.connectionsPerAddress
        return addresses.withLock { addresses in
            let count = addresses[key, default: 0]
            guard count < limit else { return false }
            addresses[key] = count + 1
            return true
        }
    }

    /// Takes it off again.
    func dismiss(_ peer: PeerAddress) {
        guard let key = countedAddress(peer) else { return }
        addresses.withLock { addresses in
            let count = addresses[key, default: 0]
            addresses[key] = count > 1 ? count - 1 : nil
        }
    }

    private func countedAddress(_ peer: PeerAddress) -> IPAddress? {
        guard let ip = peer.ip, !limits.addressesWithoutLimit.contains(where: { $0.contains(ip) }) else { return nil }
        return ip.network
    }
}
