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
                == "store is \"mysql:\", which it cannot be in this build. Use sqlite:PATH for one server, or postgres://HOST/DATABASE for several."
        )
        #expect(store?.isTemporary == false)
        await #expect(throws: StorageError.self) { _ = try await openStore("") }
    }

    @Test("Of a challenge cache what is wrong is said, with what can be used, and without the secrets of the URL")
    func badChallenges() async throws {
        try await Scratch.withStore { store in
            for (url, said) in [
                (
                    "redos://u:secret@h",
                    "challenges is \"redos:\", which it cannot be in this build. Use memory for one server, or "
                        + "redis://HOST:PORT, rediss://HOST:PORT or redis+unix:///PATH for several, or store."
                ),
                ("", "challenges is \":\", which it cannot be in this build. Use memory for one server"),
                (
                    "redis://u:secret@host/x",
                    "challenges is a redis: URL that cannot be used: its database is \"x\", which is no number."
                ),
                ("rediss://u:secret@host?ca=/nowhere.pem", "/nowhere.pem holds no certificate in PEM"),
            ] {
                let error = #expect(throws: StorageError.self) { try open(url, in: store) }
                #expect(error?.description.hasPrefix(said) == true, "\(url): \(String(describing: error))")
                #expect(error?.description.contains("secret") == false)
                #expect(error?.isTemporary == false)
            }
        }
    }

    @Test("memory and memory: are the same, and so are store and store:")
    func challenges() async throws {
        try await Scratch.withStore { store in
            for url in ["memory", "memory:", "store", "store:"] {
                let opened = try open(url, in: store)
                #expect((opened.cache is InMemoryChallengeCache) == url.hasPrefix("memory"))
                #expect(opened.rateCounter == nil)
                try await opened.cache.check()
                opened.close()
            }
        }
    }

    @Test("A Redis server that is not there yet stops nobody, and says why it does not answer")
    func redis() async throws {
        try await Scratch.withStore { store in
            let opened = try open("redis+unix:///nowhere/redis.sock", in: store)
            #expect(opened.rateCounter != nil)
            let error = await #expect(throws: StoreError.self) { try await opened.cache.check() }
            guard case .unavailable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            opened.close()
        }
    }

    private func open(_ url: String, in store: any CredentialDatabase) throws -> OpenedChallenges {
        try openChallenges(url, in: store, prefix: "latchkey:{test}:", capacity: 5, report: { _ in })
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

    @Test("A PostgreSQL server that is not there is said to be so, without the password")
    func nobodyThere() async {
        let url = "postgres://latchkey:secret@127.0.0.1:1,localhost:2/latchkey"
        let error = await #expect(throws: StorageError.self) { _ = try await openStore(url) }
        #expect(error?.isTemporary == true)
        #expect(error?.description.contains("127.0.0.1:1") == true)
        #expect(error?.description.contains("localhost:2") == true)
        #expect(error?.description.contains("secret") == false)
        let unreadable = await #expect(throws: StorageError.self) {
            _ = try await openStore("postgres://latchkey:secret@db/latchkey?sslmode=verify-full&nonsense=1")
        }
        #expect(unreadable?.isTemporary == false)
        #expect(unreadable?.description.contains("nonsense") == true)
        #expect(unreadable?.description.contains("secret") == false)
    }

    @Test("What schema a store has is told without a change to it")
    func schema() async throws {
        let folder = "/tmp/latchkey-storage-\(UInt64.random(in: 0 ... .max))"
        defer { Scratch.remove(folder) }
        let url = "sqlite:\(folder)/latchkey.db"
        let before = try await schemaState(of: url)
        #expect(before.number == 0 && before.pending.first == 1 && before.pending.last == before.newest)
        await #expect(throws: StorageError.self) { _ = try await openStore(url, schema: .refuseAny) }
        await (try await openStore(url)).close()
        let after = try await schemaState(of: url)
        #expect(after.number == after.newest && after.pending.isEmpty && after.fault == nil)
        await (try await openStore(url, schema: .refuseAny)).close()
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
