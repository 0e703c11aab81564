import Encodings
import Identity

// What users' metadata hold, as rows that a search finds them by: one for each text, number and truth, also in a list, under
// its names with points between them. A text of more than 200 bytes has its first 201 characters there, a number the whole
// numbers below and above it. The rows are made by the engines themselves, of the documents beside them, so that what is
// found and what is there cannot differ.

extension SQLStore {
    /// Puts the members of a new user in place, whose row is there.
    func members(of user: User) -> [SQLStatement] {
        guard !user.profile.userMetadata.isEmpty || !user.profile.appMetadata.isEmpty else { return [] }
        return [SQLStatement(Self.insertMembers(database.dialect), Self.key(user) + Self.key(user))]
    }

    /// Puts the members of a changed user in place of the old ones.
    func members(of new: User, insteadOf old: User) -> [SQLStatement] {
        guard
            new.profile.userMetadata != old.profile.userMetadata || new.profile.appMetadata != old.profile.appMetadata
        else { return [] }
        return [SQLStatement(Self.deleteMembers, Self.key(new))] + members(of: new)
    }

    private static func key(_ user: User) -> [SQLValue] { [.tenant(user.tenant), .user(user.id)] }

    static let deleteMembers = SQL("DELETE FROM user_member WHERE tenant_id = ? AND user_id = ?")

    private static func insertMembers(_ dialect: SQLDialect) -> SQL {
        dialect == .sqlite ? insertMembersInSQLite : insertMembersInPostgreSQL
    }

    private static let ofOneUser = "u.tenant_id = ? AND u.id = ?"
    private static let insertMembersInSQLite = SQL(SQLDialect.sqlite.insertMembers(where: ofOneUser))
    private static let insertMembersInPostgreSQL = SQL(SQLDialect.postgreSQL.insertMembers(where: ofOneUser))
}

extension SQLDialect {
    /// A document without U+0000, which PostgreSQL has no text with.
    private func json(_ column: String) -> String { "replace(\(column), '\\u0000', '\\ufffd')::json" }

    /// Makes the members of the users `u` for whom `condition` holds, in which as many values stand in SQLite twice.
    func insertMembers(where condition: String) -> String {
        let columns = "tenant_id, member, value, created_at, user_id, at_least, at_most"
        switch self {
        case .sqlite:
            // A number beyond that has no fraction, and none between whole numbers is near it.
            let whole = "CAST(t.atom AS INTEGER)"
            return """
                INSERT INTO user_member (\(columns))
                SELECT l.tenant_id, l.member,
                    CASE WHEN length(CAST(l.value AS BLOB)) > 200 THEN substr(l.value, 1, 201) ELSE l.value END,
                    l.created_at, l.id, MAX(l.at_least), MAX(l.at_most)
                FROM (
                    SELECT two.tenant_id, two.id, two.created_at,
                        two.root || substr(
                            replace(CASE WHEN typeof(t.key) = 'integer' THEN t.path ELSE t.fullkey END, '"', ''), 2
                        ) AS member,
                        CASE t.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'
                            ELSE CAST(t.atom AS TEXT) END AS value,
                        CASE t.type WHEN 'integer' THEN t.atom
                            WHEN 'real' THEN
                                CASE WHEN abs(t.atom) < 9e15 THEN \(whole) - (t.atom < \(whole)) END
                            END AS at_least,
                        CASE t.type WHEN 'integer' THEN t.atom
                            WHEN 'real' THEN
                                CASE WHEN abs(t.atom) < 9e15 THEN \(whole) + (t.atom > \(whole)) END
                            END AS at_most
                    FROM (
                        SELECT u.tenant_id, u.id, u.created_at, 'user_metadata' AS root, u.user_metadata AS document
                        FROM user_account u WHERE u.user_metadata IS NOT NULL AND \(condition)
                        UNION ALL
                        SELECT u.tenant_id, u.id, u.created_at, 'app_metadata', u.app_metadata
                        FROM user_account u WHERE u.app_metadata IS NOT NULL AND \(condition)
                    ) two, json_tree(two.document) t
                    WHERE t.type IN ('text', 'integer', 'real', 'true', 'false')
                ) l
                WHERE l.member NOT GLOB '*[^A-Za-z0-9_.-]*' AND length(l.member) <= 200
                GROUP BY 1, 2, 3, 4, 5
                """
        case .postgreSQL:
            return """
                WITH RECURSIVE leaf (tenant_id, id, created_at, member, content, is_element) AS (
                    SELECT d.tenant_id, d.id, d.created_at, d.root, d.content, FALSE
                    FROM (
                        SELECT u.tenant_id, u.id, u.created_at, CAST('user_metadata' AS TEXT) AS root,
                            \(json("u.user_metadata")) AS content
                        FROM user_account u WHERE u.user_metadata IS NOT NULL AND \(condition)
                        UNION ALL
                        SELECT u.tenant_id, u.id, u.created_at, CAST('app_metadata' AS TEXT),
                            \(json("u.app_metadata"))
                        FROM user_account u WHERE u.app_metadata IS NOT NULL AND \(condition)
                    ) d
                    UNION ALL
                    SELECT l.tenant_id, l.id, l.created_at, l.member || COALESCE('.' || e.key, ''), e.content,
                        json_typeof(l.content) = 'array'
                    FROM leaf l CROSS JOIN LATERAL (
                        SELECT o.key, o.value AS content
                        FROM json_each(CASE WHEN json_typeof(l.content) = 'object' THEN l.content END) o
                        UNION ALL
                        SELECT NULL, a.value
                        FROM json_array_elements(CASE WHEN json_typeof(l.content) = 'array' THEN l.content END) a
                    ) e
                    WHERE NOT l.is_element AND json_typeof(l.content) IN ('object', 'array')
                )
                INSERT INTO user_member (\(columns))
                SELECT v.tenant_id, v.member,
                    CASE WHEN octet_length(v.value) > 200 THEN left(v.value, 201) ELSE v.value END,
                    v.created_at, v.id, MAX(CAST(floor(v.number) AS BIGINT)), MAX(CAST(ceil(v.number) AS BIGINT))
                FROM (
                    SELECT l.tenant_id, l.id, l.created_at, l.member, l.content #>> '{}' AS value,
                        CASE WHEN json_typeof(l.content) = 'number'
                                AND l.content #>> '{}' ~ '^[-]{0,1}[0-9]{1,18}([.][0-9]{1,30}){0,1}$'
                            THEN CAST(l.content #>> '{}' AS NUMERIC) END AS number
                    FROM leaf l
                    WHERE json_typeof(l.content) IN ('string', 'number', 'boolean')
                        AND l.member ~ '^[A-Za-z0-9_.-]{1,200}$'
                ) v
                GROUP BY 1, 2, 3, 4, 5
                """
        }
    }
}
