import COSE
import Cryptography
import Encodings
import Foundation
import Identity
import Programs
import SoftwareAuthenticator
import Storage
import Testing
import Tokens

/// Design §4: what a thief of the data has.
@Suite("Secrets at rest", .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"))
struct AtRestTests {
    /// How many are signed in.
    private static let people = 50

    @Test("In SQLite's files and in the logs: none of the secrets, in any form")
    func sqlite() async throws {
        let folder = try TemporaryFolder()
        let store = folder.file("data/latchkey.db")
        let server = try await LatchkeyServer.start(["LATCHKEY_STORE": "sqlite:" + store], in: folder)
        let issued = try await use(server)
        let places = [folder.file("data"), try logs(server, issued, folder)]
        try await expectNoSecret(issued, server, in: places, known: [folder.file("data")], folder)
        try await server.stop()
        // And when the log was emptied into the database.
        try await expectNoSecret(issued, nil, in: places, known: [folder.file("data")], folder)
    }

    @Test(
        "In PostgreSQL's folder and logs, in what Redis holds and would keep, and in the logs: none of them",
        .enabled(if: Redis.isInstalled, "\(Redis.missing)")
    )
    func postgresAndRedis() async throws {
        let folder = try TemporaryFolder()
        let database = PostgreSQL(named: "rest", ["log_statement = all", "wal_level = replica"])
        // As harsh as it may be: a server that keeps everything, which the documentation tells nobody to have.
        let redis = try await Redis.start([
            "--save", "3600 1", "--appendonly", "yes", "--rdbcompression", "no",
        ])
        let server = try await LatchkeyServer.start(
            ["LATCHKEY_STORE": try await database.freshURL(), "LATCHKEY_CHALLENGES": redis.url],
            in: folder
        )
        let issued = try await use(server)
        try await database.tool("psql", "-qX", "-d", "postgres", "-c", "CHECKPOINT")
        #expect(try await redis.command("SAVE").output.contains("OK"))
        let values = try await run(
            "/bin/sh",
            [
                "-c",
                "redis-cli -s '\(redis.folder.file("redis.sock"))' --raw EVAL \"$0\" 0 >'\(folder.file("scanned"))'",
                Self.everything,
            ]
        )
        try #require(values.exit == 0, "\(values)")
        let places = [
            database.folder, redis.folder.path, folder.file("scanned"), try logs(server, issued, folder),
        ]
        let inRedis = try await SecretForms.files(
            with: [Array("latchkey:{".utf8)],
            in: [redis.folder.path, folder.file("scanned")],
            folder: folder
        )
        #expect(inRedis.contains { $0.hasSuffix("dump.rdb") } && inRedis.contains { $0.contains("appendonly") })
        #expect(inRedis.contains(folder.file("scanned")), "the search sees what Redis holds")
        try await expectNoSecret(
            issued,
            server,
            in: places,
            known: [database.folder + "/data/base", database.folder + "/data/pg_wal"],
            folder
        )
        try await server.stop()
    }

    /// Every key of a Redis and its value, as it would be written out.
    private static let everything = """
        local all, cursor = {}, '0'
        repeat
            local page = redis.call('SCAN', cursor, 'COUNT', 1000)
            cursor = page[1]
            for _, key in ipairs(page[2]) do
                all[#all + 1] = key
                all[#all + 1] = redis.call('DUMP', key)
            end
        until cursor == '0'
        return all
        """

    // MARK: Use

    /// What was given out, and what must be found of it.
    private struct Issued {
        var secrets: [(name: String, forms: SecretForms)] = []
        /// What the store keeps of a secret, so that the search is seen to find something.
        var kept: [UInt8] = []
        /// What the tools said on their error output.
        var said = ""
    }

    /// Makes a tenant and clients, signs people up, in and out, refreshes, and leaves ceremonies open.
    private func use(_ server: LatchkeyServer) async throws -> Issued {
        var issued = Issued()
        let site = try await Site.make("acme", on: server, domain: "login.acme.example", rpID: "acme.example")
        let webOrigin = "https://app.acme.example"
        let app = try await site.client("App", webOrigins: [webOrigin])
        for number in 0..<3 {
            let backend = try await site.client("Backend \(number)", type: "regular_web")
            let secret = try #require(backend.secret)
            issued.secrets.append(("a client secret", SecretForms(Array(secret.utf8), text: secret)))
            if let raw = try? Base64URL.decode(secret) { issued.secrets.append(("a client secret", SecretForms(raw))) }
            // Used both ways.
            _ = try await backend.post("/oauth/token", ["grant_type": "refresh_token", "refresh_token": "v1.x"])
            let basic = Data("\(backend.id):\(secret)".utf8).base64EncodedString()
            let request = Request.form("/oauth/token", [("grant_type", "refresh_token"), ("refresh_token", "v1.x")])
            _ = try await site.send(request.with("Authorization", "Basic \(basic)"))
        }
        let wrong = try await server.admin(["client", "show", "--tenant", "acme", "Nobody"])
        issued.said += wrong.errors

        for number in 0..<Self.people {
            var authenticator = Authenticator(AuthenticatorProfile(algorithms: [.es256]))
            let tokens = try await app.signUp(with: &authenticator)
            var refresh = try tokens.token("refresh_token")
            try note(refresh, &issued)
            let access = try tokens.token("access_token")
            let signature = try #require(access.split(separator: ".").last)
            issued.secrets.append(
                ("an access token", SecretForms(try Base64URL.decode(String(signature)), text: access))
            )
            if number % 5 == 0 {
                refresh = try await app.refresh(refresh).token("refresh_token")
                try note(refresh, &issued)
                _ = try await app.post("/oauth/revoke", ["token": .string(refresh)])
                let info = Request.get("/userinfo").with("Authorization", "Bearer \(access)")
                #expect(try await site.send(info).status == 200)
                var browser = Visitor(app, origin: webOrigin)
                try #require(try await browser.register(uniqueEmail()).status == 200)
                let cookie = try #require(browser.cookies["__Host-pk_session"])
                issued.secrets.append(
                    ("a session's cookie", SecretForms(try Base64URL.decode(cookie), text: cookie))
                )
                #expect(try await browser.me().status == 200)
                let session = try await app.challenge().session
                issued.secrets.append(
                    ("an auth_session", SecretForms(Array(session.utf8), text: session))
                )
                if let raw = try? Base64URL.decode(session) {
                    issued.secrets.append(("an auth_session", SecretForms(raw)))
                }
            }
        }
        return issued
    }

    private func note(_ refreshToken: String, _ issued: inout Issued) throws {
        let bytes = try Base64URL.decode(String(refreshToken.dropFirst(3)))
        // The first 16 name the row; the rest is the secret.
        let secret = Array(bytes.dropFirst(16))
        try #require(secret.count == 32)
        issued.secrets.append(("a refresh token", SecretForms(secret, text: refreshToken)))
        issued.kept = SHA256.hash(secret)
    }

    /// A folder with what server and tools have written.
    private func logs(_ server: LatchkeyServer, _ issued: Issued, _ folder: TemporaryFolder) throws -> String {
        #expect(server.log.contains("/oauth/token"), "requests are logged")
        try folder.write(server.log + issued.said, to: "log")
        return folder.file("log")
    }

    // MARK: Search

    private func expectNoSecret(
        _ issued: Issued,
        _ server: LatchkeyServer?,
        in places: [String],
        known: [String],
        _ folder: TemporaryFolder
    ) async throws {
        var secrets = issued.secrets
        if let server { secrets += try await keys(server) }
        let count = secrets.filter { $0.name == "a refresh token" }.count
        #expect(count >= 50)
        for place in known {
            let files = try await SecretForms.files(with: [issued.kept], in: [place], folder: folder)
            #expect(!files.isEmpty, "the search finds in \(place) what the store does keep")
        }
        let all = secrets.reduce(into: Set<[UInt8]>()) { $0.formUnion($1.forms.patterns) }
        let files = try await SecretForms.files(with: all, in: places, folder: folder)
        #expect(files.isEmpty)
        guard !files.isEmpty else { return }
        for secret in secrets {
            let found = try await SecretForms.files(with: secret.forms.patterns, in: files, folder: folder)
            #expect(found.isEmpty, "\(secret.name)")
        }
    }

    /// The master key, the data key and every private key, opened as the server opens them.
    private func keys(_ server: LatchkeyServer) async throws -> [(name: String, forms: SecretForms)] {
        let line = try #require(contents(server.masterKey).split(separator: "\n").first { !$0.hasPrefix("#") })
        let words = line.split(separator: " ").map(String.init)
        try #require(words.count == 2)
        let master = try Base64URL.decode(words[1])
        var secrets = [("the master key", SecretForms(master, text: words[1]))]

        let store = try await openStore(server.store)
        let deployment = try #require(try await store.deploymentSecret())
        let dataKey = try open(deployment.sealedDataKey, master, ["deployment_secret", words[0]])
        try #require(dataKey.count == 32)
        secrets.append(("the data key", SecretForms(dataKey)))
        for purpose in KeyPurpose.allCases {
            let key = try HKDF.sha256(dataKey, salt: [], info: Array(purpose.rawValue.utf8), count: 32)
            secrets.append(("the key for \(purpose)", SecretForms(key)))
        }
        let sealing = try HKDF.sha256(dataKey, salt: [], info: Array(KeyPurpose.signingKeys.rawValue.utf8), count: 32)
        let tenant = try #require(try await store.tenant(named: "acme"))
        for record in try await store.signingKeys(of: tenant) {
            let place = [
                "signing_key", "\(record.tenant.number)", record.id.text, record.algorithm.rawValue,
                Hex.encode(SHA256.hash(record.publicKey)), Hex.encode(SHA256.hash(record.certificate)),
            ]
            let der = try open(record.sealedPrivateKey, sealing, place)
            for part in privateParts(der, record.publicKey) {
                secrets.append(("a private \(record.algorithm.rawValue) key", SecretForms(part)))
            }
        }
        #expect(secrets.count { $0.0.hasPrefix("a private ") } >= 4)
        await store.close()
        return secrets
    }

    private func open(_ sealed: [UInt8], _ key: [UInt8], _ place: [String]) throws -> [UInt8] {
        try AESGCM.open(
            sealed.dropFirst(AESGCM.nonceByteCount),
            key: key[...],
            nonce: sealed.prefix(AESGCM.nonceByteCount),
            associatedData: place.flatMap { Array($0.utf8) + [0] }[...]
        )
    }

    /// Pieces of 32 bytes of a PKCS #8 key that its public key does not have.
    private func privateParts(_ der: [UInt8], _ publicKey: [UInt8]) -> [[UInt8]] {
        // RSA: the private exponent follows modulus and exponent, and the primes it. Others: a string of 32 bytes.
        if der.count > 400 {
            return stride(from: der.count / 2, to: der.count - 64, by: 64).map { Array(der[$0..<($0 + 32)]) }
        }
        guard let start = der.indices.dropLast(33).first(where: { der[$0] == 0x04 && der[$0 + 1] == 0x20 }) else {
            return []
        }
        return [Array(der[(start + 2)..<(start + 34)])]
    }
}
