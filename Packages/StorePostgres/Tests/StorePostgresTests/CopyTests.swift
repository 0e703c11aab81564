import Identity
import StoreContract
import StorePostgres
import StoreSQL
import Testing

@Suite("Moving a store into PostgreSQL", .enabled(if: TestServer.isThere, TestServer.isMissing))
struct CopyTests {
    private static let now = UnixTime(seconds: 1_800_000_900)

    @Test("All is there afterwards, the target keeps the contract, and its numbers go on where the source's were")
    func whole() async throws {
        let source = try await Self.open(try TestServer.freshURL())
        for promise in CredentialDatabaseContract.promises { try await promise.verify(source) }
        let secret = try await source.deploymentSecret(
            orStoring: DeploymentSecret(masterKeyID: "test", sealedDataKey: [1, 2, 3], createdAt: Self.now)
        )
        let url = try TestServer.freshURL()
        let target = try await Self.open(url, .copyTarget)
        // As a hash, the bytes themselves from the end on: the stores have the same rows, or not.
        let tables = try await StoreCopy(from: source, to: target) { Array($0.suffix(32)) }.run(now: Self.now)
        #expect(tables.filter { $0.rows > 0 }.count > 15)
        #expect(try await target.deploymentSecret() == secret)
        await target.close()

        let served = try await Self.open(url)
        for promise in CredentialDatabaseContract.promises { try await promise.verify(served) }
        await served.close()
        await source.close()
    }

    private static func open(_ url: String, _ policy: Schema.Policy = .refuseOlder) async throws -> SQLStore {
        let store = try await PostgresStore.open(url, options: .patient(), schema: policy)
        return try #require(store as? SQLStore)
    }
}
