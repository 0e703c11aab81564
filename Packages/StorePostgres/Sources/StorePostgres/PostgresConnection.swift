import CPostgres
import Identity
import StoreSQL

/// One connection in pipeline mode: requests go in one after another, and results come out in the same order.
///
/// Nothing here waits. No C pointer leaves this type; all close with it.
@safe final class PostgresConnection: @unchecked Sendable {
    // Sendable: it belongs to the thread that makes it until that hands it over, then to the one that took it.
    private let handle: OpaquePointer
    let prepares: Bool
    /// Why its server takes no writes; `nil` when it does.
    let readOnlyReason: String?
    private var prepared: Set<StatementName> = []
    private var sent = Requests()
    private var parameters = Parameters()
    /// Why the statement that comes next could not be prepared.
    private var preparationFault: PostgresFault?

    /// A request whose result has not come yet.
    enum Request {
        /// A statement is being prepared, which nobody asked for.
        case preparation(StatementName)
        case statement
        /// The end of a round: after an error everything before it is skipped.
        case sync
    }

    enum StatementName: Hashable {
        case plain(Int)
        case guarded(Int)

        var text: String {
            switch self {
            case .plain(let number): "s\(number)"
            case .guarded(let number): "g\(number)"
            }
        }
    }

    /// What came next.
    enum Event {
        case result(SQLResult)
        case fault(PostgresFault)
        /// A statement that was not run, because one before it failed.
        case skipped
        case sync
    }

    /// Takes over a connection that is established and in pipeline mode.
    init(_ handle: OpaquePointer, prepares: Bool, readOnlyReason: String? = nil) {
        unsafe self.handle = handle
        self.readOnlyReason = readOnlyReason
        self.prepares = prepares
    }

    deinit { unsafe PQfinish(handle) }

    var descriptor: Int32 { unsafe PQsocket(handle) }

    /// Whether it was lost.
    var isBroken: Bool { unsafe PQstatus(handle) != CONNECTION_OK }

    /// Whether requests are on their way.
    var isWaiting: Bool { !sent.isEmpty }

    /// Why it was lost, on one line.
    var brokenReason: String {
        let message = unsafe String(cString: PQerrorMessage(handle))
        let line = message.split(separator: "\n").first ?? "the connection was lost"
        return "PostgreSQL: \(PostgresFault.printable(line.prefix(150)))"
    }

    // MARK: Sending

    /// Adds a statement to the round.
    ///
    /// - Returns: false when the connection is of no use.
    func send(_ statement: SQLStatement, isGuarded: Bool = false) -> Bool {
        parameters.set(statement.values)
        let name = isGuarded ? StatementName.guarded(statement.sql.number) : .plain(statement.sql.number)
        guard prepares, statement.sql.isKept else {
            let text = StatementText(statement.sql)
            let isSent = unsafe parameters.withPointers { count, types, values, lengths, formats in
                unsafe PQsendQueryParams(
                    handle,
                    isGuarded ? text.guarded : text.text,
                    count,
                    types,
                    values,
                    lengths,
                    formats,
                    1
                )
            }
            return note(.statement, isSent)
        }
        guard prepared.contains(name) || prepare(statement.sql, name) else { return false }
        let isSent = unsafe parameters.withPointers { count, _, values, lengths, formats in
            unsafe PQsendQueryPrepared(handle, name.text, count, values, lengths, formats, 1)
        }
        return note(.statement, isSent)
    }

    private func prepare(_ sql: SQL, _ name: StatementName) -> Bool {
        let text = StatementText(sql)
        let query = if case .guarded = name { text.guarded } else { text.text }
        let isSent = unsafe parameters.withPointers { count, types, _, _, _ in
            unsafe PQsendPrepare(handle, name.text, query, count, types)
        }
        prepared.insert(name)
        return note(.preparation(name), isSent)
    }

    /// Ends the round and begins to send it.
    func sync() -> Bool {
        note(.sync, unsafe PQpipelineSync(handle))
    }

    private func note(_ request: Request, _ isSent: Int32) -> Bool {
        guard isSent == 1 else { return false }
        sent.append(request)
        return true
    }

    /// Sends what the system takes now.
    ///
    /// - Returns: whether something is left; `nil` when the connection was lost.
    func flush() -> Bool? {
        switch unsafe PQflush(handle) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    // MARK: Receiving

    /// Reads what has come.
    ///
    /// - Returns: false when the connection was lost; what had come before can still be taken.
    func receive() -> Bool {
        unsafe PQconsumeInput(handle) == 1
    }

    /// Takes what came next, without waiting.
    ///
    /// - Returns: `nil` when nothing more has come yet.
    func next() -> Event? {
        while let request = sent.first {
            guard unsafe PQisBusy(handle) == 0 else { return nil }
            guard let result = unsafe PQgetResult(handle) else {
                // The end of a request's results; after a loss there is nothing but ends.
                if isBroken { return nil }
                continue
            }
            defer { unsafe PQclear(result) }
            switch unsafe PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                sent.removeFirst()
                return .sync
            case PGRES_PIPELINE_ABORTED:
                sent.removeFirst()
                if case .preparation(let name) = request {
                    prepared.remove(name)
                    continue
                }
                if let fault = preparationFault.take() { return .fault(fault) }
                return .skipped
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
                sent.removeFirst()
                if case .preparation = request { continue }
                return unsafe .result(ResultReader.read(result))
            default:
                sent.removeFirst()
                let fault = unsafe PostgresFault(result)
                if case .preparation(let name) = request {
                    prepared.remove(name)
                    preparationFault = fault
                    continue
                }
                return .fault(fault)
            }
        }
        return nil
    }
}

/// Requests in the order in which their results come.
private struct Requests {
    private var all: [PostgresConnection.Request] = []
    private var position = 0

    var isEmpty: Bool { position == all.count }
    var first: PostgresConnection.Request? { isEmpty ? nil : all[position] }

    mutating func append(_ request: PostgresConnection.Request) {
        all.append(request)
    }

    mutating func removeFirst() {
        position += 1
        guard isEmpty else { return }
        all.removeAll(keepingCapacity: true)
        position = 0
    }
}
