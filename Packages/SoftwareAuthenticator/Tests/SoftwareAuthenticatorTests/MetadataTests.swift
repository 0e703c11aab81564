import Cryptography
import Encodings
import SoftwareAuthenticator
import Testing
import WebAuthn

@Suite("MDS3 §3.2: taking a metadata BLOB")
struct MetadataBLOBTests {
    private let service: MetadataAuthority
    private static let day: Int64 = 86_400

    init() throws {
        service = try MetadataAuthority(validAt: Server.time)
    }

    private func blob(_ number: Int64 = 5, entries: [JSONValue] = []) throws -> String {
        try service.blob(number: number, nextUpdate: "2026-02-01", entries: entries)
    }

    private func take(
        _ text: String,
        roots: [Certificate]? = nil,
        lists: [[UInt8]] = [],
        lastSeen: Int64? = nil,
        at time: Int64 = Server.time
    ) throws -> MetadataBLOB {
        try MetadataBLOB(
            verifying: Array(text.utf8)[...],
            roots: roots ?? [service.root],
            lists: try lists.map { try CertificateRevocationList(der: $0[...]) },
            lastSeen: lastSeen,
            at: time
        )
    }

    @Test("One that is signed below a root is taken, with who signed it")
    func taken() throws {
        let blob = try take(try blob() + "\n")
        #expect(blob.payload.number == 5 && blob.payload.nextUpdate == "2026-02-01")
        #expect(blob.signer.contains("mds.example"))
    }

    @Test("An older number than the last one is refused, the same is not")
    func rollback() throws {
        _ = try take(try blob(), lastSeen: 5)
        #expect(throws: MetadataError.rollback(seen: 6, got: 5)) { try take(try blob(), lastSeen: 6) }
    }

    @Test("Another root, and a signer before or after its time, are refused")
    func chain() throws {
        let other = try MetadataAuthority(validAt: Server.time)
        for (roots, time) in [
            ([other.root], Server.time), ([], Server.time), ([service.root], 0),
            ([service.root], Server.time + 20 * 366 * Self.day),
        ] {
            let error = #expect(throws: MetadataError.self) { try take(try blob(), roots: roots, at: time) }
            guard case .chain = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("A signer whose key is for something else than signatures is refused", arguments: [true, false])
    func signerUsage(_ isForSignatures: Bool) throws {
        let other = try MetadataAuthority(
            validAt: Server.time,
            signerUsage: isForSignatures ? [.digitalSignature, .keyAgreement] : [.keyEncipherment]
        )
        let text = try other.blob(number: 5, nextUpdate: "2026-02-01", entries: [])
        if isForSignatures {
            _ = try take(text, roots: [other.root])
        } else {
            #expect(throws: MetadataError.chain(reason: "the signer's key is not for signatures")) {
                try take(text, roots: [other.root])
            }
        }
    }

    @Test("Of two entries for one model the one that tells of a compromise counts, in either order")
    func twice() throws {
        let model = try #require(AAGUID("11111111-1111-4111-8111-111111111111"))
        let entries = [["FIDO_CERTIFIED_L1"], ["FIDO_CERTIFIED_L1", "REVOKED"]].map {
            MetadataAuthority.entry(for: model, name: "Twice", status: $0, roots: [service.root])
        }
        for list in [entries, entries.reversed()] {
            let text = try service.blob(number: 5, nextUpdate: "2026-02-01", entries: list)
            let metadata = AuthenticatorMetadata(try take(text).payload)
            #expect(metadata.model(model)?.compromise(at: Server.time)?.status == .revoked)
        }
    }

    @Test("A statement of another model tells nothing, and the status of the entry still counts")
    func foreignStatement() throws {
        let model = try #require(AAGUID("11111111-1111-4111-8111-111111111111"))
        let entry = MetadataAuthority.entry(for: model, name: "Other", status: ["REVOKED"], roots: [service.root])
        var object = try #require(entry.object)
        var statement = try #require(object["metadataStatement"]?.object)
        statement["aaguid"] = "22222222-2222-4222-8222-222222222222"
        object["metadataStatement"] = .object(statement)
        let text = try service.blob(number: 5, nextUpdate: "2026-02-01", entries: [.object(object)])
        let read = try #require(AuthenticatorMetadata(try take(text).payload).model(model))
        #expect(read.statement == nil && read.status == .revoked)
    }

    @Test("Certificates that were fetched from where x5u says lead to a root, and others do not")
    func fetched() throws {
        let address = "https://mds.example/chain.pem"
        let text = Array(
            try service.blob(number: 5, nextUpdate: "2026-02-01", entries: [], certificateAddress: address).utf8
        )
        #expect(MetadataBLOB.certificateAddress(of: text[...]) == address)
        #expect(MetadataBLOB.certificateAddress(of: Array(try blob().utf8)[...]) == nil)
        func take(_ certificates: [Certificate]) throws -> MetadataBLOB {
            try MetadataBLOB(
                verifying: text[...],
                roots: [service.root],
                certificates: certificates,
                at: Server.time
            )
        }
        #expect(try take(service.certificates).payload.number == 5)
        let other = try MetadataAuthority(validAt: Server.time)
        let many = [Certificate](repeating: service.signer, count: 9)
        for wrong in [[], other.certificates, service.certificates.reversed(), [service.root], many] {
            #expect(throws: MetadataError.self) { try take(wrong) }
        }
    }

    @Test("Without a list, revocation is not known, and that is said; with lists it is")
    func revocation() throws {
        #expect(try take(try blob()).revocation.map(\.state) == [.noList, .noList])
        let (from, to) = (Server.time - Self.day, Server.time + Self.day)
        let lists = try [true, false].map { isRoot in
            try service.revocationList(ofRoot: isRoot, revoking: [], from: from, to: to)
        }
        #expect(try take(try blob(), lists: lists).revocation.map(\.state) == [.good, .good])
        #expect(
            try take(try blob(), lists: lists, at: to + 1).revocation.map(\.state) == [.outdatedList, .outdatedList]
        )
        for (isRoot, certificate) in [(true, service.intermediate), (false, service.signer)] {
            let list = try service.revocationList(ofRoot: isRoot, revoking: [certificate], from: from, to: to)
            #expect(throws: MetadataError.revoked(subject: certificate.subjectName.description)) {
                try take(try blob(), lists: [list])
            }
        }
    }

    @Test("A BLOB is stale on the day after its next update, and that alone refuses nothing")
    func stale() throws {
        let payload = try take(try blob()).payload
        let february: Int64 = 1_769_904_000
        #expect(!payload.isStale(at: february + Self.day - 1))
        #expect(payload.isStale(at: february + Self.day))
        _ = try take(try blob(), at: february + 30 * Self.day)
    }

    @Test("A changed byte anywhere is refused, and so is a BLOB that is cut")
    func hostile() throws {
        let text = Array(try blob().utf8)
        for index in text.indices {
            var changed = text
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: MetadataError.self) {
                try MetadataBLOB(verifying: changed[...], roots: [service.root], at: Server.time)
            }
        }
        for count in stride(from: 0, to: text.count, by: 7) {
            #expect(throws: MetadataError.self) {
                try MetadataBLOB(verifying: text[..<count], roots: [service.root], at: Server.time)
            }
        }
    }

    @Test("An entry that cannot be read is left out and counted, and hides no other")
    func oddEntries() throws {
        let good = MetadataAuthority.entry(for: RightCeremonyTests.aaguid, name: "Good", roots: [])
        let odd: [JSONValue] = [
            1, [:], ["aaguid": "no"], ["aaguid": "00000000-0000-0000-0000-000000000001"],
            ["aaguid": "00000000-0000-0000-0000-000000000001", "statusReports": [["status": 1]]],
        ]
        let payload = try take(try blob(entries: odd + [good])).payload
        #expect(payload.entries.count == 1 && payload.unreadableEntries == 5)
        // What is known to be bad is not better by a report that nobody can read.
        let revoked: JSONValue = [
            "aaguid": "00000000-0000-0000-0000-000000000001", "statusReports": [["status": "REVOKED"], ["status": 5]],
        ]
        let read = try take(try blob(entries: [revoked])).payload
        #expect(read.unreadableEntries == 0 && read.entries.first?.compromise(at: Server.time)?.status == .revoked)
        #expect(AuthenticatorMetadata(payload).model(RightCeremonyTests.aaguid)?.statement?.name == "Good")
    }

    @Test("A statement that does not know of an update is rejected, and the model's roots with it")
    func outdatedStatement() throws {
        let entry = MetadataAuthority.entry(for: RightCeremonyTests.aaguid, name: "Model", roots: [service.root])
        for (version, update, isOutdated) in [
            (1, 2, true), (2, 2, false), (3, 2, false), (nil, 2, false), (1, nil, false),
        ] as [(Int64?, Int64?, Bool)] {
            var changed = try #require(entry.object)
            var statement = try #require(changed["metadataStatement"]?.object)
            if let version { statement["authenticatorVersion"] = .integer(version) }
            changed["metadataStatement"] = .object(statement)
            var report: JSONObject = ["status": "UPDATE_AVAILABLE", "effectiveDate": "2025-12-01"]
            if let update { report["authenticatorVersion"] = .integer(update) }
            changed["statusReports"] = [["status": "FIDO_CERTIFIED"], .object(report)]
            let read = try #require(try take(try blob(entries: [.object(changed)])).payload.entries.first)
            #expect(read.isOutdated == isOutdated && (read.statement == nil) == isOutdated)
            #expect(read.status == .updateAvailable && read.compromise(at: Server.time) == nil)
        }
    }

    @Test(
        "A compromise stands until a new certification, and a revocation for ever",
        arguments: [
            (["FIDO_CERTIFIED_L1"], nil), (["NOT_FIDO_CERTIFIED"], nil), (["SOME_FUTURE_STATUS"], nil),
            (["FIDO_CERTIFIED_L1", "USER_VERIFICATION_BYPASS"], "USER_VERIFICATION_BYPASS"),
            (["ATTESTATION_KEY_COMPROMISE", "UPDATE_AVAILABLE"], "ATTESTATION_KEY_COMPROMISE"),
            (["USER_KEY_REMOTE_COMPROMISE", "FIDO_CERTIFIED_L2"], nil),
            (["USER_KEY_PHYSICAL_COMPROMISE"], "USER_KEY_PHYSICAL_COMPROMISE"),
            (["REVOKED", "FIDO_CERTIFIED_L1"], "REVOKED"),
        ] as [([String], String?)]
    )
    func compromises(_ status: [String], _ compromise: String?) throws {
        let entry = MetadataAuthority.entry(
            for: RightCeremonyTests.aaguid,
            name: "Model",
            status: status,
            roots: []
        )
        let read = try #require(try take(try blob(entries: [entry])).payload.entries.first)
        #expect(read.compromise(at: Server.time)?.status.rawValue == compromise)
        // What takes effect later counts later.
        #expect(read.compromise(at: 0) == nil)
    }
}

@Suite("WebAuthn L3 §7.1 steps 23 and 24: attestation and the model's metadata")
struct MetadataTrustTests {
    private let service: MetadataAuthority
    private let maker: AttestationAuthority
    private let profile: AuthenticatorProfile

    init() throws {
        service = try MetadataAuthority(validAt: Server.time)
        maker = try AttestationAuthority(aaguid: RightCeremonyTests.aaguid, validAt: Server.time)
        profile = AuthenticatorProfile(aaguid: maker.aaguid, attestation: .packed(maker))
    }

    private func metadata(
        status: [String] = ["FIDO_CERTIFIED_L1"],
        roots: [Certificate]? = nil,
        types: [String]? = nil,
        algorithms: [String]? = nil
    ) throws -> AuthenticatorMetadata {
        let entry = MetadataAuthority.entry(
            for: maker.aaguid,
            name: "Model",
            status: status,
            roots: roots ?? [maker.root],
            attestationTypes: types,
            algorithms: algorithms
        )
        let text = try service.blob(number: 1, nextUpdate: "2026-02-01", entries: [entry])
        let blob = try MetadataBLOB(verifying: Array(text.utf8)[...], roots: [service.root], at: Server.time)
        return AuthenticatorMetadata(blob.payload)
    }

    private func register(
        _ metadata: AuthenticatorMetadata,
        trust: TrustRequirement = .required,
        _ profile: AuthenticatorProfile? = nil
    ) throws -> CredentialRecord {
        var server = Server()
        server.metadata = metadata
        server.attestation = AttestationPolicy(preference: .direct, trust: trust)
        var authenticator = Authenticator(profile ?? self.profile)
        return try server.register(&authenticator).credential
    }

    @Test("The model's own roots give trust, and so does its attestation certificate itself")
    func trusted() throws {
        #expect(try register(metadata()).attestationTrusted)
        #expect(try register(metadata(roots: [maker.certificate])).attestationTrusted)
    }

    @Test("The roots of one model are not those of another, and without roots nothing is trusted")
    func otherModel() throws {
        let other = try AttestationAuthority(aaguid: RightCeremonyTests.aaguid, validAt: Server.time)
        for roots in [[other.root], []] {
            let metadata = try metadata(roots: roots)
            #expect(try refusal { _ = try register(metadata) } == .authenticatorNotAllowed)
            #expect(try !register(metadata, trust: .recorded).attestationTrusted)
        }
    }

    @Test("A model that was revoked or compromised is not trusted", arguments: ["REVOKED", "USER_VERIFICATION_BYPASS"])
    func compromised(_ status: String) throws {
        let metadata = try metadata(status: ["FIDO_CERTIFIED_L1", status])
        #expect(try refusal { _ = try register(metadata) } == .authenticatorNotAllowed)
        #expect(try refusal { _ = try register(metadata, trust: .trustedChains) } == .authenticatorNotAllowed)
        #expect(try !register(metadata, trust: .recorded).attestationTrusted)
        // Also one that only claims to be of the model.
        var claimed = profile
        claimed.attestation = .packedSelf
        #expect(try refusal { _ = try register(metadata, trust: .metadata, claimed) } == .authenticatorNotAllowed)
    }

    @Test("What the model's metadata does not list is refused only where policy goes by the metadata")
    func contradictions() throws {
        for metadata in [
            try metadata(types: ["basic_surrogate"]), try metadata(algorithms: ["ed448_eddsa_sha512_raw"]),
        ] {
            #expect(try register(metadata, trust: .required).attestationTrusted)
            #expect(try refusal { _ = try register(metadata, trust: .metadata) } == .authenticatorNotAllowed)
        }
        let listed = try metadata(
            types: ["basic_full"],
            algorithms: ["ed25519_eddsa_sha512_raw", "secp256r1_ecdsa_sha256_raw"]
        )
        #expect(try register(listed, trust: .metadata).attestationTrusted)
        var claimed = profile
        claimed.attestation = .packedSelf
        #expect(try refusal { _ = try register(listed, trust: .metadata, claimed) } == .authenticatorNotAllowed)
    }

    @Test("An allowed model may be proven by the roots of its metadata")
    func allowed() throws {
        var server = Server()
        server.metadata = try metadata()
        server.attestation = AttestationPolicy(preference: .direct, allowedAAGUIDs: [maker.aaguid])
        var authenticator = Authenticator(profile)
        #expect(try server.register(&authenticator).credential.attestationTrusted)
        server.metadata = try metadata(roots: [])
        #expect(try refusal { _ = try server.register(&authenticator) } == .authenticatorNotAllowed)
    }

    @Test("A U2F model is found by the key of its attestation certificate")
    func universalSecondFactor() throws {
        let entry = try MetadataAuthority.entry(
            forAttestationKeys: [maker.certificate.publicKey],
            name: "U2F key",
            status: ["REVOKED"],
            roots: [maker.root]
        )
        let text = try service.blob(number: 1, nextUpdate: "2026-02-01", entries: [entry])
        let blob = try MetadataBLOB(verifying: Array(text.utf8)[...], roots: [service.root], at: Server.time)
        let metadata = AuthenticatorMetadata(blob.payload)
        let identifier = try maker.certificate.publicKey.keyIdentifier()
        #expect(metadata.model(attestationKeyIdentifier: identifier)?.statement?.name == "U2F key")
        #expect(metadata.model(.zero) == nil)
    }
}
