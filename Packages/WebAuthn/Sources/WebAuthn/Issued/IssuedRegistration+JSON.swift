import COSE
import Cryptography
public import Encodings

extension IssuedRegistration {
    /// Writes everything the answer is judged by, for a cache outside the process; ``init(json:)`` reads it back.
    public func write(to json: inout JSONWriter) {
        json.beginObject()
        json.name("challenge")
        json.base64URL(challenge)
        json.name("rpID")
        json.string(rpID)
        json.name("origins")
        json.strings(origins)
        json.strings(ifAny: allowedTopOrigins, "topOrigins")
        json.name("uv")
        json.string(userVerification.rawValue)
        json.name("mayOmitUP")
        json.bool(mayOmitUserPresence)
        json.name("algorithms")
        json.beginArray()
        for algorithm in algorithms { json.integer(algorithm.rawValue) }
        json.endArray()
        json.name("requiresBE")
        json.bool(requiresBackupEligible)
        if attestation != .none {
            json.name("attestation")
            attestation.write(to: &json)
        }
        json.endObject()
    }

    /// Reads what ``write(to:)`` wrote; `nil` for anything else.
    public init?(json: JSONObject) {
        guard let challenge = json.bytes("challenge"), let rpID = json["rpID"]?.string,
            let origins = json.strings("origins"), let topOrigins = json.strings(ifAny: "topOrigins"),
            let verification = json["uv"]?.string.flatMap(UserVerificationRequirement.init(rawValue:)),
            let mayOmitUserPresence = json["mayOmitUP"]?.bool,
            let algorithms = json["algorithms"]?.array?.map({ $0.integer.flatMap { Int(exactly: $0) } }),
            !algorithms.contains(nil), let requiresBackupEligible = json["requiresBE"]?.bool,
            let attestation = Self.attestation(json)
        else { return nil }
        self.init(
            challenge: challenge,
            rpID: rpID,
            origins: origins,
            allowedTopOrigins: topOrigins,
            userVerification: verification,
            mayOmitUserPresence: mayOmitUserPresence,
            algorithms: algorithms.compactMap { $0.map(COSEAlgorithm.init(rawValue:)) },
            attestation: attestation,
            requiresBackupEligible: requiresBackupEligible
        )
    }

    private static func attestation(_ json: JSONObject) -> AttestationPolicy? {
        guard let attestation = json["attestation"] else { return AttestationPolicy.none }
        return attestation.object.flatMap { AttestationPolicy(json: $0) }
    }
}

extension AttestationPolicy {
    fileprivate func write(to json: inout JSONWriter) {
        json.beginObject()
        json.name("preference")
        json.string(preference.rawValue)
        json.strings(ifAny: trustAnchors?.map { Base64URL.encode($0.der) }, "anchors")
        json.name("trust")
        json.string(trust.rawValue)
        json.strings(ifAny: allowedFormats, "formats")
        json.name("allowed")
        json.strings(allowedAAGUIDs.map(\.description))
        json.name("denied")
        json.strings(deniedAAGUIDs.map(\.description))
        json.name("unknown")
        json.string(unknownFormat.rawValue)
        json.name("sha1")
        json.bool(allowsSHA1)
        json.name("hardware")
        json.bool(requiresHardwareKeys)
        json.name("testTPMs")
        json.bool(acceptsTestTPMs)
        json.endObject()
    }

    fileprivate init?(json: JSONObject) {
        guard let preference = json["preference"]?.string.flatMap(AttestationConveyancePreference.init(rawValue:)),
            let anchors = json.strings(ifAny: "anchors"),
            let trust = json["trust"]?.string.flatMap(TrustRequirement.init(rawValue:)),
            let formats = json.strings(ifAny: "formats"),
            let allowed = json.strings("allowed")?.map({ AAGUID($0) }), !allowed.contains(nil),
            let denied = json.strings("denied")?.map({ AAGUID($0) }), !denied.contains(nil),
            let unknown = json["unknown"]?.string.flatMap(UnknownAttestationPolicy.init(rawValue:)),
            let allowsSHA1 = json["sha1"]?.bool, let requiresHardwareKeys = json["hardware"]?.bool,
            let acceptsTestTPMs = json["testTPMs"]?.bool
        else { return nil }
        var certificates: [Certificate]?
        if let anchors {
            var list: [Certificate] = []
            for anchor in anchors {
                guard let der = try? Base64URL.decode(anchor), let certificate = try? Certificate(der: der) else {
                    return nil
                }
                list.append(certificate)
            }
            certificates = list
        }
        self.init(
            preference: preference,
            trustAnchors: certificates,
            trust: trust,
            allowedFormats: formats,
            allowedAAGUIDs: allowed.compactMap { $0 },
            deniedAAGUIDs: denied.compactMap { $0 },
            unknownFormat: unknown,
            allowsSHA1: allowsSHA1,
            requiresHardwareKeys: requiresHardwareKeys,
            acceptsTestTPMs: acceptsTestTPMs
        )
    }
}
