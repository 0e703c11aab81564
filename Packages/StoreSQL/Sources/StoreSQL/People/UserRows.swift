import Encodings
import Identity

extension SQLStore {
    /// The statement that reads one user.
    static func selectUser(_ id: UserID, of tenant: TenantID) -> SQLStatement {
        SQLStatement(selectUserRow, [.tenant(tenant), .user(id)])
    }

    /// The columns of ``user(_:)`` in its order, of a user `u`.
    ///
    /// A login by passkey counts in the passkey's narrow row, so that it need not touch the user's wide one; what all of
    /// them did is taken together here.
    static let userColumns = """
        u.tenant_id, u.id, u.connection_id, u.identifiers, u.name, u.given_name, u.family_name, u.nickname, u.picture,
        u.user_metadata, u.app_metadata, u.blocked_at, u.created_at, u.updated_at, u.last_login,
        (SELECT MAX(a.last_used_at) FROM user_activity a \(activityOfUser)), u.logins_count,
        (SELECT CAST(SUM(a.use_count) AS BIGINT) FROM user_activity a \(activityOfUser))
        """
    private static let activityOfUser = """
        WHERE a.tenant_id = u.tenant_id AND a.user_id = u.id AND a.family_id = x''
        """

    static func user(_ row: inout SQLRow) throws(StoreError) -> User {
        let (tenant, id) = (try row.tenant(), try row.user())
        return User(
            id: id,
            tenant: tenant,
            connection: ConnectionID(try row.text()),
            identifiers: try row.identifiers(),
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
            lastLogin: [try row.timeIfAny(), try row.timeIfAny()].compactMap { $0 }.max(),
            loginsCount: try row.integer() + (try row.integerIfAny() ?? 0)
        )
    }

    private static let selectUserRow = SQL(
        "SELECT \(userColumns) FROM user_account u WHERE u.tenant_id = ? AND u.id = ?"
    )
}

// A user's own list of what the user is found by, as JSON.

extension SQLValue {
    static func identifiers(_ identifiers: [UserIdentifier]) -> SQLValue {
        var json = JSONWriter(capacity: 128)
        json.beginArray()
        for identifier in identifiers {
            json.beginObject()
            json.name("kind")
            json.string(identifier.kind.rawValue)
            json.name("canonical")
            json.string(identifier.canonical)
            json.name("entered")
            json.string(identifier.entered)
            json.name("verified")
            json.bool(identifier.isVerified)
            json.endObject()
        }
        json.endArray()
        return .text(String(decoding: json.bytes, as: UTF8.self))
    }

    /// User handles, oldest first.
    static func handles(_ handles: [[UInt8]]) -> SQLValue { .words(handles.map(Base64URL.encode)) }
}

extension SQLRow {
    mutating func identifiers() throws(StoreError) -> [UserIdentifier] {
        var identifiers: [UserIdentifier] = []
        for entry in try array() {
            guard let entry = entry.object, let kind = entry["kind"]?.string.flatMap(IdentifierKind.init(rawValue:)),
                let canonical = entry["canonical"]?.string, let entered = entry["entered"]?.string,
                let isVerified = entry["verified"]?.bool
            else { throw damaged("identifier") }
            identifiers.append(
                UserIdentifier(kind: kind, canonical: canonical, entered: entered, isVerified: isVerified)
            )
        }
        return identifiers
    }

    mutating func handles() throws(StoreError) -> [[UInt8]] {
        var handles: [[UInt8]] = []
        for word in try words() {
            guard let handle = try? Base64URL.decode(word) else { throw damaged("user handle") }
            handles.append(handle)
        }
        return handles
    }
}
