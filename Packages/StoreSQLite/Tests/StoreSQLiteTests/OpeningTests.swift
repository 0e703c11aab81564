import Glibc
import Identity
import StoreSQL
import Testing

@testable import StoreSQLite

@Suite("Opening a SQLite store")
struct OpeningTests {
    @Test("The folder is made for its user alone, and so is every file")
    func modes() async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/deep/er/latchkey.db"
            let store = try await SQLiteStore.open(path: path)
            #expect(try await store.version() == 1)
            #expect(mode(folder + "/deep/er") == 0o700)
            for name in Scratch.names(in: folder + "/deep/er") {
                #expect(mode("\(folder)/deep/er/\(name)") == 0o600, "\(name)")
            }
            await store.close()
            #expect(Scratch.names(in: folder + "/deep/er") == ["latchkey.db", "latchkey.db-lock"])
        }
    }

    @Test("What is written is there after closing and opening again; a closed store says so")
    func reopens() async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/latchkey.db"
            let secret = DeploymentSecret(masterKeyID: "k", sealedDataKey: [1, 2], createdAt: UnixTime(seconds: 1))
            let first = try await SQLiteStore.open(path: path)
            _ = try await first.deploymentSecret(orStoring: secret)
            await first.close()
            await #expect(throws: StoreError.unavailable(reason: "SQLite: the store was closed")) {
                _ = try await first.version()
            }
            await #expect(throws: StoreError.unavailable(reason: "SQLite: the store was closed")) {
                _ = try await first.deploymentSecret(orStoring: secret)
            }
            let second = try await SQLiteStore.open(path: path)
            #expect(try await second.deploymentSecret() == secret)
            await second.close()
        }
    }

    @Test("Many openers of an empty store at once all get it")
    func openersAtOnce() async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/latchkey.db"
            let secrets = try await withThrowingTaskGroup(of: DeploymentSecret.self) { group in
                for index in 0..<6 {
                    group.addTask {
                        let store = try await SQLiteStore.open(path: path)
                        let secret = try await store.deploymentSecret(
                            orStoring: DeploymentSecret(
                                masterKeyID: "\(index)",
                                sealedDataKey: [1],
                                createdAt: UnixTime(seconds: 1)
                            )
                        )
                        await store.close()
                        return secret
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(secrets.count == 1)
        }
    }

    @Test("Another program's database, a text file and a folder are refused, and left as they are")
    func foreignFiles() async throws {
        try await Scratch.withFolder { folder in
            let other = folder + "/other.db"
            try Files.create(other)
            do {
                let connection = try SQLiteConnection(path: other, .readWrite, patience: 0)
                try connection.execute("CREATE TABLE theirs (a)")
            }
            await #expect(throws: SQLiteOpenError.foreign(path: other)) {
                _ = try await SQLiteStore.open(path: other)
            }
            let text = folder + "/text.db"
            try Files.create(text, contents: String(repeating: "no database. ", count: 100))
            await #expect(throws: SQLiteOpenError.foreign(path: text)) { _ = try await SQLiteStore.open(path: text) }
            #expect(Files.size(text) == 1300)
            await #expect(throws: SQLiteOpenError.foreign(path: folder)) {
                _ = try await SQLiteStore.open(path: folder)
            }
        }
    }

    @Test("A store that another process changed beyond this version is refused, and one it did not is served")
    func newerSchemas() async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/latchkey.db"
            await (try SQLiteStore.open(path: path)).close()
            let (known, next, last) = (Schema.newest, Schema.newest + 1, Schema.newest + 2)
            try Files.execute("INSERT INTO schema_migration VALUES (\(next), 1, 77)", on: path)
            let served = try await SQLiteStore.open(path: path)
            #expect(try await served.version() == 1)
            await served.close()
            try Files.execute("INSERT INTO schema_migration VALUES (\(last), \(last), 78)", on: path)
            let error = await #expect(throws: SQLiteOpenError.self) { _ = try await SQLiteStore.open(path: path) }
            #expect(error == .schema(path: path, .tooNew(found: last, oldestServer: last, known: known)))
            #expect(error?.description.contains("Install the newer version again") == true)
        }
    }

    @Test("A store whose schema is not the one of this number is refused")
    func changedSchema() async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/latchkey.db"
            await (try SQLiteStore.open(path: path)).close()
            try Files.execute("UPDATE schema_migration SET hash = hash + 1 WHERE number = 1", on: path)
            await #expect(throws: SQLiteOpenError.schema(path: path, .changed(migration: 1))) {
                _ = try await SQLiteStore.open(path: path)
            }
        }
    }

    @Test("A folder that cannot be made, or that a file stands for, is named with the reason")
    func impossibleFolders() async throws {
        try await Scratch.withFolder { folder in
            try Files.create(folder + "/file")
            let error = await #expect(throws: SQLiteOpenError.self) {
                _ = try await SQLiteStore.open(path: folder + "/file/latchkey.db")
            }
            #expect(error == .file(path: folder + "/file/latchkey.db", reason: "Not a directory"))
        }
    }

    private func mode(_ path: String) -> UInt32 {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return 0 }
        return status.st_mode & 0o777
    }
}

/// Files as another program would make them.
enum Files {
    static func create(_ path: String, contents: String = "") throws {
        guard let file = unsafe fopen(path, "w") else { throw Scratch.Failure(errno: errno) }
        unsafe fputs(contents, file)
        unsafe fclose(file)
    }

    static func size(_ path: String) -> Int {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : -1
    }

    /// Runs a statement on a connection of its own.
    static func execute(_ statement: String, on path: String) throws {
        let connection = try SQLiteConnection(path: path, .readWrite, patience: 1000)
        try connection.execute(statement)
    }
}
