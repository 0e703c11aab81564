/// A table as it is moved between stores: by its columns, in the order of its key.
///
/// Not moved are challenges, which end within minutes, and the store's own books: its migrations, its probe and the state
/// of an unfinished copy. The row of the deployment is moved last, by itself.
struct CopiedTable: Sendable {
    let name: String
    /// The primary key.
    let key: [String]
    /// All columns, those of the key included.
    let columns: [String]
    /// The column that the store numbers by itself, and has to go on from.
    var numbered: String?

    let selectAfter: SQL
    let selectFirst: SQL
    let insert: SQL
    let deleteAll: SQL

    private init(_ name: String, key: String, _ others: String, numbered: String? = nil) {
        self.name = name
        self.key = key.split(separator: " ").map(String.init)
        columns = self.key + others.split { $0 == " " || $0 == "\n" }.map(String.init)
        self.numbered = numbered
        let list = columns.joined(separator: ", ")
        let order = self.key.joined(separator: ", ")
        let places = columns.map { _ in "?" }.joined(separator: ", ")
        let keyPlaces = self.key.map { _ in "?" }.joined(separator: ", ")
        selectFirst = SQL("SELECT \(list) FROM \(name) ORDER BY \(order) LIMIT ?")
        selectAfter = SQL("SELECT \(list) FROM \(name) WHERE (\(order)) > (\(keyPlaces)) ORDER BY \(order) LIMIT ?")
        insert = SQL("INSERT INTO \(name) (\(list)) VALUES (\(places))")
        deleteAll = SQL("DELETE FROM \(name)")
    }

    static let all = [
        CopiedTable("authenticator_metadata", key: "id", "revision number next_update payload signer imported_at"),
        CopiedTable("tenant", key: "id", "name settings suspended_at created_at updated_at", numbered: "id"),
        CopiedTable(
            "domain",
            key: "tenant_id id",
            "host is_canonical status rp_id legacy_rp_ids related_origins created_at is_default details updated_at"
        ),
        CopiedTable("relying_party", key: "rp_id", "tenant_id"),
        CopiedTable("connection", key: "tenant_id id", "name display_name options stored created_at updated_at"),
        CopiedTable("connection_client", key: "tenant_id connection_id client_id", "position"),
        CopiedTable("client", key: "tenant_id id", "secret_hash settings created_at updated_at"),
        CopiedTable("resource_server", key: "tenant_id id", "identifier settings created_at updated_at"),
        CopiedTable(
            "client_grant",
            key: "tenant_id id",
            "client_id audience subject scope allows_all_scopes created_at"
        ),
        CopiedTable(
            "signing_key",
            key: "tenant_id id",
            """
            algorithm state public_key certificate sealed_private_key token_lifetime created_at activated_at
            retiring_at revoked_at
            """
        ),
        CopiedTable(
            "user_account",
            key: "tenant_id id",
            """
            connection_id name given_name family_name nickname picture user_metadata app_metadata identifiers
            user_handles blocked_at created_at updated_at last_login logins_count
            """
        ),
        CopiedTable("user_member", key: "tenant_id member value created_at user_id", "at_least at_most"),
        CopiedTable("identifier", key: "tenant_id connection_id kind canonical", "user_id"),
        CopiedTable("user_handle", key: "tenant_id handle", "user_id"),
        CopiedTable("password", key: "tenant_id user_id", "hash history changed_at"),
        CopiedTable("password_try", key: "tenant_id connection_id name_hash", "tries last_at"),
        CopiedTable(
            "passkey",
            key: "number",
            """
            tenant_id id user_id rp_id credential_id user_handle public_key transports attestation_format
            attestation_type attestation_trusted aaguid attachment discoverable name enrolled_by user_agent
            created_at
            """,
            numbered: "number"
        ),
        CopiedTable(
            "user_activity",
            key: "tenant_id user_id family_id passkey_number",
            """
            sign_count backup_eligible backup_state uv_initialized suspended_at last_used_at use_count
            """
        ),
        CopiedTable("passkey_attestation", key: "number", "tenant_id attestation_object client_data_json"),
        CopiedTable(
            "session",
            key: "tenant_id id",
            """
            user_id client_id amr acr passkey_number cookie_hash created_at authenticated_at last_interaction
            expires_at idle_expires_at revoked_at kept_until address user_agent
            """
        ),
        CopiedTable(
            "refresh_family",
            key: "tenant_id id",
            """
            client_id user_id session_id passkey_number audience scope rotates created_at expires_at
            last_exchanged_at generation generation_count rotated_at revoked_at initial_address initial_user_agent
            last_address last_user_agent first_secret_hash
            """
        ),
        CopiedTable("refresh_token", key: "tenant_id id", "family_id generation secret_hash created_at"),
        CopiedTable(
            "ceremony",
            key: "tenant_id id",
            """
            client_id connection_id purpose outcome step user_id started_at ended_at address user_agent details
            """
        ),
        CopiedTable(
            "audit_event",
            key: "tenant_id id",
            "types at user_id client_id connection_id address user_agent details"
        ),
        CopiedTable(
            "audit_seal",
            key: "tenant_id number",
            "through_id event_count previous_hash hash public_key signature sealed_at"
        ),
        CopiedTable(
            "outbox",
            key: "tenant_id id",
            "kind message_id sealed created_at tries due_at lease failure died_at"
        ),
        CopiedTable("assertion_replay", key: "tenant_id jti_hash", "expires_at"),
        CopiedTable(
            "authorization_code",
            key: "tenant_id hash",
            """
            client_id user_id session_id redirect_uri challenge nonce scope audience created_at expires_at used_at
            family_id replayed_at
            """
        ),
        CopiedTable(
            "recovery",
            key: "tenant_id hash",
            "client_id connection_id user_id name code_hash tries created_at expires_at kept_until"
        ),
        CopiedTable("recovery_code_set", key: "tenant_id user_id", "id session_hash created_at"),
        CopiedTable("recovery_code", key: "tenant_id user_id hash", ""),
        CopiedTable("ticket", key: "tenant_id hash", "purpose user_id parameters created_at expires_at"),
        CopiedTable(
            "job",
            key: "tenant_id id",
            """
            kind connection_id client_id parameters status percent total inserted updated failed reason worker seen_at
            link_hash link_expires_at created_at
            """
        ),
        CopiedTable("job_part", key: "tenant_id job_id number", "content"),
        CopiedTable("job_error", key: "tenant_id job_id number", "error"),
    ]
}
