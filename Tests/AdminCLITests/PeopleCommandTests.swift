import Cryptography
import Encodings
import Identity
import Storage
import Terminal
import Testing
import WebAuthn

@testable import AdminCLI

@Suite("latchkey-admin: people, passkeys and ceremonies")
struct PeopleCommandTests {
    private let run: AdminRun
    private let user: UserID
    private let passkey = PasskeyID("dev_0aB3cD4eF5gH6iJ7")
    private let accepted: CeremonyID
    private let refused: CeremonyID

    init() async throws {
        run = try AdminRun()
        let now = run.now
        user = UserID(now: now, random: [1, 2, 3, 4, 5, 6, 7, 8])
        accepted = CeremonyID(TimeOrderedID(now: now, random: [1]))
        refused = CeremonyID(TimeOrderedID(now: now, random: [2]))
        try await run.makeTenant()
        let store = try await openStore(run.store)
        let tenant = try #require(try await store.tenant(named: "acme"))
        let configuration = try #require(try await store.configuration(of: tenant))
        let client = try #require(configuration.clients.keys.first)
        let connection = try #require(configuration.connections.first)
        let device = Device(address: "192.0.2.1", userAgent: "Test")
        let email = try #require(CanonicalIdentifier.email("Ana@example.com"))
        let session = Session(
            id: SessionID(TimeOrderedID(now: now, random: [3])),
            tenant: tenant,
            user: user,
            client: client,
            amr: ["phr"],
            acr: "phr",
            passkey: nil,
            createdAt: now,
            authenticatedAt: now,
            lastInteraction: now,
            expiresAt: now.adding(seconds: 3600),
            idleExpiresAt: now.adding(seconds: 3600),
            device: device
        )
        func record(_ id: CeremonyID, _ outcome: String, _ details: JSONObject) -> CeremonyRecord {
            CeremonyRecord(
                id: id,
                tenant: tenant,
                client: client,
                connection: connection.id,
                purpose: outcome == CeremonyRecord.accepted ? "signup" : "login",
                outcome: outcome,
                step: outcome == CeremonyRecord.accepted ? nil : "7.2 step 12",
                user: nil,
                startedAt: now,
                endedAt: now,
                device: device,
                details: details
            )
        }
        try await store.signUp(
            User(
                id: user,
                tenant: tenant,
                connection: connection.id,
                identifiers: [email],
                profile: UserProfile(name: "Ana"),
                createdAt: now,
                updatedAt: now
            ),
            userHandle: [UInt8](repeating: 7, count: 32),
            passkey: Passkey(
                id: passkey,
                tenant: tenant,
                user: user,
                relyingPartyID: "acme.example",
                userHandle: [UInt8](repeating: 7, count: 32),
                record: CredentialRecord(
                    id: [1, 2, 3],
                    publicKey: [0xA0],
                    signCount: 4,
                    uvInitialized: true,
                    transports: ["internal"],
                    backupEligible: true,
                    backupState: true
                ),
                enrolledBy: .signup,
                createdAt: now
            ),
            login: LoginEffect(
                session: session,
                cookieHash: nil,
                replacedCookieHash: nil,
                refresh: nil,
                ceremony: record(accepted, CeremonyRecord.accepted, [:]),
                audit: AuditEvent(tenant: tenant, types: ["ss"], at: now, user: user, device: device)
            )
        )
        let evidence: JSONObject = ["expected": "https://acme.example", "got": "https://evil.example"]
        try await store.append(ceremonies: [record(refused, "origin_mismatch", evidence)], events: [])
        await store.close()
    }

    @Test("A user is found by id, by digits, and by what they type")
    func users() async throws {
        let list = try #require(try await run("user", "list", "-o", "json").json().array)
        #expect(list.map { $0.object?["user_id"] } == [.string(user.subject)])
        for name in [user.subject, user.hex, "ANA@Example.com"] {
            let object = try await run("user", "show", name, "-o", "json").json().object
            #expect(object?["email"] == "Ana@example.com" && object?["passkeys"] == [.string(passkey.text)])
            #expect(object?["connection"] == "Username-Password-Authentication" && object?["name"] == "Ana")
        }
        let table = await run("user", "list")
        #expect(table.output.contains(user.subject) && table.output.contains("USER ID"))
        #expect(await run("user", "list", "-o", "csv").output.hasPrefix("user_id,name,email"))
        #expect(try await run("user", "list", "--before", user.subject, "-o", "json").json() == [])
    }

    @Test("A user is blocked with all sessions, and let in again")
    func blocks() async throws {
        let sessions = try #require(try await run("session", "list", "ana@example.com", "-o", "json").json().array)
        #expect(sessions.count == 1 && sessions.first?.object?["client"] != nil)
        #expect(await run("session", "list", "ana@example.com").output.contains("SIGNED IN"))
        let blocked = try await run("user", "block", "ana@example.com", "-o", "json").json().object
        #expect(blocked == ["user_id": .string(user.subject), "blocked": true])
        #expect(try await run("session", "list", "ana@example.com", "-o", "json").json() == [])
        #expect(try await run("user", "show", user.hex, "-o", "json").json().object?["blocked"] == true)
        let unblocked = try await run("user", "unblock", user.hex, "-o", "json").json().object
        #expect(unblocked?["blocked"] == false)
        #expect(await run("user", "block", "nobody@example.com").exit == .notFound)
    }

    @Test("A link for a new passkey is printed alone, kept as a hash, and not made for who is blocked")
    func enrollLink() async throws {
        let made = await run("enroll-link", "ana@example.com", "--minutes", "10")
        let link = String(made.output.dropLast())
        #expect(made.exit == .done && link.hasPrefix("https://") && !link.contains("\n"), "\(made)")
        #expect(made.errors.contains("once, within 10 minutes") && !made.errors.contains("ticket="))
        let secret = try #require(link.split(separator: "/u/enroll-passkey?ticket=").last.map { String($0) })
        let store = try await openStore(run.store)
        let tenant = try #require(try await store.tenant(named: "acme"))
        func ticket(after seconds: Int64) async throws -> Ticket? {
            try await store.ticket(
                hash: SHA256.hash(try Base64URL.decode(secret)),
                for: .passkeyEnrollment,
                of: tenant,
                now: run.now.adding(seconds: seconds)
            )
        }
        #expect(try await ticket(after: 590)?.user == user)
        #expect(try await ticket(after: 610) == nil)
        await store.close()
        let json = try await run("enroll-link", user.hex, "-o", "json").json().object
        #expect(json?["user_id"] == .string(user.subject) && json?["expires_at"] != nil)
        for (words, exit) in [
            (["nobody@example.com"], ExitCode.notFound), (["ana@example.com", "--minutes", "0"], .wrongUse),
            (["ana@example.com", "--minutes", "1441"], .wrongUse), (["ana@example.com", "--domain", "x"], .notFound),
        ] {
            #expect(await run.run(["enroll-link"] + words).exit == exit, "\(words)")
        }
        _ = await run("user", "block", "ana@example.com")
        let refused = await run("enroll-link", "ana@example.com")
        #expect(refused.exit == .conflict && refused.errors.contains("user unblock"), "\(refused)")
    }

    @Test("Sessions end one by one, or all of a user")
    func sessions() async throws {
        let sessions = try #require(try await run("session", "list", user.hex, "-o", "json").json().array)
        let id = try #require(sessions.first?.object?["id"]?.string)
        let one = try await run("session", "revoke", id, "--keep-tokens", "-o", "json").json().object
        #expect(one == ["user_id": .string(user.subject), "revoked": true, "tokens_revoked": false])
        #expect(try await run("session", "list", user.hex, "-o", "json").json() == [])
        #expect(await run("session", "revoke", id).exit == .notFound)
        #expect(await run("session", "revoke", "ana@example.com").exit == .done)
        #expect(await run("session", "revoke", "nobody@example.com").exit == .notFound)
    }

    @Test("A hundred wrong passwords are forgotten")
    func unlocks() async throws {
        let store = try await openStore(run.store)
        let tenant = try #require(try await store.tenant(named: "acme"))
        let connection = try #require(try await store.configuration(of: tenant)?.connections.first).id
        let email = try #require(CanonicalIdentifier.email("ana@example.com"))
        let hash = SHA256.hash(Array("email:ana@example.com".utf8))
        func inRow() async throws -> Int? {
            try await store.beginPasswordTry(
                nameHash: hash,
                identifier: email,
                in: connection,
                of: tenant,
                limit: 100,
                now: run.now.adding(seconds: 60)
            )?.inRow
        }
        for expected in 1...100 { #expect(try await inRow() == expected) }
        #expect(try await inRow() == nil)
        let unlocked = try await run("user", "unlock", "ana@example.com", "-o", "json").json().object
        #expect(unlocked == ["user_id": .string(user.subject), "unlocked": ["Ana@example.com"]])
        #expect(try await inRow() == 1)
        await store.close()
    }

    @Test("An export is what an import takes, with hashes only when they are asked for")
    func exports() async throws {
        let store = try await openStore(run.store)
        let tenant = try #require(try await store.tenant(named: "acme"))
        let connection = try #require(try await store.configuration(of: tenant)?.connections.first).id
        let hash = "$argon2id$v=19$m=64,t=1,p=1$AAECAwQFBgcICQoLDA0ODw$Jc5SM8weTTfpvKMb/vQXEOQERs0ctXWTJ5HF/TeAvTw"
        let bob = User(
            id: UserID(now: run.now, random: [9]),
            tenant: tenant,
            connection: connection,
            identifiers: [try #require(CanonicalIdentifier.email("bob@example.com"))],
            profile: UserProfile(userMetadata: ["plan": "gold"]),
            createdAt: run.now,
            updatedAt: run.now
        )
        try await store.add(
            NewUser(
                user: bob,
                userHandle: [1, 2],
                password: PasswordRecord(hash: hash, changedAt: run.now)
            ),
            audit: AuditEvent(tenant: tenant, types: ["sapi"], at: run.now, device: Device(address: "", userAgent: ""))
        )
        await store.close()
        let all = try #require(try await run("user", "export").json().array).compactMap(\.object)
        #expect(all.count == 2 && all.allSatisfy { $0["custom_password_hash"] == nil && $0["password_hash"] == nil })
        let ana = try #require(all.first { $0["email"] == "Ana@example.com" })
        #expect(ana["passkeys"]?.array?.first?.object?["key_id"] == "AQID" && ana["name"] == "Ana")
        let whole = try #require(try await run("user", "export", "--with-hashes").json().array).compactMap(\.object)
        let exported = try #require(whole.first { $0["email"] == "bob@example.com" })
        #expect(
            exported["custom_password_hash"]
                == ["algorithm": "argon2", "hash": ["value": .string(hash), "encoding": "utf8"]]
        )
        // As the import reads it.
        let read = try UserDocument(exported, for: .import(relyingPartyIDs: ["acme.example"]), in: ConnectionOptions())
        #expect(read.id == bob.id && read.profile == bob.profile && read.customPasswordHash != nil)
    }

    @Test("A passkey is listed whole, and revoked only when its loss was agreed to")
    func passkeys() async throws {
        let list = try await run("passkey", "list", "ana@example.com", "-o", "json").json().array
        let object = try #require(list?.first?.object)
        #expect(object["id"] == .string(passkey.text) && object["key_id"] == "AQID" && object["sign_count"] == 4)
        #expect(
            object["credential_device_type"] == "multi_device" && object["relying_party_identifier"] == "acme.example"
        )

        #expect(await run("passkey", "revoke", passkey.text).exit == .wrongUse)
        let last = await run("passkey", "revoke", passkey.text, "--yes")
        #expect(last.exit == .conflict && last.errors.contains("--last"))
        let done = await run("passkey", "revoke", "passkey|\(passkey.text)", "--last", "--yes", "-o", "json")
        #expect(done.exit == .done, "\(done.errors)")
        #expect(try await run("passkey", "list", user.subject, "-o", "json").json() == [])
        #expect(await run("passkey", "revoke", passkey.text, "--last", "--yes").exit == .notFound)
    }

    @Test("Ceremonies are listed newest first, refusals counted by reason")
    func ceremonies() async throws {
        #expect(try await run("ceremony", "list", "-o", "json").json().array?.count == 2)
        let failed = try await run("ceremony", "list", "--failed", "--since", "15m", "-o", "json").json().array
        #expect(failed?.map { $0.object?["id"] } == [.string(refused.text)])
        let table = await run("ceremony", "list", "--failed")
        #expect(table.output.contains("REASON") && table.output.contains("origin_mismatch"))
    }

    @Test("A refusal is explained: what was expected, what came, what to set")
    func explains() async throws {
        let object = try #require(try await run("ceremony", "explain", refused.text, "-o", "json").json().object)
        #expect(object["outcome"] == "origin_mismatch" && object["step"] == "7.2 step 12")
        #expect(object["details"]?.object?["got"] == "https://evil.example")
        #expect(object["remedy"]?.string?.contains("related_origins") == true && object["tenant"] == "acme")
        let fine = try #require(try await run("ceremony", "explain", accepted.text, "-o", "json").json().object)
        #expect(fine["outcome"] == "accepted" && fine["remedy"] == nil)
        let unknown = CeremonyID(TimeOrderedID(now: run.now, random: [9])).text
        #expect(await run("ceremony", "explain", unknown).exit == .notFound)
    }

    @Test("Who has no passkey of the new RP ID is counted and named, and an early cut-over is refused")
    func relyingParties() async throws {
        #expect(await run("rp", "status").errors.contains("No domain of acme"))
        let added = await run("domain", "add", "id.new.example", "--legacy-rp-id", "acme.example")
        #expect(added.exit == .done, "\(added.errors)")
        let row = try await run("rp", "status", "-o", "json").json().array?.first?.object
        #expect(row?["from"] == "acme.example" && row?["to"] == "id.new.example", "\(String(describing: row))")
        #expect(row?["users"] == 1 && row?["left_behind"] == 1 && row?["percent"] == "0 %")
        let who = try await run("rp", "status", "--who", "-o", "json").json().array
        #expect(who?.count == 1 && who?.first?.object?["user_id"] == .string(user.subject))
        let early = await run("rp", "cut-over", "id.new.example", "acme.example", "--yes")
        #expect(early.exit == .conflict && early.errors.contains("1 would be left behind"), "\(early.errors)")
        for (words, exit): ([String], ExitCode) in [
            (["id.new.example", "acme.example", "--threshold", "101"], .wrongUse),
            (["id.new.example", "acme.example", "--threshold", "x"], .wrongUse),
            (["id.new.example", "other.example"], .notFound), (["id.nobody.example", "acme.example"], .notFound),
            // Somebody would be left behind, and nobody can be asked.
            (["id.new.example", "acme.example", "--threshold", "0"], .wrongUse),
        ] {
            let outcome = await run.run(["rp", "cut-over"] + words)
            #expect(outcome.exit == exit, "\(words) \(outcome.errors)")
        }
        let done = await run(
            "rp",
            "cut-over",
            "id.new.example",
            "acme.example",
            "--threshold",
            "0",
            "--yes",
            "-o",
            "json"
        )
        #expect(try done.json().object?["legacy_relying_party_identifiers"] == [], "\(done.errors)")
        #expect(try await run("rp", "status", "-o", "json").json().array?.isEmpty == true)
    }
}
