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

    static func isOne(of users: [[UInt8]]) -> SQLCondition {
        guard !users.isEmpty else { return never }
        let places = users.map { _ in "?" }.joined(separator: ", ")
        return SQLCondition("u.id IN (\(places))", users.map { .bytes($0) })
    }

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

/// What a search is turned into SQL with.
struct SearchScope {
    let dialect: SQLDialect
    let tenant: TenantID
    /// The users whom a condition finds, where they are few.
    var few: [UserCondition: [[UInt8]]] = [:]
    /// A condition that the list is walked by: all whom it comes to meet it.
    var walked: UserCondition?

    /// Users that count as few.
    static let fewest = 500
}

extension UserFilter {
    /// The conditions that an index answers, each once.
    var indexed: [UserCondition] {
        switch self {
        case .all(let filters), .any(let filters):
            filters.reduce(into: []) { found, filter in
                for condition in filter.indexed where !found.contains(condition) { found.append(condition) }
            }
        case .not(let filter): filter.indexed
        case .condition(let condition): condition.isIndexed ? [condition] : []
        }
    }

    /// The condition, if it is the whole filter.
    var onlyCondition: UserCondition? {
        switch self {
        case .all(let filters), .any(let filters): filters.count == 1 ? filters.first?.onlyCondition : nil
        case .not: nil
        case .condition(let condition): condition
        }
    }

    /// A condition that all must meet, and whose users an index has in the order of a list.
    var ordered: UserCondition? {
        switch self {
        case .all(let filters): filters.lazy.compactMap(\.ordered).first
        case .any(let filters): filters.count == 1 ? filters.first?.ordered : nil
        case .not: nil
        case .condition(let condition):
            if case .metadata(_, _, .equals) = condition { condition } else { nil }
        }
    }

    /// Users among whom all are that match; `nil`: they may be many.
    func candidates(_ scope: SearchScope) -> [[UInt8]]? {
        switch self {
        case .all(let filters): return filters.compactMap { $0.candidates(scope) }.min { $0.count < $1.count }
        case .any(let filters):
            var found: Set<[UInt8]> = []
            for filter in filters {
                guard let candidates = filter.candidates(scope) else { return nil }
                found.formUnion(candidates)
            }
            return Array(found)
        case .not: return nil
        case .condition(.nobody): return []
        case .condition(let condition): return scope.few[condition]
        }
    }

    func condition(_ scope: SearchScope) -> SQLCondition {
        switch self {
        case .all(let filters): return .all(filters.map { $0.condition(scope) })
        case .any(let filters): return .any(filters.map { $0.condition(scope) })
        case .not(let filter):
            let inner = filter.condition(scope)
            return SQLCondition("NOT \(inner.text)", inner.values)
        case .condition(let condition): return condition.sql(scope)
        }
    }
}

extension UserCondition {
    /// Whether ``finder(_:)`` finds its users by an index.
    fileprivate var isIndexed: Bool {
        switch self {
        case .identifier, .name, .metadata: true
        default: false
        }
    }

    /// Whether its finder gives all users quickly, however many they are.
    var isCounted: Bool {
        switch self {
        case .identifier, .metadata: true
        default: false
        }
    }

    /// Whether its finder gives each user once: a key holds one row of each.
    var findsOnce: Bool {
        switch self {
        case .metadata(_, _, .equals): true
        default: false
        }
    }

    /// The ids of the users, as `user_id`; one may come several times. `nil` where no index finds them.
    func finder(_ scope: SearchScope) -> SQLCondition? {
        switch self {
        case .identifier(let kind, let match):
            let inner = Self.identifier([kind], match, scope)
            return SQLCondition("SELECT i.user_id FROM identifier i WHERE \(inner.text)", inner.values)
        case .name(let match):
            let folded = match.mapped { $0.lowercasedASCII }
            let own = folded.condition("lower(n.name)")
            // Who has no name is shown by an identifier.
            let shown = Self.identifier(IdentifierKind.allCases, folded, scope)
            return SQLCondition(
                """
                SELECT n.id AS user_id FROM user_account n
                WHERE n.tenant_id = ? AND n.name IS NOT NULL AND \(own.text)
                UNION ALL
                SELECT i.user_id FROM identifier i
                JOIN user_account n ON n.tenant_id = i.tenant_id AND n.id = i.user_id
                WHERE \(shown.text) AND n.name IS NULL
                """,
                [.tenant(scope.tenant)] + own.values + shown.values
            )
        case .metadata(let isOfApp, let path, let match):
            let inner = Self.member(isOfApp, path, match)
            return SQLCondition(
                "SELECT m.user_id FROM user_member m WHERE m.tenant_id = ? AND \(inner.text)",
                [.tenant(scope.tenant)] + inner.values
            )
        default: return nil
        }
    }

    /// The condition on a row `m` of the table of members, each user's own; `nil` where it is none.
    var member: SQLCondition? {
        guard case .metadata(let isOfApp, let path, let match) = self else { return nil }
        return Self.member(isOfApp, path, match)
    }

    fileprivate func sql(_ scope: SearchScope) -> SQLCondition {
        let (dialect, tenant) = (scope.dialect, scope.tenant)
        if let few = scope.few[self] { return .isOne(of: few) }
        if scope.walked == self { return .always }
        switch self {
        case .nobody: return .never
        case .identifier(let kind, let match): return Self.entry([kind], match, dialect)
        case .name(let match):
            // Of ASCII alone both engines know the cases in the same way.
            let folded = match.mapped { $0.lowercasedASCII }
            let own = folded.condition("lower(u.name)")
            let shown = Self.entry(IdentifierKind.allCases, folded, dialect)
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
            let inner = Self.member(isOfApp, path, match)
            return SQLCondition(
                "EXISTS (SELECT 1 FROM user_member m WHERE m.tenant_id = ? AND m.user_id = u.id AND \(inner.text))",
                [.tenant(tenant)] + inner.values
            )
        case .isIn(let connection): return SQLCondition("u.connection_id = ?", [.text(connection.text)])
        case .connection(let match):
            let inner = match.condition("c.name")
            return SQLCondition(
                "u.connection_id IN (SELECT c.id FROM connection c WHERE c.tenant_id = ? AND \(inner.text))",
                [.tenant(tenant)] + inner.values
            )
        }
    }

    /// By the table of identifiers `i`, whose key begins with the directory.
    private static func identifier(
        _ kinds: [IdentifierKind],
        _ match: TextMatch,
        _ scope: SearchScope
    ) -> SQLCondition {
        let inner = match.condition("i.canonical")
        return SQLCondition(
            """
            i.tenant_id = ? AND i.connection_id IN (SELECT c.id FROM connection c WHERE c.tenant_id = ?)
                AND i.kind IN (\(kinds.map { _ in "?" }.joined(separator: ", "))) AND \(inner.text)
            """,
            [.tenant(scope.tenant), .tenant(scope.tenant)] + kinds.map { .text($0.rawValue) } + inner.values
        )
    }

    /// By the user's own list of identifiers, for those that are looked at one after the other.
    private static func entry(
        _ kinds: [IdentifierKind],
        _ match: TextMatch,
        _ dialect: SQLDialect
    ) -> SQLCondition {
        let inner = match.condition(dialect.member("canonical"))
        return SQLCondition(
            """
            EXISTS (SELECT 1 FROM \(dialect.identifiersOfUser) e
                WHERE \(dialect.member("kind")) IN (\(kinds.map { _ in "?" }.joined(separator: ", ")))
                    AND \(inner.text))
            """,
            kinds.map { .text($0.rawValue) } + inner.values
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

    /// Of a row `m` of the table of members.
    private static func member(_ isOfApp: Bool, _ path: [String], _ match: TextMatch) -> SQLCondition {
        let name = ([isOfApp ? "app_metadata" : "user_metadata"] + path).joined(separator: ".")
        // Numbers are compared as numbers where both ends of a range are some.
        if case .range(let from, let to) = match, from != nil || to != nil,
            let lower = from.map(Int64.init) ?? .min, let upper = to.map(Int64.init) ?? .max
        {
            return SQLCondition(
                "m.member = ? AND m.at_least IS NOT NULL AND m.at_least >= ? AND m.at_most <= ?",
                [.text(name), .integer(lower), .integer(upper)]
            )
        }
        let inner = match.condition("m.value")
        return SQLCondition("m.member = ? AND \(inner.text)", [.text(name)] + inner.values)
    }
}

extension TextMatch {
    fileprivate func condition(_ expression: String) -> SQLCondition {
        func compared(_ sign: String, _ text: String) -> SQLCondition {
            SQLCondition("\(expression) \(sign) ?", [.text(text)])
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
    /// The identifiers of a user `u`, each a row that is called `e` where it stands.
    fileprivate var identifiersOfUser: String {
        switch self {
        case .sqlite: "json_each(u.identifiers)"
        case .postgreSQL: "json_array_elements(u.identifiers::json)"
        }
    }

    /// A member of such a row, as text.
    fileprivate func member(_ name: String) -> String {
        switch self {
        case .sqlite: "json_extract(e.value, '$.\(name)')"
        case .postgreSQL: "((e.value ->> '\(name)') COLLATE \"C\")"
        }
    }

    fileprivate var hasVerifiedEmail: String {
        let isTrue = self == .sqlite ? "1" : "'true'"
        return """
            EXISTS (SELECT 1 FROM \(identifiersOfUser) e
                WHERE \(member("kind")) = 'email' AND \(member("verified")) = \(isTrue))
            """
    }
}
