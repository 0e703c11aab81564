import Identity
import StoreContract
import StoreSQLite
import Testing

@Suite("SQLite keeps the contract of the credential store")
struct ContractTests {
    @Test(arguments: CredentialDatabaseContract.promises)
    func keeps(_ promise: Promise<any CredentialDatabase>) async throws {
        try await Scratch.withFolder { folder in
            let store = try await SQLiteStore.open(path: folder + "/latchkey.db")
            do {
                try await promise.verify(store)
            } catch {
                await store.close()
                throw error
            }
            await store.close()
        }
    }

    @Test(arguments: CredentialDatabaseContract.lonelyPromises)
    func keepsAlone(_ promise: Promise<any CredentialDatabase>) async throws {
        try await keeps(promise)
    }

    @Test("All promises at once on one store")
    func together() async throws {
        try await Scratch.withFolder { folder in
            let store = try await SQLiteStore.open(path: folder + "/latchkey.db")
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
    }
}
