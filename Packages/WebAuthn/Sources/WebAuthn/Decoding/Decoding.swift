internal import CBOR
internal import COSE
internal import Cryptography
public import Encodings

/// What stands in the binary parts of a ceremony, as a tree to read. Nothing is verified here, and nothing needs a
/// relying party, so that an operator can look at pasted data offline.
///
/// Byte strings become base64url, but where they are something else by their place: certificates are taken apart, and
/// AAGUIDs are UUIDs.
public enum Decoding {
    /// An attestation object: `fmt`, `attStmt` and `authData`.
    ///
    /// - Throws: ``ResponseError`` with the place of the first fault.
    public static func attestationObject(_ bytes: [UInt8]) throws(ResponseError) -> JSONValue {
        let object = try AttestationObject(decoding: bytes)
        return [
            "fmt": .string(object.format),
            "attStmt": statement(object.statement),
            "authData": tree(object.authenticatorData),
        ]
    }

    /// A statement; for `compound` an array of them, each with its format.
    private static func statement(_ value: CBORValue) -> JSONValue {
        if let parts = value.array {
            return .array(
                parts.map { part in
                    guard let part = part.map else { return tree(part) }
                    return ["fmt": part["fmt"].map(tree) ?? .null, "attStmt": part["attStmt"].map(statement) ?? .null]
                }
            )
        }
        var members = JSONObject()
        for entry in value.map?.entries ?? [] {
            let name = name(entry.key)
            if name == "x5c", let elements = entry.value.array {
                members[name] = .array(elements.map(certificate))
            } else {
                members[name] = tree(entry.value)
            }
        }
        return .object(members)
    }

    /// Authenticator data, of a registration or a login.
    ///
    /// - Throws: ``ResponseError`` with the place of the first fault.
    public static func authenticatorData(_ bytes: [UInt8]) throws(ResponseError) -> JSONValue {
        tree(try AuthenticatorData(decoding: bytes))
    }

    /// Client data: all its members, and the hash that signatures cover.
    ///
    /// - Throws: ``ResponseError`` with the place of the first fault.
    public static func clientData(_ bytes: [UInt8]) throws(ResponseError) -> JSONValue {
        [
            "clientData": .object(try ClientData.object(bytes)),
            "sha256": .string(Base64URL.encode(SHA256.hash(bytes))),
        ]
    }

    /// A `COSE_Key`, or any other CBOR item, by its labels.
    ///
    /// - Throws: ``ResponseError`` with the place of the first fault.
    public static func cbor(_ bytes: [UInt8]) throws(ResponseError) -> JSONValue {
        do throws(CBORError) {
            return tree(try CBOR.decode(bytes[...], as: .interoperable))
        } catch {
            throw ResponseError("the CBOR", .malformed(reason: "\(error)"))
        }
    }

    private static func tree(_ data: AuthenticatorData) -> JSONValue {
        var object: JSONObject = [
            "rpIdHash": .string(Base64URL.encode(data.rpIDHash)),
            "flags": flags(data.flags),
            "signCount": .integer(Int64(data.signCount)),
        ]
        if let credential = data.attestedCredentialData {
            object["attestedCredentialData"] = [
                "aaguid": .string(credential.aaguid.description),
                "credentialId": .string(Base64URL.encode(credential.credentialID)),
                "alg": .integer(Int64(credential.algorithm.rawValue)),
                "credentialPublicKey": (try? cbor(credential.publicKey)) ?? .null,
            ]
        }
        if let extensions = data.extensions { object["extensions"] = (try? cbor(extensions)) ?? .null }
        return .object(object)
    }

    static func flags(_ flags: AuthenticatorFlags) -> JSONValue {
        [
            "up": .bool(flags.contains(.userPresent)),
            "uv": .bool(flags.contains(.userVerified)),
            "be": .bool(flags.contains(.backupEligible)),
            "bs": .bool(flags.contains(.backupState)),
            "at": .bool(flags.contains(.attestedCredentialData)),
            "ed": .bool(flags.contains(.extensionData)),
        ]
    }

    private static func certificate(_ element: CBORValue) -> JSONValue {
        guard let der = element.bytes, let read = try? Certificate(der: der[...]) else { return tree(element) }
        return certificate(read)
    }

    static func certificate(_ certificate: Certificate) -> JSONValue {
        func names(_ name: [DistinguishedName.Attribute]) -> JSONValue {
            .array(name.map { ["oid": .string($0.oid), "value": .string($0.value)] })
        }
        return [
            "subject": names(certificate.subject),
            "issuer": names(certificate.issuer),
            "notBefore": .string(CalendarTime.text(certificate.notBefore)),
            "notAfter": .string(CalendarTime.text(certificate.notAfter)),
            "isCA": .bool(certificate.isCA),
            "version": .integer(Int64(certificate.version)),
            "serial": .string(Hex.encode(certificate.serial)),
            "extensions": .array(
                certificate.extensions.map {
                    [
                        "oid": .string($0.oid), "critical": .bool($0.critical),
                        "value": .string(Base64URL.encode($0.value)),
                    ]
                }
            ),
            "keyIdentifier": (try? certificate.publicKey.keyIdentifier()).map { .string(Hex.encode($0)) } ?? .null,
            "sha256": .string(Base64URL.encode(SHA256.hash(certificate.der))),
            "der": .string(Base64URL.encode(certificate.der)),
        ]
    }

    private static func tree(_ value: CBORValue) -> JSONValue {
        switch value {
        case .unsigned, .negative: value.integer.map(JSONValue.integer) ?? .string(name(value))
        case .bytes(let bytes): .string(Base64URL.encode(bytes))
        case .text(let text): .string(text)
        case .array(let elements): .array(elements.map(tree))
        case .map(let map):
            .object(
                map.entries.reduce(into: JSONObject()) { object, entry in object[name(entry.key)] = tree(entry.value) }
            )
        case .bool(let value): .bool(value)
        case .null: .null
        case .undefined: .string("undefined")
        case .float(let float): float.value.isFinite ? .number(float.value) : .string("\(float.value)")
        }
    }

    /// A map key as a member name. Keys of other types than text and integers are written as their CBOR in hex.
    private static func name(_ key: CBORValue) -> String {
        switch key {
        case .text(let text): text
        case .unsigned(let value): "\(value)"
        case .negative(let value): value < UInt64(Int64.max) ? "\(-1 - Int64(value))" : "-1-\(value)"
        default: "h'\(Hex.encode(CBOR.encode(key)))'"
        }
    }
}
