import Encodings
import Identity

/// A user's own row; the identifiers lie in other rows, and what its passkeys did in theirs.
struct UserRow: Sendable {
    let id: UserID
    let tenant: TenantID
    let connection: ConnectionID
    let profile: UserProfile
    let blockedAt: UnixTime?
    let createdAt: UnixTime
    let updatedAt: UnixTime
    /// The last login that was not by a passkey that still exists.
    let lastLogin: UnixTime?
    /// How many logins there were in other ways than by a passkey that still exists.
    let loginsCount: Int64

    /// The user, with the logins by passkey counted in.
    func user(identifiers: [UserIdentifier], _ activity: PasskeyActivity?) -> User {
        User(
            id: id,
            tenant: tenant,
            connection: connection,
            identifiers: identifiers,
            profile: profile,
            blockedAt: blockedAt,
            createdAt: createdAt,
            updatedAt: updatedAt,
            lastLogin: [lastLogin, activity?.lastUsedAt].compactMap { $0 }.max(),
            loginsCount: loginsCount + (activity?.useCount ?? 0)
        )
    }
}

/// What a user's passkeys did, taken together: each login counts in the passkey's narrow row, so that it need not
/// touch the user's wide one.
struct PasskeyActivity: Sendable {
    let lastUsedAt: UnixTime?
    let useCount: Int64
}

extension SQLStore {
    /// The three statements that read one user.
    static func selectUser(_ id: UserID, of tenant: TenantID) -> [SQLStatement] {
        let key: [SQLValue] = [.tenant(tenant), .user(id)]
        return [
            SQLStatement(selectUserRow, key), SQLStatement(selectIdentifiers, key), SQLStatement(selectActivity, key),
        ]
    }

    /// Reads what ``selectUser(_:of:)`` gave, when those statements stand first in the batch.
    static func user(_ results: SQLResults) throws(StoreError) -> User? {
        guard let row = try results[0].first(userRow) else { return nil }
        return row.user(identifiers: try results[1].map(identifier), try results[2].first(activity))
    }

    static func userRow(_ row: inout SQLRow) throws(StoreError) -> UserRow {
        let (tenant, id) = (try row.tenant(), try row.user())
        return UserRow(
            id: id,
            tenant: tenant,
            connection: ConnectionID(try row.text()),
            profile: UserProfile(
                name: try row.textIfAny(),
                givenName: try row.textIfAny(),
                familyName: try row.textIfAny(),
                nickname: try row.textIfAny(),
                picture: try row.textIfAny(),
                userMetadata: try row.details(),
                appMetadata: try row.details()
            ),
            blockedAt: try row.timeIfAny(),
            createdAt: try row.time(),
            updatedAt: try row.time(),
            lastLogin: try row.timeIfAny(),
            loginsCount: try row.integer()
        )
    }

    static func ownedIdentifier(
        _ row: inout SQLRow
    ) throws(StoreError) -> (user: UserID, identifier: UserIdentifier) {
        (try row.user(), try identifier(&row))
    }

    static func ownedActivity(_ row: inout SQLRow) throws(StoreError) -> (user: UserID, activity: PasskeyActivity) {
        (try row.user(), try activity(&row))
    }

    private static func identifier(_ row: inout SQLRow) throws(StoreError) -> UserIdentifier {
        UserIdentifier(
            kind: try row.word(),
            canonical: try row.text(),
            entered: try row.text(),
            isVerified: try row.bool()
        )
    }

    private static func activity(_ row: inout SQLRow) throws(StoreError) -> PasskeyActivity {
        PasskeyActivity(lastUsedAt: try row.timeIfAny(), useCount: try row.integerIfAny() ?? 0)
    }

    private static let selectUserRow = SQL(
        """
        SELECT tenant_id, id, connection_id, name, given_name, family_name, nickname, picture, user_metadata,
            app_metadata, blocked_at, created_at, updated_at, last_login, logins_count
        FROM user_account WHERE tenant_id = ? AND id = ?
        """
    )
    private static let selectIdentifiers = SQL(
        """
        SELECT kind, canonical, entered, is_verified FROM identifier
        WHERE tenant_id = ? AND user_id = ? ORDER BY position
        """
    )
    private static let selectActivity = SQL(
        """
        SELECT MAX(last_used_at), CAST(SUM(use_count) AS BIGINT) FROM user_activity
        WHERE tenant_id = ? AND user_id = ? AND family_id = x''
        """
    )
}
