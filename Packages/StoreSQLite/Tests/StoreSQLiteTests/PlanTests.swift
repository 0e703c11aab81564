import Identity
import StoreContract
import StoreSQL
import Testing
import Threads

@testable import StoreSQLite

@Suite("No statement reads more than it needs")
struct PlanTests {
    /// Tables that have a row for every person or event.
    private static let growing = [
        "user_account", "identifier", "user_handle", "passkey", "user_activity", "session", "refresh_family",
        "refresh_token", "ceremony", "audit_event", "assertion_replay", "challenge",
        "authorization_code", "recovery", "recovery_code",
    ]

    @Test("Every statement of the contract finds its rows by a key or an index that chooses")
    func plans() async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/latchkey.db"
            await (try SQLiteStore.open(path: path)).close()
            let writing = try SQLiteConnection(path: path, .readWrite, patience: 250)
            let checkpointer = try Checkpointer(try SQLiteConnection.copier(path: path, SQLiteOptions()))
            let database = RecordingDatabase(
                SQLiteDatabase(
                    writer: try SQLiteWriter(writing, checkpointer: checkpointer),
                    readers: SQLiteReaders(path: path),
                    checkpointer: checkpointer
                )
            )
            let store = SQLStore(database)
            for promise in CredentialDatabaseContract.promises { try await promise.verify(store) }
            let challenges = store.challengeCache(limits: ChallengeLimits())
            let race = ChallengeRace(challenges, count: 10)
            try await race.fill()
            #expect(try await race.take().count == 10)
            let statements = database.statements.withLock { $0 }
            #expect(statements.count > 60)
            var connection = try SQLiteConnection(path: path, .readOnly, patience: 250)
            for text in statements.sorted() {
                let values = text.utf8.filter { $0 == UInt8(ascii: "?") }.map { _ in SQLValue.null }
                let plan = try connection.run(SQLStatement(SQL("EXPLAIN QUERY PLAN " + text), values))
                let lines = try plan.map { (row) throws(StoreError) in
                    (_, _, _) = (try row.integer(), try row.integer(), try row.integer())
                    return try row.text()
                }
                for line in lines { #expect(!isWasteful(line, in: text), "\(line) in \(text)") }
            }
            await store.close()
        }
    }

    private func isWasteful(_ line: String, in text: String) -> Bool {
        let words = line.split(separator: " ").map(String.init)
        // The names of tables, and not words in quotes that have one in them.
        let names = text.split { !($0.isLetter || $0.isNumber || "_-'".contains($0)) }.map(String.init)
        guard words.count > 1, Self.growing.contains(where: names.contains) else { return false }
        // The tenants themselves are few; a page, or what is counted as pending, ends at a limit; a user has two documents.
        if words[0] == "SCAN" { return !["t", "tenant", "CONSTANT", "pending", "page", "two"].contains(words[1]) }
        // A tenant has few domains; what leaves with it goes in parts; and what an operator has counted is all there is.
        return words[0] == "SEARCH" && !["d", "leaving", "counted"].contains(words[1])
            && line.hasSuffix("(tenant_id=?)")
    }
}

/// Runs everything on another database, and remembers the statements.
final class RecordingDatabase: SQLDatabase {
    private let inner: SQLiteDatabase
    let statements = Lock<Set<String>>([])

    init(_ inner: SQLiteDatabase) {
        self.inner = inner
    }

    var dialect: SQLDialect { .sqlite }

    func read<Value: Sendable>(_ step: SQLStep<Value>) async throws(StoreError) -> Value {
        try await inner.read(record(step))
    }

    func write<Value: Sendable>(_ step: SQLStep<Value>) async throws(StoreError) -> Value {
        try await inner.write(record(step))
    }

    func check(probe: SQLStep<Void>) async throws(StoreError) { try await inner.check(probe: probe) }

    func close() async { await inner.close() }

    private func record<Value>(_ step: SQLStep<Value>) -> SQLStep<Value> {
        switch step {
        case .run(let statements, let next):
            remember(statements)
            return .run(statements) { (results) throws(StoreError) in self.record(try next(results)) }
        case .query(let statements, _), .commit(let statements, _):
            remember(statements)
            return step
        case .commitIfChanged(let first, let statements, _, _):
            remember([first] + statements)
            return step
        case .rollBack:
            return step
        }
    }

    private func remember(_ new: [SQLStatement]) {
        // What is searched for by people may need a walk through all.
        let texts = new.filter(\.sql.isKept).map(\.sql.text)
        statements.withLock { $0.formUnion(texts) }
    }
}
