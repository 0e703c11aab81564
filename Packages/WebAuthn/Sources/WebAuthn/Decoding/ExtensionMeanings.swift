internal import CBOR
internal import Encodings

/// What the outputs of authenticator extensions say (WebAuthn L3 §10, CTAP 2.1 §12).
enum ExtensionMeanings {
    /// A sentence for each output.
    static func of(_ outputs: CBORMap) -> JSONObject {
        var meanings = JSONObject()
        for entry in outputs.entries {
            let name = Decoding.name(entry.key)
            meanings.set(name, .string(meaning(name, entry.value)))
        }
        return meanings
    }

    private static func meaning(_ name: String, _ value: CBORValue) -> String {
        let unknown = "not as its definition has it, and passed over"
        switch name {
        case "credProtect":
            let levels = [
                "1: user verification is optional", "2: without user verification only when its id is listed",
                "3: never without user verification",
            ]
            guard let level = value.integer, (1...3).contains(level) else { return unknown }
            return "CTAP 2.1 §12.1, level \(levels[Int(level) - 1])"
        case "minPinLength":
            guard let length = value.integer else { return unknown }
            return "CTAP 2.1 §12.4: PINs have at least \(length) characters"
        case "hmac-secret":
            if let isSupported = value.bool {
                return "CTAP 2.1 §12.5: the credential has \(isSupported ? "a" : "no") secret for prf (L3 §10.1.4)"
            }
            return value.bytes == nil ? unknown : "CTAP 2.1 §12.5: results of prf, encrypted for the client"
        case "hmac-secret-mc":
            return value.bytes == nil ? unknown : "CTAP 2.2: results of prf at registration, encrypted for the client"
        case "credBlob":
            if let isKept = value.bool { return "CTAP 2.1 §12.2: the blob was \(isKept ? "kept" : "not kept")" }
            return value.bytes == nil ? unknown : "CTAP 2.1 §12.2: the blob"
        case "largeBlobKey":
            return value.bytes == nil ? unknown : "CTAP 2.1 §12.3: the key of the large blob"
        case "thirdPartyPayment":
            guard let allowed = value.bool else { return unknown }
            return "CTAP 2.2: payments on other sites \(allowed ? "may" : "may not") use it"
        case "uvm": return value.array == nil ? unknown : "WebAuthn L2 §10.3: how the user was verified"
        default: return "not known here, and passed over (7.1 step 28, 7.2 step 23)"
        }
    }
}
