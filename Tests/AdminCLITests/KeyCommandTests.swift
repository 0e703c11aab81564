import Encodings
import Glibc
import Identity
import Storage
import Terminal
import Testing

@testable import AdminCLI

@Suite("latchkey-admin: key and master-key")
struct KeyCommandTests {
    private func keys(_ run: AdminRun) async throws -> [(kid: String, state: String)] {
        let list = try #require(try await run("key", "list", "-o", "json").json().array)
        return list.compactMap { key in
            guard let kid = key.object?["kid"]?.string, let state = key.object?["state"]?.string else { return nil }
            return (kid, state)
        }
    }

    private func kid(_ state: String, _ run: AdminRun) async throws -> String {
        try #require(try await keys(run).first { $0.state == state }?.kid)
    }

    @Test("key rotate: the plan changes nothing; what was published signs, what signed retires, one more is published")
    func rotates() async throws {
        let run = try AdminRun()
        try await run.makeTenant()
        #expect(try await keys(run).map(\.state).sorted() == ["active", "published"])
        let (old, next) = (try await kid("active", run), try await kid("published", run))
        let plan = try await run("key", "rotate", "--plan", "-o", "json").json().array?.first?.object
        #expect(plan?["alg"] == "ES256" && plan?["current"] == .string(old) && plan?["next"] == .string(next))
        #expect(plan?["allowed_at"] == .string(run.now.rfc3339), "the first may change at once")
        #expect(try await kid("active", run) == old)

        #expect(await run("key", "rotate").exit == .done)
        #expect(try await keys(run).map(\.state).sorted() == ["active", "published", "retiring"])
        #expect(try await kid("active", run) == next)
        #expect(try await kid("retiring", run) == old)

        let tooSoon = await run("key", "rotate")
        #expect(tooSoon.exit == .conflict && tooSoon.errors.contains("clients may not know it"), "\(tooSoon.errors)")
        run.pass(seconds: 359)
        #expect(await run("key", "rotate").exit == .conflict)
        run.pass(seconds: 1)
        let second = await run("key", "rotate", "-o", "json")
        #expect(second.exit == .done, "\(second.errors)")
        #expect(try await keys(run).map(\.state).sorted() == ["active", "published", "retiring", "retiring"])
    }

    @Test("key rotate --now says what it breaks, asks, and does not wait")
    func urgent() async throws {
        let run = try AdminRun()
        try await run.makeTenant()
        #expect(await run("key", "rotate").exit == .done)
        let active = try await kid("active", run)
        let asked = await run("key", "rotate", "--now")
        #expect(asked.exit == .wrongUse && asked.errors.contains("--yes"), "\(asked.errors)")
        #expect(asked.errors.contains("clients may not know them"))
        #expect(try await kid("active", run) == active)
        #expect(await run("key", "rotate", "--now", "--yes").exit == .done)
        #expect(try await kid("active", run) != active)
        let wrong = await run("key", "rotate", "--alg", "RS512")
        #expect(wrong.exit == .wrongUse && wrong.errors.contains("It has ES256"), "\(wrong.errors)")
    }

    @Test("key revoke: the plan says what dies; an active key is replaced first; a gone one is not found")
    func revokes() async throws {
        let run = try AdminRun()
        try await run.makeTenant()
        let (active, published) = (try await kid("active", run), try await kid("published", run))
        let plan = try await run("key", "revoke", "--plan", "-o", "json", "--", active).json().object
        #expect(plan?["replaced_by"] == .string(published))
        #expect(plan?["tokens"]?.string?.contains("every token that it signed") == true)
        let idle = try await run("key", "revoke", "--plan", "-o", "json", "--", published).json().object
        #expect(idle?["tokens"] == "none" && idle?["replaced_by"] == nil)
        let asked = await run("key", "revoke", "--", active)
        #expect(asked.exit == .wrongUse && asked.errors.contains("--yes"), "\(asked.errors)")
        #expect(try await kid("active", run) == active)

        let revoked = try await run("key", "revoke", "--yes", "-o", "json", "--", active).json().object
        #expect(revoked?["revoked"] == true)
        #expect(try await kid("active", run) == published)
        #expect(try await keys(run).allSatisfy { $0.kid != active })
        #expect(await run("key", "revoke", "--yes", "--", active).exit == .notFound)
        #expect(await run("key", "revoke", "nothing", "--plan").exit == .notFound)
    }

    @Test("Three rotations, each as soon as it is allowed: a key signs only after all have had time to learn it")
    func threeRotations() async throws {
        let run = try AdminRun()
        try await run.makeTenant()
        var published: [String: Int64] = [:]
        let start = run.now
        for key in try await keys(run) { published[key.kid] = 0 }
        for round in 0..<3 {
            while await run("key", "rotate").exit == .conflict { run.pass(seconds: 30) }
            let elapsed = run.now.milliseconds(since: start) / 1000
            let active = try await kid("active", run)
            if round > 0 {
                #expect(elapsed - (published[active] ?? elapsed) >= 360, "max-age and stale-while-revalidate")
            }
            for key in try await keys(run) where published[key.kid] == nil { published[key.kid] = elapsed }
            // Those that signed stay published while a token of theirs may live.
            #expect(try await keys(run).count == round + 3)
        }
    }

    @Test("master-key rotate: first a key more in the file, then the store; the old key alone opens nothing then")
    func masterKey() async throws {
        let run = try AdminRun()
        try await run.makeTenant()
        let file = "\(run.folder)/mk"
        let old = try text(file)
        let early = await run("master-key", "rotate")
        #expect(early.exit == .conflict && early.errors.contains("rotate --add"), "\(early.errors)")
        let added = try await run("master-key", "rotate", "--add", "-o", "json").json().object
        let id = try #require(added?["added"]?.string)
        let both = try text(file)
        #expect(both.contains(id) && both.utf8.count > old.utf8.count)
        let rotated = try await run("master-key", "rotate", "-o", "json").json().object
        #expect(rotated?["new"] == .string(id) && rotated?["old"]?.string.map(old.contains) == true)
        #expect(await run("tenant", "create", "beta", "--domain", "b.example").exit == .done)

        try write(old, to: file)
        let refused = await run("tenant", "create", "gamma", "--domain", "c.example")
        #expect(refused.exit == .wrongUse && refused.errors.contains(id), "\(refused.errors)")
        try write(both, to: file)
        #expect(await run("tenant", "create", "gamma", "--domain", "c.example").exit == .done)
    }

    @Test("master-key rotate --add, several at once: every key that was answered is in the file")
    func addsAtOnce() async throws {
        let run = try AdminRun()
        try await run.makeTenant()
        let added = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await run("master-key", "rotate", "--add", "-o", "json").json().object?["added"]?.string
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let file = try text("\(run.folder)/mk")
        #expect(Set(added).count == 8)
        for id in added { #expect(id.map(file.contains) == true, "\(String(describing: id))") }
    }

    @Test("master-key replace-lost refuses a store that a server has open")
    func lostInUse() async throws {
        let run = try AdminRun()
        try await run.makeTenant()
        unsafe unlink("\(run.folder)/mk")
        #expect(await run("master-key", "create").exit == .done)
        let server = try await openStore(run.store)
        let refused = await run("master-key", "replace-lost", "--yes")
        #expect(refused.exit == .conflict && refused.errors.contains("in use"), "\(refused.errors)")
        await server.close()
        #expect(await run("master-key", "replace-lost", "--yes").exit == .done)
    }

    @Test("master-key replace-lost: not while it is there; then it says what is lost, asks, and makes new keys")
    func lost() async throws {
        let run = try AdminRun()
        try await run.makeTenant()
        let before = try await keys(run).map(\.kid)
        let early = await run("master-key", "replace-lost", "--yes")
        #expect(early.exit == .conflict && early.errors.contains("not lost"), "\(early.errors)")
        unsafe unlink("\(run.folder)/mk")
        #expect(await run("master-key", "create").exit == .done)
        let asked = await run("master-key", "replace-lost")
        #expect(asked.exit == .wrongUse && asked.errors.contains("2 signing keys"), "\(asked.errors)")
        #expect(asked.errors.contains("passkeys") && asked.errors.contains("--yes"))
        let done = try await run("master-key", "replace-lost", "--yes", "-o", "json").json().object
        #expect(done?["signing_keys_lost"] == 2 && done?["tenants_with_new_keys"] == 1, "\(String(describing: done))")
        let after = try await keys(run)
        // The public half of what signed stays until the last of its tokens is over.
        #expect(after.map(\.state).sorted() == ["active", "published", "retiring"])
        #expect(after.allSatisfy { before.contains($0.kid) == ($0.state == "retiring") })
        #expect(await run("tenant", "create", "beta", "--domain", "b.example").exit == .done)
    }

    private func text(_ path: String) throws -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(file, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private func write(_ text: String, to path: String) throws {
        let file = unsafe open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        try #require(file >= 0)
        defer { close(file) }
        let bytes = Array(text.utf8)
        let count = unsafe Glibc.write(file, bytes, bytes.count)
        #expect(count == bytes.count)
    }
}
