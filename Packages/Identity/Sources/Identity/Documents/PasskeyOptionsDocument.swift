import Encodings
import WebAuthn

extension PasskeyOptions {
    /// Reads the member `passkey_options` of a connection's options, with ours in `webauthn` (HTTP contract 11.5).
    init(_ reader: consuming DocumentReader) throws(DocumentError) {
        self.init()
        challengeUI = try reader.text("challenge_ui", .word(["both", "autofill", "button"])) ?? challengeUI
        progressiveEnrollment = try reader.bool("progressive_enrollment_enabled") ?? progressiveEnrollment
        localEnrollment = try reader.bool("local_enrollment_enabled") ?? localEnrollment
        if let webauthn = try reader.object("webauthn") { try readPolicy(webauthn) }
        stored = try reader.keep(Self.kept)
        try reader.end()
    }

    var document: JSONObject {
        var document: JSONObject = [
            "challenge_ui": .string(challengeUI),
            "progressive_enrollment_enabled": .bool(progressiveEnrollment),
            "local_enrollment_enabled": .bool(localEnrollment),
        ]
        document.restore(Self.kept, from: stored)
        document.set("webauthn", .object(policyDocument))
        return document
    }

    private mutating func readPolicy(_ reader: consuming DocumentReader) throws(DocumentError) {
        userVerification = try reader.word("user_verification", UserVerificationRequirement.self)
        residentKey = try reader.word("resident_key", ResidentKeyRequirement.self) ?? residentKey
        authenticatorAttachment = try reader.word("authenticator_attachment", AuthenticatorAttachment.self)
        attestation = try reader.word("attestation", AttestationConveyancePreference.self) ?? attestation
        timeoutMilliseconds = try reader.integer("timeout_ms", 15000...600_000)
        algorithms = try Self.algorithms(&reader) ?? algorithms
        counterPolicy = try reader.word("counter_policy", CounterPolicy.self) ?? counterPolicy
        backupEligibility = try reader.word("backup_eligibility", BackupEligibilityPolicy.self) ?? backupEligibility
        requireBackupEligible = try reader.bool("require_backup_eligible") ?? requireBackupEligible
        allowedAAGUIDs = try Self.aaguids("allowed_aaguids", &reader) ?? []
        deniedAAGUIDs = try Self.aaguids("denied_aaguids", &reader) ?? []
        requireTrustedAttestation = try reader.bool("require_trusted_attestation") ?? requireTrustedAttestation
        attestationFormats = try Self.formats(&reader)
        unknownAttestation = try reader.word("unknown_attestation", UnknownAttestationPolicy.self) ?? unknownAttestation
        allowSHA1Attestation = try reader.bool("allow_sha1_attestation") ?? allowSHA1Attestation
        extensions = try reader.keep([KeptMember("extensions", .object)])["extensions"]?.object ?? extensions
        hints = try reader.texts("hints", .word(["security-key", "client-device", "hybrid"]), atMost: 3) ?? hints
        allowCrossOrigin = try reader.bool("allow_cross_origin") ?? allowCrossOrigin
        allowedTopOrigins = try reader.texts("allowed_top_origins", .origin, atMost: 100) ?? allowedTopOrigins
        maximumPerUser = try reader.integer("max_passkeys_per_user", 1...1000).map { Int($0) } ?? maximumPerUser
        userVerificationProof = try reader.word("uv_proof", UserVerificationProof.self) ?? userVerificationProof
        unprovenUserVerificationLogin =
            try reader.word("uv_unproven_login", UnprovenUserVerificationLogin.self) ?? unprovenUserVerificationLogin
        try requireAttestation(at: reader)
        try reader.end()
    }

    /// An AAGUID is a claim until its attestation was verified (HTTP contract 4.5).
    private func requireAttestation(at reader: borrowing DocumentReader) throws(DocumentError) {
        guard attestation != .direct, attestation != .enterprise else { return }
        let member: String
        if !allowedAAGUIDs.isEmpty {
            member = "allowed_aaguids"
        } else if requireTrustedAttestation {
            member = "require_trusted_attestation"
        } else {
            return
        }
        throw .conflict(
            path: reader.path(of: member),
            message: "\(reader.path(of: member)) needs attestation direct or enterprise in the same object"
        )
    }

    private static func algorithms(_ reader: inout DocumentReader) throws(DocumentError) -> [Int]? {
        let name = "algorithms"
        guard let value = reader.take(name) else { return nil }
        let numbers = value.array?.compactMap(\.integer) ?? []
        guard let elements = value.array, !elements.isEmpty, numbers.count == elements.count,
            Set(numbers).count == numbers.count, numbers.allSatisfy({ algorithmsOfCredentials.contains($0) })
        else {
            let known = algorithmsOfCredentials.map { String($0) }
            throw reader.invalid(name, value, mustBe: "a list of \(alternatives(known)), each at most once")
        }
        return numbers.map { Int($0) }
    }

    /// COSE algorithms that a credential may have: EdDSA, ECDSA, RSA with SHA-2, ML-DSA, fully specified ones.
    private static let algorithmsOfCredentials: [Int64] = [
        -7, -8, -9, -19, -35, -36, -37, -38, -39, -47, -48, -49, -50, -51, -52, -53, -257, -258, -259,
    ]

    private static func aaguids(_ name: String, _ reader: inout DocumentReader) throws(DocumentError) -> [AAGUID]? {
        guard let texts = try reader.texts(name, .plain(36...36), atMost: 1000) else { return nil }
        var aaguids: [AAGUID] = []
        for (index, text) in texts.enumerated() {
            guard let aaguid = AAGUID(text) else {
                throw .invalid("\(reader.path(of: name))[\(index)]", .string(text), mustBe: "a UUID")
            }
            aaguids.append(aaguid)
        }
        return aaguids
    }

    private static func formats(_ reader: inout DocumentReader) throws(DocumentError) -> [String]? {
        let name = "attestation_formats"
        guard let formats = try reader.texts(name, .word(knownFormats), atMost: knownFormats.count) else { return nil }
        guard !formats.isEmpty, Set(formats).count == formats.count else {
            throw reader.invalid(name, .array(formats.map { .string($0) }), mustBe: "a list without repetitions")
        }
        return formats
    }

    /// Registered attestation statement formats (WebAuthn L3 §8).
    private static let knownFormats = [
        "none", "packed", "fido-u2f", "android-key", "android-safetynet", "apple", "tpm", "compound",
    ]

    private static let kept = [
        KeptMember("upgrade_probation_hours", .integer(0...8760), absent: 72),
        KeptMember("upgrade_without_notice", .bool, absent: false),
    ]

    private var policyDocument: JSONObject {
        var document = JSONObject()
        document.set("user_verification", text: userVerification?.rawValue)
        document.set("resident_key", .string(residentKey.rawValue))
        document.set("authenticator_attachment", text: authenticatorAttachment?.rawValue)
        document.set("attestation", .string(attestation.rawValue))
        if let timeoutMilliseconds { document.set("timeout_ms", .integer(timeoutMilliseconds)) }
        document.set("algorithms", .array(algorithms.map { .integer(Int64($0)) }))
        document.set("counter_policy", .string(counterPolicy.rawValue))
        document.set("backup_eligibility", .string(backupEligibility.rawValue))
        document.set("require_backup_eligible", .bool(requireBackupEligible))
        document.set("allowed_aaguids", texts: allowedAAGUIDs.map(\.description))
        document.set("denied_aaguids", texts: deniedAAGUIDs.map(\.description))
        document.set("require_trusted_attestation", .bool(requireTrustedAttestation))
        if let attestationFormats { document.set("attestation_formats", texts: attestationFormats) }
        document.set("unknown_attestation", .string(unknownAttestation.rawValue))
        document.set("allow_sha1_attestation", .bool(allowSHA1Attestation))
        document.set("extensions", .object(extensions))
        document.set("hints", texts: hints)
        document.set("allow_cross_origin", .bool(allowCrossOrigin))
        document.set("allowed_top_origins", texts: allowedTopOrigins)
        document.set("max_passkeys_per_user", .integer(Int64(maximumPerUser)))
        document.set("uv_proof", .string(userVerificationProof.rawValue))
        document.set("uv_unproven_login", .string(unprovenUserVerificationLogin.rawValue))
        return document
    }
}
