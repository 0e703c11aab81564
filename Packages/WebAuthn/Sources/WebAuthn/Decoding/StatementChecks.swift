internal import CBOR
internal import COSE
internal import Cryptography
internal import Encodings
internal import JOSE

/// The checks of attestation statements, in the order of their clauses.
enum StatementChecks {
    private static let clientDataNeed = "the client data; paste the whole credential"

    static func run(_ object: AttestationObject, _ clientData: [UInt8]?, _ checks: inout Checks) {
        guard let credential = object.authenticatorData.attestedCredentialData, let key = credential.key else {
            checks.check("§6.5.4", "there is a credential to attest", false, otherwise: "no key that can be used")
            return
        }
        let attested = Attested(
            statement: object.statement,
            authenticatorData: object.authenticatorData,
            credential: credential,
            key: key,
            clientDataHash: clientData.map { SHA256.hash($0) } ?? [],
            requiresHardwareKeys: false,
            acceptsTestTPMs: false,
            time: 0
        )
        guard let parts = object.statement.array else {
            run(object.format, attested, knowsClientData: clientData != nil, &checks)
            return
        }
        checks.check(
            "§8.9",
            "there are two to four statements",
            (2...4).contains(parts.count),
            otherwise: "\(parts.count)"
        )
        for (index, part) in parts.enumerated() {
            guard let part = part.map, let format = part["fmt"]?.text, let statement = part["attStmt"] else {
                checks.check("§8.9", "attStmt[\(index)] is a map of fmt and attStmt", false, otherwise: "it is not")
                continue
            }
            checks.prefix = "attStmt[\(index)], "
            run(format, attested.with(statement), knowsClientData: clientData != nil, &checks)
        }
        checks.prefix = ""
    }

    private static func run(
        _ format: String,
        _ attested: Attested,
        knowsClientData: Bool,
        _ checks: inout Checks
    ) {
        switch AttestationFormats.named(format) {
        case is NoneAttestation:
            checks.check("§8.7", "the statement is empty", attested.members.isEmpty, otherwise: "it is not")
        case is PackedAttestation: packed(attested, knowsClientData, &checks)
        case is TPMAttestation: TPMChecks.run(attested, knowsClientData, &checks)
        case is AndroidKeyAttestation: AndroidKeyChecks.run(attested, knowsClientData, &checks)
        case is AndroidSafetyNetAttestation: safetyNet(attested, knowsClientData, &checks)
        case is AppleAttestation: apple(attested, knowsClientData, &checks)
        case is FIDOU2FAttestation: universalSecondFactor(attested, knowsClientData, &checks)
        default: checks.check("7.1 step 21", "the format is known", false, otherwise: "it is not")
        }
        checks.need("7.1 step 24", "the attestation can be trusted", "the roots, the time and the policy")
    }

    private static func packed(_ attested: Attested, _ knowsClientData: Bool, _ checks: inout Checks) {
        let statement = attested.members
        checks.check("§8.2 step 1", "alg and sig are there, and no ecdaaKeyId") { () throws(AttestationFault) in
            _ = try statement.signatureAlgorithm()
            _ = try statement.requiredBytes("sig")
            guard statement["ecdaaKeyId"] == nil else { throw AttestationFault("ecdaaKeyId is present") }
        }
        guard statement["x5c"] != nil else {
            checks.check("§8.2 step 3", "alg is the credential's") { () throws(AttestationFault) in
                let algorithm = try statement.signatureAlgorithm()
                guard algorithm == attested.credential.algorithm else {
                    throw AttestationFault("\(algorithm.rawValue), not \(attested.credential.algorithm.rawValue)")
                }
            }
            signature("§8.2 step 3", "sig is the credential key's", knowsClientData, &checks) {
                () throws(AttestationFault) in
                guard attested.key.isValid(try statement.requiredBytes("sig")[...], over: attested.signedBytes[...])
                else { throw AttestationFault("sig is not the credential key's") }
            }
            return
        }
        signature("§8.2 step 2", "sig is the attestation key's", knowsClientData, &checks) {
            () throws(AttestationFault) in try signed(attested)
        }
        checks.check("§8.2.1, §8.2.2", "the certificate is as it must be") { () throws(AttestationFault) in
            try AttestationCertificate.checkPackedRequirements(
                try AttestationCertificate.path(statement["x5c"]).leaf,
                aaguid: attested.credential.aaguid
            )
        }
    }

    private static func safetyNet(_ attested: Attested, _ knowsClientData: Bool, _ checks: inout Checks) {
        let members = attested.members
        checks.check("§8.5", "ver is there", members["ver"]?.text?.isEmpty == false, otherwise: "missing or empty")
        checks.check("§8.5", "response is signed by a certificate of its service") { () throws(AttestationFault) in
            _ = try AndroidSafetyNetAttestation.open(try members.requiredBytes("response"))
        }
        signature("§8.5", "nonce is of this ceremony", knowsClientData, &checks) { () throws(AttestationFault) in
            let (payload, _) = try AndroidSafetyNetAttestation.open(try members.requiredBytes("response"))
            try AndroidSafetyNetAttestation.checkNonce(payload, attested)
        }
        checks.check("§8.5", "the device passed") { () throws(AttestationFault) in
            let (payload, _) = try AndroidSafetyNetAttestation.open(try members.requiredBytes("response"))
            try AndroidSafetyNetAttestation.checkProfile(payload)
        }
        checks.need("§8.5", "the answer is at most a minute old", "the time of the ceremony")
    }

    private static func apple(_ attested: Attested, _ knowsClientData: Bool, _ checks: inout Checks) {
        let x5c = attested.members["x5c"]
        signature("§8.8 step 4", "the nonce is of this ceremony", knowsClientData, &checks) {
            () throws(AttestationFault) in
            try AppleAttestation.checkNonce(try AttestationCertificate.path(x5c).leaf, attested)
        }
        checks.check("§8.8 step 5", "the certificate is for the credential's key") { () throws(AttestationFault) in
            try AttestationCertificate.path(x5c).leaf.checkIsForKey(attested.key)
        }
    }

    private static func universalSecondFactor(
        _ attested: Attested,
        _ knowsClientData: Bool,
        _ checks: inout Checks
    ) {
        checks.check("§8.6 step 2", "there is one certificate, its key on P-256") { () throws(AttestationFault) in
            try FIDOU2FAttestation.checkKey(try FIDOU2FAttestation.certificate(attested))
        }
        checks.check("§8.6 step 4", "the credential's key is on P-256") { () throws(AttestationFault) in
            _ = try FIDOU2FAttestation.point(attested)
        }
        checks.check(
            "CTAP 2.1 §7.1",
            "the AAGUID is zero",
            attested.credential.aaguid == .zero,
            otherwise: "\(attested.credential.aaguid)"
        )
        signature("§8.6 step 6", "sig is the attestation key's", knowsClientData, &checks) {
            () throws(AttestationFault) in
            try FIDOU2FAttestation.certificate(attested).checkSigned(
                FIDOU2FAttestation.verificationData(attested, try FIDOU2FAttestation.point(attested)),
                try attested.members.requiredBytes("sig"),
                .es256
            )
        }
    }

    /// A check that the client data has to be there for.
    static func signature(
        _ clause: String,
        _ what: String,
        _ knowsClientData: Bool,
        _ checks: inout Checks,
        _ body: () throws(AttestationFault) -> Void
    ) {
        guard knowsClientData else {
            checks.need(clause, what, clientDataNeed)
            return
        }
        checks.check(clause, what, body)
    }

    /// The signature over authenticator data and client data, by the first certificate of `x5c`.
    static func signed(_ attested: Attested) throws(AttestationFault) {
        try AttestationCertificate.path(attested.members["x5c"]).leaf.checkSigned(
            attested.signedBytes,
            try attested.members.requiredBytes("sig"),
            try attested.members.signatureAlgorithm()
        )
    }
}

/// Format `android-key` (§8.4).
enum AndroidKeyChecks {
    static func run(_ attested: Attested, _ knowsClientData: Bool, _ checks: inout Checks) {
        let x5c = attested.members["x5c"]
        StatementChecks.signature("§8.4", "sig is the certificate key's", knowsClientData, &checks) {
            () throws(AttestationFault) in try StatementChecks.signed(attested)
        }
        checks.check("§8.4", "the certificate is for the credential's key") { () throws(AttestationFault) in
            try AttestationCertificate.path(x5c).leaf.checkIsForKey(attested.key)
        }
        StatementChecks.signature("§8.4", "attestationChallenge is of this ceremony", knowsClientData, &checks) {
            () throws(AttestationFault) in
            try AndroidKeyDescription(try AttestationCertificate.path(x5c).leaf).checkChallenge(attested)
        }
        checks.check("§8.4", "the key serves one app, was made where it lives, and signs") {
            () throws(AttestationFault) in
            try description(try AndroidKeyDescription(try AttestationCertificate.path(x5c).leaf))
        }
    }

    static func description(_ description: AndroidKeyDescription) throws(AttestationFault) {
        try description.checkApplications()
        try description.checkOrigin(hardwareOnly: false)
        try description.checkPurpose(hardwareOnly: false)
    }
}

/// Format `tpm` (§8.3).
enum TPMChecks {
    static func run(_ attested: Attested, _ knowsClientData: Bool, _ checks: inout Checks) {
        let statement = attested.members
        checks.check("§8.3", "ver is 2.0", statement["ver"]?.text == "2.0", otherwise: "it is not")
        checks.check("§8.3", "pubArea is of the credential's key") { () throws(AttestationFault) in
            try TPMAttestation.publicArea(attested).checkIsOf(attested.key)
        }
        let info = try? TPMCertification(decoding: statement["certInfo"]?.bytes ?? [], checking: false)
        checks.check("§8.3", "certInfo can be read", info != nil, otherwise: "it is cut off, or goes on")
        if let info {
            checks.check("§8.3", "magic is TPM_GENERATED_VALUE") { () throws(AttestationFault) in
                try TPMCertification.checkMagic(info.magic)
            }
            checks.check("§8.3", "type is TPM_ST_ATTEST_CERTIFY") { () throws(AttestationFault) in
                try TPMCertification.checkType(info.type)
            }
            StatementChecks.signature("§8.3", "extraData is of this ceremony", knowsClientData, &checks) {
                () throws(AttestationFault) in _ = try TPMAttestation.checkExtraData(info, attested)
            }
            checks.check("§8.3", "attested has the name of pubArea") { () throws(AttestationFault) in
                _ = try info.nameHash(of: try TPMAttestation.publicArea(attested))
            }
        }
        checks.check("§8.3", "sig is the attestation key's, over certInfo") { () throws(AttestationFault) in
            try TPMAttestation.checkSignature(attested)
        }
        checks.check("§8.3.1", "the certificate is as it must be") { () throws(AttestationFault) in
            try TPMCertificate.checkRequirements(
                try AttestationCertificate.path(statement["x5c"]).leaf,
                allowingTestMaker: false
            )
        }
        checks.check("§8.3", "the certificate is for the credential's model") { () throws(AttestationFault) in
            try AttestationExtension.checkModel(
                try AttestationCertificate.path(statement["x5c"]).leaf,
                aaguid: attested.credential.aaguid
            )
        }
    }
}
