import Encodings
import Glibc
import Identity
import Storage
import Terminal
import Testing
import WebAuthn

@testable import AdminCLI

@Suite("latchkey-admin: tenants that are suspended, and who has passkeys")
struct TenantLifeTests {
    /// Somebody with so many passkeys, perhaps a password.
    private struct Somebody {
        var name: String
        var passkeys = 0
        var hasPassword = false
        var isBackedUp = false
        var isBlocked = false
    }

    /// Adds people to `acme`, with a counter of 0 and no sign-in.
    private func add(_ people: [Somebody], to run: AdminRun) async throws {
        let store = try await openStore(run.store)
        let id = try #require(try await store.tenant(named: "acme"))
        let tenant = try #require(try await store.configuration(of: id))
        let connection = try #require(tenant.connections.first)
        let client = try #require(tenant.clients.keys.first)
        let device = Device(address: "192.0.2.1", userAgent: "Test")
        for (index, person) in people.enumerated() {
            let number = UInt8(index)
            let user = User(
                id: UserID(now: run.now, random: [0, 0, 0, 0, 0, 0, 0, number]),
                tenant: id,
                connection: connection.id,
                identifiers: [try #require(CanonicalIdentifier.email("\(person.name)@example.com"))],
                profile: UserProfile(name: person.name),
                blockedAt: person.isBlocked ? run.now : nil,
                createdAt: run.now,
                updatedAt: run.now
            )
            let event = AuditEvent(tenant: id, types: ["ss"], at: run.now, user: user.id, device: device, details: [:])
            let handle = [UInt8](repeating: number, count: 32)
            func ceremony(_ passkey: Int) -> CeremonyRecord {
                CeremonyRecord(
                    id: CeremonyID(TimeOrderedID(now: run.now, random: [number, UInt8(passkey)])),
                    tenant: id,
                    client: client,
                    connection: connection.id,
                    purpose: "signup",
                    outcome: CeremonyRecord.accepted,
                    step: nil,
                    user: user.id,
                    startedAt: run.now,
                    endedAt: run.now,
                    device: device,
                    details: [:]
                )
            }
            func passkey(_ index: Int) -> Passkey {
                Passkey(
                    id: PasskeyID("dev_\(person.name)_\(index)"),
                    tenant: id,
                    user: user.id,
                    relyingPartyID: "acme.example",
                    userHandle: handle,
                    record: CredentialRecord(
                        id: [number, UInt8(index)],
                        publicKey: [0xA0],
                        signCount: 0,
                        uvInitialized: true,
                        transports: [],
                        backupEligible: person.isBackedUp,
                        backupState: person.isBackedUp
                    ),
                    enrolledBy: .signup,
                    createdAt: run.now
                )
            }
            if person.hasPassword {
                let password = PasswordRecord(hash: "$argon2id$x", changedAt: run.now)
                try await store.add(user, userHandle: handle, password: password, audit: event)
                for index in 0..<person.passkeys {
                    _ = try await store.add(passkey(index), maximum: 9, ceremony: ceremony(index), audit: event)
                }
            } else {
                try await store.add(
                    user,
                    userHandle: handle,
                    passkey: passkey(0),
                    ceremony: ceremony(0),
                    audit: event
                )
                for index in 1..<max(1, person.passkeys) {
                    _ = try await store.add(passkey(index), maximum: 9, ceremony: ceremony(index), audit: event)
                }
            }
        }
        await store.close()
    }

    private func made() async throws -> AdminRun {
        let run = try AdminRun()
        try await run.makeTenant()
        let people = [
            Somebody(name: "ana", passkeys: 1), Somebody(name: "bo", passkeys: 1, hasPassword: true),
            Somebody(name: "cy", passkeys: 1, hasPassword: true, isBackedUp: true),
            Somebody(name: "di", passkeys: 2, hasPassword: true), Somebody(name: "ed", hasPassword: true),
            Somebody(name: "flo", hasPassword: true, isBlocked: true),
        ]
        try await add(people, to: run)
        return run
    }

    @Test("A tenant is suspended and serves again; twice is as good as once, and each is written down")
    func suspended() async throws {
        let run = try AdminRun()
        try await run.makeTenant()
        for _ in 0..<2 {
            run.pass(seconds: 1)
            let outcome = await run("tenant", "suspend", "acme", "-o", "json")
            #expect(outcome.exit == .done, "\(outcome)")
            #expect(try outcome.json().object?["suspended"] == true)
        }
        #expect(try await run("tenant", "show", "acme", "-o", "json").json().object?["suspended"] == true)
        for _ in 0..<2 {
            run.pass(seconds: 1)
            let outcome = await run("tenant", "resume", "acme", "-o", "json")
            #expect(outcome.exit == .done, "\(outcome)")
            #expect(try outcome.json().object?["suspended"] == false)
        }
        let events = try #require(try await run("audit", "tail", "--type", "sapi", "-o", "json").json().array)
        let commands = events.compactMap { $0.object?["details"]?.object?["command"]?.string }
        #expect(commands.filter { $0 == "tenant suspend" }.count == 1, "\(commands)")
        #expect(commands.filter { $0 == "tenant resume" }.count == 1, "\(commands)")
        #expect(await run("tenant", "suspend", "acmee").errors.contains("Did you mean \"acme\"?"))
    }

    @Test("A tenant is written out, and goes with everybody once its name is typed or --yes is said")
    func deleted() async throws {
        let run = try await made()
        _ = await run("tenant", "create", "other", "--domain", "login.other.example")
        let folder = "\(run.folder)/gone"
        defer {
            for name in ["tenant.json", "users.json", "audit.jsonl"] { unsafe unlink("\(folder)/\(name)") }
            unsafe rmdir(folder)
        }
        let asked = await run("tenant", "delete", "acme", "--export", folder, "--no-input")
        #expect(asked.exit == .wrongUse && asked.errors.contains("6 users, 5 passkeys"), "\(asked)")
        #expect(await run("tenant", "delete", "acme", "--export", folder, "--no-export").exit == .wrongUse)
        #expect(await run("tenant", "delete", "acme", "--export", run.folder, "--yes").exit == .conflict)
        #expect(try await run("tenant", "show", "acme", "-o", "json").json().object?["suspended"] == false)

        let before = run.now
        let outcome = await run("tenant", "delete", "acme", "--export", folder, "--yes", "-o", "json")
        #expect(outcome.exit == .done, "\(outcome.errors)")
        let answer = try #require(try outcome.json().object)
        #expect(answer["users"] == 6 && answer["passkeys"] == 5 && answer["export"] == .string(folder), "\(answer)")
        // Servers had the time to hear of the suspension.
        #expect(run.now.seconds - before.seconds >= 10)

        let users = try JSON.parse(try readSecretFile("\(folder)/users.json"))
        #expect(users.array?.count == 6)
        #expect(users.array?.contains { $0.object?["custom_password_hash"] != nil } == true)
        let tenant = try JSON.parse(try readSecretFile("\(folder)/tenant.json"))
        #expect(tenant.object?["databases"]?.array?.count == 1)
        let verified = await run("audit", "verify", "\(folder)/audit.jsonl")
        #expect(verified.exit == .done, "\(verified.errors)")
        let log = String(decoding: try readSecretFile("\(folder)/audit.jsonl"), as: UTF8.self)
        #expect(log.contains("\"tenant delete\""), "\(log)")

        #expect(await run("tenant", "show", "acme").exit == .notFound)
        let store = try await openStore(run.store)
        let left = try await store.tenants().map(\.name)
        await store.close()
        #expect(left == ["other"])
        let again = await run("tenant", "create", "acme", "--domain", "login.acme.example", "--rp-id", "acme.example")
        #expect(again.exit == .done, "\(again.errors)")
        #expect(try await run("user", "list", "--tenant", "acme", "-o", "json").json().array?.isEmpty == true)
    }

    @Test("Who removed a tenant that was suspended before stands in what is written out of its log")
    func deletedLater() async throws {
        let run = try await made()
        let folder = "\(run.folder)/gone"
        defer {
            for name in ["tenant.json", "users.json", "audit.jsonl"] { unsafe unlink("\(folder)/\(name)") }
            unsafe rmdir(folder)
        }
        #expect(await run("tenant", "suspend", "acme").exit == .done)
        #expect(await run("tenant", "delete", "acme", "--export", folder, "--yes").exit == .done)
        let log = String(decoding: try readSecretFile("\(folder)/audit.jsonl"), as: UTF8.self)
        #expect(log.contains("\"tenant suspend\"") && log.contains("\"tenant delete\""), "\(log)")
    }

    @Test("report adoption counts by connection, and says what is left and who could do without")
    func adoption() async throws {
        let run = try await made()
        let outcome = await run("report", "adoption", "-o", "json")
        #expect(outcome.exit == .done, "\(outcome.errors)")
        let row = try #require(try outcome.json().array?.first?.object)
        for (member, count) in [
            ("users", 6), ("blocked", 1), ("passkey_only", 1), ("passkey_and_password", 3), ("password_only", 1),
            ("nothing", 0), ("passkeys", 5), ("could_retire_password", 2), ("with_passkey_percent", 80),
        ] {
            #expect(row[member] == .integer(Int64(count)), "\(member) \(row)")
        }
        #expect(row["phishable_factors"] == ["password": 4] && row["tenant"] == "acme", "\(row)")
        #expect(outcome.errors.contains("left with 4 users; 2 of them could do without"), "\(outcome.errors)")
        let table = await run("report", "adoption", "--tenant", "acme")
        #expect(table.output.contains("PASSWORD") && table.output.contains("acme"), "\(table)")
        #expect(table.output.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(table)")
    }

    @Test(
        "--way names those who get in that way",
        arguments: [
            ("passkey", ["ana"]), ("both", ["bo", "cy", "di"]), ("password", ["ed"]), ("nothing", []),
        ] as [(String, [String])]
    )
    func who(_ way: String, _ names: [String]) async throws {
        let run = try await made()
        let rows = try #require(try await run("report", "adoption", "--way", way, "-o", "json").json().array)
        #expect(rows.compactMap { $0.object?["name"]?.string } == names.map { "\($0)@example.com" })
        if names.count > 1 {
            let one = await run("report", "adoption", "--way", way, "--limit", "1", "-o", "json")
            #expect(try one.json().array?.count == 1)
        }
    }
}
