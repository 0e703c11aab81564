import Cryptography
import Encodings
public import Identity

/// The lines of an export. Their form never changes: hashes are made of it.
public enum AuditLine {
    /// The first word of the header and of each signed text.
    public static let format = "latchkey-audit-1"

    /// What is hashed of an event, one line of JSON without its line feed.
    public static func text(of stored: StoredAuditEvent) -> String {
        let event = stored.event
        var line: JSONObject = [
            "log_id": .string(stored.id.base62), "date": .string(event.at.rfc3339),
            "types": .array(event.types.map { .string($0) }),
        ]
        if let user = event.user { line["user_id"] = .string(user.subject) }
        if let client = event.client { line["client_id"] = .string(client.text) }
        if let connection = event.connection { line["connection_id"] = .string(connection.text) }
        line["ip"] = .string(event.device.address)
        line["user_agent"] = .string(event.device.userAgent)
        if !event.details.isEmpty { line["details"] = .object(event.details) }
        return text(line)
    }

    static func text(of seal: AuditSeal) -> String {
        text([
            "seal": .integer(seal.number), "events": .integer(seal.count), "through": .string(seal.through.base62),
            "previous": .string(Hex.encode(seal.previous)), "hash": .string(Hex.encode(seal.hash)),
            "sealed_at": .string(seal.sealedAt.rfc3339), "key": .string(Base64URL.encode(seal.publicKey)),
            "signature": .string(Base64URL.encode(seal.signature)),
        ])
    }

    static func header(_ tenant: TenantID, named name: String, at now: UnixTime) -> String {
        text([
            "format": .string(format), "tenant": .string(name), "tenant_number": .integer(tenant.number),
            "exported_at": .string(now.rfc3339),
        ])
    }

    private static func text(_ line: JSONObject) -> String {
        String(decoding: JSONValue.object(line).serialized(), as: UTF8.self)
    }

    static func hash(_ line: String) -> [UInt8] { SHA256.hash(Array(line.utf8)) }

    /// The hash of a link.
    static func hash(after previous: [UInt8], _ events: [[UInt8]]) -> [UInt8] {
        SHA256.hash(events.reduce(into: previous) { $0 += $1 })
    }

    /// What a seal's signature is over. `sealedAt` is its text in the export.
    static func signedText(
        tenant: Int64,
        number: Int64,
        count: Int64,
        through: String,
        previous: [UInt8],
        hash: [UInt8],
        sealedAt: String
    ) -> [UInt8] {
        let words = [
            format, "\(tenant)", "\(number)", "\(count)", through, Hex.encode(previous), Hex.encode(hash), sealedAt,
        ]
        return Array(words.joined(separator: "\n").utf8)
    }

    /// RFC 7638 with RFC 8037: the members in the order of their names.
    static func thumbprint(_ publicKey: [UInt8]) -> String {
        let input = #"{"crv":"Ed25519","kty":"OKP","x":"\#(Base64URL.encode(publicKey))"}"#
        return Base64URL.encode(SHA256.hash(Array(input.utf8)))
    }
}
