import Cryptography
import Encodings
import Identity
import WebAuthn

/// What a pasted text may be.
enum PastedPart: String, CaseIterable {
    case attestationObject = "attestation-object"
    case authenticatorData = "authenticator-data"
    case clientData = "client-data"
    case key
    case certificate
    case metadataEntry = "mds-entry"
    case credential
    case jwt
}

/// Why a pasted text cannot be shown.
struct PasteError: Error {
    let message: String
}

/// A text that somebody pasted, to be taken apart.
struct Paste {
    private let text: String
    /// The DER of the first block, when the text is PEM.
    private let pem: [UInt8]?

    /// White space around it and in it, as terminals and mails put it there, does not count, unless it is JSON.
    init(_ text: String) {
        pem = text.utf8.contains(UInt8(ascii: "-")) ? (try? PEM.decode(text))?.first?.der : nil
        let trimmed = text.utf8.drop { $0 <= 0x20 }
        if trimmed.first == UInt8(ascii: "{") {
            self.text = text
        } else {
            self.text = String(decoding: text.utf8.filter { $0 > 0x20 }, as: UTF8.self)
        }
    }

    /// The parts by name, with the member `part` in front; `nil` as `part`: whichever it turns out to be.
    func decoded(as part: PastedPart?) throws(PasteError) -> JSONObject {
        if let part {
            return try whole(part)
        }
        let guesses = guesses
        // What can be one thing alone has a fault that can be told.
        if let only = guesses.first, guesses.count == 1 { return try whole(only) }
        for part in guesses {
            do throws(PasteError) {
                return try whole(part)
            } catch {
                continue
            }
        }
        throw PasteError(
            message:
                "that is no attestation object, authenticator data, client data, key, certificate, metadata entry, "
                + "credential or JWT. "
                + "Name what it shall be with --as, and the fault is told."
        )
    }

    private func whole(_ part: PastedPart) throws(PasteError) -> JSONObject {
        var object: JSONObject = ["part": .string(part.rawValue)]
        try add(part, to: &object)
        let checks = try checks(part)
        if !checks.isEmpty { object.set("checks", .object(checks)) }
        object.set("clauses", .object(PartClauses.of(part)))
        return object
    }

    /// What would be judged of the part, by clause, as far as it can be told from it.
    private func checks(_ part: PastedPart) throws(PasteError) -> JSONObject {
        switch part {
        case .attestationObject:
            let raw = try bytes()
            return try Self.read { () throws(ResponseError) in try Decoding.checks(ofAttestationObject: raw) }
        case .authenticatorData:
            let raw = try bytes()
            return try Self.read { () throws(ResponseError) in try Decoding.checks(ofAuthenticatorData: raw) }
        case .certificate:
            let raw = if let pem { pem } else { try bytes() }
            return try Self.read { () throws(ResponseError) in try Decoding.checks(ofCertificate: raw) }
        case .key: return Decoding.checks(ofKey: try bytes())
        case .metadataEntry: return (try? entry()).map(Decoding.checks(ofMetadataEntry:)) ?? JSONObject()
        case .credential: return try credentialChecks()
        case .clientData, .jwt: return JSONObject()
        }
    }

    /// Of a registration: the statement with the client data that it is about. Of a sign-in: the authenticator data.
    private func credentialChecks() throws(PasteError) -> JSONObject {
        guard let response = (try? JSON.parse(text))?.object?["response"]?.object else { return JSONObject() }
        if let text = response["attestationObject"]?.string {
            let raw = try Paste(text).bytes()
            let clientData = try response["clientDataJSON"]?.string.map { (text) throws(PasteError) in
                try Paste(text).bytes()
            }
            return try Self.read { () throws(ResponseError) in
                try Decoding.checks(ofAttestationObject: raw, clientData: clientData)
            }
        }
        guard let text = response["authenticatorData"]?.string else { return JSONObject() }
        let raw = try Paste(text).bytes()
        return try Self.read { () throws(ResponseError) in try Decoding.checks(ofAuthenticatorData: raw) }
    }

    private var guesses: [PastedPart] {
        if pem != nil { return [.certificate] }
        if text.utf8.contains(UInt8(ascii: "{")) {
            let object = (try? JSON.parse(text))?.object
            if object?["response"] != nil { return [.credential] }
            if object?["metadataStatement"] != nil { return [.metadataEntry] }
            return [.credential, .metadataEntry, .clientData]
        }
        if text.utf8.filter({ $0 == UInt8(ascii: ".") }).count == 2 { return [.jwt] }
        if let bytes = try? bytes(), bytes.first == UInt8(ascii: "{") { return [.clientData] }
        // A SEQUENCE; authenticator data begin with a hash, which may look so.
        if let bytes = try? bytes(), bytes.first == 0x30 { return [.certificate, .authenticatorData] }
        return [.attestationObject, .key, .authenticatorData]
    }

    private func add(_ part: PastedPart, to object: inout JSONObject) throws(PasteError) {
        switch part {
        case .credential: try addCredential(to: &object)
        case .jwt: try addToken(to: &object)
        case .clientData:
            let isJSON = text.utf8.contains(UInt8(ascii: "{"))
            let raw = isJSON ? Array(text.utf8) : try bytes()
            object.set("value", try Self.read { () throws(ResponseError) in try Decoding.clientData(raw) })
        case .attestationObject:
            let raw = try bytes()
            object.set("value", try Self.read { () throws(ResponseError) in try Decoding.attestationObject(raw) })
        case .authenticatorData:
            let raw = try bytes()
            object.set("value", try Self.read { () throws(ResponseError) in try Decoding.authenticatorData(raw) })
        case .certificate:
            let raw: [UInt8]
            if let pem { raw = pem } else { raw = try bytes() }
            object.set("value", try Self.read { () throws(ResponseError) in try Decoding.certificate(raw) })
        case .metadataEntry:
            let entry = try entry()
            object.set("value", try Self.read { () throws(ResponseError) in try Decoding.metadataEntry(json: entry) })
        case .key:
            let raw = try bytes()
            object.set("value", try Self.read { () throws(ResponseError) in try Decoding.cbor(raw) })
        }
    }

    private func entry() throws(PasteError) -> JSONObject {
        let isJSON = text.utf8.contains(UInt8(ascii: "{"))
        let raw = isJSON ? Array(text.utf8) : try bytes()
        guard let entry = (try? JSON.parse(raw))?.object else {
            throw PasteError(message: "that is no JSON object.")
        }
        return entry
    }

    /// A registration or authentication response as JSON: its binary members one by one.
    private func addCredential(to object: inout JSONObject) throws(PasteError) {
        guard let value = try? JSON.parse(text), let response = value.object?["response"]?.object else {
            throw PasteError(message: "that is no JSON object with a member response.")
        }
        for (name, part) in [
            ("clientDataJSON", PastedPart.clientData), ("attestationObject", .attestationObject),
            ("authenticatorData", .authenticatorData),
        ] {
            guard let member = response[name]?.string else { continue }
            var inner = JSONObject()
            try Paste(member).add(part, to: &inner)
            object.set(name, inner["value"] ?? .null)
        }
        if let handle = response["userHandle"]?.string { object.set("userHandle", .string(handle)) }
        if let outputs = value.object?["clientExtensionResults"]?.object, !outputs.isEmpty {
            object.set("clientExtensionResults", .object(outputs))
        }
        guard object.count > 1 else { throw PasteError(message: "its member response has none of the parts.") }
    }

    /// Header and claims of a compact JWT; times also as text.
    private func addToken(to object: inout JSONObject) throws(PasteError) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw PasteError(message: "a JWT has three parts with dots between.") }
        for (name, part) in zip(["header", "claims"], parts) {
            guard let bytes = try? Base64URL.decode(String(part)), let value = try? JSON.parse(bytes),
                value.object != nil
            else { throw PasteError(message: "the JWT's \(name) is no base64url of a JSON object.") }
            if name == "header", let header = value.object {
                object.set(name, .object(Decoding.tokenHeader(header)))
            } else {
                object.set(name, value)
            }
        }
        for name in ["iat", "nbf", "exp", "auth_time"] {
            guard let seconds = object["claims"]?.object?[name]?.integer else { continue }
            object.set("\(name)_time", .string(UnixTime(seconds: seconds).rfc3339))
        }
    }

    private static func read<Value>(_ body: () throws(ResponseError) -> Value) throws(PasteError) -> Value {
        do throws(ResponseError) {
            return try body()
        } catch {
            throw PasteError(message: "it cannot be read: \(error)")
        }
    }

    /// The text as hex when it is that, else as base64url or base64.
    private func bytes() throws(PasteError) -> [UInt8] {
        if text.utf8.count >= 2, let bytes = try? Hex.decode(text) { return bytes }
        if let bytes = try? Base64URL.decode(text, padding: .optional) { return bytes }
        if let bytes = try? Base64.decode(text) { return bytes }
        throw PasteError(message: "that is neither base64url nor base64 nor hex.")
    }
}
