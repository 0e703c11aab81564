import Encodings
import Identity

/// A condition on a user `u` as SQL, with its values in the order of the text. It is true or false, never unknown, so that
/// its negation is right.
struct SQLCondition {
    var text: String
    var values: [SQLValue]

    init(_ text: String, _ values: [SQLValue] = []) {
        self.text = text
        self.values = values
    }

    static let never = SQLCondition("1 = 0")
    static let always = SQLCondition("1 = 1")

    static func all(_ conditions: [SQLCondition]) -> SQLCondition { joined(conditions, " AND ", empty: always) }
    static func any(_ conditions: [SQLCondition]) -> SQLCondition { joined(conditions, " OR ", empty: never) }

    private static func joined(_ conditions: [SQLCondition], _ word: String, empty: SQLCondition) -> SQLCondition {
        guard !conditions.isEmpty else { return empty }
        return SQLCondition(
            "(" + conditions.map(\.text).joined(separator: word) + ")",
            conditions.flatMap(\.values)
        )
    }
}

extension UserFilter {
    func condition(_ dialect: SQLDialect, of tenant: TenantID) -> SQLCondition {
        switch self {
        case .all(let filters): return .all(filters.map { $0.condition(dialect, of: tenant) })
        case .any(let filters): return .any(filters.map { $0.condition(dialect, of: tenant) })
        case .not(let filter):
            let inner = filter.condition(dialect, of: tenant)
            return SQLCondition("NOT \(inner.text)", inner.values)
        case .condition(let condition): return condition.sql(dialect, of: tenant)
        }
    }
}

extension UserCondition {
    fileprivate func sql(_ dialect: SQLDialect, of tenant: TenantID) -> SQLCondition {
        switch self {
        case .nobody: return .never
        case .identifier(let kind, let match): return Self.identifier(kind, match, of: tenant)
        case .name(let match):
            // Of ASCII alone both engines know the cases in the same way.
            let folded = match.mapped { $0.lowercasedASCII }
            let own = folded.condition("lower(u.name)")
            // Who has no name is shown by an identifier.
            let shown = Self.identifier(nil, folded, of: tenant)
            return SQLCondition(
                "((u.name IS NOT NULL AND \(own.text)) OR (u.name IS NULL AND \(shown.text)))",
                own.values + shown.values
            )
        case .id(let from, let to):
            return SQLCondition("(u.id >= ? AND u.id <= ?)", [.bytes(from), .bytes(to)])
        case .isBlocked(let isBlocked):
            return SQLCondition(isBlocked ? "u.blocked_at IS NOT NULL" : "u.blocked_at IS NULL")
        case .hasVerifiedEmail(let isVerified):
            let text = dialect.hasVerifiedEmail
            return SQLCondition(isVerified ? text : "NOT \(text)")
        case .createdAt(let from, let to):
            return .all(
                [from.map { SQLCondition("u.created_at >= ?", [.time($0)]) }]
                    .compactMap { $0 } + [to.map { SQLCondition("u.created_at <= ?", [.time($0)]) }].compactMap { $0 }
            )
        case .lastLogin(let from, let to):
            var conditions = [Self.lastLogin(">=", from ?? UnixTime(milliseconds: .min), of: tenant)]
            if let to {
                let later = Self.lastLogin(">", to, of: tenant)
                conditions.append(SQLCondition("NOT \(later.text)", later.values))
            }
            return .all(conditions)
        case .loginsCount(let from, let to):
            let count = """
                (u.logins_count + COALESCE((SELECT CAST(SUM(a.use_count) AS BIGINT) FROM user_activity a
                    WHERE a.tenant_id = ? AND a.user_id = u.id AND a.family_id = x''), 0))
                """
            return .all(
                [(from, ">="), (to, "<=")].compactMap { bound, sign in
                    bound.map { SQLCondition("\(count) \(sign) ?", [.tenant(tenant), .integer($0)]) }
                }
            )
        case .metadata(let isOfApp, let path, let match):
            return Self.metadata(isOfApp ? "u.app_metadata" : "u.user_metadata", path, match, dialect)
        case .isIn(let connection): return SQLCondition("u.connection_id = ?", [.text(connection.text)])
        case .connection(let match):
            let inner = match.condition("c.name")
            return SQLCondition(
                "u.connection_id IN (SELECT c.id FROM connection c WHERE c.tenant_id = ? AND \(inner.text))",
                [.tenant(tenant)] + inner.values
            )
        }
    }

    /// By the table of identifiers, whose key begins with the directory; of one kind or of any.
    private static func identifier(_ kind: IdentifierKind?, _ match: TextMatch, of tenant: TenantID) -> SQLCondition {
        let inner = match.condition("i.canonical")
        let kinds = kind.map { [$0] } ?? IdentifierKind.allCases
        return SQLCondition(
            """
            u.id IN (SELECT i.user_id FROM identifier i WHERE i.tenant_id = ?
                AND i.connection_id IN (SELECT c.id FROM connection c WHERE c.tenant_id = ?)
                AND i.kind IN (\(kinds.map { _ in "?" }.joined(separator: ", "))) AND \(inner.text))
            """,
            [.tenant(tenant), .tenant(tenant)] + kinds.map { .text($0.rawValue) } + inner.values
        )
    }

    private static func lastLogin(_ sign: String, _ time: UnixTime, of tenant: TenantID) -> SQLCondition {
        SQLCondition(
            """
            ((u.last_login IS NOT NULL AND u.last_login \(sign) ?) OR EXISTS (SELECT 1 FROM user_activity a
                WHERE a.tenant_id = ? AND a.user_id = u.id AND a.family_id = x'' AND a.last_used_at \(sign) ?))
            """,
            [.time(time), .tenant(tenant), .time(time)]
        )
    }

    private static func metadata(
        _ column: String,
        _ path: [String],
        _ match: TextMatch,
        _ dialect: SQLDialect
    ) -> SQLCondition {
        let place = dialect.place(of: path)
        // Numbers are compared as numbers where both ends of a range are some.
        if case .range(let from, let to) = match, from != nil || to != nil,
            let lower = from.map(Int64.init) ?? .min, let upper = to.map(Int64.init) ?? .max
        {
            let number = dialect.number(in: column)
            return SQLCondition(
                "(\(column) IS NOT NULL AND COALESCE(\(number) BETWEEN ? AND ?, \(dialect.no)))",
                [place, place, .integer(lower), .integer(upper)]
            )
        }
        let member = dialect.text(in: column)
        let inner = match.condition(member.text, [SQLValue](repeating: place, count: member.places))
        return SQLCondition("(\(column) IS NOT NULL AND COALESCE(\(inner.text), \(dialect.no)))", inner.values)
    }
}

extension TextMatch {
    /// A comparison of `expression`, in which `own` values stand.
    fileprivate func condition(_ expression: String, _ own: [SQLValue] = []) -> SQLCondition {
        func compared(_ sign: String, _ text: String) -> SQLCondition {
            SQLCondition("\(expression) \(sign) ?", own + [.text(text)])
        }
        switch self {
        case .equals(let text): return compared("=", text)
        case .startsWith(let text):
            return .all([compared(">=", text)] + [text.endOfBeginnings].compactMap { $0 }.map { compared("<", $0) })
        case .range(let from, let to):
            let ends = [from.map { compared(">=", $0) }, to.map { compared("<=", $0) }].compactMap { $0 }
            return ends.isEmpty ? compared(">=", "") : .all(ends)
        }
    }

    fileprivate func mapped(_ change: (String) -> String) -> TextMatch {
        switch self {
        case .equals(let text): .equals(change(text))
        case .startsWith(let text): .startsWith(change(text))
        case .range(let from, let to): .range(from: from.map(change), to: to.map(change))
        }
    }
}

extension String {
    fileprivate var lowercasedASCII: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    }

    /// The first text, by its bytes, behind all that begin with this one; `nil` when there is none.
    fileprivate var endOfBeginnings: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            // The order of UTF-8 is that of the scalars; between them lie the surrogates.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            if let scalar = Unicode.Scalar(next) {
                scalars.append(scalar)
                var view = String.UnicodeScalarView()
                view.append(contentsOf: scalars)
                return String(view)
            }
        }
        return nil
    }
}

// JSON in columns, which each engine reads in its own way.

extension SQLDialect {
    fileprivate var no: String { self == .sqlite ? "0" : "FALSE" }

    fileprivate var hasVerifiedEmail: String {
        switch self {
        case .sqlite:
            """
            EXISTS (SELECT 1 FROM json_each(u.identifiers) e
                WHERE json_extract(e.value, '$.kind') = 'email' AND json_extract(e.value, '$.verified') = 1)
            """
        case .postgreSQL:
            """
            EXISTS (SELECT 1 FROM json_array_elements(u.identifiers::json) e
                WHERE e.value ->> 'kind' = 'email' AND e.value ->> 'verified' = 'true')
            """
        }
    }

    /// The way to a member, whose names are letters, digits, `_` and `-`.
    fileprivate func place(of path: [String]) -> SQLValue {
        switch self {
        case .sqlite: .text("$" + path.map { ".\"\($0)\"" }.joined())
        case .postgreSQL: .text("{" + path.map { "\"\($0)\"" }.joined(separator: ",") + "}")
        }
    }

    /// The member as text, and how often its place stands in that.
    fileprivate func text(in column: String) -> (text: String, places: Int) {
        switch self {
        case .sqlite:
            (
                """
                (CASE json_type(\(column), ?) WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' \
                ELSE CAST(json_extract(\(column), ?) AS TEXT) END)
                """, 2
            )
        case .postgreSQL: ("((\(column)::json #>> CAST(? AS TEXT[])) COLLATE \"C\")", 1)
        }
    }

    /// The member as a number, or nothing; its place stands in it twice.
    fileprivate func number(in column: String) -> String {
        switch self {
        case .sqlite:
            """
            (CASE WHEN json_type(\(column), ?) IN ('integer', 'real') THEN json_extract(\(column), ?) END)
            """
        case .postgreSQL:
            """
            (CASE WHEN json_typeof(\(column)::json #> CAST(? AS TEXT[])) = 'number' \
            THEN CAST(\(column)::json #>> CAST(? AS TEXT[]) AS NUMERIC) END)
            """
        }
    }
}
