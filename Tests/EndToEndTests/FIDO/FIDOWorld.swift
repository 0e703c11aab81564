import CBOR
import Cryptography
import Encodings
import Foundation
import Programs
import SoftwareAuthenticator
import Testing
import WebAuthn

/// The FIDO server test list, in our own words, by its suites: over HTTP, through the conformance API.
@Suite(
    "FIDO server tests, by the conformance API",
    .enabled(if: Paths.hasProducts, Comment(rawValue: Paths.noProducts)),
    ServedSuite(local: FIDOWorld.scoped) {
        let world = try await FIDOWorld.make()
        return (world, [world.server])
    }
)
enum FIDOServerTests {}

/// A tenant with the conformance API on and the metadata of some models.
struct FIDOWorld: Sendable {
    static let scoped = TaskLocal<FIDOWorld?>(wrappedValue: nil)

    static var current: FIDOWorld {
        get throws { try #require(scoped.get()) }
    }

    let server: LatchkeyServer
    let site: Site
    /// An application of the tenant, for its own users.
    let app: App
    /// Of every format; its metadata has its root.
    let maker: AttestationAuthority
    /// Its metadata lists self attestation alone.
    let surrogate: AAGUID
    /// Its metadata says that it was compromised, by the word of the name.
    let compromised: [String: AttestationAuthority]
    let service: MetadataAuthority
    let rootsFile: String
    private let folder: TemporaryFolder

    static let statuses = [
        "USER_VERIFICATION_BYPASS", "ATTESTATION_KEY_COMPROMISE", "USER_KEY_REMOTE_COMPROMISE",
        "USER_KEY_PHYSICAL_COMPROMISE", "REVOKED",
    ]

    static func make() async throws -> FIDOWorld {
        let now = Int64(Date().timeIntervalSince1970)
        func model(_ last: Int) throws -> AAGUID { try #require(AAGUID("f1d0f1d0-0000-4000-8000-00000000000\(last)")) }
        let maker = try AttestationAuthority(aaguid: try model(1), validAt: now, hasIntermediate: true)
        let surrogate = try model(2)
        var compromised: [String: AttestationAuthority] = [:]
        var entries = [
            MetadataAuthority.entry(
                for: maker.aaguid,
                name: "Every format",
                roots: [maker.root],
                attestationTypes: ["basic_full", "basic_surrogate", "attca", "anonca"]
            ),
            MetadataAuthority.entry(
                for: surrogate,
                name: "Self attestation",
                roots: [],
                attestationTypes: ["basic_surrogate"],
                algorithms: ["secp256r1_ecdsa_sha256_raw"]
            ),
            // U2F keys are attested by the same batch key, in a certificate of their own.
            try MetadataAuthority.entry(
                forAttestationKeys: [maker.certificate.publicKey],
                name: "U2F",
                roots: [maker.root]
            ),
        ]
        for (index, status) in statuses.enumerated() {
            let authority = try AttestationAuthority(aaguid: try model(3 + index), validAt: now)
            compromised[status] = authority
            entries.append(
                MetadataAuthority.entry(
                    for: authority.aaguid,
                    name: status,
                    status: ["FIDO_CERTIFIED", status],
                    roots: [authority.root]
                )
            )
        }
        let service = try MetadataAuthority(validAt: now)
        let folder = try TemporaryFolder()
        let rootsFile = try folder.write(service.root.pem, to: "roots.pem")
        let blob = try service.blob(number: 10, nextUpdate: "2999-01-01", entries: entries)
        let file = try folder.write(blob, to: "blob.jwt")

        let server = try await LatchkeyServer.start()
        let site = try await Site.make("fido", on: server, domain: "fido.example.com")
        try await site.set(["conformance_api": true])
        let app = try await site.client("App")
        _ = try await server.adminJSON(["mds", "import", file, "--roots", rootsFile])
        let line = "metadata of authenticators read: number 10"
        let isRead = try await eventually(seconds: 90) { server.log.contains(line) }
        try #require(isRead, "\(server.log)")
        // An operator's monitoring sees it too.
        let metrics = try await server.sendToAdmin(.get("/metrics")).text
        for line in [
            "latchkey_metadata_number 10", "latchkey_metadata_models \(entries.count)", "latchkey_metadata_stale 0",
            "latchkey_metadata_next_update_seconds 32472230400",
        ] {
            #expect(metrics.split(separator: "\n").contains(Substring(line)), "\(line)\n\(metrics)")
        }
        return FIDOWorld(
            server: server,
            site: site,
            app: app,
            maker: maker,
            surrogate: surrogate,
            compromised: compromised,
            service: service,
            rootsFile: rootsFile,
            folder: folder
        )
    }

    func write(_ text: String, to name: String) throws -> String { try folder.write(text, to: name) }

    // MARK: The four calls

    /// Options that a call gave, with the cookie that the answer has to bring.
    struct Begun {
        let options: JSONObject
        let cookie: String
    }

    func post(_ path: String, _ body: JSONObject, cookie: String? = nil) async throws -> Response {
        var request = Request.json(path, body)
        if let cookie { request = request.with("Cookie", "fido_conformance=\(cookie)") }
        return try await site.send(request)
    }

    func begin(_ path: String, _ body: JSONObject) async throws -> Begun {
        let response = try await post(path, body)
        try #require(response.status == 200, "\(response)")
        return Begun(options: response.json, cookie: try #require(response.cookie("fido_conformance")))
    }

    func beginRegistration(
        _ username: String = UUID().uuidString,
        attestation: String = "direct",
        algorithm: Int? = nil,
        _ others: JSONObject = [:]
    ) async throws -> Begun {
        var body: JSONObject = [
            "username": .string(username), "displayName": "Test user", "attestation": .string(attestation),
        ]
        for member in others.members { body.set(member.name, member.value) }
        return try await begin("/attestation/options", body)
    }

    func finish(_ response: JSONObject, _ begun: Begun) async throws -> Response {
        try await post("/attestation/result", response, cookie: begun.cookie)
    }

    /// Registers in one go.
    func register(
        _ authenticator: inout Authenticator,
        _ username: String = UUID().uuidString,
        attestation: String = "direct",
        fault: Fault? = nil
    ) async throws -> Response {
        let begun = try await beginRegistration(username, attestation: attestation)
        return try await finish(authenticator.create(begun.options, origin: site.origin, fault: fault), begun)
    }

    /// A user with one passkey.
    func user(_ profile: AuthenticatorProfile = .syncedPasskey) async throws -> (name: String, Authenticator) {
        var authenticator = Authenticator(profile)
        let name = UUID().uuidString
        let made = try await register(&authenticator, name, attestation: "none")
        try #require(made.status == 200, "\(made)")
        return (name, authenticator)
    }

    func beginAssertion(_ username: String, userVerification: String? = nil) async throws -> Begun {
        var body: JSONObject = ["username": .string(username)]
        if let userVerification { body["userVerification"] = .string(userVerification) }
        return try await begin("/assertion/options", body)
    }

    func assert(_ response: JSONObject, _ begun: Begun) async throws -> Response {
        try await post("/assertion/result", response, cookie: begun.cookie)
    }
}

/// Expects success as tools look for it.
func expectOK(_ response: Response, _ what: String = "") {
    #expect(response.status == 200 && response.string("status") == "ok", "\(what) \(response)")
    #expect(response.string("errorMessage") == "", "\(what)")
}

/// Expects a refusal for this reason.
func expectFailed(_ response: Response, _ reason: String, _ what: String = "") {
    #expect(response.status == 400 && response.string("status") == "failed", "\(what) \(response)")
    #expect(response.string("errorMessage")?.hasSuffix("(\(reason))") == true, "\(what): \(response.text)")
}

/// One change to a JSON object: the member at `path` becomes `value`, or goes.
struct Spoiling: Sendable, CustomStringConvertible {
    let description: String
    let path: [String]
    let value: JSONValue?

    init(_ description: String, _ path: [String], _ value: JSONValue?) {
        self.description = description
        self.path = path
        self.value = value
    }

    func applied(to object: JSONObject) -> JSONObject {
        var object = object
        guard let name = path.first else { return object }
        if path.count == 1 {
            object[name] = value
        } else {
            let inner = object[name]?.object ?? JSONObject()
            object[name] = .object(Spoiling(description, Array(path.dropFirst()), value).applied(to: inner))
        }
        return object
    }
}

extension JSONObject {
    /// The same response with its client data changed; signatures over it are wrong then.
    func withClientData(_ change: (JSONObject) -> JSONObject) throws -> JSONObject {
        let text = try #require(self["response"]?.object?["clientDataJSON"]?.string)
        let data = try #require(try JSON.parse(try Base64URL.decode(text)).object)
        let changed = Base64URL.encode(JSONValue.object(change(data)).serialized())
        return Spoiling("", ["response", "clientDataJSON"], .string(changed)).applied(to: self)
    }

    /// The same response with its attestation object changed.
    func withAttestationObject(_ change: (inout CBORMap) throws -> Void) throws -> JSONObject {
        let text = try #require(self["response"]?.object?["attestationObject"]?.string)
        var map = try #require(try CBOR.decode(try Base64URL.decode(text)[...], as: .interoperable).map)
        try change(&map)
        return withAttestationBytes(CBOR.encode(.map(map)))
    }

    func withAttestationBytes(_ bytes: [UInt8]) -> JSONObject {
        Spoiling("", ["response", "attestationObject"], .string(Base64URL.encode(bytes))).applied(to: self)
    }
}
