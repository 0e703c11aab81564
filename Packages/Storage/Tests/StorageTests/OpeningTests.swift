import CacheInMemory
import Identity
import Storage
import StoreSQLite
import Testing

@Suite("Storage is chosen by URL alone")
struct OpeningTests {
    @Test("A scheme that no adapter answers is refused with those that do, and without the secrets of the URL")
    func unknownSchemes() async throws {
        let store = await #expect(throws: StorageError.self) {
            _ = try await openStore("mysql://root:secret@host/db")
        }
        #expect(
            store?.description
                == "store is \"mysql:\", which it cannot be in this build. Use sqlite:PATH for one server."
        )
        #expect(store?.isTemporary == false)
        let cache = #expect(throws: StorageError.self) { _ = try openChallengeCache("redos:") }
        #expect(
            cache?.description
                == "challenges is \"redos:\", which it cannot be in this build. Use memory for one server."
        )
        await #expect(throws: StorageError.self) { _ = try await openStore("") }
        #expect(throws: StorageError.self) { _ = try openChallengeCache("") }
    }

    @Test("memory and memory: are the same", arguments: ["memory", "memory:"])
    func memory(url: String) async throws {
        let cache = try openChallengeCache(url, capacity: 5)
        #expect(cache is InMemoryChallengeCache)
        try await cache.check()
    }

    @Test("sqlite: names a file", arguments: ["sqlite", "sqlite:", "sqlite::memory:", "sqlite:?synchronous=full"])
    func noFile(url: String) async {
        await #expect(throws: StorageError.noFile(url: url)) { _ = try await openStore(url) }
    }

    @Test("An option or a value that does not exist is refused with those that do")
    func options() async {
        let value = await #expect(throws: StorageError.self) {
            _ = try await openStore("sqlite:/nowhere/a.db?synchronous=off")
        }
        #expect(value?.description == "synchronous is \"off\", which it cannot be. Use full or normal.")
        let name = await #expect(throws: StorageError.self) {
            _ = try await openStore("sqlite:/nowhere/a.db?mode=memory")
        }
        #expect(name?.description == "sqlite has no option \"mode\". It has synchronous.")
    }

    @Test("A store opens, is empty, and opens again", arguments: ["", "?synchronous=normal", "?synchronous=full"])
    func opens(query: String) async throws {
        let folder = "/tmp/latchkey-storage-\(UInt64.random(in: 0 ... .max))"
        defer { Scratch.remove(folder) }
        for _ in 0..<2 {
            let store = try await openStore("sqlite:\(folder)/latchkey.db\(query)")
            try await store.check()
            #expect(try await store.tenants().isEmpty)
            #expect(try await store.version() == 1)
            await store.close()
        }
    }
}
