public import Identity

/// A credential store over any SQL engine: every statement and every mapping of a row, once.
///
/// The statements lie beside the methods that use them, port by port.
public struct SQLStore: CredentialDatabase {
    let database: any SQLDatabase

    /// Takes an engine whose schema was brought forward (``Schema/prepare(_:dialect:)``).
    public init(_ database: any SQLDatabase) {
        self.database = database
    }

    public func check() async throws(StoreError) {
        // A statement that leaves everything as it is, and yet is written.
        try await database.check(probe: .commit([SQLStatement(Self.probe, [])], ()))
    }

    public func close() async {
        await database.close()
    }

    private static let probe = SQL(
        "UPDATE deployment SET configuration_version = configuration_version WHERE id = 1"
    )
}
