internal import Encodings
internal import WebAuthn

/// The client data of a ceremony (WebAuthn L3 §5.8.1.1).
struct ClientClaims {
    var type: String
    var challenge: String
    var origin: String
    var crossOrigin = false
    var topOrigin: String?

    /// Spoils the claim that `fault` is about.
    mutating func spoil(_ fault: Fault?) {
        switch fault {
        case .typeWrong: type = type == "webauthn.get" ? "webauthn.create" : "webauthn.get"
        case .challengeWrong: challenge = String(challenge.reversed()) + "A"
        case .challengePadded: challenge += "="
        case .originWrong: origin = "https://origin.invalid"
        case .crossOrigin: crossOrigin = true
        case .topOrigin: topOrigin = "https://top.invalid"
        default: break
        }
    }

    /// The JSON, in the order in which browsers write it.
    func encoded(_ fault: Fault? = nil) -> [UInt8] {
        var json = JSONWriter(capacity: 256)
        json.beginObject()
        json.name("type")
        json.string(type)
        json.name("challenge")
        json.string(challenge)
        if fault == .clientDataMemberTwice {
            json.name("challenge")
            json.string(challenge)
        }
        json.name("origin")
        json.string(origin)
        json.name("crossOrigin")
        json.bool(crossOrigin)
        if let topOrigin {
            json.name("topOrigin")
            json.string(topOrigin)
        }
        json.endObject()
        return json.bytes
    }
}
