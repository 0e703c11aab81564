import COSE
import Cryptography
import Encodings
import Foundation
import Programs
import SoftwareAuthenticator
import Testing
import WebAuthn

extension FIDOServerTests {
    @Suite("ServerAuthenticatorAttestationResponse Resp-5 to Resp-B: the formats, and metadata", .serialized)
    struct Formats {
        let world: FIDOWorld

        init() throws { world = try .current }

        private func profile(
            _ attestation: AuthenticatorProfile.Attestation,
            algorithm: COSEAlgorithm = .es256,
            aaguid: AAGUID? = nil
        ) -> AuthenticatorProfile {
            AuthenticatorProfile(
                aaguid: aaguid ?? world.maker.aaguid,
                algorithms: [algorithm],
                backupEligible: false,
                backedUp: false,
                counter: .from(0),
                attestation: attestation,
                transports: ["usb"],
                attachment: .crossPlatform
            )
        }

        private func expect(_ profile: AuthenticatorProfile, refuses faults: [Fault]) async throws {
            for fault in faults {
                var authenticator = Authenticator(profile)
                expectFailed(
                    try await world.register(&authenticator, fault: fault),
                    fault.reason.rawValue,
                    "\(profile.attestation.format) \(fault.rawValue)"
                )
            }
        }

        private func expectTaken(_ profile: AuthenticatorProfile) async throws {
            var authenticator = Authenticator(profile)
            expectOK(try await world.register(&authenticator), profile.attestation.format)
        }

        @Test("Resp-5 packed: a chain to the model's root is taken (P1, P2), each fault refused (F1 to F9, F11 to F14)")
        func packed() async throws {
            let profile = profile(.packed(world.maker))
            try await expectTaken(profile)
            try await expect(
                profile,
                refuses: [
                    .attestationFormatUnknown, .attestationSignatureWrong, .attestationPathMissing,
                    .attestationPathEmpty,
                    .attestationCertificateExpired, .attestationCertificateNotYetValid, .attestationAlgorithmWrong,
                    .attestationChainUntrusted, .attestationPathDisordered, .attestationIntermediateExpired,
                    .attestationSignatureByOtherKey, .attestationSignatureByCredential,
                    .attestationCertificateForOtherModel, .attestationCertificateOfAuthority,
                    .attestationCertificateSubjectWrong,
                ]
            )
        }

        @Test("Resp-6 packed, self: taken (P1), each fault refused (F1, F3), and a chain where metadata says self (F2)")
        func packedSelf() async throws {
            let profile = profile(.packedSelf, aaguid: world.surrogate)
            try await expectTaken(profile)
            try await expect(profile, refuses: [.attestationSignatureWrong, .attestationFormatUnknown])
            let now = Int64(Date().timeIntervalSince1970)
            let other = try AttestationAuthority(aaguid: world.surrogate, validAt: now)
            var full = Authenticator(self.profile(.packed(other), aaguid: world.surrogate))
            expectFailed(try await world.register(&full), "authenticator_not_allowed")
            // An algorithm that the model's metadata does not list (Resp-3 F16, Resp-5 F8).
            var edDSA = Authenticator(self.profile(.packedSelf, algorithm: .edDSA, aaguid: world.surrogate))
            expectFailed(try await world.register(&edDSA), "authenticator_not_allowed")
        }

        @Test("Resp-7 none: taken, whatever was asked for (P1, P2), and refused when the statement is filled (F1)")
        func none() async throws {
            for attestation in ["none", "direct"] {
                var authenticator = Authenticator(profile(.none, aaguid: .zero))
                expectOK(try await world.register(&authenticator, attestation: attestation))
            }
            try await expect(profile(.none), refuses: [.noneStatementFilled])
        }

        @Test("Resp-8 fido-u2f: taken (P1), refused with an AAGUID (F1) and by a wrong signature (F2)")
        func universalSecondFactor() async throws {
            let profile = profile(.fidoU2F(world.maker))
            try await expectTaken(profile)
            try await expect(
                profile,
                refuses: [.u2fModelNamed, .attestationSignatureWrong, .u2fCertificateTwice, .u2fCertificateCurveWrong]
            )
        }

        @Test("Resp-9 tpm: taken (P1, P3), SHA-1 only by policy (P2), each fault refused (F1 to F4)")
        func trustedPlatformModule() async throws {
            let tpm = try SoftwareTPM(algorithm: .rs256)
            let profile = profile(.tpm(world.maker, tpm))
            try await expectTaken(profile)
            let curve = try SoftwareTPM(algorithm: .es256)
            try await expectTaken(self.profile(.tpm(world.maker, curve), algorithm: .rs256))
            // The maker that the Alliance's own tests use is one here.
            var ofTests = tpm
            ofTests.manufacturer = "id:FFFFF1D0"
            try await expectTaken(self.profile(.tpm(world.maker, ofTests)))
            try await expect(
                profile,
                refuses: [
                    .attestationPathDisordered, .tpmExtraDataWrong, .tpmMagicWrong, .tpmPublicAreaOfOtherKey,
                    .tpmNameWrong, .tpmTypeWrong, .tpmVersionWrong,
                ]
            )
            let old = self.profile(.tpm(world.maker, try SoftwareTPM(algorithm: .rs1)))
            var refused = Authenticator(old)
            expectFailed(try await world.register(&refused), "authenticator_not_allowed")
            try await set(["allow_sha1_attestation": true])
            try await expectTaken(old)
            try await set(["allow_sha1_attestation": false])
        }

        @Test("Resp-A android-key: taken (P1), each fault refused (F1 to F3)")
        func androidKey() async throws {
            let profile = profile(.androidKey(world.maker, enforcedBy: .hardware))
            try await expectTaken(profile)
            try await expect(
                profile,
                refuses: [
                    .androidKeyChallengeWrong, .attestationCertificateOfOtherKey, .attestationPathDisordered,
                    .attestationSignatureWrong,
                ]
            )
        }

        @Test("Resp-B android-safetynet: off unless policy says so; then taken (P1), each fault refused (F1 to F7)")
        func androidSafetyNet() async throws {
            func profile() throws -> AuthenticatorProfile {
                let service = try SafetyNetService(answeringAt: Int64(Date().timeIntervalSince1970))
                return self.profile(.androidSafetyNet(world.maker, service))
            }
            var authenticator = Authenticator(try profile())
            expectFailed(try await world.register(&authenticator), "authenticator_not_allowed")
            try await set([
                "attestation_formats": [
                    "none", "packed", "fido-u2f", "tpm", "android-key", "apple", "compound", "android-safetynet",
                ]
            ])
            try await expectTaken(try profile())
            try await expect(
                try profile(),
                refuses: [
                    .safetyNetVersionEmpty, .safetyNetResponseEmpty, .safetyNetNonceWrong, .attestationPathEmpty,
                    .safetyNetProfileMismatch, .safetyNetFromFuture, .safetyNetTooOld,
                ]
            )
            try await set(["attestation_formats": .null])
        }

        @Test("Apple and compound attestations are taken too, and refused by their faults")
        func newer() async throws {
            let apple = profile(.apple(world.maker))
            try await expectTaken(apple)
            try await expect(apple, refuses: [.appleNonceWrong, .attestationCertificateOfOtherKey])
            let compound = profile(.compound([.packed(world.maker), .androidKey(world.maker, enforcedBy: .hardware)]))
            try await expectTaken(compound)
            try await expect(compound, refuses: [.compoundOneStatement, .compoundNested])
        }

        @Test("Metadata P1 and F2: a model that was revoked or compromised is refused", arguments: FIDOWorld.statuses)
        func compromised(_ status: String) async throws {
            let maker = try #require(world.compromised[status])
            var authenticator = Authenticator(profile(.packed(maker), aaguid: maker.aaguid))
            expectFailed(try await world.register(&authenticator), "authenticator_not_allowed", status)
            // Where no attestation is asked for, the claim of a model refuses nobody.
            var unasked = Authenticator(profile(.none, aaguid: maker.aaguid))
            expectOK(try await world.register(&unasked, attestation: "none"), status)
        }

        @Test("Metadata F3 to F6: a BLOB with a wrong signature or chain, or a revoked signer, is refused")
        func blobs() async throws {
            let now = Int64(Date().timeIntervalSince1970)
            let good = try world.service.blob(number: 11, nextUpdate: "2999-01-01", entries: [])
            func take(_ blob: String, _ flags: [String] = []) async throws -> Int32? {
                let file = try world.write(blob, to: "other.jwt")
                return try await world.server.admin(["mds", "import", file, "--roots", world.rootsFile] + flags).exit
            }
            var signature = Array(good.utf8)
            let last = try #require(signature.lastIndex(of: UInt8(ascii: "."))) + 5
            signature[last] = signature[last] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(try await take(String(decoding: signature, as: UTF8.self)) == 10)
            let stranger = try MetadataAuthority(validAt: now)
            #expect(try await take(try stranger.blob(number: 11, nextUpdate: "2999-01-01", entries: [])) == 10)
            for (index, isRoot) in [true, false].enumerated() {
                let revoked = isRoot ? world.service.intermediate : world.service.signer
                let list = try world.service.revocationList(
                    ofRoot: isRoot,
                    revoking: [revoked],
                    from: now - 60,
                    to: now + 86_400
                )
                let folder = try TemporaryFolder()
                try folder.write(PEM(label: "X509 CRL", der: list).text, to: "list\(index).pem")
                #expect(try await take(good, ["--crls", folder.path]) == 10)
            }
            let shown = try await world.server.adminJSON(["mds", "show"])
            #expect(shown["number"]?.integer == 10)
        }

        private func set(_ members: [String: JSONValue]) async throws {
            let words = members.map { name, value in
                "options.passkey_options.webauthn.\(name)=\(String(decoding: value.serialized(), as: UTF8.self))"
            }
            _ = try await world.server.adminJSON(
                ["connection", "set", "--tenant", world.site.tenant, "fido-conformance"] + words
            )
            // A running server sees another process's change within five seconds.
            try await Task.sleep(for: .seconds(6))
        }
    }
}
