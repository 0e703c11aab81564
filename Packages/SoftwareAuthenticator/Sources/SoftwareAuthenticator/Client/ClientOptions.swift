internal import COSE
internal import Encodings
internal import WebAuthn

/// What an authenticator reads of `PublicKeyCredentialCreationOptionsJSON`. Unknown words count as the defaults of
/// WebAuthn L3 §5.4.
struct CreationRequest {
    let rpID: String
    let userID: [UInt8]
    /// The text as it came.
    let challenge: String
    let algorithms: [COSEAlgorithm]
    let excluded: [[UInt8]]
    let residentKey: ResidentKeyRequirement
    let userVerification: UserVerificationRequirement
    let attestation: AttestationConveyancePreference

    init(_ options: JSONObject, origin: String) throws(AuthenticatorError) {
        let reader = OptionsReader(object: options)
        let relyingParty = try reader.object("rp")
        rpID = relyingParty.object["id"]?.string ?? OptionsReader.host(of: origin)
        userID = try reader.object("user").bytes("id")
        challenge = try reader.string("challenge")
        var algorithms: [COSEAlgorithm] = []
        for parameter in options["pubKeyCredParams"]?.array ?? [] {
            guard parameter.object?["type"]?.string == "public-key",
                let number = parameter.object?["alg"]?.integer.flatMap({ Int(exactly: $0) })
            else { continue }
            algorithms.append(COSEAlgorithm(rawValue: number))
        }
        // §5.1.3: an empty list stands for ES256 and RS256.
        self.algorithms = algorithms.isEmpty ? [.es256, .rs256] : algorithms
        excluded = try reader.descriptors("excludeCredentials")
        let selection = options["authenticatorSelection"]?.object ?? JSONObject()
        residentKey =
            selection["residentKey"]?.string.flatMap(ResidentKeyRequirement.init(rawValue:))
            ?? (selection["requireResidentKey"]?.bool == true ? .required : .discouraged)
        userVerification =
            selection["userVerification"]?.string.flatMap(UserVerificationRequirement.init(rawValue:)) ?? .preferred
        attestation = options["attestation"]?.string.flatMap(AttestationConveyancePreference.init(rawValue:)) ?? .none
    }
}

/// What an authenticator reads of `PublicKeyCredentialRequestOptionsJSON`.
struct AssertionRequest {
    let rpID: String
    /// The text as it came.
    let challenge: String
    let allowed: [[UInt8]]
    let userVerification: UserVerificationRequirement

    init(_ options: JSONObject, origin: String) throws(AuthenticatorError) {
        let reader = OptionsReader(object: options)
        rpID = options["rpId"]?.string ?? OptionsReader.host(of: origin)
        challenge = try reader.string("challenge")
        allowed = try reader.descriptors("allowCredentials")
        userVerification =
            options["userVerification"]?.string.flatMap(UserVerificationRequirement.init(rawValue:)) ?? .preferred
    }
}

private struct OptionsReader {
    let object: JSONObject

    func object(_ name: String) throws(AuthenticatorError) -> OptionsReader {
        guard let object = object[name]?.object else { throw .invalidOptions(member: name) }
        return OptionsReader(object: object)
    }

    func string(_ name: String) throws(AuthenticatorError) -> String {
        guard let text = object[name]?.string, !text.isEmpty else { throw .invalidOptions(member: name) }
        return text
    }

    func bytes(_ name: String) throws(AuthenticatorError) -> [UInt8] {
        let text = try string(name)
        do throws(EncodingError) {
            return try Base64URL.decode(text)
        } catch {
            throw .invalidOptions(member: name)
        }
    }

    /// The ids of a list of descriptors; empty when there is no list.
    func descriptors(_ name: String) throws(AuthenticatorError) -> [[UInt8]] {
        var ids: [[UInt8]] = []
        for descriptor in object[name]?.array ?? [] {
            guard let object = descriptor.object else { throw .invalidOptions(member: name) }
            ids.append(try OptionsReader(object: object).bytes("id"))
        }
        return ids
    }

    /// The host of an origin, without its port.
    static func host(of origin: String) -> String {
        let afterScheme = origin.split(separator: "/", omittingEmptySubsequences: true).last ?? ""
        return String(afterScheme.prefix { $0 != ":" })
    }
}
