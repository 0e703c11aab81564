import Glibc
import Identity
import Testing

@testable import StoreSQLite

@Suite(
    "Disks that are full or may not be written",
    .enabled(if: SmallDisk.isAllowed, "only root can make a small disk")
)
struct DiskTests {
    @Test("A full disk refuses writes and not reads, and takes writes again when there is room")
    func full() async throws {
        try await SmallDisk.with(megabytes: 3) { disk in
            try Files.create(disk + "/filler", contents: String(repeating: "x", count: 1 << 20))
            let store = try await SQLiteStore.open(path: disk + "/latchkey.db")
            try await store.check()
            var failure: StoreError?
            var kept = 0
            let now = UnixTime(seconds: 1_800_000_000)
            while failure == nil, kept < 100_000 {
                do throws(StoreError) {
                    _ = try await store.remember(
                        jtiHash: (0..<2000).map { _ in UInt8.random(in: 0...255) },
                        of: TenantID(number: 1),
                        until: now.adding(seconds: 60),
                        now: now
                    )
                    kept += 1
                } catch { failure = error }
            }
            guard case .full = failure else {
                Issue.record("after \(kept) writes the failure is \(String(describing: failure)), not full")
                await store.close()
                return
            }
            #expect(try await store.version() == 1)
            unsafe unlink(disk + "/filler")
            try await store.check()
            let isNew = try await store.remember(
                jtiHash: [1],
                of: TenantID(number: 1),
                until: now.adding(seconds: 60),
                now: now
            )
            #expect(isNew)
            await store.close()
        }
    }

    @Test("A disk that may not be written is named, with the reason")
    func readOnly() async throws {
        try await SmallDisk.with(megabytes: 8) { disk in
            await (try SQLiteStore.open(path: disk + "/latchkey.db")).close()
            try SmallDisk.makeReadOnly(disk)
            let error = await #expect(throws: SQLiteOpenError.self) {
                _ = try await SQLiteStore.open(path: disk + "/latchkey.db")
            }
            #expect(error?.description.contains("Read-only file system") == true)
            #expect(error?.isTemporary == false)
            await #expect(throws: SQLiteOpenError.self) {
                _ = try await SQLiteStore.open(path: disk + "/new/latchkey.db")
            }
        }
    }
}

/// A file system in memory, as small as a test wants it.
enum SmallDisk {
    /// Whether this process may mount one.
    static let isAllowed: Bool = {
        guard geteuid() == 0 else { return false }
        let folder = "/tmp/latchkey-mount-\(UInt64.random(in: 0 ... .max))"
        guard unsafe mkdir(folder, 0o700) == 0 else { return false }
        defer { unsafe rmdir(folder) }
        guard unsafe mount("tmpfs", folder, "tmpfs", 0, "size=1m") == 0 else { return false }
        return unsafe umount(folder) == 0
    }()

    static func with(megabytes: Int, _ body: (String) async throws -> Void) async throws {
        try await Scratch.withFolder { folder in
            let disk = folder + "/disk"
            guard unsafe mkdir(disk, 0o700) == 0, unsafe mount("tmpfs", disk, "tmpfs", 0, "size=\(megabytes)m") == 0
            else { throw Scratch.Failure(errno: errno) }
            defer { unsafe umount2(disk, Int32(MNT_DETACH)) }
            try await body(disk)
        }
    }

    static func makeReadOnly(_ disk: String) throws {
        let flags = UInt(MS_REMOUNT | MS_RDONLY)
        guard unsafe mount("tmpfs", disk, "tmpfs", flags, nil) == 0 else { throw Scratch.Failure(errno: errno) }
    }
}
