import CHiredis

/// One connection that has said who it is, and is dead after any error. One thread uses it.
@safe final class RedisConnection {
    private let socket: RedisSocket
    private let reader: UnsafeMutablePointer<redisReader>
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    init(_ socket: RedisSocket) throws(RedisFault) {
        guard let reader = unsafe redisReaderCreate() else { throw .notSent("there is no memory for it") }
        self.socket = socket
        unsafe self.reader = reader
    }

    deinit { unsafe redisReaderFree(reader) }

    var isStale: Bool { socket.isStale }

    /// Sends all of `commands` at once, and reads their replies as they come.
    ///
    /// - Parameters:
    ///   - commands: in their order.
    ///   - deadline: when to give up.
    ///   - receive: takes the reply to the command of this number.
    /// - Returns: why the rest of the replies did not come, and how many commands were not even begun to be sent;
    ///   `nil` when all came.
    func exchange(
        _ commands: [RedisCommand],
        until deadline: ContinuousClock.Instant,
        _ receive: (Int, RedisReply) -> Void
    ) -> Failure? {
        let bytes = commands.flatMap(\.bytes)
        var sent = 0
        var received = 0
        func failure(_ reason: String) -> Failure {
            var start = 0
            let untouched = commands.filter { command in
                defer { start += command.bytes.count }
                return start >= sent
            }
            return Failure(reason: reason, unsent: untouched.count)
        }
        while received < commands.count {
            var wantsToRead = true
            var wantsToWrite = false
            if sent < bytes.count {
                switch socket.write(bytes[sent...]) {
                case .done(let count):
                    sent += count
                    wantsToWrite = sent < bytes.count
                case .wantsToWrite: wantsToWrite = true
                case .wantsToRead: break
                case .closed: return failure("it closed the connection")
                case .failed(let reason): return failure("the connection broke: \(reason)")
                }
            }
            switch socket.read(into: &buffer) {
            case .done(let count):
                guard unsafe redisReaderFeed(reader, &buffer, count) == REDIS_OK else {
                    return failure("there is no memory for its reply")
                }
                do throws(RedisFault) {
                    while received < commands.count, let reply = try nextReply() {
                        receive(received, reply)
                        received += 1
                    }
                } catch { return failure(error.reason) }
                continue
            case .wantsToRead: break
            case .wantsToWrite: (wantsToRead, wantsToWrite) = (wantsToRead, true)
            case .closed: return failure("it closed the connection")
            case .failed(let reason): return failure("the connection broke: \(reason)")
            }
            guard socket.wait(reading: wantsToRead, writing: wantsToWrite, until: deadline) else {
                return failure("it did not answer in time")
            }
        }
        return nil
    }

    struct Failure {
        let reason: String
        /// How many commands, from the last one, had no byte sent.
        let unsent: Int
    }

    private func nextReply() throws(RedisFault) -> RedisReply? {
        var raw: UnsafeMutableRawPointer?
        guard unsafe redisReaderGetReply(reader, &raw) == REDIS_OK else {
            throw .lost("its reply is no Redis protocol")
        }
        guard let raw = unsafe raw else { return nil }
        defer { unsafe freeReplyObject(raw) }
        return unsafe RedisReply(raw.assumingMemoryBound(to: redisReply.self))
    }
}
