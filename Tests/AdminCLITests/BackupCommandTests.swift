import Encodings
import Glibc
import Identity
import Terminal
import Testing

@testable import AdminCLI

@Suite("latchkey-admin: backup and restore")
struct BackupCommandTests {
    @Test("A backup is put back, after asking, and says when it was made and what went")
    func putBack() async throws {
        let run = try AdminRun()
        try await run.makeTenant()
        let copy = "\(run.folder)/copy.db"
        defer { unsafe unlink(copy) }
        let made = await run("backup", copy, "-o", "json")
        #expect(made.exit == .done)
        let object = try #require(try made.json().object)
        #expect(object["file"] == .string(copy) && object["made_at"] == .string(run.now.rfc3339))
        #expect(made.errors.contains("master key is not in it"))
        #expect(await run("backup", copy).exit == .conflict)

        _ = await run("client", "create", "--name", "Since", "--type", "native", "--grant", "passkey")
        // With no terminal to ask at, nothing is done without --yes.
        #expect(await run("restore", copy, "--no-input").exit == .wrongUse)
        let restored = await run("restore", copy, "--yes", "-o", "json")
        #expect(restored.exit == .done, "\(restored.errors)")
        let answer = try #require(try restored.json().object)
        #expect(answer["made_at"] == .string(run.now.rfc3339) && answer["sessions_revoked"] == 0)
        let previous = try #require(answer["previous_store"]?.string)
        defer { for end in ["", "-lock"] { unsafe unlink(previous + end) } }
        #expect(await run("client", "show", "Since").exit == .notFound)
        #expect(await run("tenant", "show", "acme").exit == .done)
    }

    @Test("A backup that the master key does not open is refused; without a key file it is said to be unchecked")
    func masterKey() async throws {
        let run = try AdminRun()
        try await run.makeTenant()
        let copy = "\(run.folder)/file0"
        #expect(await run("backup", copy).exit == .done)
        unsafe unlink("\(run.folder)/mk")
        #expect(await run("master-key", "create").exit == .done)
        let refused = await run("restore", copy, "--yes")
        #expect(refused.exit == .failed && refused.errors.contains("sealed by master key"), "\(refused.errors)")
        unsafe unlink("\(run.folder)/mk")
        let unchecked = await run("restore", copy, "--yes", "-o", "json")
        #expect(unchecked.exit == .done && unchecked.errors.contains("Not checked"), "\(unchecked.errors)")
        let previous = try #require(try unchecked.json().object?["previous_store"]?.string)
        for end in ["", "-lock"] { unsafe unlink(previous + end) }
    }

    @Test("What cannot be done says why: no store, no file, a store on a server of its own")
    func refused() async throws {
        let run = try AdminRun()
        #expect(await run("backup", "\(run.folder)/copy.db").exit == .notFound)
        #expect(await run("restore", "\(run.folder)/none.db", "--yes").exit == .notFound)
        let postgres = await run("backup", "\(run.folder)/copy.db", "--store", "postgres://db.example/latchkey")
        #expect(postgres.exit == .wrongUse && postgres.errors.contains("pg_dump"))
    }
}
