public import CBOR

/// An attestation object that was taken apart (WebAuthn L3 §6.5.4). Its statement is not judged yet.
public struct AttestationObject: Hashable, Sendable {
    /// The CBOR bytes as received.
    public let bytes: [UInt8]
    /// The attestation statement format, matched byte for byte.
    public let format: String
    /// A map; in format `compound` an array of statements, each with its own format.
    public let statement: CBORValue
    public let authenticatorData: AuthenticatorData

    /// Decodes one CBOR map with `fmt`, `attStmt` and `authData`. Keys may come in any order, since authenticators
    /// differ; unknown ones are ignored.
    ///
    /// - Throws: ``ResponseError`` at `response.attestationObject`.
    public init(decoding bytes: [UInt8]) throws(ResponseError) {
        let member = "response.attestationObject"
        let value: CBORValue
        do throws(CBORError) {
            value = try CBOR.decode(bytes[...], as: .interoperable)
        } catch {
            throw ResponseError(member, .malformed(reason: "\(error)"))
        }
        guard let map = value.map else { throw ResponseError(member, .notA("map")) }
        guard let format = map["fmt"] else { throw ResponseError("\(member) fmt", .missing) }
        guard let format = format.text else { throw ResponseError("\(member) fmt", .notA("text string")) }
        guard let statement = map["attStmt"] else { throw ResponseError("\(member) attStmt", .missing) }
        // Only a compound statement is no map (§8.9).
        if format.hasSameBytes(as: CompoundAttestation.name) {
            guard statement.array != nil else { throw ResponseError("\(member) attStmt", .notA("array")) }
        } else {
            guard statement.map != nil else { throw ResponseError("\(member) attStmt", .notA("map")) }
        }
        guard let data = map["authData"] else { throw ResponseError("\(member) authData", .missing) }
        guard let data = data.bytes else { throw ResponseError("\(member) authData", .notA("byte string")) }
        self.bytes = bytes
        self.format = format
        self.statement = statement
        authenticatorData = try AuthenticatorData(decoding: data, member: "\(member) authData")
    }
}
