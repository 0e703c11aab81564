import CHiredis
import Threads

/// Where a server's sockets are. Names are looked up on a thread of their own, for that may take seconds, and nothing
/// that is under way waits for it.
final class RedisAddresses: Sendable {
    private let endpoint: RedisLocation.Endpoint
    private let state: Lock<State>

    private struct State {
        var places: [Place] = []
        var failure = "its name has not been looked up"
        var isLookingUp = false
    }

    /// An address as the system's calls take it.
    struct Place: Sendable {
        fileprivate(set) var place: latchkey_place
    }

    /// Looks the name up, in the background unless it is an address or a socket.
    init(_ endpoint: RedisLocation.Endpoint) {
        self.endpoint = endpoint
        var state = State()
        switch endpoint {
        case .unix(let path):
            var place = latchkey_place()
            if unsafe latchkey_unix_place(path, &place) == 0 {
                state.places = [Place(place: place)]
            } else {
                state.failure = "the path of the socket is too long"
            }
        case .tcp(let host, let port):
            state.places = (try? Self.lookUp(host, port, isNumeric: true).get()) ?? []
        }
        let isKnown = !state.places.isEmpty
        self.state = Lock(state)
        if !isKnown { lookUp() }
    }

    /// What is known now.
    enum Knowledge {
        case places([Place])
        /// The first look-up is under way.
        case pending
        case failure(String)
    }

    var current: Knowledge {
        state.withLock { state in
            if !state.places.isEmpty { return .places(state.places) }
            return state.isLookingUp ? .pending : .failure(state.failure)
        }
    }

    /// Looks the name up again, since nobody answered: it may have moved.
    func lookUp() {
        guard case .tcp(let host, let port) = endpoint else { return }
        let begins = state.withLock { state in
            defer { state.isLookingUp = true }
            return !state.isLookingUp
        }
        guard begins else { return }
        let thread = try? WorkerThread(name: "redis-lookup", stackSize: 256 << 10) { [weak self] in
            let found = Self.lookUp(host, port, isNumeric: false)
            self?.state.withLock { state in
                state.isLookingUp = false
                switch found {
                case .success(let places): state.places = places
                case .failure(let failure): state.failure = failure.reason
                }
            }
        }
        if thread == nil { state.withLock { $0.isLookingUp = false } }
    }

    private static func lookUp(_ host: String, _ port: UInt16, isNumeric: Bool) -> Result<[Place], RedisFault> {
        let limit: Int32 = 8
        var places = [latchkey_place](repeating: latchkey_place(), count: Int(limit))
        let count = unsafe latchkey_resolve(host, "\(port)", isNumeric ? 1 : 0, &places, limit)
        guard count > 0 else {
            let reason = unsafe count == 0 ? "no address" : String(cString: gai_strerror(count))
            return .failure(.notSent("its name cannot be looked up: \(reason)"))
        }
        return .success(places.prefix(Int(count)).map { Place(place: $0) })
    }
}
