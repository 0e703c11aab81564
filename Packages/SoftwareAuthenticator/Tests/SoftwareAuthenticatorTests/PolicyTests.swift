import COSE
import Cryptography
import SoftwareAuthenticator
import Testing
import WebAuthn

@Suite("WebAuthn L3 §7.1 steps 18 to 24: attestation and policy")
struct AttestationPolicyTests {
    private let authority: AttestationAuthority
    private let profile: AuthenticatorProfile

    init() throws {
        authority = try AttestationAuthority(aaguid: RightCeremonyTests.aaguid, validAt: Server.time)
        profile = AuthenticatorProfile(aaguid: authority.aaguid, attestation: .packed(authority))
    }

    private func register(
        _ policy: AttestationPolicy,
        _ profile: AuthenticatorProfile? = nil,
        fault: Fault? = nil
    ) throws -> CredentialRecord {
        var server = Server()
        server.attestation = policy
        var authenticator = Authenticator(profile ?? self.profile)
        return try server.register(&authenticator, fault: fault).credential
    }

    @Test("A chain to a known root gives trust")
    func trusted() throws {
        let policy = AttestationPolicy(preference: .direct, trustAnchors: [authority.root], trust: .required)
        let credential = try register(policy)
        #expect(credential.attestationTrusted)
        #expect(credential.attestationType == .basic)
        #expect(credential.aaguid == authority.aaguid)
    }

    @Test("Without anchors a chain is not judged, and gives no trust")
    func notJudged() throws {
        let credential = try register(AttestationPolicy(preference: .direct))
        #expect(credential.attestationType == .basic && !credential.attestationTrusted)
    }

    @Test("An unknown root is recorded, or refused, as policy says")
    func unknownRoot() throws {
        var policy = AttestationPolicy(preference: .direct, trustAnchors: [authority.root])
        #expect(try !register(policy, fault: .attestationChainUntrusted).attestationTrusted)
        for trust in [TrustRequirement.trustedChains, .required] {
            policy.trust = trust
            #expect(
                try refusal { _ = try register(policy, fault: .attestationChainUntrusted) } == .authenticatorNotAllowed
            )
        }
    }

    @Test("Where trust is required, none and self are refused; where only chains are judged, they pass")
    func withoutChain() throws {
        for attestation in [AuthenticatorProfile.Attestation.none, .packedSelf] {
            var profile = profile
            profile.attestation = attestation
            var policy = AttestationPolicy(preference: .direct, trustAnchors: [authority.root], trust: .required)
            #expect(try refusal { _ = try register(policy, profile) } == .authenticatorNotAllowed)
            policy.trust = .trustedChains
            #expect(try !register(policy, profile).attestationTrusted)
        }
    }

    @Test("An attestation that nobody asked for is verified, and gives no trust")
    func unasked() throws {
        var profile = profile
        profile.attestsUnasked = true
        let policy = AttestationPolicy(trustAnchors: [authority.root])
        let credential = try register(policy, profile)
        #expect(credential.attestationFormat == "packed" && !credential.attestationTrusted)
        #expect(
            try refusal { _ = try register(policy, profile, fault: .attestationSignatureWrong) } == .attestationInvalid
        )
    }

    @Test("Without being asked, nothing is attested")
    func none() throws {
        #expect(try register(.none).attestationFormat == "none")
    }

    @Test("An unknown format is refused, or taken as none")
    func unknownFormat() throws {
        var policy = AttestationPolicy(preference: .direct, trustAnchors: [authority.root])
        #expect(try refusal { _ = try register(policy, fault: .attestationFormatUnknown) } == .authenticatorNotAllowed)
        policy.unknownFormat = .asNone
        let credential = try register(policy, fault: .attestationFormatUnknown)
        #expect(credential.attestationFormat == "none" && credential.attestationType == .none)
        #expect(!credential.attestationTrusted)
        policy.trust = .required
        #expect(try refusal { _ = try register(policy, fault: .attestationFormatUnknown) } == .authenticatorNotAllowed)
    }

    @Test("A format outside the list is refused, but only after its statement was right")
    func formats() throws {
        let policy = AttestationPolicy(preference: .direct, allowedFormats: ["none"])
        #expect(try refusal { _ = try register(policy) } == .authenticatorNotAllowed)
        #expect(try refusal { _ = try register(policy, fault: .attestationSignatureWrong) } == .attestationInvalid)
        #expect(
            try register(AttestationPolicy(preference: .direct, allowedFormats: ["packed"])).attestationFormat
                == "packed"
        )
    }

    @Test("A denied model is refused, also when it only claims to be one")
    func denied() throws {
        let policy = AttestationPolicy(deniedAAGUIDs: [authority.aaguid])
        #expect(try refusal { _ = try register(policy) } == .authenticatorNotAllowed)
    }

    @Test("An allowed model must be proven: a claim is not enough")
    func allowed() throws {
        var policy = AttestationPolicy(
            preference: .direct,
            trustAnchors: [authority.root],
            allowedAAGUIDs: [authority.aaguid]
        )
        _ = try register(policy)
        var claimed = profile
        claimed.attestation = .packedSelf
        #expect(try refusal { _ = try register(policy, claimed) } == .authenticatorNotAllowed)
        policy.allowedAAGUIDs = [.zero]
        #expect(try refusal { _ = try register(policy) } == .authenticatorNotAllowed)
    }

    @Test("A device-bound credential is refused where backup is asked for")
    func backupEligible() throws {
        var server = Server()
        server.requiresBackupEligible = true
        var bound = Authenticator(.securityKey)
        #expect(try refusal { _ = try server.register(&bound) } == .authenticatorNotAllowed)
        var synced = Authenticator(.syncedPasskey)
        _ = try server.register(&synced)
    }
}

@Suite("WebAuthn L3 §7.1 and §7.2: which of several faults is named")
struct OrderTests {
    @Test("Framing is judged after the origin, and by its list")
    func frames() throws {
        var server = Server()
        server.allowedTopOrigins = []
        var authenticator = Authenticator()
        // Framed, with nobody named: allowed where frames are.
        _ = try server.register(&authenticator, fault: .crossOrigin)
        #expect(try refusal { _ = try server.register(&authenticator, fault: .topOrigin) } == .crossOrigin)
        server.allowedTopOrigins = ["https://top.invalid"]
        _ = try server.register(&authenticator, fault: .topOrigin)
        let reason = try refusal {
            _ = try server.register(&authenticator, fault: .topOrigin, from: "https://elsewhere.example")
        }
        #expect(reason == .originMismatch)
    }

    @Test("UV is judged before the flags of backup, and those before the algorithm")
    func flags() throws {
        var server = Server()
        server.userVerification = .required
        server.isConditional = true
        var authenticator = Authenticator(.securityKey)
        #expect(
            try refusal { _ = try server.register(&authenticator, fault: .backedUpButNotEligible) }
                == .userVerificationMissing
        )
        server.userVerification = .preferred
        #expect(
            try refusal { _ = try server.register(&authenticator, fault: .backedUpButNotEligible) }
                == .backupFlagsInvalid
        )
    }

    @Test("At login a wrong handle is named before a changed BE, and that before a wrong signature")
    func login() throws {
        let server = Server()
        var authenticator = Authenticator(.securityKey)
        var credential = try server.register(&authenticator).credential
        credential.backupEligible = true
        #expect(
            try refusal { _ = try server.logIn(&authenticator, with: credential, fault: .userHandleWrong) }
                == .userHandleMismatch
        )
        #expect(
            try refusal { _ = try server.logIn(&authenticator, with: credential, fault: .signatureWrong) }
                == .backupFlagsInvalid
        )
        credential.backupEligible = false
        credential.signCount = 1000
        #expect(
            try refusal { _ = try server.logIn(&authenticator, with: credential, fault: .signatureWrong) }
                == .signatureInvalid
        )
        #expect(try refusal { _ = try server.logIn(&authenticator, with: credential) } == .counterRegression)
    }
}

@Suite("WebAuthn L3 §7.2 steps 19 and 22: BE and the counter, by policy")
struct AuthenticationPolicyTests {
    @Test("A counter that stands or falls is refused, or reported")
    func counter() throws {
        let server = Server()
        var authenticator = Authenticator(.securityKey)
        var credential = try server.register(&authenticator).credential
        for _ in 0..<2 { credential.update(try server.logIn(&authenticator, with: credential)) }
        for fault in [Fault.counterStands, .counterWentBack] {
            for policy in [CounterPolicy.reject, .disable] {
                let before = authenticator
                let reason = try refusal {
                    _ = try server.logIn(&authenticator, with: credential, fault: fault, counterPolicy: policy)
                }
                #expect(reason == .counterRegression)
                authenticator = before
            }
            let before = authenticator
            let login = try server.logIn(&authenticator, with: credential, fault: fault, counterPolicy: .warn)
            #expect(login.counterRegressed)
            authenticator = before
        }
        #expect(try !server.logIn(&authenticator, with: credential, counterPolicy: .warn).counterRegressed)
    }

    @Test("A counter may use its whole range")
    func counterRange() throws {
        let server = Server()
        var profile = AuthenticatorProfile.securityKey
        profile.counter = .from(UInt32.max - 1)
        var authenticator = Authenticator(profile)
        var credential = try server.register(&authenticator).credential
        credential.update(try server.logIn(&authenticator, with: credential))
        #expect(credential.signCount == .max)
        // It wraps, which is a step back.
        #expect(try refusal { _ = try server.logIn(&authenticator, with: credential) } == .counterRegression)
    }

    @Test(
        "A change of BE is refused, accepted upwards, or accepted",
        arguments: [
            (BackupEligibilityPolicy.strict, false, false), (.allowUpgrade, true, false), (.observe, true, true),
        ]
    )
    func backupEligibility(_ policy: BackupEligibilityPolicy, _ up: Bool, _ down: Bool) throws {
        let server = Server()
        for (becomesEligible, accepted) in [(true, up), (false, down)] {
            var authenticator = Authenticator(becomesEligible ? .syncedPasskey : .securityKey)
            var credential = try server.register(&authenticator).credential
            credential.backupEligible = !becomesEligible
            let before = authenticator
            let reason = try refusal {
                _ = try server.logIn(&authenticator, with: credential, backupEligibility: policy)
            }
            #expect(reason == (accepted ? nil : .backupFlagsInvalid))
            authenticator = before
            if accepted {
                let login = try server.logIn(&authenticator, with: credential, backupEligibility: policy)
                #expect(login.backupEligible == becomesEligible && login.backupEligibleChanged)
            }
        }
    }

    @Test("A record that does not know its BE accepts either once, and learns it", arguments: [true, false])
    func unknownBackupEligibility(_ eligible: Bool) throws {
        let server = Server()
        var authenticator = Authenticator(eligible ? .syncedPasskey : .securityKey)
        var credential = try server.register(&authenticator).credential
        credential.backupEligible = nil
        let login = try server.logIn(&authenticator, with: credential)
        #expect(login.backupEligible == eligible && login.backupEligibleChanged)
        credential.update(login)
        #expect(try !server.logIn(&authenticator, with: credential).backupEligibleChanged)
    }

    @Test("A record of another credential is not taken")
    func otherRecord() throws {
        let server = Server()
        var authenticator = Authenticator()
        var credential = try server.register(&authenticator).credential
        credential.id = Random.bytes(32)
        #expect(try refusal { _ = try server.logIn(&authenticator, with: credential) } == .unknownCredential)
    }
}
