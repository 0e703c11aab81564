extension Migration {
    /// The schema that the first release begins with.
    ///
    /// Four rules make it fast. Ids begin with the time, so that new rows lie side by side at the end of a table. What a
    /// login writes has no second index: each would be one more tree whose pages are copied, logged and flushed, so that
    /// what is over is found by walking the tables in their own order. Of all that belongs to a person, a login writes
    /// one page: in `user_activity` lie, next to each other, the narrow state of each of a user's passkeys and the
    /// families of refresh tokens that they began. And a user's own row lists identifiers and handles, so that a login
    /// reads no other; the tables of these names say who has one, and keep each to one user.
    ///
    /// `tenant_id` leads every key but those of numbers that the store gives itself, and of `relying_party`, which
    /// exists to keep an RP ID to one tenant.
    static let first = Migration(number: 1, oldestServer: 1) { dialect in
        configuration(dialect) + people(dialect) + sessions(dialect) + records(dialect) + challenges(dialect)
            + (dialect == .sqlite ? PlannerStatistics.statements : [])
    }

    private static func configuration(_ dialect: SQLDialect) -> [String] {
        let (integer, bytes) = (dialect.integer, dialect.bytes)
        return [
            """
            CREATE TABLE deployment (
                id \(integer) PRIMARY KEY CHECK (id = 1),
                configuration_version \(integer) NOT NULL,
                master_key_id TEXT,
                sealed_data_key \(bytes),
                master_key_check \(bytes),
                sealed_at \(integer)
            ) \(dialect.strict)
            """,
            "INSERT INTO deployment (id, configuration_version) VALUES (1, 1)",
            // As much as a sign-in writes, to find out whether one would be taken.
            """
            CREATE TABLE write_probe (
                id \(integer) PRIMARY KEY CHECK (id = 1),
                filler \(bytes) NOT NULL
            ) \(dialect.strict)
            """,
            // Of a store into which another is being copied: how far each table has come.
            """
            CREATE TABLE store_copy (
                name TEXT NOT NULL PRIMARY KEY,
                position TEXT NOT NULL,
                copied \(integer) NOT NULL
            ) \(dialect.clustered)
            """,
            """
            CREATE TABLE authenticator_metadata (
                id \(integer) PRIMARY KEY CHECK (id = 1),
                revision \(integer) NOT NULL,
                number \(integer) NOT NULL,
                next_update TEXT NOT NULL,
                payload \(bytes) NOT NULL,
                signer TEXT NOT NULL,
                imported_at \(integer) NOT NULL
            ) \(dialect.strict)
            """,
            """
            CREATE TABLE tenant (
                id \(dialect.numberedKey),
                name TEXT NOT NULL UNIQUE,
                settings TEXT NOT NULL,
                suspended_at \(integer),
                created_at \(integer) NOT NULL,
                updated_at \(integer) NOT NULL
            ) \(dialect.strict)
            """,
            """
            CREATE TABLE domain (
                tenant_id \(integer) NOT NULL,
                id TEXT NOT NULL,
                host TEXT NOT NULL UNIQUE,
                is_canonical \(integer) NOT NULL,
                status TEXT NOT NULL,
                rp_id TEXT NOT NULL,
                legacy_rp_ids TEXT,
                related_origins TEXT,
                created_at \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, id)
            ) \(dialect.clustered)
            """,
            """
            CREATE TABLE relying_party (
                rp_id TEXT NOT NULL PRIMARY KEY,
                tenant_id \(integer) NOT NULL
            ) \(dialect.clustered)
            """,
            """
            CREATE TABLE connection (
                tenant_id \(integer) NOT NULL,
                id TEXT NOT NULL,
                name TEXT NOT NULL,
                display_name TEXT,
                options TEXT NOT NULL,
                stored TEXT,
                created_at \(integer) NOT NULL,
                updated_at \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, id),
                UNIQUE (tenant_id, name)
            ) \(dialect.clustered)
            """,
            """
            CREATE TABLE connection_client (
                tenant_id \(integer) NOT NULL,
                connection_id TEXT NOT NULL,
                client_id TEXT NOT NULL,
                position \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, connection_id, client_id)
            ) \(dialect.clustered)
            """,
            """
            CREATE TABLE client (
                tenant_id \(integer) NOT NULL,
                id TEXT NOT NULL,
                secret_hash \(bytes),
                settings TEXT NOT NULL,
                created_at \(integer) NOT NULL,
                updated_at \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, id)
            ) \(dialect.clustered)
            """,
            """
            CREATE TABLE resource_server (
                tenant_id \(integer) NOT NULL,
                id TEXT NOT NULL,
                identifier TEXT NOT NULL,
                settings TEXT NOT NULL,
                created_at \(integer) NOT NULL,
                updated_at \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, id),
                UNIQUE (tenant_id, identifier)
            ) \(dialect.clustered)
            """,
            """
            CREATE TABLE client_grant (
                tenant_id \(integer) NOT NULL,
                id TEXT NOT NULL,
                client_id TEXT NOT NULL,
                audience TEXT NOT NULL,
                subject TEXT NOT NULL,
                scope TEXT NOT NULL,
                allows_all_scopes \(integer) NOT NULL,
                created_at \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, id),
                UNIQUE (tenant_id, client_id, audience, subject)
            ) \(dialect.clustered)
            """,
            """
            CREATE TABLE signing_key (
                tenant_id \(integer) NOT NULL,
                id TEXT NOT NULL,
                algorithm TEXT NOT NULL,
                state TEXT NOT NULL,
                public_key \(bytes) NOT NULL,
                certificate \(bytes) NOT NULL,
                sealed_private_key \(bytes) NOT NULL,
                created_at \(integer) NOT NULL,
                activated_at \(integer),
                retiring_at \(integer),
                revoked_at \(integer),
                token_lifetime \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, id)
            ) \(dialect.strict)
            """,
            "CREATE UNIQUE INDEX signing_key_active ON signing_key (tenant_id, algorithm) WHERE state = 'active'",
        ]
    }

    private static func people(_ dialect: SQLDialect) -> [String] {
        let (integer, bytes) = (dialect.integer, dialect.bytes)
        return [
            """
            CREATE TABLE user_account (
                tenant_id \(integer) NOT NULL,
                id \(bytes) NOT NULL,
                connection_id TEXT NOT NULL,
                name TEXT,
                given_name TEXT,
                family_name TEXT,
                nickname TEXT,
                picture TEXT,
                user_metadata TEXT,
                app_metadata TEXT,
                identifiers TEXT NOT NULL,
                user_handles TEXT NOT NULL,
                blocked_at \(integer),
                created_at \(integer) NOT NULL,
                updated_at \(integer) NOT NULL,
                last_login \(integer),
                logins_count \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, id)
            ) \(dialect.clustered)
            """,
            """
            CREATE TABLE identifier (
                tenant_id \(integer) NOT NULL,
                connection_id TEXT NOT NULL,
                kind TEXT NOT NULL,
                canonical TEXT NOT NULL,
                user_id \(bytes) NOT NULL,
                PRIMARY KEY (tenant_id, connection_id, kind, canonical)
            ) \(dialect.clustered)
            """,
            """
            CREATE TABLE user_handle (
                tenant_id \(integer) NOT NULL,
                handle \(bytes) NOT NULL,
                user_id \(bytes) NOT NULL,
                PRIMARY KEY (tenant_id, handle)
            ) \(dialect.clustered)
            """,
            """
            CREATE TABLE password (
                tenant_id \(integer) NOT NULL,
                user_id \(bytes) NOT NULL,
                hash TEXT NOT NULL,
                history TEXT,
                changed_at \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, user_id)
            ) \(dialect.clustered)
            """,
            // By name, whether or not a user has it: a lock must not tell who is here.
            """
            CREATE TABLE password_try (
                tenant_id \(integer) NOT NULL,
                connection_id TEXT NOT NULL,
                name_hash \(bytes) NOT NULL,
                tries \(integer) NOT NULL,
                last_at \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, connection_id, name_hash)
            ) \(dialect.clustered)
            """,
            "CREATE INDEX password_try_age ON password_try (last_at)",
            """
            CREATE TABLE passkey (
                number \(dialect.numberedKey),
                tenant_id \(integer) NOT NULL,
                id TEXT NOT NULL,
                user_id \(bytes) NOT NULL,
                rp_id TEXT NOT NULL,
                credential_id \(bytes) NOT NULL,
                user_handle \(bytes) NOT NULL,
                public_key \(bytes) NOT NULL,
                transports TEXT,
                attestation_format TEXT NOT NULL,
                attestation_type TEXT NOT NULL,
                attestation_trusted \(integer) NOT NULL,
                aaguid \(bytes) NOT NULL,
                attachment TEXT,
                discoverable \(integer),
                name TEXT,
                enrolled_by TEXT NOT NULL,
                user_agent TEXT,
                created_at \(integer) NOT NULL,
                UNIQUE (tenant_id, rp_id, credential_id),
                UNIQUE (tenant_id, id)
            ) \(dialect.strict)
            """,
            "CREATE INDEX passkey_user ON passkey (tenant_id, user_id)",
            // The row without a family is the state of the passkey; every other row is a family that a sign-in with
            // it began (number 0: in another way than by a passkey), and has no state.
            """
            CREATE TABLE user_activity (
                tenant_id \(integer) NOT NULL,
                user_id \(bytes) NOT NULL,
                family_id \(bytes) NOT NULL,
                passkey_number \(integer) NOT NULL,
                sign_count \(integer) CHECK (sign_count BETWEEN 0 AND 4294967295),
                backup_eligible \(integer),
                backup_state \(integer),
                uv_initialized \(integer),
                suspended_at \(integer),
                last_used_at \(integer),
                use_count \(integer),
                PRIMARY KEY (tenant_id, user_id, family_id, passkey_number)
            ) \(dialect.clustered)
            """,
            """
            CREATE TABLE passkey_attestation (
                number \(integer) PRIMARY KEY,
                tenant_id \(integer) NOT NULL,
                attestation_object \(bytes),
                client_data_json \(bytes)
            ) \(dialect.strict)
            """,
        ]
    }

    private static func sessions(_ dialect: SQLDialect) -> [String] {
        let (integer, bytes) = (dialect.integer, dialect.bytes)
        return [
            """
            CREATE TABLE session (
                tenant_id \(integer) NOT NULL,
                id \(bytes) NOT NULL,
                user_id \(bytes) NOT NULL,
                client_id TEXT NOT NULL,
                amr TEXT NOT NULL,
                acr TEXT,
                passkey_number \(integer),
                cookie_hash \(bytes),
                created_at \(integer) NOT NULL,
                authenticated_at \(integer) NOT NULL,
                last_interaction \(integer) NOT NULL,
                expires_at \(integer) NOT NULL,
                idle_expires_at \(integer) NOT NULL,
                revoked_at \(integer),
                kept_until \(integer),
                address TEXT NOT NULL,
                user_agent TEXT NOT NULL,
                PRIMARY KEY (tenant_id, id)
            ) \(dialect.clustered)
            """,
            "CREATE UNIQUE INDEX session_cookie ON session (tenant_id, cookie_hash) WHERE cookie_hash IS NOT NULL",
            """
            CREATE TABLE refresh_family (
                tenant_id \(integer) NOT NULL,
                id \(bytes) NOT NULL,
                client_id TEXT NOT NULL,
                user_id \(bytes) NOT NULL,
                session_id \(bytes) NOT NULL,
                passkey_number \(integer) NOT NULL,
                audience TEXT,
                scope TEXT NOT NULL,
                rotates \(integer) NOT NULL,
                created_at \(integer) NOT NULL,
                expires_at \(integer),
                last_exchanged_at \(integer) NOT NULL,
                generation \(integer) NOT NULL,
                generation_count \(integer) NOT NULL,
                rotated_at \(integer) NOT NULL,
                revoked_at \(integer),
                initial_address TEXT NOT NULL,
                initial_user_agent TEXT NOT NULL,
                last_address TEXT,
                last_user_agent TEXT,
                first_secret_hash \(bytes) NOT NULL,
                PRIMARY KEY (tenant_id, id)
            ) \(dialect.clustered)
            """,
            // The first token of a family has the family's id, and lies in its row.
            """
            CREATE TABLE refresh_token (
                tenant_id \(integer) NOT NULL,
                id \(bytes) NOT NULL,
                family_id \(bytes) NOT NULL,
                generation \(integer) NOT NULL,
                secret_hash \(bytes) NOT NULL,
                created_at \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, id)
            ) \(dialect.clustered)
            """,
        ]
    }

    private static func records(_ dialect: SQLDialect) -> [String] {
        let (integer, bytes) = (dialect.integer, dialect.bytes)
        return [
            """
            CREATE TABLE ceremony (
                tenant_id \(integer) NOT NULL,
                id \(bytes) NOT NULL,
                client_id TEXT NOT NULL,
                connection_id TEXT,
                purpose TEXT NOT NULL,
                outcome TEXT NOT NULL,
                step TEXT,
                user_id \(bytes),
                started_at \(integer) NOT NULL,
                ended_at \(integer) NOT NULL,
                address TEXT NOT NULL,
                user_agent TEXT NOT NULL,
                details TEXT,
                PRIMARY KEY (tenant_id, id)
            ) \(dialect.clustered)
            """,
            """
            CREATE TABLE audit_event (
                tenant_id \(integer) NOT NULL,
                id \(bytes) NOT NULL,
                types TEXT NOT NULL,
                at \(integer) NOT NULL,
                user_id \(bytes),
                client_id TEXT,
                connection_id TEXT,
                address TEXT NOT NULL,
                user_agent TEXT NOT NULL,
                details TEXT,
                PRIMARY KEY (tenant_id, id)
            ) \(dialect.clustered)
            """,
            """
            CREATE TABLE audit_seal (
                tenant_id \(integer) NOT NULL,
                number \(integer) NOT NULL,
                through_id \(bytes) NOT NULL,
                event_count \(integer) NOT NULL,
                previous_hash \(bytes) NOT NULL,
                hash \(bytes) NOT NULL,
                public_key \(bytes) NOT NULL,
                signature \(bytes) NOT NULL,
                sealed_at \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, number)
            ) \(dialect.clustered)
            """,
            """
            CREATE TABLE assertion_replay (
                tenant_id \(integer) NOT NULL,
                jti_hash \(bytes) NOT NULL,
                expires_at \(integer) NOT NULL,
                PRIMARY KEY (tenant_id, jti_hash)
            ) \(dialect.clustered)
            """,
            "CREATE INDEX assertion_replay_expiry ON assertion_replay (expires_at)",
        ]
    }
}
