internal import COSE
internal import Encodings

/// The operation `ceremony`: one case of the pitfalls file, whose members are the server's side of a ceremony.
enum PitfallVectors {
    static func ceremony(_ input: VectorInput) throws(VectorError) -> VectorAnswer {
        switch try input.string("operation") {
        case "registration": try registration(input)
        case "authentication": try authentication(input)
        default: throw VectorError("no such operation")
        }
    }

    private static func registration(_ input: VectorInput) throws(VectorError) -> VectorAnswer {
        guard
            let preference = AttestationConveyancePreference(
                rawValue: try input.optionalString("attestationPreference") ?? "none"
            )
        else { throw VectorError("no such attestationPreference") }
        let algorithms = try input.optionalIntegers("pubKeyCredParams") ?? [-8, -7, -257]
        let issued = IssuedRegistration(
            challenge: try input.base64URL("challenge"),
            rpID: try input.string("rpId"),
            origins: try input.strings("origins"),
            allowedTopOrigins: try input.optionalStrings("topOrigins"),
            userVerification: try input.bool("requireUserVerification") ? .required : .preferred,
            mayOmitUserPresence: try input.bool("conditionalCreate", default: false),
            algorithms: algorithms.map { COSEAlgorithm(rawValue: $0) },
            attestation: AttestationPolicy(preference: preference)
        )
        let json = try input.object("credential")
        do throws(CeremonyError) {
            let response = try CeremonyVectors.response(of: .registration, json, RegistrationResponse.init)
            let verified = try RelyingParty.verify(response, answering: issued, at: 0)
            return .accept([
                "record": record(
                    verified.credential,
                    userHandle: nil,
                    algorithm: verified.algorithm,
                    userVerified: verified.userVerified
                )
            ])
        } catch {
            return CeremonyVectors.refusal(error)
        }
    }

    private static func authentication(_ input: VectorInput) throws(VectorError) -> VectorAnswer {
        var allowCredentials: [[UInt8]] = []
        for id in try input.optionalStrings("allowCredentials") ?? [] {
            allowCredentials.append(try VectorInput.base64URL(id, "allowCredentials"))
        }
        let issued = IssuedAuthentication(
            challenge: try input.base64URL("challenge"),
            rpID: try input.string("rpId"),
            origins: try input.strings("origins"),
            allowedTopOrigins: try input.optionalStrings("topOrigins"),
            userVerification: try input.bool("requireUserVerification") ? .required : .preferred,
            allowCredentials: allowCredentials,
            userIdentified: try input.bool("userIdentified", default: false)
        )
        let stored = try input.optionalObject("storedCredential").map(VectorInput.init)
        let json = try input.object("credential")
        let owner = try stored?.optionalBase64URL("userHandle") ?? []
        // A proof beside this login: a password just before, or another passkey (HTTP contract 4.5).
        let otherProof = try input.bool("otherProof", default: false)
        let refusesUnproven = try input.optionalString("uvUnprovenLogin") == "refuse"
        var record: CredentialRecord?
        if let stored { record = try self.record(stored) }
        do throws(CeremonyError) {
            let response = try CeremonyVectors.response(of: .authentication, json, AuthenticationResponse.init)
            let checked = try RelyingParty.check(response, answering: issued)
            guard var record else { throw CeremonyError(.unknownCredential, step: "7.2 step 6") }
            let verified = try RelyingParty.verify(checked, with: record, ownerHandles: [owner])
            // 24. What the login changes in the record.
            record.signCount = verified.signCount
            record.backupEligible = verified.backupEligible
            record.backupState = verified.backupState
            let initializes = record.initializesUserVerification(
                userVerified: verified.userVerified,
                otherProof: otherProof
            )
            guard record.uvInitialized || initializes || !refusesUnproven else {
                throw CeremonyError(
                    .userVerificationUnproven,
                    step: "",
                    expected: "a passkey whose user verification was proven",
                    got: "uvInitialized false",
                    policy: .unprovenUserVerificationLogin
                )
            }
            // UV counts from the next login on, not in the one that proves it.
            let isFactor = verified.userVerified && record.uvInitialized
            record.uvInitialized = record.uvInitialized || initializes
            return .accept([
                "record": self.record(
                    record,
                    userHandle: owner,
                    algorithm: nil,
                    userVerified: verified.userVerified
                ),
                "userVerificationIsFactor": .bool(isFactor),
                "backupStateChanged": .bool(verified.backupStateChanged),
            ])
        } catch {
            return CeremonyVectors.refusal(error)
        }
    }

    private static func record(_ stored: VectorInput) throws(VectorError) -> CredentialRecord {
        guard let signCount = UInt32(exactly: try stored.integer("signCount")) else {
            throw VectorError("signCount is no counter")
        }
        return CredentialRecord(
            id: try stored.base64URL("id"),
            publicKey: try stored.base64URL("publicKey"),
            signCount: signCount,
            uvInitialized: try stored.bool("uvInitialized", default: false),
            transports: try stored.optionalStrings("transports") ?? [],
            backupEligible: stored.value("backupEligible") == nil ? nil : try stored.bool("backupEligible"),
            backupState: try stored.bool("backupState", default: false)
        )
    }

    private static func record(
        _ record: CredentialRecord,
        userHandle: [UInt8]?,
        algorithm: Int?,
        userVerified: Bool
    ) -> JSONValue {
        var object: JSONObject = [
            "id": .string(Base64URL.encode(record.id)),
            "publicKey": .string(Base64URL.encode(record.publicKey)),
            "signCount": .integer(Int64(record.signCount)),
            "backupEligible": record.backupEligible.map(JSONValue.bool) ?? .null,
            "backupState": .bool(record.backupState),
            "uvInitialized": .bool(record.uvInitialized),
            "userVerified": .bool(userVerified),
            "transports": .array(record.transports.map(JSONValue.string)),
            "attestationFormat": .string(record.attestationFormat),
            "aaguid": .string(record.aaguid.description),
        ]
        if let algorithm { object["algorithm"] = .integer(Int64(algorithm)) }
        if let userHandle { object["userHandle"] = .string(Base64URL.encode(userHandle)) }
        return .object(object)
    }
}
