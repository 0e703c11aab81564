import Glibc
import Identity
import StoreContract
import StoreSQL
import Testing

@testable import StoreSQLite

@Suite("Backups of a SQLite store")
struct BackupTests {
    private static let now = UnixTime(seconds: 1_800_000_500)

    @Test("A backup is made while others write, is whole, and is for its owner alone")
    func whileServing() async throws {
        try await Scratch.withFolder { folder in
            let store = try await SQLiteStore.open(path: folder + "/a.db")
            let before = NewTenant.random()
            _ = try await store.create(before)
            let writing = Task {
                while !Task.isCancelled { _ = try await store.create(.random()) }
            }
            for number in 0..<3 {
                try await SQLiteBackup.make(of: folder + "/a.db", into: folder + "/b\(number)", now: Self.now)
            }
            writing.cancel()
            _ = await writing.result
            await store.close()
            var status = stat()
            #expect(unsafe stat(folder + "/b2", &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(!Scratch.names(in: folder).contains { $0.hasSuffix(".part") })

            let restored = try await SQLiteBackup.restore(folder + "/b2", to: folder + "/c.db", now: Self.now)
            #expect(restored.madeAt == Self.now && restored.previous == nil)
            let copy = try await SQLiteStore.open(path: folder + "/c.db")
            let tenants = try await copy.tenants()
            #expect(tenants.contains { $0.name == before.name })
            for tenant in tenants { #expect(try await copy.configuration(of: tenant.id)?.clients.count == 1) }
            await copy.close()
        }
    }

    @Test("What is put back has no live session, keeps its contract, and the old store lies beside it")
    func restored() async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/a.db"
            let store = try await SQLiteStore.open(path: path)
            for promise in CredentialDatabaseContract.promises { try await promise.verify(store) }
            try await SQLiteBackup.make(of: path, into: folder + "/b", now: Self.now)
            let since = NewTenant.random()
            _ = try await store.create(since)
            await store.close()

            let later = Self.now.adding(seconds: 60)
            let first = try await SQLiteBackup.restore(folder + "/b", to: path, now: later)
            #expect(first.sessions > 0 && first.refreshFamilies > 0)
            let previous = try #require(first.previous)
            // Again from what was just put back: nothing is left to revoke.
            try await SQLiteBackup.make(of: path, into: folder + "/b2", now: later)
            let second = try await SQLiteBackup.restore(folder + "/b2", to: folder + "/d.db", now: later)
            #expect(second.sessions == 0 && second.refreshFamilies == 0)

            let old = try await SQLiteStore.open(path: previous)
            #expect(try await old.tenants().contains { $0.name == since.name })
            await old.close()
            let new = try await SQLiteStore.open(path: path)
            #expect(try await !new.tenants().contains { $0.name == since.name })
            for promise in CredentialDatabaseContract.promises { try await promise.verify(new) }
            await new.close()
        }
    }

    @Test("A store in use is not replaced, and a file that is there is not written over")
    func refused() async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/a.db"
            let store = try await SQLiteStore.open(path: path)
            let tenant = NewTenant.random()
            _ = try await store.create(tenant)
            try await SQLiteBackup.make(of: path, into: folder + "/b", now: Self.now)
            await #expect(throws: SQLiteBackupError.exists(path: folder + "/b")) {
                try await SQLiteBackup.make(of: path, into: folder + "/b", now: Self.now)
            }
            await #expect(throws: SQLiteBackupError.noFolder(path: folder + "/none")) {
                try await SQLiteBackup.make(of: path, into: folder + "/none/b", now: Self.now)
            }
            await #expect(throws: SQLiteBackupError.inUse(path: path)) {
                _ = try await SQLiteBackup.restore(folder + "/b", to: path, now: Self.now)
            }
            _ = try await store.create(.random())
            await store.close()
            #expect(Scratch.names(in: folder) == ["a.db", "a.db-lock", "b"])
        }
    }

    @Test("What is no whole backup is refused, and the store stays as it was")
    func damaged() async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/a.db"
            let store = try await SQLiteStore.open(path: path)
            let tenant = NewTenant.random()
            _ = try await store.create(tenant)
            try await SQLiteBackup.make(of: path, into: folder + "/b", now: Self.now)
            await store.close()
            let descriptor = unsafe open(folder + "/b", O_RDWR)
            var size = stat()
            #expect(unsafe fstat(descriptor, &size) == 0)
            // The middle of the file, over several pages.
            let junk = [UInt8](repeating: 0xA5, count: 20_000)
            #expect(unsafe pwrite(descriptor, junk, junk.count, size.st_size / 2) == junk.count)
            close(descriptor)
            let text = unsafe open(folder + "/text", O_CREAT | O_WRONLY, 0o600)
            #expect(unsafe write(text, junk, junk.count) == junk.count)
            close(text)
            for name in ["b", "text"] {
                await #expect {
                    _ = try await SQLiteBackup.restore(folder + "/" + name, to: path, now: Self.now)
                } throws: { error in
                    guard case .damaged(let path, _)? = error as? SQLiteBackupError else { return false }
                    return path == folder + "/" + name
                }
            }
            await #expect(throws: SQLiteBackupError.noStore(path: folder + "/none")) {
                _ = try await SQLiteBackup.restore(folder + "/none", to: path, now: Self.now)
            }
            let again = try await SQLiteStore.open(path: path)
            #expect(try await again.tenants().map(\.name) == [tenant.name])
            await again.close()
            #expect(!Scratch.names(in: folder).contains { $0.hasSuffix(".restoring") })
        }
    }

    @Test(
        "What no server could use, or acts by itself, is refused, and the store stays as it was",
        arguments: [
            ("UPDATE schema_migration SET oldest_server = 999", "needs a version that knows schema 999"),
            ("UPDATE schema_migration SET hash = hash + 1", "is not the one that this version calls"),
            ("UPDATE schema_migration SET oldest_server = 9223372036854775807", "copy that was not finished"),
            ("DELETE FROM schema_migration", "it has no schema"), ("DROP TABLE schema_migration", "it has no schema"),
            ("DROP TABLE session", "lacks column session."),
            ("ALTER TABLE session DROP COLUMN user_agent", "lacks column session.user_agent"),
            (
                "CREATE TRIGGER t AFTER UPDATE ON session BEGIN UPDATE session SET revoked_at = NULL; END",
                "no version makes: trigger t"
            ), ("CREATE VIEW v AS SELECT 1", "no version makes: view v"),
        ]
    )
    func unusable(_ change: String, _ words: String) async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/a.db"
            let store = try await SQLiteStore.open(path: path)
            try await SQLiteBackup.make(of: path, into: folder + "/b", now: Self.now)
            let tenant = NewTenant.random()
            _ = try await store.create(tenant)
            await store.close()
            try (try SQLiteConnection(path: folder + "/b", .readWrite, patience: 0)).execute(change)
            let error = await #expect(throws: SQLiteBackupError.self) {
                _ = try await SQLiteBackup.restore(folder + "/b", to: path, now: Self.now)
            }
            #expect(error?.description.contains(words) == true, "\(String(describing: error))")
            #expect(Scratch.names(in: folder) == ["a.db", "a.db-lock", "b"])
            let again = try await SQLiteStore.open(path: path)
            #expect(try await again.tenants().map(\.name) == [tenant.name])
            await again.close()
        }
    }

    @Test("The copy's secret is shown to whoever knows the keys, and a copy that they do not open is refused")
    func secret() async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/a.db"
            let store = try await SQLiteStore.open(path: path)
            let secret = try await store.deploymentSecret(
                orStoring: DeploymentSecret(masterKeyID: "of-old", sealedDataKey: [1, 2, 3], createdAt: Self.now)
            )
            try await SQLiteBackup.make(of: path, into: folder + "/b", now: Self.now)
            await store.close()
            await #expect(throws: SQLiteBackupError.refused(path: folder + "/b", reason: "no key of-old")) {
                _ = try await SQLiteBackup.restore(folder + "/b", to: path, now: Self.now) { secret in
                    "no key \(secret.masterKeyID)"
                }
            }
            #expect(Scratch.names(in: folder) == ["a.db", "a.db-lock", "b"])
            let restored = try await SQLiteBackup.restore(folder + "/b", to: path, now: Self.now) { shown in
                shown == secret ? nil : "another secret"
            }
            #expect(restored.previous != nil)
        }
    }

    @Test("An index and a table of an operator's own are taken along; what a killed backup has left is cleared away")
    func takenAlong() async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/a.db"
            await (try await SQLiteStore.open(path: path)).close()
            let own = try SQLiteConnection(path: path, .readWrite, patience: 0)
            try own.execute("CREATE INDEX my_report ON session (tenant_id)")
            try own.execute("CREATE TABLE my_notes (note TEXT) STRICT")
            for end in [".part", ".part-journal"] {
                let descriptor = unsafe open(folder + "/b" + end, O_CREAT | O_WRONLY, 0o600)
                #expect(unsafe write(descriptor, [1, 2, 3], 3) == 3)
                close(descriptor)
            }
            try await SQLiteBackup.make(of: path, into: folder + "/b", now: Self.now)
            #expect(!Scratch.names(in: folder).contains { $0.contains(".part") })
            _ = try await SQLiteBackup.restore(folder + "/b", to: folder + "/c.db", now: Self.now)
            let copy = try SQLiteConnection(path: folder + "/c.db", .readOnly, patience: 0)
            #expect(try copy.execute("SELECT COUNT(*) FROM sqlite_schema WHERE name LIKE 'my_%'") == .integer(2))
        }
    }

    @Test("Whether a store is in use is told without changing it")
    func inUse() async throws {
        try await Scratch.withFolder { folder in
            let path = folder + "/a.db"
            try await SQLiteBackup.refuseIfInUse(path)
            let store = try await SQLiteStore.open(path: path)
            await #expect(throws: SQLiteBackupError.inUse(path: path)) { try await SQLiteBackup.refuseIfInUse(path) }
            await store.close()
            try await SQLiteBackup.refuseIfInUse(path)
        }
    }
}
