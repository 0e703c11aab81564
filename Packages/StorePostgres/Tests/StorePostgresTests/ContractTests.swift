import Identity
import StoreContract
import StorePostgres
import Testing

@Suite("PostgreSQL keeps the contract of the credential store", .enabled(if: TestServer.isThere, TestServer.isMissing))
struct ContractTests {
    @Test("Each promise by itself, on one database", arguments: CredentialDatabaseContract.promises)
    func keeps(_ promise: Promise<any CredentialDatabase>) async throws {
        try await promise.verify(try await Shared.store())
    }

    @Test(
        "Each promise about what a store keeps only once, on a database of its own",
        arguments: CredentialDatabaseContract.lonelyPromises
    )
    func keepsAlone(_ promise: Promise<any CredentialDatabase>) async throws {
        let store = try await PostgresStore.open(try TestServer.freshURL(), options: .patient())
        do {
            try await promise.verify(store)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    @Test("All promises at once on one store", arguments: [true, false])
    func together(prepares: Bool) async throws {
        let store = try await PostgresStore.open(try TestServer.freshURL(), options: .patient(prepares: prepares))
        let failures: [String] = await withTaskGroup(of: String?.self) { group in
            for promise in CredentialDatabaseContract.promises {
                group.addTask {
                    do {
                        try await promise.verify(store)
                        return nil
                    } catch {
                        return "\(error)"
                    }
                }
            }
            return await group.reduce(into: []) { if let failure = $1 { $0.append(failure) } }
        }
        #expect(failures == [])
        await store.close()
    }

    /// A store that many tests use, and that ends with the process.
    private enum Shared {
        private static let opening = Task {
            try await PostgresStore.open(try TestServer.freshURL(), options: .patient())
        }

        static func store() async throws -> any CredentialDatabase { try await opening.value }
    }
}
