internal import CBOR
internal import Cryptography
public import Encodings
internal import JOSE

/// The members of attestation statements, taken apart as their format has them.
enum StatementDecoding {
    /// A statement; for `compound` an array of them, each with its format.
    static func statement(_ value: CBORValue, in format: String) -> JSONValue {
        if let parts = value.array {
            return .array(
                parts.map { part in
                    guard let part = part.map else { return Decoding.tree(part) }
                    let inner = part["fmt"]?.text ?? ""
                    return [
                        "fmt": part["fmt"].map(Decoding.tree) ?? .null,
                        "attStmt": part["attStmt"].map { statement($0, in: inner) } ?? .null,
                    ]
                }
            )
        }
        var members = JSONObject()
        for entry in value.map?.entries ?? [] {
            let name = Decoding.name(entry.key)
            members[name] = member(name, entry.value, in: format) ?? Decoding.tree(entry.value)
        }
        return .object(members)
    }

    private static func member(_ name: String, _ value: CBORValue, in format: String) -> JSONValue? {
        switch (format, name) {
        case (_, "x5c"): value.array.map { .array($0.map(certificate)) }
        case ("tpm", "certInfo"): value.bytes.flatMap(TPMDecoding.certification)
        case ("tpm", "pubArea"): value.bytes.flatMap(TPMDecoding.publicArea)
        case (AndroidSafetyNetAttestation.name, "response"): value.bytes.flatMap(response)
        default: nil
        }
    }

    private static func certificate(_ element: CBORValue) -> JSONValue {
        guard let der = element.bytes, let read = try? Certificate(der: der[...]) else { return Decoding.tree(element) }
        return Decoding.certificate(read)
    }

    /// SafetyNet's answer: a compact JWS.
    private static func response(_ bytes: [UInt8]) -> JSONValue? {
        guard let jws = try? CompactJWS(bytes[...]), let text = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let payload = parts.count == 3 ? (try? Base64URL.decode(String(parts[1]))).flatMap { try? JSON.parse($0) } : nil
        return [
            "header": .object(Decoding.tokenHeader(jws.unverifiedHeader)),
            "payload": payload ?? .null,
            "signature": parts.last.map { .string(String($0)) } ?? .null,
        ]
    }
}

extension Decoding {
    /// The header of a JWS with the certificates of `x5c` taken apart.
    public static func tokenHeader(_ header: JSONObject) -> JSONObject {
        var header = header
        guard let texts = header["x5c"]?.array else { return header }
        header["x5c"] = .array(
            texts.map { text in text.string.flatMap(MetadataStatement.certificate).map(certificate) ?? text }
        )
        return header
    }
}
