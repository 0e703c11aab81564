import Identity
import StoreSQL
import Testing

@testable import StorePostgres

@Suite(
    "Transactions that share a connection, and connections that end",
    .enabled(if: TestServer.isThere, TestServer.isMissing)
)
struct SharingTests {
    /// An engine on a database of its own, with one table.
    private func withEngine(
        _ options: PostgresOptions = .patient(),
        _ body: (PostgresDatabase) async throws -> Void
    ) async throws {
        let url = try TestServer.freshURL()
        let string = try ConnectionString(url)
        let inbox = try #require(Inbox(capacity: 4096))
        let engine = try Engine(inbox, try PostgresConnection.connect(string, options), string, options)
        let database = PostgresDatabase(engine, options)
        try await database.write(
            .commit([SQLStatement(SQL("CREATE TABLE thing (id BIGINT PRIMARY KEY, count BIGINT NOT NULL)"), [])], ())
        )
        do {
            try await body(database)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    private static let insert = SQL("INSERT INTO thing (id, count) VALUES (?, 0)")
    private static let raise = SQL("UPDATE thing SET count = count + 1 WHERE id = ?")
    private static let counts = SQL("SELECT id, count FROM thing ORDER BY id")
    private static let lock = SQL("SELECT count FROM thing WHERE id = ?", locksRows: true)
    private static let pid = SQL("SELECT pg_backend_pid()")
    private static let pids = SQL("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")

    private func counts(_ database: PostgresDatabase) async throws -> [Int64: Int64] {
        try await database.read(
            .query([SQLStatement(Self.counts, [])]) { (results) throws(StoreError) in
                let rows = try results.first.map { (row) throws(StoreError) in (try row.integer(), try row.integer()) }
                return Dictionary(rows, uniquingKeysWith: { first, _ in first })
            }
        )
    }

    @Test("Of many writes that wait together, each fails by itself: a taken key, a row that is not there")
    func failuresAreTheirOwn() async throws {
        try await withEngine { database in
            let outcomes = await withTaskGroup(of: (Int64, Result<Bool, StoreError>).self) { group in
                for number in Int64(0)..<300 {
                    group.addTask {
                        // Every third id is asked for twice, every fifth update finds nothing.
                        let id = number % 3 == 2 ? number - 1 : number
                        let target = number % 5 == 4 ? -1 : id
                        return (number, await Self.outcome(database, id, target))
                    }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            let found = try await counts(database)
            for (number, outcome) in outcomes {
                let id = number % 3 == 2 ? number - 1 : number
                switch outcome {
                case .success(let isChanged):
                    #expect(isChanged == (number % 5 != 4))
                    if isChanged { #expect(found[id] == 1) }
                case .failure(let error):
                    #expect(error == .unique(.userHandle))
                }
            }
            // Of each pair exactly one stays, unless its update found nothing.
            for id in stride(from: Int64(1), to: 300, by: 3) {
                let pair = [outcomes[id], outcomes[id + 1]]
                let winners = pair.count { if case .success(true) = $0 { true } else { false } }
                #expect(winners <= 1 && (found[id] == nil) == (winners == 0), "\(id): \(pair)")
            }
        }
    }

    private static func outcome(
        _ database: PostgresDatabase,
        _ id: Int64,
        _ target: Int64
    ) async -> Result<Bool, StoreError> {
        do throws(StoreError) {
            // The insert comes first, so that a guard that finds nothing has something to undo.
            return .success(
                try await database.write(
                    .run([SQLStatement(insert, [.integer(id)], conflict: .userHandle)]) { _ in
                        .commitIfChanged(SQLStatement(raise, [.integer(target)]), [], true, otherwise: false)
                    }
                )
            )
        } catch {
            return .failure(error)
        }
    }

    @Test("A guard that finds nothing undoes its own transaction and no other of its group")
    func guards() async throws {
        try await withEngine { database in
            try await database.write(.commit([SQLStatement(Self.insert, [.integer(1)])], ()))
            let changed = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in Int64(0)..<200 {
                    group.addTask {
                        let target = SQLStatement(Self.raise, [.integer(number % 4 == 0 ? 99 : 1)])
                        let effect = SQLStatement(Self.insert, [.integer(1000 + number)])
                        return try await database.write(.commitIfChanged(target, [effect], true, otherwise: false))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(changed.count { $0 } == 150)
            let found = try await counts(database)
            #expect(found[1] == 150 && found.count == 151)
            #expect(found.keys.allSatisfy { $0 == 1 || $0 % 4 != 0 })
        }
    }

    @Test("A statement that has to change something undoes the transaction when it does not")
    func otherwise() async throws {
        try await withEngine { database in
            let error = StoreError.constraint(reason: "there is no such thing")
            await #expect(throws: error) {
                try await database.write(
                    .commit(
                        [
                            SQLStatement(Self.insert, [.integer(1)]),
                            SQLStatement(Self.raise, [.integer(2)], otherwise: error),
                        ],
                        ()
                    )
                )
            }
            let found = try await counts(database)
            #expect(found.isEmpty)
        }
    }

    @Test("Two that lock each other's rows are both done in the end")
    func deadlocks() async throws {
        var options = PostgresOptions.patient()
        options.lockTimeout = 100
        try await withEngine(options) { database in
            for id in Int64(1)...2 {
                try await database.write(.commit([SQLStatement(Self.insert, [.integer(id)])], ()))
            }
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for number in Int64(0)..<6 {
                    group.addTask {
                        let (first, second) = number % 2 == 0 ? (Int64(1), Int64(2)) : (2, 1)
                        let step = SQLStep<Void>.run([SQLStatement(Self.lock, [.integer(first)])]) { _ in
                            .run([SQLStatement(Self.lock, [.integer(second)])]) { _ in
                                .commit([SQLStatement(Self.raise, [.integer(first)])], ())
                            }
                        }
                        do throws(StoreError) {
                            try await database.write(step)
                            return true
                        } catch {
                            if case .busy = error { return false }
                            Issue.record("\(error)")
                            return false
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            // Whoever was told that it is done, is done; nobody twice.
            let found = try await counts(database)
            #expect(found.values.reduce(0, +) == Int64(outcomes.count { $0 }))
            #expect(outcomes.contains(true))
        }
    }

    @Test("A connection that the server ends is replaced, and nobody notices")
    func terminated() async throws {
        try await withEngine { database in
            for _ in 0..<5 {
                let process = try await database.read(
                    .query([SQLStatement(Self.pid, [])]) { (results) throws(StoreError) in
                        try results.first.first { (row) throws(StoreError) in try row.integer() } ?? 0
                    }
                )
                let isEnded = TestServer.shared?.psql("SELECT pg_terminate_backend(\(process))")
                #expect(isEnded == true)
                try await database.check(probe: .commit([], ()))
            }
        }
    }

    @Test("Connections are ready before anybody needs them, and again when the server has ended them")
    func readyConnections() async throws {
        var options = PostgresOptions.patient()
        options.readyConnections = 3
        try await withEngine(options) { database in
            #expect(try await eventually { database.vitals.openConnections == 3 })
            let first = try await backends(database)
            #expect(first.count == 3)
            for process in first {
                #expect(TestServer.shared?.psql("SELECT pg_terminate_backend(\(process))") == true)
            }
            #expect(
                try await eventually {
                    guard let now = try? await backends(database) else { return false }
                    return now.count == 3 && now.isDisjoint(with: first)
                }
            )
        }
    }

    private func backends(_ database: PostgresDatabase) async throws -> Set<Int64> {
        try await database.read(
            .query([SQLStatement(Self.pids, [])]) { (results) throws(StoreError) in
                Set(try results.first.map { (row) throws(StoreError) in try row.integer() })
            }
        )
    }

    @Test("Past its deadline a call is answered: not done when the commit was not sent, else unknown")
    func deadlines() async throws {
        var options = PostgresOptions.patient()
        options.deadline = .seconds(3)
        try await withEngine(options) { database in
            let sleep = SQLStatement(SQL("SELECT pg_sleep(30)"), [])
            let reading = await #expect(throws: StoreError.self) {
                try await database.read(.query([sleep]) { _ in })
            }
            #expect(reading.map { if case .unavailable = $0 { true } else { false } } == true)
            let deciding = await #expect(throws: StoreError.self) {
                try await database.write(SQLStep<Void>.run([sleep]) { _ in .commit([], ()) })
            }
            #expect(deciding.map { if case .unavailable = $0 { true } else { false } } == true)
            let committing = await #expect(throws: StoreError.self) {
                try await database.write(.commit([sleep], ()))
            }
            #expect(committing.map { if case .unknownOutcome = $0 { true } else { false } } == true)
        }
    }
}

@Suite("A schema that is brought forward by many at once", .enabled(if: TestServer.isThere, TestServer.isMissing))
struct SchemaTests {
    @Test("Of many that open an empty database at once, all get it, and each migration is applied once")
    func together() async throws {
        let url = try TestServer.freshURL()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let store = try await PostgresStore.open(url, options: .patient())
                    try await store.check()
                    await store.close()
                }
            }
            try await group.waitForAll()
        }
        let status = try await PostgresStore.schema(url)
        #expect(status.number == Schema.newest && status.pending.isEmpty && status.fault == nil)
    }

    @Test(
        "Where nothing may be changed an empty database is refused, and a current one needs no right to define tables"
    )
    func unchanged() async throws {
        let url = try TestServer.freshURL()
        let database = TestServer.database(url)
        await #expect(throws: PostgresOpenError.schema(.tooOld(found: 0, needed: Schema.newest))) {
            _ = try await PostgresStore.open(url, options: .patient(), schema: .refuseAny)
        }
        #expect(try await PostgresStore.schema(url, options: .patient()).pending.first == 1)
        await (try await PostgresStore.open(url, options: .patient())).close()
        let isTaken = TestServer.shared?.psql(
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC, latchkey; ALTER SCHEMA public OWNER TO postgres; "
                + "GRANT USAGE ON SCHEMA public TO latchkey",
            in: database
        )
        #expect(isTaken == true)
        let store = try await PostgresStore.open(url, options: .patient(), schema: .upgrade)
        #expect(try await store.version() == 1)
        await store.close()
    }

    @Test("A database in another encoding than UTF-8 is refused with the command that makes the right one")
    func encoding() async throws {
        let server = try #require(TestServer.shared)
        let name = "latin\(UInt32.random(in: 0 ... .max))"
        let isMade = server.psql(
            "CREATE DATABASE \(name) OWNER latchkey TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'"
        )
        #expect(isMade)
        await #expect(throws: PostgresOpenError.encoding("SQL_ASCII")) {
            _ = try await PostgresStore.open(server.url(name), options: .patient())
        }
    }
}

@Suite("Where a URL leads")
struct ConnectionStringTests {
    @Test("Several hosts are tried one by one, with their ports, and only one that takes writes will do")
    func hosts() throws {
        let string = try ConnectionString("postgres://u:p%40ss@db1:5433,db2,[::1]:7/latchkey?sslmode=verify-full")
        #expect(string.hosts.map { $0["host"] } == ["db1", "db2", "::1"])
        #expect(string.hosts.map { $0["port"] } == ["5433", nil, "7"])
        for host in string.hosts {
            #expect(host["password"] == "p@ss" && host["dbname"] == "latchkey" && host["sslmode"] == "verify-full")
            #expect(host["target_session_attrs"] == "read-write")
        }
        #expect(ConnectionString.place(string.hosts[0]) == "db1:5433")
        let chosen = try ConnectionString("postgres:///latchkey?host=/run/pg&target_session_attrs=any")
        #expect(chosen.hosts.count == 1 && chosen.hosts[0]["target_session_attrs"] == "any")
    }

    @Test("A URL that libpq does not understand is refused with its reason")
    func faults() {
        #expect(throws: PostgresOpenError.self) { try ConnectionString("postgres://db/latchkey?nonsense=1") }
        #expect(throws: PostgresOpenError.self) { try ConnectionString("postgres://db%zz/latchkey") }
    }
}

/// Asks again until it is so, for a minute at most.
private func eventually(_ isSo: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<3000 {
        if try await isSo() { return true }
        try await Task.sleep(for: .milliseconds(20))
    }
    return false
}
