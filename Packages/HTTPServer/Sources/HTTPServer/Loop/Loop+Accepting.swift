import CLinux
import HTTPWire
import Threads
import Synchronization

extension Loop {
    /// Begins to take connections. Called on the loop's thread, once.
    func begin(_ listeners: [Listener], _ handler: any HTTPHandler, peers: [Loop]) {
        self.handler = handler
        self.peers = peers
        self.listeners = listeners
        watchListeners()
    }

    private func watchListeners() {
        for (index, listener) in listeners.enumerated() {
            _ = latchkey_epoll_add(
                epoll,
                listener.descriptor,
                EPOLLIN.rawValue | EPOLLEXCLUSIVE.rawValue,
                Self.token(.listener, index)
            )
        }
    }

    /// Takes no new connection from now on; the last of `loops` to do so empties the queues, and then all drain.
    func unwatchListeners(_ loops: [Loop]) {
        let listeners = listeners
        for listener in listeners { _ = latchkey_epoll_remove(epoll, listener.descriptor) }
        self.listeners = []
        guard shared.watchingLoops.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        for listener in listeners {
            while acceptOne(from: listener) {}
            listener.close()
        }
        // What was handed over is in their inboxes before this is.
        for loop in loops { loop.perform { loop.drain() } }
    }

    func accept(from index: Int) {
        guard index < listeners.count else { return }
        let listener = listeners[index]
        // Some at a time; the event comes again while there are more.
        for _ in 0..<32 where !acceptOne(from: listener) { return }
    }

    /// Returns whether another may be waiting.
    private func acceptOne(from listener: Listener) -> Bool {
        var flat = latchkey_peer()
        let descriptor = unsafe latchkey_accept(listener.descriptor, &flat)
        guard descriptor >= 0 else { return acceptFailed(-descriptor) }
        let peer = PeerAddress(flat)
        counters.connectionsAccepted.add(1)
        guard shared.admit(peer) else {
            turnAway(descriptor, listener)
            return true
        }
        // Connections live long, so a hash of addresses would leave one loop with twice the work of another.
        var target = self
        var fewest = load.load(ordering: .relaxed)
        for other in peers where other !== self {
            let count = other.load.load(ordering: .relaxed)
            if count < fewest { (target, fewest) = (other, count) }
        }
        guard fewest < shared.limits.connectionsPerLoop else {
            shared.dismiss(peer)
            turnAway(descriptor, listener)
            return true
        }
        target.load.add(1, ordering: .relaxed)
        let taker = target
        if !taker.perform({ taker.adopt(descriptor, peer, listener) }) {
            latchkey_close(descriptor)
            shared.dismiss(peer)
        }
        return true
    }

    private func acceptFailed(_ code: Int32) -> Bool {
        switch code {
        case EAGAIN: return false
        case EINTR, ECONNABORTED, EPROTO: return true
        default: break
        }
        // No descriptor or no memory: the event would come again at once, so look away for a while.
        shared.configuration.onEvent(.cannotAccept(reason: systemReason(code)))
        for listener in listeners { _ = latchkey_epoll_remove(epoll, listener.descriptor) }
        _ = schedule(after: .milliseconds(200)) { [self] in watchListeners() }
        return false
    }

    /// Says 503, if that can be said without waiting, and closes.
    private func turnAway(_ descriptor: Int32, _ listener: Listener) {
        counters.refusedByCap.add(1)
        if !listener.isTLS {
            var response = shared.configuration.faultResponse(.overloaded, nil)
            response.headers.set("Retry-After", "1")
            var bytes: [UInt8] = []
            ResponseWriter.appendHead(of: response, .close, date: date(), to: &bytes)
            bytes += response.body
            // Unread bytes would turn the close into a reset, which can overtake the answer.
            _ = unsafe latchkey_receive(descriptor, &readBuffer, readBuffer.count)
            _ = unsafe latchkey_send(descriptor, bytes, bytes.count)
            latchkey_shut_writing(descriptor)
        }
        latchkey_close(descriptor)
    }

    private func adopt(_ descriptor: Int32, _ peer: PeerAddress, _ listener: Listener) {
        let tls = listener.isTLS ? listener.session(on: descriptor) : nil
        let slot = freeSlots.popLast() ?? slots.count
        if slot == slots.count { slots.append(nil) }
        generation &+= 1
        let connection = Connection(
            descriptor: descriptor,
            peer: peer,
            listener: listener,
            slot: slot,
            generation: generation,
            tls: tls,
            parser: RequestParser(limits: shared.limits.wire)
        )
        slots[slot] = connection
        counters.connectionsOpen.add(1)
        guard !listener.isTLS || tls != nil,
            latchkey_epoll_add(
                epoll,
                descriptor,
                EPOLLIN.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue,
                Self.token(.connection, slot, generation: generation)
            ) == 0
        else { return close(connection) }
        arm(connection, now + (listener.isTLS ? shared.ticks.handshake : shared.ticks.head))
    }

    func connection(_ slot: Int, _ generation: UInt32) -> Connection? {
        guard slot < slots.count, let connection = slots[slot], connection.generation == generation else { return nil }
        return connection
    }

    func close(_ connection: Connection) {
        guard connection.phase != .closed else { return }
        connection.phase = .closed
        connection.task?.cancel()
        connection.task = nil
        connection.tls = nil
        connection.parked = []
        connection.outgoing = Connection.Outgoing()
        slots[connection.slot] = nil
        freeSlots.append(connection.slot)
        latchkey_close(connection.descriptor)
        counters.connectionsOpen.add(-1)
        load.subtract(1, ordering: .relaxed)
        shared.dismiss(connection.peer)
        reportIfDrained()
    }

    /// Closes what is idle, and reports when all else is answered.
    func drain() {
        guard !isDraining else { return }
        isDraining = true
        for case let connection? in slots where connection.phase == .idle {
            if connection.isFresh {
                // Its request may be on the way.
                arm(connection, min(connection.deadline, now + Duration.seconds(1).ticks))
            } else {
                // It is read once more, and then closed if nothing came.
                connection.isReadable = true
                enqueue(connection)
            }
        }
        reportIfDrained()
    }

    func reportIfDrained() {
        guard isDraining, inFlight == 0, counters.connectionsOpen.value == 0, let report = whenDrained else { return }
        whenDrained = nil
        report()
    }

    // MARK: Deadlines

    /// Sets the tick at which the connection's phase is over.
    func arm(_ connection: Connection, _ deadline: Int64) {
        connection.deadline = deadline
        guard deadline < connection.scheduled else { return }
        connection.scheduled = deadline
        wheel.insert(Self.token(.connection, connection.slot, generation: connection.generation), at: deadline)
    }

    /// An entry of the wheel has come up; most are of phases that ended long ago.
    func due(_ connection: Connection, at tick: Int64) {
        guard connection.scheduled == tick else { return }
        connection.scheduled = .max
        guard connection.deadline <= now else { return arm(connection, connection.deadline) }
        switch connection.phase {
        case .receiving:
            counters.timeouts.add(1)
            refuse(connection, .timeout)
        case .handling:
            counters.timeouts.add(1)
            connection.task?.cancel()
            connection.task = nil
            refuse(connection, .deadlineExceeded)
        case .handshake, .writing:
            counters.timeouts.add(1)
            close(connection)
        case .idle, .lingering:
            close(connection)
        case .closed:
            break
        }
    }
}

extension PeerAddress {
    init(_ flat: latchkey_peer) {
        switch flat.family {
        case 4: self = .ip(IPAddress(v4: flat.v4), port: flat.port)
        case 6: self = .ip(IPAddress(high: flat.high, low: flat.low), port: flat.port)
        default: self = .unixSocket
        }
    }
}
