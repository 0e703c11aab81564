import Identity
import StoreSQL
import Threads

/// Read-only connections that lie ready: whoever reads takes one, uses it on its own thread, and lays it back.
final class SQLiteReaders: Sendable {
    private let path: String
    private let free = Lock(Free())

    init(path: String) {
        self.path = path
    }

    /// Runs `step` as one consistent read, without giving the thread up: for `time` at most, as far as it is SQLite
    /// that computes. A disk that does not answer is waited for.
    func read<Value: Sendable>(_ step: SQLStep<Value>, within time: Duration) throws(StoreError) -> Value {
        let reader = try take()
        defer { layBack(reader) }
        return try reader.read(step, within: time)
    }

    /// Closes those that lie ready; one in use closes when it comes back.
    func close() {
        let closing = free.withLock { free in
            free.isClosed = true
            defer { free.readers = [] }
            return free.readers
        }
        _ = consume closing
    }

    private func take() throws(StoreError) -> Reader {
        let (reader, isClosed) = free.withLock { free in (free.readers.popLast(), free.isClosed) }
        guard !isClosed else { throw .unavailable(reason: "SQLite: the store was closed") }
        if let reader { return reader }
        return Reader(try SQLiteConnection.reader(path: path))
    }

    private func layBack(_ reader: Reader) {
        free.withLock { free in
            if !free.isClosed { free.readers.append(reader) }
        }
    }

    private struct Free: Sendable {
        var readers: [Reader] = []
        var isClosed = false
    }

    private final class Reader: @unchecked Sendable {
        // Sendable: it is in the list, or belongs to the one caller who took it out.
        private var connection: SQLiteConnection

        init(_ connection: consuming SQLiteConnection) {
            self.connection = connection
        }

        func read<Value: Sendable>(_ step: SQLStep<Value>, within time: Duration) throws(StoreError) -> Value {
            connection.setDeadline(in: time)
            return try connection.read(step)
        }
    }
}
