import CLinux
import HTTPWire
import Synchronization

extension Loop {
    /// Up to so many bytes a body is copied behind its head, to be sent with one call.
    private static let smallBody = 16 << 10
    /// So much of an answer goes out before others have their turn.
    private static let share = 256 << 10

    /// Sends the answer to the request that is being handled.
    func answer(_ connection: Connection, _ response: HTTPResponse) {
        let head = connection.head
        let keepsAlive =
            !connection.closesAfterAnswer && head?.keepsAlive == true && !shared.isDraining.load(ordering: .relaxed)
            && connection.requestNumber < shared.limits.requestsPerConnection
        connection.closesAfterAnswer = !keepsAlive
        let persistence: ResponseWriter.Persistence =
            !keepsAlive ? .close : head?.version == .http10 ? .keepAliveSaid : .keepAlive
        // Taken out for the while, since it is used in many steps.
        var bytes: [UInt8] = []
        swap(&bytes, &writeBuffer)
        defer { swap(&bytes, &writeBuffer) }
        bytes.removeAll(keepingCapacity: true)
        ResponseWriter.appendHead(of: response, persistence, date: date(), to: &bytes)
        let sendsBody = ResponseWriter.sendsBody(of: response, to: head?.method ?? .get)
        let isSmall = response.body.count <= Self.smallBody
        if sendsBody, isSmall { bytes.append(contentsOf: response.body) }

        connection.phase = .writing
        switch connection.write(bytes, from: 0, atMost: bytes.count) {
        case .bytes(let count):
            counters.bytesSent.add(count)
            if count == bytes.count, isSmall || !sendsBody { return answered(connection) }
            connection.outgoing.head = Array(bytes[count...])
        case .later:
            connection.outgoing.head = bytes
            watchWrites(connection)
        case .end, .failed:
            return close(connection)
        }
        if sendsBody, !isSmall { connection.outgoing.body = response.body }
        arm(connection, now + shared.ticks.writeProgress)
        write(connection)
    }

    /// Sends more of the answer.
    func write(_ connection: Connection) {
        var left = Self.share
        while connection.outgoing.sent < connection.outgoing.count {
            guard left > 0 else { return enqueue(connection) }
            let sent = connection.outgoing.sent
            let headCount = connection.outgoing.head.count
            let transfer =
                sent < headCount
                ? connection.write(connection.outgoing.head, from: sent, atMost: left)
                : connection.write(connection.outgoing.body, from: sent - headCount, atMost: left)
            switch transfer {
            case .bytes(let count):
                counters.bytesSent.add(count)
                connection.outgoing.sent += count
                left -= count
                if connection.outgoing.sent - connection.outgoing.mark >= 16 << 10 {
                    connection.outgoing.mark = connection.outgoing.sent
                    arm(connection, now + shared.ticks.writeProgress)
                }
            case .later:
                return watchWrites(connection)
            case .end, .failed:
                return close(connection)
            }
        }
        answered(connection)
    }

    /// Refuses a request, and with it the connection: what follows on it has no meaning.
    func refuse(_ connection: Connection, _ reason: HTTPFault) {
        if reason != .timeout, reason != .deadlineExceeded { counters.requestsRefused.add(1) }
        connection.closesAfterAnswer = true
        answer(connection, fault(reason, connection.head))
    }

    func fault(_ reason: HTTPFault, _ head: HTTPRequestHead?) -> HTTPResponse {
        var response = shared.configuration.faultResponse(reason, head)
        if reason == .overloaded || reason == .deadlineExceeded, !response.headers.contains("Retry-After") {
            response.headers.add("Retry-After", "1")
        }
        return response
    }

    /// The client may send the body.
    func goOn(_ connection: Connection) {
        // An answer that is under way would have to be finished first, but there is none while a request is received;
        // and an empty socket takes 25 bytes.
        if case .bytes(let count) = connection.write(ResponseWriter.goOn, from: 0, atMost: 25) {
            counters.bytesSent.add(count)
        }
    }

    /// The answer is out: on to the next request, or to the end.
    private func answered(_ connection: Connection) {
        let askedToClose = connection.head?.keepsAlive == false
        connection.head = nil
        if connection.outgoing.sent > 0 { connection.outgoing = Connection.Outgoing() }
        guard !connection.closesAfterAnswer else {
            // A client that wanted it so, and has sent nothing more, has no answer to lose.
            let isQuiet = askedToClose && connection.parked.isEmpty && !connection.isReadable
            if isQuiet, connection.tls == nil { return close(connection) }
            connection.tls?.closeNotify()
            if isQuiet { return close(connection) }
            latchkey_shut_writing(connection.descriptor)
            connection.phase = .lingering
            connection.parked = []
            arm(connection, now + shared.ticks.linger)
            // Not at once: this may be called while the read buffer is being parsed.
            return enqueue(connection)
        }
        connection.phase = .idle
        arm(connection, now + shared.ticks.idle)
        if !connection.parked.isEmpty || connection.isReadable { enqueue(connection) }
    }

    func watchWrites(_ connection: Connection) {
        guard !connection.watchesWrites else { return }
        connection.watchesWrites = true
        _ = latchkey_epoll_change(
            epoll,
            connection.descriptor,
            EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue,
            Self.token(.connection, connection.slot, generation: connection.generation)
        )
    }

    /// The `Date` field, made once a second.
    func date() -> [UInt8] {
        let second = latchkey_unix_seconds()
        if second != dateSecond {
            dateSecond = second
            dateField = HTTPDate.field(second)
        }
        return dateField
    }
}
