import Cryptography
import Encodings
import Glibc
import Identity
import Terminal
import Testing
import WebAuthn

@testable import AdminCLI

@Suite("latchkey-admin authenticator")
struct AuthenticatorCommandTests {
    private let run: AdminRun
    private let file: String
    private let challenge = Random.bytes(32)
    private static let origin = "https://app.example.com"

    init() throws {
        run = try AdminRun()
        file = "\(run.folder)/authenticator.json"
    }

    private func creationOptions(algorithm: Int64 = -7) -> JSONObject {
        [
            "rp": ["id": "app.example.com", "name": "app"],
            "user": ["id": "AQID", "name": "ana", "displayName": "Ana"],
            "challenge": .string(Base64URL.encode(challenge)),
            "pubKeyCredParams": [["type": "public-key", "alg": .integer(algorithm)]],
            "attestation": "direct",
        ]
    }

    private func register(_ words: String..., algorithm: Int64 = -7) async -> AdminRun.Outcome {
        let text = String(decoding: JSONValue.object(creationOptions(algorithm: algorithm)).serialized(), as: UTF8.self)
        return await run.run(["authenticator", "register", file, "--origin", Self.origin] + words, input: text)
    }

    /// Verifies a response as a relying party that trusts the authenticator's root.
    private func verify(_ outcome: AdminRun.Outcome) async throws -> CredentialRecord {
        let root = try Certificate.list(pem: await run("authenticator", "root", file).output)
        var issued = IssuedRegistration(
            challenge: challenge,
            rpID: "app.example.com",
            origins: [Self.origin],
            algorithms: [],
            attestation: AttestationPolicy(
                preference: .direct,
                trustAnchors: root,
                trust: .trustedChains,
                allowedFormats: [
                    "none", "packed", "tpm", "android-key", "android-safetynet", "apple", "fido-u2f", "compound",
                ]
            )
        )
        issued.algorithmNumbers = [-7, -257]
        let response = try RegistrationResponse(try #require(try outcome.json().object))
        return try RelyingParty.verify(response, answering: issued, at: run.now.seconds).credential
    }

    @Test("It is made once, for its owner alone, and its answers verify under its root")
    func attests() async throws {
        let made = await run("authenticator", "create", file, "--intermediate", "-o", "json")
        #expect(made.exit == .done)
        var status = stat()
        let read = unsafe stat(file, &status)
        #expect(read == 0 && status.st_mode & 0o777 == 0o600)
        #expect(await run("authenticator", "create", file).exit == .conflict)
        let aaguid = try made.json().object?["aaguid"]?.string
        for choice in AttestationChoice.allCases {
            let credential = try await verify(await register("--attest", choice.rawValue))
            #expect(credential.attestationFormat == (choice == .packedSelf ? "packed" : choice.rawValue))
            #expect(credential.attestationTrusted == (choice != .none && choice != .packedSelf))
            #expect(credential.aaguid.description == aaguid || choice == .fidoU2F)
        }
        #expect(try await verify(await register(algorithm: -257)).attestationFormat == "none")
    }

    @Test("What it made signs in, and counts, in runs of their own")
    func signsIn() async throws {
        _ = await run("authenticator", "create", file, "--kind", "security-key")
        let credential = try await verify(await register())
        for count in 1...2 as ClosedRange<UInt32> {
            // As an answer of the token API has them.
            let options: JSONValue = [
                "auth_session": "x",
                "authn_params_public_key": [
                    "challenge": .string(Base64URL.encode(challenge)), "rpId": "app.example.com",
                    "allowCredentials": [["type": "public-key", "id": .string(Base64URL.encode(credential.id))]],
                ],
            ]
            let outcome = await run.run(
                ["authenticator", "sign-in", file, "--origin", Self.origin],
                input: String(decoding: options.serialized(), as: UTF8.self)
            )
            let issued = IssuedAuthentication(
                challenge: challenge,
                rpID: "app.example.com",
                origins: [Self.origin],
                allowCredentials: [credential.id]
            )
            let response = try AuthenticationResponse(try #require(try outcome.json().object))
            let verified = try RelyingParty.verify(
                try RelyingParty.check(response, answering: issued),
                with: credential,
                ownerHandles: [[1, 2, 3]]
            )
            #expect(verified.signCount == count)
        }
    }

    @Test("Several at once on one file: every credential is kept; a file that others may read is refused")
    func atOnce() async throws {
        _ = await run("authenticator", "create", file)
        let ids = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<8 { group.addTask { try await register().json().object?["id"]?.string } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let kept = String(decoding: try readSecretFile(file), as: UTF8.self)
        #expect(Set(ids).count == 8)
        for id in ids { #expect(id.map(kept.contains) == true) }
        #expect(unsafe chmod(file, 0o644) == 0)
        let refused = await register()
        #expect(refused.exit == .wrongUse && refused.errors.contains("chmod 600"), "\(refused.errors)")
    }

    @Test("What is to be wrong is wrong, and the list says how it is refused")
    func faults() async throws {
        _ = await run("authenticator", "create", file)
        let list = try #require(try await run("authenticator", "faults", "-o", "json").json().array)
        #expect(list.count > 70)
        for (fault, words) in [
            ("tpmMagicWrong", ["--attest", "tpm", "--tpm-algorithm", "-7"]),
            ("attestationSignatureWrong", ["--attest", "packed"]), ("challengeWrong", []),
        ] {
            let row = list.first { $0.object?["fault"]?.string == fault }
            let outcome = await run.run(
                ["authenticator", "register", file, "--origin", Self.origin, "--fault", fault] + words,
                input: String(decoding: JSONValue.object(creationOptions()).serialized(), as: UTF8.self)
            )
            let error = await #expect(throws: CeremonyError.self) { try await verify(outcome) }
            #expect(error?.reason.rawValue == row?.object?["reason"]?.string)
        }
        // Nothing that was wrong is kept.
        let options = #"{"challenge":"AA","rpId":"app.example.com"}"#
        let outcome = await run.run(["authenticator", "sign-in", file, "--origin", Self.origin], input: options)
        #expect(outcome.exit == .notFound)
    }

    @Test("What cannot be is said, and leaves the file as it was")
    func refuses() async throws {
        #expect(await register().exit == .wrongUse)
        _ = await run("authenticator", "create", file)
        let before = try readSecretFile(file)
        #expect(await run("authenticator", "create", "\(run.folder)/other.json", "--aaguid", "x").exit == .wrongUse)
        #expect(await register("--fault", "nonsense").errors.contains("authenticator faults"))
        #expect(await register("--fault", "appleNonceWrong").exit == .wrongUse)
        #expect(await register("--attest", "tpm", "--tpm-algorithm", "-8").exit == .wrongUse)
        #expect(await register("--attest", "fido-u2f", algorithm: -257).exit == .wrongUse)
        #expect(await register("--algorithm", "x").exit == .wrongUse)
        for input in ["", "[]", "{}", #"{"rp":{}}"#] {
            let words = ["authenticator", "register", file, "--origin", Self.origin]
            #expect(await run.run(words, input: input).exit == .wrongUse)
        }
        #expect(try readSecretFile(file) == before)
        try PrivateFile.write(file, "{}")
        #expect(await register().errors.contains("no authenticator's file"))
        try PrivateFile.write(file, "text")
        #expect(await register().errors.contains("no authenticator's file"))
    }
}
