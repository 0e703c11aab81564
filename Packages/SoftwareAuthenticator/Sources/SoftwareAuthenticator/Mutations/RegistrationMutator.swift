internal import CBOR
public import Encodings

/// Changes right registration responses at random, along their structure: client data by its members, the attestation
/// object by its items, authenticator data by its fields, the key by its members.
///
/// The same seed gives the same changes.
public struct RegistrationMutator: Sendable {
    var dice: Dice

    public init(seed: UInt64) {
        dice = Dice(seed: seed)
    }

    /// A response like `response`, but for one to three changes. The credential id in the JSON follows the one in
    /// authenticator data, mostly, so that what lies behind that comparison is reached.
    ///
    /// - Returns: the changed response, which may by chance be the same; `nil` when `response` is no right one.
    public mutating func mutate(_ response: JSONObject) -> JSONObject? {
        guard var parts = ResponseParts(response) else { return nil }
        for _ in 0...dice.below(3) {
            switch dice.below(10) {
            case 0: parts.clientData = mutatedClientData(parts.clientData)
            case 1...3: parts.authenticatorData = mutatedAuthenticatorData(parts.authenticatorData)
            case 4...8: parts.statement = mutated(parts.statement)
            default: parts.format = dice.pick(Self.formats) ?? parts.format
            }
        }
        return parts.response(changing: response, keepingID: dice.below(8) == 0) { object in
            dice.below(16) == 0 ? mutatedBytes(object) : object
        }
    }

    private static let formats = [
        "none", "packed", "tpm", "android-key", "android-safetynet", "apple", "fido-u2f", "compound", "", "unknown",
    ]

    private mutating func mutatedClientData(_ bytes: [UInt8]) -> [UInt8] {
        guard dice.below(4) > 0, var object = (try? JSON.parse(bytes))?.object else { return mutatedBytes(bytes) }
        let name = dice.pick(object.members)?.name ?? "type"
        switch dice.below(4) {
        case 0: object.remove(name)
        case 1: object["crossOrigin"] = dice.pick([true, .null, "true", .integer(1)])
        case 2: object["x"] = .string(String(repeating: "y", count: dice.below(300)))
        default: object[name] = dice.pick(["webauthn.get", "", .null, .integer(7), .array([]), "AAAA", .object([:])])
        }
        return JSONValue.object(object).serialized()
    }
}

/// What a registration response consists of.
private struct ResponseParts {
    var clientData: [UInt8]
    var format: String
    var statement: CBORValue
    var authenticatorData: [UInt8]

    init?(_ response: JSONObject) {
        let inner = response["response"]?.object
        guard let text = inner?["clientDataJSON"]?.string, let clientData = try? Base64URL.decode(text),
            let objectText = inner?["attestationObject"]?.string, let bytes = try? Base64URL.decode(objectText),
            let object = (try? CBOR.decode(bytes, as: .interoperable, maximumDepth: 16))?.map,
            let format = object["fmt"]?.text, let statement = object["attStmt"],
            let authenticatorData = object["authData"]?.bytes
        else { return nil }
        self.clientData = clientData
        self.format = format
        self.statement = statement
        self.authenticatorData = authenticatorData
    }

    func response(
        changing original: JSONObject,
        keepingID keepsID: Bool,
        _ spoil: ([UInt8]) -> [UInt8]
    ) -> JSONObject {
        let object = CBOR.encode([
            "fmt": .text(format), "attStmt": statement, "authData": .bytes(authenticatorData),
        ])
        var response = original
        var inner = original["response"]?.object ?? JSONObject()
        inner["clientDataJSON"] = .string(Base64URL.encode(clientData))
        inner["attestationObject"] = .string(Base64URL.encode(spoil(object)))
        response["response"] = .object(inner)
        if !keepsID, let id = AuthenticatorDataFields(authenticatorData)?.credentialID {
            response["id"] = .string(Base64URL.encode(id))
            response["rawId"] = response["id"]
        }
        return response
    }
}
