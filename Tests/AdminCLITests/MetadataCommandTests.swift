import Cryptography
import Encodings
import Foundation
import Identity
import SoftwareAuthenticator
import Storage
import Terminal
import Testing
import WebAuthn

@testable import AdminCLI

@Suite("latchkey-admin mds: metadata of authenticators")
struct MetadataCommandTests {
    private let run: AdminRun
    private let service: MetadataAuthority
    private let maker: AttestationAuthority
    private let aaguid: AAGUID
    /// 2027-01-15T08:00:00Z, the time of the runs.
    private static let time: Int64 = 1_800_000_000

    init() throws {
        run = try AdminRun()
        service = try MetadataAuthority(validAt: Self.time)
        aaguid = try #require(AAGUID("00112233-4455-6677-8899-aabbccddeeff"))
        maker = try AttestationAuthority(aaguid: aaguid, validAt: Self.time)
        try write("file0", Array(service.root.pem.utf8))
    }

    private func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(filePath: "\(run.folder)/\(name)"))
    }

    private func blob(
        _ number: Int64,
        nextUpdate: String = "2027-02-01",
        status: [String] = ["FIDO_CERTIFIED_L1"]
    ) throws -> [UInt8] {
        let entry = MetadataAuthority.entry(for: aaguid, name: "Example key", status: status, roots: [maker.root])
        return Array(try service.blob(number: number, nextUpdate: nextUpdate, entries: [entry]).utf8)
    }

    private func take(_ blob: [UInt8], _ flags: String...) async throws -> AdminRun.Outcome {
        try write("file1", blob)
        return await run.run(
            ["mds", "import", "\(run.folder)/file1", "--roots", "\(run.folder)/file0", "-o", "json"] + flags
        )
    }

    @Test("A good BLOB is kept, and shown")
    func imports() async throws {
        try await run.makeTenant()
        #expect(await run("mds", "show").exit == .notFound)
        let taken = try await take(blob(7))
        #expect(taken.exit == .done, "\(taken.errors)")
        let answer = try taken.object()
        #expect(answer["number"]?.integer == 7 && answer["models"]?.integer == 1)
        #expect(answer["signer"]?.string?.contains("mds.example") == true)
        // Nothing says whether the signer was revoked, and that is told.
        #expect(taken.errors.contains("was revoked is not known"))
        let shown = try await run("mds", "show", aaguid.description, "-o", "json").object()
        #expect(shown["name"]?.string == "Example key" && shown["status"]?.string == "FIDO_CERTIFIED_L1")
        #expect(shown["trusted"]?.bool == true && shown["icon"]?.string?.hasPrefix("data:image/png") == true)
        #expect(try await run("mds", "show", "-o", "json").object()["number"]?.integer == 7)
        // A provider that everybody knows needs no metadata; a model that nobody knows is not found.
        let known = try await run("mds", "show", "d548826e-79b4-db40-a3d8-11116f7e8349", "-o", "json").object()
        #expect(known["name"]?.string == "Bitwarden")
        #expect(await run("mds", "show", "00000000-0000-0000-0000-00000000ffff").exit == .notFound)
    }

    @Test("A refused BLOB leaves the last good one in its place")
    func refusals() async throws {
        try await run.makeTenant()
        #expect(try await take(blob(7)).exit == .done)
        let older = try await take(blob(6))
        #expect(older.exit == .conflict && older.errors.contains("Number 7 stays in use."))
        let stale = try await take(blob(9, nextUpdate: "2027-01-14"))
        #expect(stale.exit == .answerIsNo && stale.errors.contains("--allow-stale"))
        var forged = try blob(9)
        let place = forged.count - 10
        forged[place] = forged[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        #expect(try await take(forged).exit == .answerIsNo)
        #expect(try await take(Array("nonsense".utf8)).exit == .wrongUse)
        try write("file0", Array(try MetadataAuthority(validAt: Self.time).root.pem.utf8))
        let untrusted = try await take(blob(9))
        #expect(untrusted.exit == .answerIsNo && untrusted.errors.contains("its signer is not trusted"))
        #expect(try await run("mds", "show", "-o", "json").object()["number"]?.integer == 7)
        // A stale one is taken when that is said.
        try write("file0", Array(service.root.pem.utf8))
        let allowed = try await take(blob(9, nextUpdate: "2027-01-14"), "--allow-stale")
        #expect(allowed.exit == .done && allowed.errors.contains("there should be newer metadata"))
    }

    @Test("Revocation lists are read from a folder, in DER and in PEM")
    func revocationLists() async throws {
        try await run.makeTenant()
        try FileManager.default.createDirectory(atPath: "\(run.folder)/crls", withIntermediateDirectories: true)
        let (from, to) = (Self.time - 86_400, Self.time + 86_400)
        let ofRoot = try service.revocationList(ofRoot: true, revoking: [], from: from, to: to)
        let ofAuthority = try service.revocationList(ofRoot: false, revoking: [], from: from, to: to)
        try write("crls/file0", ofRoot)
        try write("crls/file1", Array(PEM(label: "X509 CRL", der: ofAuthority).text.utf8))
        let good = try await take(blob(7), "--crls", "\(run.folder)/crls")
        #expect(good.exit == .done && !good.errors.contains("is not known"), "\(good.errors)")
        let revoking = try service.revocationList(ofRoot: false, revoking: [service.signer], from: from, to: to)
        try write("crls/file1", revoking)
        try write("crls/file2", Array("nonsense".utf8))
        let revoked = try await take(blob(8), "--crls", "\(run.folder)/crls")
        #expect(revoked.exit == .answerIsNo && revoked.errors.contains("was revoked"))
        #expect(revoked.errors.contains("is no revocation list"))
    }

    @Test("Without FILE the BLOB is fetched from mds.url, with the roots of mds.roots")
    func downloads() async throws {
        let address = "https://mds.example/blob"
        let roots = "\(run.folder)/file0"
        let run = try AdminRun(
            variables: ["LATCHKEY_MDS_URL": address, "LATCHKEY_MDS_ROOTS": roots],
            documents: [address: try blob(3)]
        )
        try await run.makeTenant()
        let taken = await run("mds", "import", "-o", "json")
        #expect(taken.exit == .done, "\(taken.errors)")
        #expect(try taken.object()["number"]?.integer == 3)
        let elsewhere = try AdminRun(variables: [
            "LATCHKEY_MDS_URL": "https://no.example/", "LATCHKEY_MDS_ROOTS": roots,
        ])
        try await elsewhere.makeTenant()
        #expect(await elsewhere("mds", "import").exit == .unavailable)
        let unset = try AdminRun()
        try await unset.makeTenant()
        #expect(await unset("mds", "import").errors.contains("mds.roots"))
    }

    @Test("Certificates that the BLOB names are fetched from its own origin, and from no other")
    func namedCertificates() async throws {
        let address = "https://mds.example/blob"
        let roots = "\(run.folder)/file0"
        let pem = service.certificates.map(\.pem).joined(separator: "\n")
        for (place, exit) in [
            ("https://mds.example/chain.pem", ExitCode.done), ("https://MDS.example:443/chain.pem", .done),
            ("https://mds.example/none.pem", .unavailable), ("https://mds.example/text", .answerIsNo),
            ("https://mds.example:8443/chain.pem", .answerIsNo), ("https://other.example/chain.pem", .answerIsNo),
            ("http://mds.example/chain.pem", .answerIsNo), ("https://mds.example@other.example/chain.pem", .answerIsNo),
        ] {
            let blob = try service.blob(
                number: 3,
                nextUpdate: "2027-02-01",
                entries: [],
                certificateAddress: place
            )
            let run = try AdminRun(
                variables: ["LATCHKEY_MDS_URL": address, "LATCHKEY_MDS_ROOTS": roots],
                documents: [
                    address: Array(blob.utf8), "https://mds.example/chain.pem": Array(pem.utf8),
                    "https://MDS.example:443/chain.pem": Array(pem.utf8), "https://mds.example/text": Array("x".utf8),
                    "https://other.example/chain.pem": Array(pem.utf8),
                    "https://mds.example:8443/chain.pem": Array(pem.utf8),
                ]
            )
            try await run.makeTenant()
            let outcome = await run("mds", "import")
            #expect(outcome.exit == exit, "\(place): \(outcome.errors)")
        }
        // Whoever brings a file has no origin.
        let file = try service.blob(
            number: 3,
            nextUpdate: "2027-02-01",
            entries: [],
            certificateAddress: "https://mds.example/chain.pem"
        )
        try await run.makeTenant()
        #expect(try await take(Array(file.utf8)).exit == .answerIsNo)
    }

    @Test("A sweep lists the passkeys of models that were compromised since, U2F keys among them")
    func sweeps() async throws {
        try await run.makeTenant()
        let store = try await openStore(run.store)
        let tenant = try #require(try await store.tenant(named: "acme"))
        let configuration = try #require(try await store.configuration(of: tenant))
        let person = try await Person(in: configuration, store, run.now)
        let other = try #require(AAGUID("00112233-4455-6677-8899-000000000000"))
        let compromised = try await person.add(aaguid: aaguid, attestationObject: nil)
        _ = try await person.add(aaguid: other, attestationObject: nil)
        let universal = try await person.add(aaguid: .zero, attestationObject: universalObject)
        await store.close()

        #expect(await run("mds", "sweep").exit == .notFound)
        #expect(try await take(blob(1)).exit == .done)
        let clean = await run("mds", "sweep", "-o", "json")
        #expect(clean.exit == .done, "\(clean.errors)")
        #expect(try clean.json().array?.isEmpty == true)
        let key = try MetadataAuthority.entry(
            forAttestationKeys: [maker.certificate.publicKey],
            name: "Old U2F key",
            status: ["REVOKED"],
            roots: []
        )
        let model = MetadataAuthority.entry(
            for: aaguid,
            name: "Example key",
            status: ["FIDO_CERTIFIED_L1", "USER_VERIFICATION_BYPASS"],
            roots: []
        )
        let second = try service.blob(number: 2, nextUpdate: "2027-02-01", entries: [key, model])
        #expect(try await take(Array(second.utf8)).exit == .done)
        let found = await run("mds", "sweep", "--tenant", "acme", "-o", "json")
        #expect(found.exit == .answerIsNo)
        let rows = try #require(try found.json().array).compactMap(\.object)
        #expect(rows.map { $0["id"]?.string } == [compromised.text, universal.text])
        #expect(rows.map { $0["status"]?.string } == ["USER_VERIFICATION_BYPASS", "REVOKED"])
        #expect(rows.map { $0["authenticator"]?.string } == ["Example key", "Old U2F key"])
    }

    @Test("Passkeys are listed with the name and icon of their model, U2F keys by their certificate")
    func namesModels() async throws {
        try await run.makeTenant()
        let store = try await openStore(run.store)
        let tenant = try #require(try await store.tenant(named: "acme"))
        let configuration = try #require(try await store.configuration(of: tenant))
        let person = try await Person(in: configuration, store, run.now)
        let provider = try #require(AAGUID("d548826e-79b4-db40-a3d8-11116f7e8349"))
        _ = try await person.add(aaguid: provider, attestationObject: nil)
        _ = try await person.add(aaguid: aaguid, attestationObject: nil)
        _ = try await person.add(aaguid: .zero, attestationObject: universalObject)
        await store.close()
        func list() async throws -> [JSONObject] {
            let rows = try await run("passkey", "list", "ana@example.com", "-o", "json").json().array
            return try #require(rows).compactMap(\.object)
        }
        #expect(try await list().map { $0["authenticator"]?.string } == [nil, nil, "Bitwarden", nil])
        let key = try MetadataAuthority.entry(
            forAttestationKeys: [maker.certificate.publicKey],
            name: "Old U2F key",
            roots: []
        )
        let model = MetadataAuthority.entry(for: aaguid, name: "Example key", roots: [])
        #expect(
            try await take(Array(try service.blob(number: 1, nextUpdate: "2027-02-01", entries: [key, model]).utf8))
                .exit
                == .done
        )
        let named = try await list()
        #expect(named.map { $0["authenticator"]?.string } == ["Old U2F key", "Example key", "Bitwarden", nil])
        #expect(named[1]["icon"]?.string?.hasPrefix("data:image/png") == true && named[2]["icon"] == nil)
        #expect(named.allSatisfy { $0["attestation_trusted"] == false && $0["uv_initialized"] == true })
        #expect(await run("passkey", "list", "ana@example.com").output.contains("AUTHENTICATOR"))
    }

    /// An attestation object whose certificate is the maker's, with no AAGUID.
    private var universalObject: [UInt8] {
        let statement: [UInt8] =
            [0xa2, 0x63] + Array("sig".utf8) + [0x41, 0x01, 0x63] + Array("x5c".utf8) + [0x81]
            + cborBytes(maker.certificate.der)
        let data = [UInt8](repeating: 7, count: 32) + [0x01, 0, 0, 0, 0]
        return [0xa3, 0x63] + Array("fmt".utf8) + [0x68] + Array("fido-u2f".utf8)
            + [0x67] + Array("attStmt".utf8) + statement + [0x68] + Array("authData".utf8) + cborBytes(data)
    }

    private func cborBytes(_ bytes: [UInt8]) -> [UInt8] {
        [0x59, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes
    }
}

extension AdminRun.Outcome {
    /// The answer as a JSON object.
    fileprivate func object() throws -> JSONObject { try #require(try json().object) }
}

/// A user of the store who gets passkeys.
private struct Person {
    let store: any CredentialDatabase
    let configuration: TenantConfiguration
    let user: UserID
    let now: UnixTime

    init(in configuration: TenantConfiguration, _ store: any CredentialDatabase, _ now: UnixTime) async throws {
        self.store = store
        self.configuration = configuration
        self.now = now
        user = UserID(now: now, random: Random.bytes(8))
        let client = try #require(configuration.clients.keys.first)
        let connection = try #require(configuration.connections.first)
        let device = Device(address: "192.0.2.1", userAgent: "Test")
        let session = Session(
            id: SessionID(TimeOrderedID(now: now, random: Random.bytes(10))),
            tenant: configuration.tenant.id,
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
        try await store.signUp(
            User(
                id: user,
                tenant: configuration.tenant.id,
                connection: connection.id,
                identifiers: [try #require(CanonicalIdentifier.email("ana@example.com"))],
                profile: UserProfile(name: "Ana"),
                createdAt: now,
                updatedAt: now
            ),
            userHandle: Random.bytes(32),
            passkey: passkey(.zero, nil),
            login: LoginEffect(
                session: session,
                cookieHash: nil,
                replacedCookieHash: nil,
                refresh: nil,
                ceremony: ceremony(client),
                audit: event
            )
        )
    }

    private func ceremony(_ client: ClientID) -> CeremonyRecord {
        CeremonyRecord(
            id: CeremonyID(TimeOrderedID(now: now, random: Random.bytes(10))),
            tenant: configuration.tenant.id,
            client: client,
            connection: configuration.connections.first?.id,
            purpose: "signup",
            outcome: CeremonyRecord.accepted,
            step: nil,
            user: user,
            startedAt: now,
            endedAt: now,
            device: Device(address: "", userAgent: ""),
            details: [:]
        )
    }

    private var event: AuditEvent {
        AuditEvent(
            tenant: configuration.tenant.id,
            types: ["ss"],
            at: now,
            user: user,
            device: Device(address: "", userAgent: ""),
            details: [:]
        )
    }

    private func passkey(_ aaguid: AAGUID, _ object: [UInt8]?) -> Passkey {
        Passkey(
            id: PasskeyID(random: Random.bytes(12)),
            tenant: configuration.tenant.id,
            user: user,
            relyingPartyID: "acme.example",
            userHandle: Random.bytes(32),
            record: CredentialRecord(
                id: Random.bytes(32),
                publicKey: [1],
                signCount: 0,
                uvInitialized: true,
                backupEligible: false,
                backupState: false,
                attestationFormat: object == nil ? "none" : "fido-u2f",
                attestationType: object == nil ? .none : .basic,
                aaguid: aaguid,
                attestationObject: object
            ),
            enrolledBy: .signup,
            userAgent: nil,
            createdAt: now
        )
    }

    func add(aaguid: AAGUID, attestationObject: [UInt8]?) async throws -> PasskeyID {
        let passkey = passkey(aaguid, attestationObject)
        let client = try #require(configuration.clients.keys.first)
        let outcome = try await store.add(passkey, maximum: 10, ceremony: ceremony(client), audit: event)
        #expect(outcome == .added)
        return passkey.id
    }
}
