import Encodings
import HTTPServer
import Identity

/// Logs, read from the audit log (contract 11.14).
///
/// One row stands for several types where one step was several things (`s` and `sepkft`); each is an entry of its own here,
/// with the row's id and its place in the row for an id, so that pages never split or repeat one.
struct LogRoutes: Sendable {
    let api: ManagementAPI

    var endpoints: [Endpoint] {
        [
            Endpoint(.get, "/api/v2/logs", shape: .management, run: api.action("read:logs", list)),
            Endpoint(.get, "/api/v2/logs/{id}", shape: .management, run: api.action("read:logs", read)),
            Endpoint(
                .get,
                "/api/v2/users/{id}/logs",
                shape: .management,
                run: api.action(.any(["read:logs", "read:logs_users"]), listOfUser)
            ),
        ]
    }

    private func list(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        let from = call.query.text("from")
        let take = try call.query.integer("take", 1...100)
        guard from == nil, take == nil else { return try await checkpoint(from, take ?? 50, &call) }
        let text = call.query.text("q") ?? call.query.text("search")
        var filter: LogFilter?
        if let text {
            do throws(SearchError) { filter = try LogFilter(text, call.configuration) } catch {
                throw .query("Invalid value on property q: \(APIError.bounded(error.message))")
            }
        }
        return try await pages(of: nil, filter, &call)
    }

    private func listOfUser(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        // Of somebody who is gone, too: what was written stays.
        let user = try call.userID()
        return try await pages(of: user, nil, &call)
    }

    private func read(_ call: inout ManagementCall) async throws(APIError) -> HTTPResponse {
        guard let id = LogID(call.path("id")) else { throw .nothingThere }
        let row: RecordedEvent?
        do throws(StoreError) { row = try await call.services.events.event(id.row, of: call.tenant) } catch {
            throw APIError(error)
        }
        guard let row, row.event.types.indices.contains(id.place) else { throw .nothingThere }
        let entry = LogEntry(row: row, place: id.place)
        return try call.answer(entry.document(call.configuration, try await names([entry], call)))
    }

    // MARK: Pages

    /// Newest first, unless it is asked for the other way round.
    private func pages(
        of user: UserID?,
        _ filter: LogFilter?,
        _ call: inout ManagementCall
    ) async throws(APIError) -> HTTPResponse {
        let isAscending: Bool
        switch call.query.text("sort") {
        case nil, "date:-1": isAscending = false
        case "date:1": isAscending = true
        case let other?: throw call.query.invalid("sort", other)
        }
        guard case .offset(let page, let perPage, let totals) = try Paging(&call.query, [.offset]) else {
            throw .internalError
        }
        guard page * perPage <= 1000 else { throw .query("You can only page through the first 1000 records") }
        let fields = try call.fields()
        let wanted = page * perPage + perPage
        // With totals some more are looked at, so that the number says whether there is more.
        let found = try await entries(
            of: user,
            filter,
            atMost: totals ? max(wanted, Self.countedEntries) : wanted,
            isAscending,
            call
        )
        let part = Array(found.dropFirst(page * perPage).prefix(perPage))
        let names = try await names(part, call)
        let configuration = call.configuration
        let logs = JSONValue.array(
            part.map { .object(fields.selected(from: $0.document(configuration, names))) }
        )
        guard totals else { return .json { $0.value(logs) } }
        return .json {
            $0.value([
                "start": .integer(Int64(page * perPage)), "limit": .integer(Int64(perPage)),
                "length": .integer(Int64(part.count)), "total": .integer(Int64(found.count)), "logs": logs,
            ])
        }
    }

    /// What `total` counts up to: nobody pages further.
    private static let countedEntries = 1100
    /// Rows that a search looks at before it asks for a narrower one.
    private static let searchedRows = 100_000

    private func entries(
        of user: UserID?,
        _ filter: LogFilter?,
        atMost maximum: Int,
        _ isAscending: Bool,
        _ call: ManagementCall
    ) async throws(APIError) -> [LogEntry] {
        var found: [LogEntry] = []
        var last: TimeOrderedID?
        var looked = 0
        let batch = filter == nil ? min(1000, maximum) : 1000
        while found.count < maximum {
            let rows: [RecordedEvent]
            do throws(StoreError) {
                rows = try await call.services.events.events(
                    of: call.tenant,
                    user: user,
                    from: isAscending ? .after(last) : .before(last),
                    limit: batch
                )
            } catch { throw APIError(error) }
            for row in rows {
                let places = isAscending ? Array(row.event.types.indices) : row.event.types.indices.reversed()
                for place in places {
                    let entry = LogEntry(row: row, place: place)
                    if filter?.matches(entry) ?? true { found.append(entry) }
                }
            }
            looked += rows.count
            guard rows.count == batch, let end = rows.last else { break }
            guard looked < Self.searchedRows else {
                throw .query("Too many logs to search: page by from and take, or ask for the logs of a user")
            }
            last = end.id
        }
        return Array(found.prefix(maximum))
    }

    /// From after an entry, oldest first, as a bare array.
    private func checkpoint(
        _ from: String?,
        _ take: Int,
        _ call: inout ManagementCall
    ) async throws(APIError) -> HTTPResponse {
        for name in ["page", "per_page", "include_totals", "sort", "q", "search"] { _ = call.query.text(name) }
        let fields = try call.fields()
        var entries: [LogEntry] = []
        var last: TimeOrderedID?
        if let from {
            guard let id = LogID(from) else { throw .invalidPaging }
            // The rest of the row itself comes first.
            do throws(StoreError) {
                if let row = try await call.services.events.event(id.row, of: call.tenant) {
                    entries = row.event.types.indices.filter { $0 > id.place }.map { LogEntry(row: row, place: $0) }
                }
            } catch { throw APIError(error) }
            last = id.row
        }
        do throws(StoreError) {
            for row in try await call.services.events.events(
                of: call.tenant,
                user: nil,
                from: .after(last),
                limit: take
            ) {
                entries += row.event.types.indices.map { LogEntry(row: row, place: $0) }
            }
        } catch { throw APIError(error) }
        let part = Array(entries.prefix(take))
        let names = try await names(part, call)
        let configuration = call.configuration
        return .json {
            $0.value(.array(part.map { .object(fields.selected(from: $0.document(configuration, names))) }))
        }
    }

    private func names(_ entries: [LogEntry], _ call: ManagementCall) async throws(APIError) -> [UserID: String] {
        let users = Array(Set(entries.compactMap(\.row.event.user)))
        do throws(StoreError) { return try await call.services.events.names(of: users, tenant: call.tenant) } catch {
            throw APIError(error)
        }
    }
}

/// The id of an entry: its row's 22 characters, which begin with the time, and one for its place in the row.
struct LogID {
    let row: TimeOrderedID
    let place: Int

    private static let places = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

    init(row: TimeOrderedID, place: Int) {
        self.row = row
        self.place = place
    }

    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 23, let last = bytes.last, let place = Self.places.firstIndex(of: last),
            let row = TimeOrderedID(base62: bytes.dropLast())
        else { return nil }
        self.init(row: row, place: place)
    }

    var text: String {
        let last = Self.places[min(place, Self.places.count - 1)]
        return row.base62 + String(UnicodeScalar(last))
    }
}

/// One type of one row.
struct LogEntry {
    let row: RecordedEvent
    let place: Int

    var type: String { row.event.types.indices.contains(place) ? row.event.types[place] : "" }

    func document(_ configuration: TenantConfiguration, _ names: [UserID: String]) -> JSONObject {
        let event = row.event
        let id = LogID(row: row.id, place: place).text
        var document: JSONObject = [
            "_id": .string(id), "log_id": .string(id), "date": .string(event.at.rfc3339), "type": .string(type),
            "description": .string(Self.descriptions[type] ?? type),
        ]
        if let connection = event.connection {
            if let name = configuration.connection(connection)?.name { document.set("connection", .string(name)) }
            document.set("connection_id", .string(connection.text))
            document.set("strategy", "auth0")
            document.set("strategy_type", "database")
        }
        if let client = event.client {
            document.set("client_id", .string(client.text))
            if let name = configuration.clients[client]?.name { document.set("client_name", .string(name)) }
        }
        document.set("ip", .string(event.device.address))
        if let user = event.user {
            document.set("user_id", .string(user.subject))
            if let name = names[user] { document.set("user_name", .string(name)) }
        }
        for name in ["audience", "scope"] {
            if let value = event.details[name], value.string != nil { document.set(name, value) }
        }
        document.set("user_agent", .string(event.device.userAgent))
        document.set("isMobile", .bool(event.device.userAgent.contains("Mobile")))
        document.set("details", .object(event.details))
        return document
    }

    private static let descriptions = [
        "ss": "Success Signup", "fs": "Failed Signup", "s": "Success Login", "f": "Failed Login",
        "fp": "Failed Login (Incorrect Password)", "fu": "Failed Login (Invalid Email/Username)",
        "sepkft": "Success Exchange (Passkey)", "fepkft": "Failed Exchange (Passkey)",
        "sepft": "Success Exchange (Password)", "fepft": "Failed Exchange (Password)",
        "sertft": "Success Exchange (Refresh Token)", "fertft": "Failed Exchange (Refresh Token)",
        "ferrt": "Failed Exchange (Rotating Refresh Token Reuse)", "seccft": "Success Exchange (Client Credentials)",
        "feccft": "Failed Exchange (Client Credentials)", "srrt": "Success Revocation", "slo": "Success Logout",
        "limit_wc": "Blocked Account", "limit_mu": "Blocked IP Address", "sapi": "API Operation",
        "fapi": "Failed API Operation", "passkey_suspended": "Passkey Suspended",
    ]
}

/// A search in logs: the language of users' searches over an entry's own members.
struct LogFilter {
    private let root: SearchText.Node
    private let configuration: TenantConfiguration

    init(_ text: String, _ configuration: TenantConfiguration) throws(SearchError) {
        root = try SearchText(text).root
        self.configuration = configuration
        try Self.check(root)
    }

    private static let fields: Set<String> = [
        "type", "user_id", "client_id", "client_name", "connection", "connection_id", "ip", "date", "log_id",
        "description", "user_agent",
    ]

    private static func check(_ node: SearchText.Node) throws(SearchError) {
        switch node {
        case .all(let nodes), .any(let nodes): for node in nodes { try check(node) }
        case .not(let node): try check(node)
        case .term(let field, let value):
            guard fields.contains(field) else {
                throw SearchError("there is no field \(field.prefix(60)) to search by")
            }
            guard field == "date" else { return }
            switch value {
            case .text(let text) where UnixTime(reading: text) != nil: return
            case .range(let from, let to)
            where from.map { UnixTime(reading: $0) != nil } ?? true && to.map { UnixTime(reading: $0) != nil } ?? true:
                return
            default: throw SearchError("date is a date or a range of dates")
            }
        }
    }

    func matches(_ entry: LogEntry) -> Bool { matches(root, entry, entry.document(configuration, [:])) }

    private func matches(_ node: SearchText.Node, _ entry: LogEntry, _ document: JSONObject) -> Bool {
        switch node {
        case .all(let nodes): nodes.allSatisfy { matches($0, entry, document) }
        case .any(let nodes): nodes.contains { matches($0, entry, document) }
        case .not(let node): !matches(node, entry, document)
        case .term("date", let value): Self.isAt(entry.row.event.at, value)
        case .term(let field, let value): document[field]?.string.map { Self.matches($0, value) } ?? false
        }
    }

    private static func matches(_ text: String, _ value: SearchText.Value) -> Bool {
        switch value {
        case .text(let wanted): text.utf8.elementsEqual(wanted.utf8)
        case .beginning(let start): text.utf8.starts(with: start.utf8)
        case .range(let from, let to):
            from.map { !text.utf8.lexicographicallyPrecedes($0.utf8) } ?? true
                && to.map { !$0.utf8.lexicographicallyPrecedes(text.utf8) } ?? true
        }
    }

    private static func isAt(_ time: UnixTime, _ value: SearchText.Value) -> Bool {
        func last(_ text: String) -> UnixTime? {
            let time = UnixTime(reading: text)
            return text.utf8.count == 10 ? time?.adding(milliseconds: 86_400_000 - 1) : time
        }
        switch value {
        case .text(let text):
            return UnixTime(reading: text).map { $0 <= time } ?? false && last(text).map { time <= $0 } ?? false
        case .beginning: return false
        case .range(let from, let to):
            return from.flatMap { UnixTime(reading: $0) }.map { $0 <= time } ?? true
                && to.flatMap { last($0) }.map { time <= $0 } ?? true
        }
    }
}
