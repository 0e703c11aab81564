import Glibc
import Identity
import StoreContract
import StoreSQLite
import Testing

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
}
