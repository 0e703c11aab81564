public import Identity

/// A credential store over any SQL engine: every statement and every mapping of a row, once.
///
/// The statements lie beside the methods that use them, port by port.
public struct SQLStore: CredentialDatabase, StoreObservable {
    let database: any SQLDatabase
    let walk = ExpiryWalk()

    /// Takes an engine whose schema was brought forward (``Schema/prepare(_:dialect:)``), and puts a breaker before it.
    ///
    /// - Parameters:
    ///   - database: the engine.
    ///   - name: what the operator's log calls it, as `PostgreSQL`.
    public init(_ database: any SQLDatabase, named name: String = "The store") {
        self.database = GuardedDatabase(database, named: name, probe: Self.check)
    }

    public func check() async throws(StoreError) {
        try await database.check(probe: Self.check)
    }

    public var vitals: StoreVitals { database.vitals }

    public func close() async {
        await database.close()
    }

    /// A write of some pages, as a sign-in is: on a disk that is full a single one may still find room.
    private static let check = SQLStep<Void>.commit(
        [SQLStatement(probe, [.bytes([UInt8](repeating: 0, count: 32768))])],
        ()
    )
    private static let probe = SQL(
        """
        INSERT INTO write_probe (id, filler) VALUES (1, ?)
        ON CONFLICT (id) DO UPDATE SET filler = excluded.filler
        """
    )
}
