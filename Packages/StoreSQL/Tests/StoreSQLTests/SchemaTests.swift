import Identity
import Testing

@testable import StoreSQL

@Suite("The schema goes forward, and only on a store that lets this build in")
struct SchemaTests {
    private static let migrations = [
        Migration(number: 1, oldestServer: 1) { _ in ["CREATE one"] },
        Migration(number: 2, oldestServer: 1) { _ in ["CREATE two", "ALTER one"] },
        Migration(number: 3, oldestServer: 3) { _ in ["ALTER two"] },
    ]

    @Test(
        "An empty store gets every migration in one transaction, whatever the policy",
        arguments: [
            Schema.Policy.refuseOlder, .upgrade,
        ]
    )
    func empty(policy: Schema.Policy) throws {
        let outcome = try prepare(policy, applied: [])
        #expect(
            outcome.texts == [
                "CREATE one", "INSERT 1 1", "CREATE two", "ALTER one", "INSERT 2 1", "ALTER two", "INSERT 3 3",
            ]
        )
        #expect(outcome.result == .success(Schema(number: 3, oldestServer: 3, hasChanged: true)))
    }

    @Test("A store that has them all is left alone")
    func current() throws {
        let outcome = try prepare(.upgrade, applied: Self.migrations)
        #expect(outcome.texts.isEmpty)
        #expect(outcome.result == .success(Schema(number: 3, oldestServer: 3, hasChanged: false)))
    }

    @Test("An older store is upgraded when that is wanted, and refused when not")
    func older() throws {
        let upgraded = try prepare(.upgrade, applied: Array(Self.migrations.prefix(2)))
        #expect(upgraded.texts == ["ALTER two", "INSERT 3 3"])
        #expect(upgraded.result == .success(Schema(number: 3, oldestServer: 3, hasChanged: true)))
        let refused = try prepare(.refuseOlder, applied: Array(Self.migrations.prefix(2)))
        #expect(refused.texts.isEmpty)
        #expect(refused.result == .failure(.tooOld(found: 2, needed: 3)))
    }

    @Test("Where nothing may be changed, an empty store and an older one are refused, and a current one is not")
    func unchanged() throws {
        #expect(try prepare(.refuseAny, applied: []).result == .failure(.tooOld(found: 0, needed: 3)))
        let older = try prepare(.refuseAny, applied: Array(Self.migrations.prefix(2)))
        #expect(older.result == .failure(.tooOld(found: 2, needed: 3)))
        #expect(older.texts.isEmpty)
        #expect(
            try prepare(.refuseAny, applied: Self.migrations).result
                == .success(Schema(number: 3, oldestServer: 3, hasChanged: false))
        )
    }

    @Test("PostgreSQL compares text by its bytes, as SQLite does by itself")
    func collation() {
        let text = "CREATE TABLE t (\n    a TEXT NOT NULL,\n    b TEXT,\n    c BYTEA,\n    d TEXT\n)"
        let expected = """
            CREATE TABLE t (
                a TEXT COLLATE "C" NOT NULL,
                b TEXT COLLATE "C",
                c BYTEA,
                d TEXT COLLATE "C"
            )
            """
        #expect(SQLDialect.postgreSQL.definition(text) == expected)
        #expect(SQLDialect.sqlite.definition(text) == text)
    }

    @Test("A newer store is refused only when it shuts this build out")
    func newer() throws {
        let one = Array(Self.migrations.prefix(1))
        let served = try prepare(.upgrade, applied: Array(Self.migrations.prefix(2)), known: one)
        #expect(served.texts.isEmpty)
        #expect(served.result == .success(Schema(number: 2, oldestServer: 1, hasChanged: false)))
        let refused = try prepare(.upgrade, applied: Self.migrations, known: one)
        #expect(refused.result == .failure(.tooNew(found: 3, oldestServer: 3, known: 1)))
    }

    @Test("A migration that was changed after it had been applied is found out")
    func changed() throws {
        let other = Migration(number: 2, oldestServer: 1) { _ in ["CREATE two", "ALTER  one"] }
        let outcome = try prepare(.upgrade, applied: [Self.migrations[0], other])
        #expect(outcome.result == .failure(.changed(migration: 2)))
        // The same words in other statements are another migration.
        let joined = Migration(number: 2, oldestServer: 1) { _ in ["CREATE twoALTER one"] }
        #expect(joined.hash != Self.migrations[1].hash)
    }

    @Test("The migrations are numbered without gaps, and none shuts out the build that brings it")
    func numbers() {
        #expect(Migration.all.map(\.number) == Array(1...Int64(Migration.all.count)))
        #expect(Migration.all.allSatisfy { $0.oldestServer <= $0.number && $0.oldestServer > 0 })
        #expect(Schema.newest == Int64(Migration.all.count))
    }

    @Test(
        "Every error says what to do",
        arguments: [
            SchemaError.tooNew(found: 3, oldestServer: 3, known: 1), .tooOld(found: 1, needed: 2),
            .tooOld(found: 0, needed: 2),
            .changed(migration: 1),
        ]
    )
    func messages(error: SchemaError) {
        #expect(error.description.hasSuffix("."))
        #expect(error.description.contains("\n") == false)
    }

    /// Plays the engine: tells which migrations the store has, and gathers what is run.
    private func prepare(
        _ policy: Schema.Policy,
        applied: [Migration],
        known: [Migration] = migrations
    ) throws -> (texts: [String], result: Result<Schema, SchemaError>) {
        let rows: [SQLValue] = applied.flatMap { migration -> [SQLValue] in
            [.integer(migration.number), .integer(migration.oldestServer), .integer(migration.hash)]
        }
        let results = SQLResults([.nothing, SQLResult(changes: 0, width: 3, values: rows)])
        guard case .run(_, let next) = Schema.prepare(policy, dialect: .sqlite, migrations: known) else {
            throw StoreError.constraint(reason: "the first step asks nothing")
        }
        switch try next(results) {
        case .commit(let statements, let result):
            return (statements.map(Self.text), result)
        case .rollBack(let result):
            return ([], result)
        case .run, .query, .commitIfChanged:
            throw StoreError.constraint(reason: "there is a second question")
        }
    }

    /// The statement's own text, and of a note of a migration its numbers.
    private static func text(of statement: SQLStatement) -> String {
        guard case .integer(let number)? = statement.values.first, statement.values.count == 3,
            case .integer(let oldest) = statement.values[1]
        else { return statement.sql.text }
        return "INSERT \(number) \(oldest)"
    }
}
