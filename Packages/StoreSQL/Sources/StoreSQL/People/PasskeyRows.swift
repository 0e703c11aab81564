import Encodings
import Identity
import WebAuthn

extension SQLStore {
    /// Inserts the wide row; gives the number that the store chose, and no row when the credential is known.
    static func insert(_ passkey: Passkey) -> SQLStatement {
        let record = passkey.record
        return SQLStatement(
            insertPasskey,
            [
                .tenant(passkey.tenant), .text(passkey.id.text), .user(passkey.user), .text(passkey.relyingPartyID),
                .bytes(record.id), .bytes(passkey.userHandle), .bytes(record.publicKey), .list(record.transports),
                .text(record.attestationFormat), .text(record.attestationType.rawValue),
                .bool(record.attestationTrusted), .bytes(record.aaguid.bytes),
                .text(ifAny: record.authenticatorAttachment?.rawValue), .bool(passkey.isDiscoverable),
                .text(ifAny: passkey.name), .text(passkey.enrolledBy.rawValue), .text(ifAny: passkey.userAgent),
                .time(passkey.createdAt),
            ],
            otherwise: .unique(.credential)
        )
    }

    /// The number that ``insert(_:)`` gave.
    static func number(_ inserted: SQLResult) throws(StoreError) -> PasskeyNumber {
        guard let number = try inserted.first({ (row) throws(StoreError) in try row.integer() }) else {
            throw .unique(.credential)
        }
        return PasskeyNumber(number: number)
    }

    /// Inserts the narrow row, and the registration's own documents when they are kept.
    static func insertDetails(of passkey: Passkey, as number: PasskeyNumber) -> [SQLStatement] {
        let record = passkey.record
        let state = SQLStatement(
            insertState,
            [
                .tenant(passkey.tenant), .user(passkey.user), .number(number), .integer(Int64(record.signCount)),
                .bool(record.backupEligible), .bool(record.backupState), .bool(record.uvInitialized),
                .time(passkey.suspendedAt), .time(passkey.lastUsedAt),
            ]
        )
        guard record.attestationObject != nil || record.attestationClientDataJSON != nil else { return [state] }
        let attestation = SQLStatement(
            insertAttestation,
            [
                .number(number), .tenant(passkey.tenant), .bytes(ifAny: record.attestationObject),
                .bytes(ifAny: record.attestationClientDataJSON),
            ]
        )
        return [state, attestation]
    }

    /// The tables of ``passkeyColumns``.
    static let passkeyTables = """
        passkey p JOIN user_activity s ON s.tenant_id = p.tenant_id AND s.user_id = p.user_id
            AND s.family_id = x'' AND s.passkey_number = p.number
        """

    /// The columns of ``passkey(_:)`` in its order, of a passkey `p` and its state `s`.
    static let passkeyColumns = """
        p.number, p.id, p.tenant_id, p.user_id, p.rp_id, p.user_handle, p.credential_id, p.public_key, s.sign_count,
        s.uv_initialized, p.transports, s.backup_eligible, s.backup_state, p.attestation_format, p.attestation_type,
        p.aaguid, p.attestation_trusted, p.attachment, p.discoverable, p.name, p.enrolled_by, p.user_agent,
        s.suspended_at, p.created_at, s.last_used_at
        """

    static func passkey(_ row: inout SQLRow) throws(StoreError) -> Passkey {
        Passkey(
            number: PasskeyNumber(number: try row.integer()),
            id: PasskeyID(try row.text()),
            tenant: try row.tenant(),
            user: try row.user(),
            relyingPartyID: try row.text(),
            userHandle: try row.bytes(),
            record: CredentialRecord(
                id: try row.bytes(),
                publicKey: try row.bytes(),
                signCount: try row.signCount(),
                uvInitialized: try row.bool(),
                transports: try row.list(),
                backupEligible: try row.boolIfAny(),
                backupState: try row.bool(),
                attestationFormat: try row.text(),
                attestationType: try row.word(),
                aaguid: try row.aaguid(),
                attestationTrusted: try row.bool(),
                authenticatorAttachment: try row.wordIfAny()
            ),
            isDiscoverable: try row.boolIfAny(),
            name: try row.textIfAny(),
            enrolledBy: try row.word(),
            userAgent: try row.textIfAny(),
            suspendedAt: try row.timeIfAny(),
            createdAt: try row.time(),
            lastUsedAt: try row.timeIfAny()
        )
    }

    private static let insertPasskey = SQL(
        """
        INSERT INTO passkey
            (tenant_id, id, user_id, rp_id, credential_id, user_handle, public_key, transports, attestation_format,
            attestation_type, attestation_trusted, aaguid, attachment, discoverable, name, enrolled_by, user_agent,
            created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (tenant_id, rp_id, credential_id) DO NOTHING RETURNING number
        """
    )
    private static let insertState = SQL(
        """
        INSERT INTO user_activity
            (tenant_id, user_id, family_id, passkey_number, sign_count, backup_eligible, backup_state, uv_initialized,
            suspended_at, last_used_at, use_count)
        VALUES (?, ?, x'', ?, ?, ?, ?, ?, ?, ?, 0)
        """
    )
    private static let insertAttestation = SQL(
        """
        INSERT INTO passkey_attestation (number, tenant_id, attestation_object, client_data_json)
        VALUES (?, ?, ?, ?)
        """
    )
}

extension SQLRow {
    fileprivate mutating func signCount() throws(StoreError) -> UInt32 {
        guard let count = UInt32(exactly: try integer()) else {
            throw .corrupt(reason: "a stored counter is out of range")
        }
        return count
    }

    mutating func aaguid() throws(StoreError) -> AAGUID {
        guard let aaguid = AAGUID(try bytes()[...]) else { throw .corrupt(reason: "a stored AAGUID is damaged") }
        return aaguid
    }
}
