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

    @Test("A copy that was not finished is served by nobody, and a copy goes on there")
    func unfinished() async throws {
        let source = try await Self.open(try TestServer.freshURL())
        let promises = CredentialDatabaseContract.promises
        for promise in promises.prefix(2) { try await promise.verify(source) }
        _ = try await source.deploymentSecret(
            orStoring: DeploymentSecret(masterKeyID: "test", sealedDataKey: [1, 2, 3], createdAt: Self.now)
        )
        let url = try TestServer.freshURL()
        let first = try await Self.open(url, .copyTarget)
        _ = try await StoreCopy(from: source, to: first) { Array($0.suffix(32)) }.ahead(now: Self.now)
        await first.close()
        for policy in [Schema.Policy.refuseOlder, .upgrade, .refuseAny] {
            await #expect(throws: PostgresOpenError.schema(.unfinishedCopy)) {
                _ = try await PostgresStore.open(url, options: .patient(), schema: policy)
            }
        }
        #expect(try await PostgresStore.schema(url, options: .patient()).fault == .unfinishedCopy)

        for promise in promises.dropFirst(2).prefix(2) { try await promise.verify(source) }
        let second = try await Self.open(url, .copyTarget)
        _ = try await StoreCopy(from: source, to: second) { Array($0.suffix(32)) }.run(now: Self.now)
        await second.close()
        let served = try await Self.open(url)
        let tenants = try await source.tenants()
        #expect(try await served.tenants() == tenants)
        await served.close()
        await source.close()
    }

    private static func open(_ url: String, _ policy: Schema.Policy = .refuseOlder) async throws -> SQLStore {
        let store = try await PostgresStore.open(url, options: .patient(), schema: policy)
        return try #require(store as? SQLStore)
    }
}
