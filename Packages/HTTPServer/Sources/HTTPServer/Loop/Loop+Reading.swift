import CLinux
import HTTPWire
import Synchronization

extension Loop {
    /// epoll has something to say about a connection. Every edge comes once, so what is not read now is noted.
    func ready(_ connection: Connection, _ events: UInt32) {
        if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { return close(connection) }
        let reads = events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue) != 0
        if events & EPOLLRDHUP.rawValue != 0 { connection.sawEnd = true }
        switch connection.phase {
        case .handshake: goOnWithHandshake(connection)
        case .idle, .receiving:
            guard reads || connection.tls != nil else { break }
            // What waits in the queue has bytes that came earlier than these.
            if connection.isQueued { connection.isReadable = true } else { read(connection) }
        case .handling: if reads { connection.isReadable = true }
        case .writing:
            if reads { connection.isReadable = true }
            write(connection)
        case .lingering: discard(connection)
        case .closed: break
        }
    }

    private func goOnWithHandshake(_ connection: Connection) {
        switch connection.tls?.handshake() {
        case .bytes:
            connection.phase = .idle
            arm(connection, now + shared.ticks.head)
            read(connection)
        case .later:
            watchWrites(connection)
        case .end, .failed, nil:
            close(connection)
        }
    }

    /// Goes on with those that had more to do than their share, or have more than one request.
    func goOnWithQueue() {
        var batch: [Connection] = []
        swap(&batch, &queue)
        for connection in batch {
            connection.isQueued = false
            switch connection.phase {
            case .idle, .receiving:
                if !connection.parked.isEmpty { readParked(connection) }
                let waits = connection.phase == .idle || connection.phase == .receiving
                if waits, connection.isReadable, !connection.isQueued { read(connection) }
                if isDraining, connection.phase == .idle, !connection.isQueued { close(connection) }
            case .writing: write(connection)
            case .lingering: discard(connection)
            case .handshake, .handling, .closed: break
            }
        }
    }

    func enqueue(_ connection: Connection) {
        guard !connection.isQueued else { return }
        connection.isQueued = true
        queue.append(connection)
    }

    /// Reads until there is nothing, or a request is complete, or others should have their turn.
    func read(_ connection: Connection) {
        connection.isReadable = false
        for _ in 0..<4 {
            switch connection.read(into: &readBuffer) {
            case .later:
                return
            case .end, .failed:
                return close(connection)
            case .bytes(let count):
                counters.bytesReceived.add(count)
                let used = consume(connection, readBuffer.span.extracting(0..<count))
                // Less than the buffer holds means that the socket is empty, unless TLS keeps something back.
                let isEmpty = connection.tls == nil && count < readBuffer.count && !connection.sawEnd
                switch connection.phase {
                case .idle where used < count:
                    // Answered already, without the handler.
                    connection.parked = Array(readBuffer[used..<count])
                    connection.isReadable = connection.isReadable || !isEmpty
                    return enqueue(connection)
                case .idle, .receiving:
                    if isEmpty { return }
                case .handling, .writing:
                    if used < count { connection.parked = Array(readBuffer[used..<count]) }
                    connection.isReadable = connection.isReadable || !isEmpty
                    return
                case .handshake, .lingering, .closed:
                    return
                }
            }
        }
        connection.isReadable = true
        enqueue(connection)
    }

    /// Goes on with what had come behind an earlier request.
    private func readParked(_ connection: Connection) {
        let parked = connection.parked
        let start = connection.parkedOffset
        connection.parked = []
        connection.parkedOffset = 0
        let used = consume(connection, parked.span.extracting(start..<parked.count))
        switch connection.phase {
        case .idle, .handling, .writing:
            guard start + used < parked.count else { break }
            connection.parked = parked
            connection.parkedOffset = start + used
            if connection.phase == .idle { enqueue(connection) }
        case .handshake, .receiving, .lingering, .closed: break
        }
    }

    /// Feeds the parser, up to the end of one request.
    ///
    /// - Returns: how many bytes were used.
    private func consume(_ connection: Connection, _ bytes: Span<UInt8>) -> Int {
        var offset = 0
        let step = connection.parser.advance(bytes, from: &offset) { head in
            begin(connection)
            connection.head = head
            connection.limits = handler?.limits(for: head) ?? RequestLimits()
            connection.owesContinue = head.expectsContinue && head.framing != .length(0)
            return connection.limits.body
        }
        switch step {
        case .needsMore, .head:
            guard !connection.parser.isIdle else { break }
            begin(connection)
            let isBody = connection.parser.isReadingBody
            arm(connection, connection.requestStart + (isBody ? shared.ticks.request : shared.ticks.head))
            if isBody, connection.owesContinue {
                connection.owesContinue = false
                // Not when the body has begun to come without it.
                if connection.parser.isAtBodyStart { goOn(connection) }
            }
        case .complete(let body):
            handle(connection, body)
        case .failed(let fault):
            refuse(connection, fault)
        }
        return offset
    }

    private func begin(_ connection: Connection) {
        guard connection.phase == .idle else { return }
        connection.phase = .receiving
        connection.requestStart = now
    }

    /// Gives the request to the handler, in a task that runs here.
    private func handle(_ connection: Connection, _ body: [UInt8]) {
        guard let handler, let head = connection.head else { return close(connection) }
        connection.requestNumber += 1
        let inFlightNow = shared.requestsInFlight.add(1, ordering: .relaxed).newValue
        guard inFlightNow <= shared.limits.requestsInFlight else {
            shared.requestsInFlight.subtract(1, ordering: .relaxed)
            counters.refusedByCap.add(1)
            connection.phase = .handling
            return answer(connection, fault(.overloaded, head))
        }
        inFlight += 1
        counters.requests.add(1)
        counters.requestsInFlight.add(1)
        connection.phase = .handling
        if connection.limits.deadline != lastDeadline {
            lastDeadline = connection.limits.deadline
            lastDeadlineTicks = lastDeadline.ticks
        }
        arm(connection, now + lastDeadlineTicks)
        let request = HTTPRequest(
            head: head,
            body: body,
            peer: connection.peer,
            isTLS: connection.listener.isTLS,
            listener: connection.listener.name
        )
        let number = connection.requestNumber
        connection.task = Task(executorPreference: self) { [self] in
            let response = await handler.handle(request)
            finish(connection, number, response)
        }
    }

    /// The handler has answered.
    private func finish(_ connection: Connection, _ number: Int, _ response: HTTPResponse) {
        // A task that prefers this executor is here, unless the loop has ended.
        guard isCurrent else {
            perform { [self] in finish(connection, number, response) }
            return
        }
        inFlight -= 1
        counters.requestsInFlight.add(-1)
        shared.requestsInFlight.subtract(1, ordering: .relaxed)
        if connection.phase == .handling, connection.requestNumber == number {
            connection.task = nil
            answer(connection, response)
        }
        reportIfDrained()
    }

    /// Reads and drops, so that a client which is still sending can read why it was refused.
    func discard(_ connection: Connection) {
        for _ in 0..<4 {
            switch connection.readRaw(into: &readBuffer) {
            case .later: return
            case .end, .failed: return close(connection)
            case .bytes(let count): counters.bytesReceived.add(count)
            }
        }
        enqueue(connection)
    }
}
