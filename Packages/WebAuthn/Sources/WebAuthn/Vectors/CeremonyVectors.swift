internal import COSE
internal import Cryptography
internal import Encodings

/// The operations `registration` and `authentication`.
enum CeremonyVectors {
    static func registration(_ input: VectorInput) throws(VectorError) -> VectorAnswer {
        let anchors = try input.certificates("trustAnchors")
        let issued = IssuedRegistration(
            challenge: try input.base64URL("expectedChallenge"),
            rpID: try input.string("rpId"),
            origins: try input.strings("expectedOrigins"),
            allowedTopOrigins: try topOrigins(input),
            userVerification: try input.bool("requireUserVerification") ? .required : .preferred,
            mayOmitUserPresence: try !input.bool("requireUserPresence"),
            algorithms: (try input.optionalIntegers("allowedAlgorithms") ?? []).map { COSEAlgorithm(rawValue: $0) },
            attestation: AttestationPolicy(
                preference: .direct,
                trustAnchors: anchors,
                trust: .trustedChains,
                allowedFormats: AttestationFormats.built.map(\.identifier),
                allowsSHA1: true
            )
        )
        let time = try input.optionalString("verificationTime").map(CalendarTime.seconds) ?? 0
        guard let time else { throw VectorError("verificationTime is no UTC time") }
        let json = try input.object("credential")
        do throws(CeremonyError) {
            let response = try response(of: .registration, json, RegistrationResponse.init)
            let verified = try RelyingParty.verify(response, answering: issued, at: time)
            let credential = verified.credential
            return .accept([
                "fmt": .string(credential.attestationFormat),
                "attestationType": .string(credential.attestationType.rawValue),
                "attestationTrusted": .bool(credential.attestationTrusted),
                "credentialId": .string(Base64URL.encode(credential.id)),
                "publicKey": .string(Base64URL.encode(credential.publicKey)),
                "alg": .integer(Int64(verified.algorithm)),
                "signCount": .integer(Int64(credential.signCount)),
                "aaguid": .string(credential.aaguid.description),
                "flags": Decoding.flags(response.attestationObject.authenticatorData.flags),
                "extensions": verified.extensions.map { .string(Base64URL.encode($0)) } ?? .null,
            ])
        } catch {
            return refusal(error)
        }
    }

    static func authentication(_ input: VectorInput) throws(VectorError) -> VectorAnswer {
        let stored = VectorInput(object: try input.object("storedCredential"))
        let signCount = try stored.integer("signCount")
        guard let signCount = UInt32(exactly: signCount) else { throw VectorError("signCount is no counter") }
        let record = CredentialRecord(
            id: try stored.base64URL("id"),
            publicKey: try stored.base64URL("publicKey"),
            signCount: signCount,
            uvInitialized: false,
            backupEligible: try stored.value("backupEligible") == nil ? nil : stored.bool("backupEligible"),
            backupState: try stored.bool("backedUp", default: false)
        )
        var allowCredentials: [[UInt8]] = []
        for id in try input.optionalStrings("allowCredentials") ?? [] {
            allowCredentials.append(try VectorInput.base64URL(id, "allowCredentials"))
        }
        let issued = IssuedAuthentication(
            challenge: try input.base64URL("expectedChallenge"),
            rpID: try input.string("rpId"),
            origins: try input.strings("expectedOrigins"),
            allowedTopOrigins: try topOrigins(input),
            userVerification: try input.bool("requireUserVerification") ? .required : .preferred,
            allowCredentials: allowCredentials
        )
        let owner = try stored.optionalBase64URL("userHandle")
        let json = try input.object("credential")
        do throws(CeremonyError) {
            let response = try response(of: .authentication, json, AuthenticationResponse.init)
            let checked = try RelyingParty.check(response, answering: issued)
            let verified = try RelyingParty.verify(
                checked,
                with: record,
                // A vector without an owner does not judge the handle.
                ownerHandles: [owner ?? response.userHandle ?? []],
                counterPolicy: .warn
            )
            return .accept([
                "signCount": .integer(Int64(verified.signCount)),
                "signCountRegression": .bool(verified.counterRegressed),
                "flags": Decoding.flags(response.authenticatorData.flags),
            ])
        } catch {
            return refusal(error)
        }
    }

    static func refusal(_ error: CeremonyError) -> VectorAnswer {
        var answer = VectorAnswer.reject(error.reason.rawValue, error.description)
        answer.members["step"] = .string(error.step)
        if let policy = error.policy { answer.members["policy"] = .string(policy.rawValue) }
        return answer
    }

    /// Takes a response apart, with a malformed one as the refusal that it leads to.
    static func response<Response>(
        of ceremony: Ceremony,
        _ json: JSONObject,
        _ read: (JSONObject, ResponseForm) throws(ResponseError) -> Response
    ) throws(CeremonyError) -> Response {
        do throws(ResponseError) {
            return try read(json, .interoperable)
        } catch {
            throw CeremonyError(error, in: ceremony)
        }
    }

    private static func topOrigins(_ input: VectorInput) throws(VectorError) -> [String]? {
        guard try input.bool("allowCrossOrigin") else { return nil }
        return try input.optionalStrings("expectedTopOrigins") ?? []
    }
}
