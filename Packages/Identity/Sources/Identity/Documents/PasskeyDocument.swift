public import Encodings
import WebAuthn

/// A passkey that was made elsewhere, as it is brought (HTTP contract 11.10).
public struct BroughtPasskey: Hashable, Sendable {
    public let credentialID: [UInt8]
    /// The `COSE_Key`; checked as at a registration.
    public let publicKey: [UInt8]
    public let relyingPartyID: String
    /// `nil`: the user's own one.
    public let userHandle: [UInt8]?
    public let transports: [String]
    /// BE; `nil`: not known.
    public let backupEligible: Bool?
    public let backupState: Bool
    public let aaguid: String?
    public let name: String?
    public let userAgent: String?
    /// Whom it is said to be of, as 24 hexadecimal digits.
    public let identityUserID: String?
    public let signCount: UInt32

    /// Reads the body of a POST, or an element of `passkeys` in an import.
    ///
    /// - Parameters:
    ///   - document: its members.
    ///   - path: where it lies, for errors.
    ///   - relyingPartyIDs: those of the tenant.
    /// - Throws: the first member that is wrong.
    public init(document: JSONObject, path: String = "", relyingPartyIDs: [String]) throws(DocumentError) {
        try self.init(DocumentReader(document, path: path), relyingPartyIDs)
    }

    /// A passkey as it is brought elsewhere: an element of `passkeys` in an import.
    public static func document(of passkey: Passkey) -> JSONObject {
        let record = passkey.record
        var document: JSONObject = [
            "type": "passkey", "key_id": .string(Base64URL.encode(record.id)),
            "public_key": .string(Base64.encode(record.publicKey)),
            "relying_party_identifier": .string(passkey.relyingPartyID),
            "user_handle": .string(Base64URL.encode(passkey.userHandle)),
            "credential_backed_up": .bool(record.backupState), "aaguid": .string(record.aaguid.description),
            "sign_count": .integer(Int64(record.signCount)),
        ]
        if !record.transports.isEmpty {
            document.set("transports", .array(record.transports.map { .string($0) }))
        }
        if let eligible = record.backupEligible {
            document.set("credential_device_type", .string(eligible ? "multi_device" : "single_device"))
        }
        for case (let member, let text?) in [("name", passkey.name), ("user_agent", passkey.userAgent)]
        where !text.isEmpty { document.set(member, .string(text)) }
        return document
    }

    init(_ given: DocumentReader, _ relyingPartyIDs: [String]) throws(DocumentError) {
        var reader = given
        func required<Value>(_ name: String, _ value: Value?) throws(DocumentError) -> Value {
            guard let value else { throw .missingMember(path: given.path(of: name)) }
            return value
        }
        let type = try required("type", reader.take("type"))
        guard type.string == "passkey" else { throw reader.invalid("type", type, mustBe: "passkey") }
        credentialID = try required("key_id", try reader.bytes("key_id", 1...1023))
        let key = try required("public_key", reader.take("public_key"))
        guard let keyText = key.string, keyText.utf8.count <= 16384 else {
            throw reader.invalid("public_key", key, mustBe: "standard base64 or PEM")
        }
        do throws(CredentialPublicKey.Refusal) {
            publicKey = try CredentialPublicKey(reading: keyText).bytes
        } catch {
            throw .conflict(
                path: given.path(of: "public_key"),
                message: "Payload validation error: 'Invalid value on property \(given.path(of: "public_key"))': "
                    + error.sentence
            )
        }
        let party = try required("relying_party_identifier", reader.take("relying_party_identifier"))
        guard let name = party.string, relyingPartyIDs.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
            throw reader.invalid("relying_party_identifier", party, mustBe: "an RP ID of the tenant")
        }
        relyingPartyID = name
        userHandle = try reader.bytes("user_handle", 1...64)
        transports = try reader.texts("transports", .plain(1...32), atMost: 16) ?? []
        let deviceType = reader.take("credential_device_type")
        switch deviceType?.string {
        case nil where deviceType == nil: backupEligible = nil
        case "single_device": backupEligible = false
        case "multi_device": backupEligible = true
        default:
            throw reader.invalid(
                "credential_device_type",
                deviceType ?? .null,
                mustBe: "single_device or multi_device"
            )
        }
        backupState = try reader.bool("credential_backed_up") ?? false
        guard !(backupState && backupEligible == false) else {
            throw .conflict(
                path: given.path(of: "credential_backed_up"),
                message: "A passkey of a single_device cannot be backed up"
            )
        }
        let model = reader.take("aaguid")
        if let model {
            guard let text = model.string, AAGUID(text) != nil else {
                throw reader.invalid("aaguid", model, mustBe: "a UUID")
            }
            aaguid = text
        } else {
            aaguid = nil
        }
        self.name = try reader.text("name", .plain(1...100))
        userAgent = try reader.text("user_agent", .plain(1...256))
        let owner = reader.take("identity_user_id")
        if let owner, owner.string.flatMap({ UserID($0) }) == nil {
            throw reader.invalid("identity_user_id", owner, mustBe: "24 hexadecimal digits")
        }
        identityUserID = owner?.string
        signCount = UInt32(clamping: try reader.integer("sign_count", 0...Int64(UInt32.max)) ?? 0)
        try reader.end()
    }

    /// The passkey of `user`. UV counts from the first proof on, and nothing is attested.
    ///
    /// - Throws: that it is said to be somebody else's.
    public func passkey(
        id: PasskeyID,
        of user: UserID,
        ownHandle: [UInt8],
        tenant: TenantID,
        now: UnixTime
    ) throws(DocumentError) -> Passkey {
        if let identityUserID, UserID(identityUserID) != user {
            throw .conflict(path: "identity_user_id", message: "identity_user_id is that of another user")
        }
        return Passkey(
            id: id,
            tenant: tenant,
            user: user,
            relyingPartyID: relyingPartyID,
            userHandle: userHandle ?? ownHandle,
            record: CredentialRecord(
                id: credentialID,
                publicKey: publicKey,
                signCount: signCount,
                uvInitialized: false,
                transports: transports,
                backupEligible: backupEligible,
                backupState: backupState,
                aaguid: aaguid.flatMap { AAGUID($0) } ?? .zero
            ),
            name: name,
            enrolledBy: .import,
            userAgent: userAgent,
            createdAt: now
        )
    }
}

extension DocumentReader {
    /// Bytes as base64url without padding.
    mutating func bytes(_ name: String, _ length: ClosedRange<Int>) throws(DocumentError) -> [UInt8]? {
        guard let value = take(name) else { return nil }
        guard let text = value.string, let bytes = try? Base64URL.decode(text), length.contains(bytes.count) else {
            throw invalid(
                name,
                value,
                mustBe: "base64url of \(length.lowerBound) to \(length.upperBound) bytes, without padding"
            )
        }
        return bytes
    }
}
