import Encodings
import Unicode

extension UserFilter {
    /// Reads the parameter `q` of a list of users (HTTP contract 11.9).
    ///
    /// - Throws: what is wrong with it.
    public init(searching text: String) throws(SearchError) {
        self = try Self.read(try SearchText(text).root)
    }

    private static func read(_ node: SearchText.Node) throws(SearchError) -> UserFilter {
        switch node {
        case .all(let nodes): return .all(try nodes.map { (node) throws(SearchError) in try read(node) })
        case .any(let nodes): return .any(try nodes.map { (node) throws(SearchError) in try read(node) })
        case .not(let node): return .not(try read(node))
        case .term(let field, let value): return .condition(try UserCondition(field: field, value))
        }
    }
}

extension UserCondition {
    fileprivate init(field: String, _ value: SearchText.Value) throws(SearchError) {
        switch field {
        case "email": self = Self.identifier(.email, value)
        case "username": self = Self.identifier(.username, value)
        case "phone_number": self = Self.identifier(.phoneNumber, value)
        case "name": self = .name(TextMatch(value))
        case "user_id", "identities.user_id": self = try Self.id(value)
        case "identities.connection": self = .connection(TextMatch(value))
        case "blocked": self = .isBlocked(try Self.truth(field, value))
        case "email_verified": self = .hasVerifiedEmail(try Self.truth(field, value))
        case "created_at":
            let (from, to) = try Self.moments(field, value)
            self = .createdAt(from: from, to: to)
        case "last_login":
            let (from, to) = try Self.moments(field, value)
            self = .lastLogin(from: from, to: to)
        case "logins_count":
            let (from, to) = try Self.numbers(field, value)
            self = .loginsCount(from: from, to: to)
        default:
            let parts = field.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
                .map { String(decoding: Array($0), as: UTF8.self) }
            guard let first = parts.first, first == "user_metadata" || first == "app_metadata",
                (2...6).contains(parts.count), parts.allSatisfy({ !$0.isEmpty })
            else { throw SearchError("there is no field \(field.prefix(60)) to search by") }
            // What lies in a store for searches is as long at most.
            guard field.utf8.count <= 200, value.texts.allSatisfy({ $0.utf8.count <= 200 }) else {
                throw SearchError("a field or a value is longer than 200 bytes")
            }
            self = .metadata(isOfApp: first == "app_metadata", path: Array(parts.dropFirst()), TextMatch(value))
        }
    }

    private static func identifier(_ kind: IdentifierKind, _ value: SearchText.Value) -> UserCondition {
        switch value {
        case .text(let text):
            let found =
                switch kind {
                case .email: CanonicalIdentifier.email(text)
                case .phoneNumber: CanonicalIdentifier.phoneNumber(text)
                case .username: CanonicalIdentifier.username(text, length: 1...128)
                }
            return found.map { .identifier(kind, .equals($0.canonical)) } ?? .nobody
        case .beginning(let text):
            guard !text.isEmpty else { return .identifier(kind, .startsWith("")) }
            guard let canonical = try? UnicodeText.canonical(text) else { return .nobody }
            return .identifier(kind, .startsWith(canonical))
        case .range(let from, let to):
            func canonical(_ text: String) -> String { (try? UnicodeText.canonical(text)) ?? text }
            return .identifier(kind, TextMatch.range(from: from.map(canonical), to: to.map(canonical)))
        }
    }

    private static func id(_ value: SearchText.Value) throws(SearchError) -> UserCondition {
        func digits(_ text: String) -> [UInt8] {
            let digits = text.hasPrefix("auth0|") ? text.dropFirst(6) : text[...]
            return Array(digits.utf8)
        }
        func bytes(_ text: [UInt8], filledWith digit: UInt8) -> [UInt8]? {
            guard text.count <= 24 else { return nil }
            let full = text + [UInt8](repeating: digit, count: 24 - text.count)
            return try? Hex.decode(String(decoding: full, as: UTF8.self))
        }
        switch value {
        case .text(let text):
            guard let id = UserID(text) else { return .nobody }
            return .id(from: id.bytes, to: id.bytes)
        case .beginning(let text):
            // A beginning of what stands before every id says nothing.
            let wanted = "auth0|".hasPrefix(text) ? [] : digits(text)
            guard let from = bytes(wanted, filledWith: UInt8(ascii: "0")),
                let to = bytes(wanted, filledWith: UInt8(ascii: "f"))
            else { return .nobody }
            return .id(from: from, to: to)
        case .range(let from, let to):
            guard let lower = bytes(digits(from ?? ""), filledWith: UInt8(ascii: "0")),
                let upper = bytes(digits(to ?? ""), filledWith: UInt8(ascii: "f"))
            else { throw SearchError("user_id has no such range") }
            return .id(from: lower, to: upper)
        }
    }

    private static func truth(_ field: String, _ value: SearchText.Value) throws(SearchError) -> Bool {
        switch value {
        case .text("true"): true
        case .text("false"): false
        default: throw SearchError("\(field) is true or false")
        }
    }

    private static func moments(
        _ field: String,
        _ value: SearchText.Value
    ) throws(SearchError) -> (UnixTime?, UnixTime?) {
        func first(_ text: String) throws(SearchError) -> UnixTime {
            guard let time = UnixTime(reading: text) else {
                throw SearchError("\(field) is a date, as 2026-01-31 or 2026-01-31T10:20:30Z")
            }
            return time
        }
        /// The last moment that the text means: of a day its last millisecond.
        func last(_ text: String) throws(SearchError) -> UnixTime {
            let time = try first(text)
            return text.utf8.count == 10 ? time.adding(milliseconds: 86_400_000 - 1) : time
        }
        switch value {
        case .text(let text): return (try first(text), try last(text))
        case .beginning(""): return (UnixTime(milliseconds: .min), nil)
        case .beginning: throw SearchError("\(field) is a date or a range of dates")
        case .range(let from, let to):
            return (
                try from.map { (text) throws(SearchError) in try first(text) },
                try to.map { (text) throws(SearchError) in try last(text) }
            )
        }
    }

    private static func numbers(
        _ field: String,
        _ value: SearchText.Value
    ) throws(SearchError) -> (Int64?, Int64?) {
        func number(_ text: String) throws(SearchError) -> Int64 {
            guard let number = Int64(text) else { throw SearchError("\(field) is a whole number") }
            return number
        }
        switch value {
        case .text(let text):
            let number = try number(text)
            return (number, number)
        case .beginning(""): return (0, nil)
        case .beginning: throw SearchError("\(field) is a number or a range of numbers")
        case .range(let from, let to):
            return (
                try from.map { (text) throws(SearchError) in try number(text) },
                try to.map { (text) throws(SearchError) in try number(text) }
            )
        }
    }
}

extension SearchText.Value {
    fileprivate var texts: [String] {
        switch self {
        case .text(let text), .beginning(let text): [text]
        case .range(let from, let to): [from, to].compactMap { $0 }
        }
    }
}

extension TextMatch {
    init(_ value: SearchText.Value) {
        switch value {
        case .text(let text): self = .equals(text)
        case .beginning(let text): self = .startsWith(text)
        case .range(let from, let to): self = .range(from: from, to: to)
        }
    }
}
