import StoreSQL
import Testing

@testable import StorePostgres

@Suite("Statements become PostgreSQL's")
struct StatementTextTests {
    @Test("Each ? is numbered, but not inside quotes, and no bytes are a plain string")
    func texts() {
        let sql = SQL("SELECT '?', x'' FROM t WHERE a = ? AND b = x'' AND c = ?")
        #expect(StatementText(sql).text == "SELECT '?', '' FROM t WHERE a = $1 AND b = '' AND c = $2")
        #expect(StatementText(SQL("SELECT 1", locksRows: true)).text == "SELECT 1 FOR UPDATE")
    }

    @Test("A guarded statement fails when it changes nothing")
    func guarded() {
        let text = StatementText(SQL("UPDATE t SET a = ?")).guarded
        #expect(text == "WITH changed AS (UPDATE t SET a = $1 RETURNING 1) SELECT 1 / COUNT(*) FROM changed")
    }
}
