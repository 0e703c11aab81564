import Identity
import StoreContract
import StoreSQL
import Testing

@testable import StoreSQLite

@Suite("What a removed tenant leaves behind")
struct RemovalTests {
    @Test("No table has a row of it, whatever the contract has put there")
    func nothing() async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/latchkey.db"
            let store = try await SQLiteStore.open(path: path)
            for promise in CredentialDatabaseContract.promises { try await promise.verify(store) }
            let tenants = try await store.tenants()
            #expect(tenants.count > 20)
            for tenant in tenants {
                let later = tenant.updatedAt.adding(seconds: 1)
                let suspension = ConfigurationChange.setSuspension(
                    since: later,
                    replacing: tenant.updatedAt,
                    at: later
                )
                #expect(try await store.change(tenant.id, [suspension], events: []))
                while try await store.removePart(of: tenant.id, limit: 50) {}
            }
            #expect(try await store.tenants().isEmpty)
            var connection = try SQLiteConnection(path: path, .readOnly, patience: 250)
            let tables = try connection.rows(
                """
                SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
                WHERE m.type = 'table' AND c.name = 'tenant_id' ORDER BY 1
                """
            )
            #expect(tables.count > 20 && tables.contains("challenge") && tables.contains("passkey_attestation"))
            for table in tables {
                #expect(try connection.rows("SELECT count(*) || '' FROM \(table)") == ["0"], "\(table)")
            }
            await store.close()
        }
    }
}

extension SQLiteConnection {
    /// The first column of what a query gives, which is text.
    fileprivate mutating func rows(_ query: String) throws -> [String] {
        try run(SQLStatement(SQL(query), [])).map { (row) throws(StoreError) in try row.text() }
    }
}
