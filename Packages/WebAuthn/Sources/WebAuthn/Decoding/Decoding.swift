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
            "attStmt": StatementDecoding.statement(object.statement, in: object.format),
            "authData": tree(object.authenticatorData),
        ]
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
        if let extensions = data.extensions, let map = try? CBOR.decode(extensions[...], as: .interoperable).map {
            object["extensions"] = tree(.map(map))
            object["extensionMeanings"] = .object(ExtensionMeanings.of(map))
        }
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

    static func tree(_ value: CBORValue) -> JSONValue {
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
    static func name(_ key: CBORValue) -> String {
        switch key {
        case .text(let text): text
        case .unsigned(let value): "\(value)"
        case .negative(let value): value < UInt64(Int64.max) ? "\(-1 - Int64(value))" : "-1-\(value)"
        default: "h'\(Hex.encode(CBOR.encode(key)))'"
        }
    }
}
