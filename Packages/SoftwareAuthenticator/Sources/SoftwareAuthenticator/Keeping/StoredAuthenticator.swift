internal import COSE
internal import Cryptography
public import Encodings
internal import WebAuthn

/// An authenticator that outlives a process: what it is, its maker and its credentials, as a JSON document.
///
/// The document holds private keys, so whoever writes it down keeps it to its owner.
public struct StoredAuthenticator: Sendable {
    public let kind: Kind
    public let authority: AttestationAuthority
    public var credentials: [SoftwareCredential]

    /// What it behaves like.
    public enum Kind: String, Sendable, CaseIterable {
        /// A passkey provider that syncs.
        case synced
        /// A security key.
        case securityKey = "security-key"

        var profile: AuthenticatorProfile {
            switch self {
            case .synced: .syncedPasskey
            case .securityKey: .securityKey
            }
        }
    }

    /// The kind's profile with the maker's model, which does not attest.
    public var profile: AuthenticatorProfile {
        var profile = kind.profile
        profile.aaguid = authority.aaguid
        return profile
    }

    /// A new one, without credentials.
    public init(_ kind: Kind, by authority: AttestationAuthority) {
        self.kind = kind
        self.authority = authority
        credentials = []
    }

    /// Reads a document that ``document`` wrote.
    ///
    /// - Throws: ``StoredAuthenticatorError``.
    public init(document: JSONObject) throws(StoredAuthenticatorError) {
        let reader = DocumentReader(object: document)
        guard let kind = Kind(rawValue: try reader.string("kind")) else { throw StoredAuthenticatorError("kind") }
        self.kind = kind
        authority = try AttestationAuthority(try reader.object("authority"))
        credentials = []
        for value in document["credentials"]?.array ?? [] {
            guard let object = value.object else { throw StoredAuthenticatorError("credentials") }
            credentials.append(try SoftwareCredential(DocumentReader(object: object)))
        }
    }

    /// All of it, private keys among it.
    ///
    /// - Throws: ``StoredAuthenticatorError`` for a key that has no form to be written in.
    public var document: JSONObject {
        get throws(StoredAuthenticatorError) {
            var list: [JSONValue] = []
            for credential in credentials { list.append(.object(try credential.document)) }
            return [
                "kind": .string(kind.rawValue), "authority": .object(try authority.document),
                "credentials": .array(list),
            ]
        }
    }
}

/// A document that is none of an authenticator, or an authenticator that has no document: the member at fault.
public struct StoredAuthenticatorError: Error, Hashable, Sendable {
    public let member: String

    init(_ member: String) {
        self.member = member
    }
}

extension AttestationAuthority {
    init(_ reader: DocumentReader) throws(StoredAuthenticatorError) {
        guard let aaguid = AAGUID(try reader.string("aaguid")) else { throw StoredAuthenticatorError("aaguid") }
        guard let time = reader.object["time"]?.integer, (0...200_000_000_000).contains(time) else {
            throw StoredAuthenticatorError("time")
        }
        let hasIntermediate = reader.object["intermediate"] != nil
        self.init(
            aaguid: aaguid,
            time: time,
            root: Issuer(certificate: try reader.certificate("root"), key: try reader.key("rootKey")),
            intermediate: hasIntermediate
                ? Issuer(
                    certificate: try reader.certificate("intermediate"),
                    key: try reader.key("intermediateKey")
                ) : nil,
            batch: Issuer(certificate: try reader.certificate("certificate"), key: try reader.key("batchKey"))
        )
    }

    fileprivate var document: JSONObject {
        get throws(StoredAuthenticatorError) {
            var document: JSONObject = [
                "aaguid": .string(aaguid.description), "time": .integer(time),
                "root": .string(Base64URL.encode(root.der)), "rootKey": try rootKey.text,
            ]
            if let intermediate {
                document["intermediate"] = .string(Base64URL.encode(intermediate.certificate.der))
                document["intermediateKey"] = try intermediate.key.text
            }
            document["certificate"] = .string(Base64URL.encode(certificate.der))
            document["batchKey"] = try batchKey.text
            return document
        }
    }
}

extension SoftwareCredential {
    fileprivate init(_ reader: DocumentReader) throws(StoredAuthenticatorError) {
        guard let number = reader.object["alg"]?.integer, let number = Int(exactly: number) else {
            throw StoredAuthenticatorError("alg")
        }
        guard let count = reader.object["signCount"]?.integer, let count = UInt32(exactly: count) else {
            throw StoredAuthenticatorError("signCount")
        }
        self.init(
            id: try reader.bytes("id"),
            rpID: try reader.string("rpId"),
            userHandle: try reader.bytes("userHandle"),
            algorithm: COSEAlgorithm(rawValue: number),
            key: try reader.key("key"),
            isDiscoverable: reader.object["discoverable"]?.bool ?? true,
            signCount: count,
            backupEligible: reader.object["backupEligible"]?.bool ?? true,
            backedUp: reader.object["backedUp"]?.bool ?? true
        )
    }

    fileprivate var document: JSONObject {
        get throws(StoredAuthenticatorError) {
            [
                "id": .string(Base64URL.encode(id)), "rpId": .string(rpID),
                "userHandle": .string(Base64URL.encode(userHandle)), "alg": .integer(Int64(algorithm.rawValue)),
                "key": try key.text, "discoverable": .bool(isDiscoverable), "signCount": .integer(Int64(signCount)),
                "backupEligible": .bool(backupEligible), "backedUp": .bool(backedUp),
            ]
        }
    }
}

extension SigningKey {
    /// PKCS#8 as base64url.
    fileprivate var text: JSONValue {
        get throws(StoredAuthenticatorError) {
            do throws(CryptographyError) {
                return .string(Base64URL.encode(try pkcs8))
            } catch {
                throw StoredAuthenticatorError("key")
            }
        }
    }
}

struct DocumentReader {
    let object: JSONObject

    func string(_ name: String) throws(StoredAuthenticatorError) -> String {
        guard let text = object[name]?.string else { throw StoredAuthenticatorError(name) }
        return text
    }

    func object(_ name: String) throws(StoredAuthenticatorError) -> DocumentReader {
        guard let object = object[name]?.object else { throw StoredAuthenticatorError(name) }
        return DocumentReader(object: object)
    }

    func bytes(_ name: String) throws(StoredAuthenticatorError) -> [UInt8] {
        let text = try string(name)
        guard let bytes = try? Base64URL.decode(text) else { throw StoredAuthenticatorError(name) }
        return bytes
    }

    func certificate(_ name: String) throws(StoredAuthenticatorError) -> Certificate {
        let der = try bytes(name)
        guard let certificate = try? Certificate(der: der[...]) else { throw StoredAuthenticatorError(name) }
        return certificate
    }

    func key(_ name: String) throws(StoredAuthenticatorError) -> SigningKey {
        let der = try bytes(name)
        guard let key = try? SigningKey(pkcs8: der[...]) else { throw StoredAuthenticatorError(name) }
        return key
    }
}
