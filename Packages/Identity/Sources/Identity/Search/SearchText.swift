/// A search as people write it, taken apart: `field:value`, `field:"value"`, `field:val*`, `field:[a TO b]`, `AND`, `OR`,
/// `NOT` and parentheses (HTTP contract 11.9).
///
/// `NOT` binds closest, then `AND`, then `OR`. A backslash takes its special meaning from the character behind it.
public struct SearchText: Hashable, Sendable {
    public let root: Node

    public indirect enum Node: Hashable, Sendable {
        case all([Node])
        case any([Node])
        case not(Node)
        case term(field: String, Value)
    }

    public enum Value: Hashable, Sendable {
        case text(String)
        /// `val*`; `*` alone is the empty beginning.
        case beginning(String)
        /// `nil`: the end was `*`.
        case range(from: String?, to: String?)
    }

    /// Bytes that a search may have.
    public static let maximumLength = 4096
    /// Parentheses and negations inside each other.
    public static let maximumDepth = 20
    /// Terms.
    public static let maximumTerms = 64

    /// - Throws: what is wrong with `text`, and where.
    public init(_ text: String) throws(SearchError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw SearchError("it is longer than \(Self.maximumLength) bytes")
        }
        var reader = Reader(scalars: Array(text.unicodeScalars))
        root = try reader.alternatives(depth: 0)
        reader.skipSpace()
        guard reader.isAtEnd else { throw reader.error("AND, OR or the end is expected") }
    }
}

/// What is wrong with a search: a sentence without its full stop.
public struct SearchError: Error, Hashable, Sendable {
    public let message: String

    public init(_ message: String) {
        self.message = message
    }
}

private struct Reader {
    let scalars: [Unicode.Scalar]
    var position = 0
    var terms = 0

    init(scalars: [Unicode.Scalar]) {
        self.scalars = scalars
    }

    var isAtEnd: Bool { position >= scalars.count }
    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    func error(_ problem: String) -> SearchError {
        SearchError("at character \(position + 1) \(problem)")
    }

    mutating func skipSpace() {
        while let next, Self.isSpace(next) { position += 1 }
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    /// Takes a word of the language, behind which a word must end.
    private mutating func take(word: String) -> Bool {
        let word = Array(word.unicodeScalars)
        let end = position + word.count
        guard end <= scalars.count, Array(scalars[position..<end]) == word,
            end == scalars.count || Self.isSpace(scalars[end]) || scalars[end] == "(" || scalars[end] == ")"
        else { return false }
        position = end
        return true
    }

    mutating func alternatives(depth: Int) throws(SearchError) -> SearchText.Node {
        var nodes = [try conjunction(depth: depth)]
        while true {
            skipSpace()
            guard take(word: "OR") else { break }
            nodes.append(try conjunction(depth: depth))
        }
        return nodes.count == 1 ? nodes[0] : .any(nodes)
    }

    private mutating func conjunction(depth: Int) throws(SearchError) -> SearchText.Node {
        var nodes = [try negation(depth: depth)]
        while true {
            skipSpace()
            guard take(word: "AND") else { break }
            nodes.append(try negation(depth: depth))
        }
        return nodes.count == 1 ? nodes[0] : .all(nodes)
    }

    private mutating func negation(depth: Int) throws(SearchError) -> SearchText.Node {
        guard depth < SearchText.maximumDepth else { throw error("it is nested too deep") }
        skipSpace()
        if take(word: "NOT") { return .not(try negation(depth: depth + 1)) }
        guard take("(") else { return try term() }
        let inner = try alternatives(depth: depth + 1)
        skipSpace()
        guard take(")") else { throw error(") is expected") }
        return inner
    }

    private mutating func term() throws(SearchError) -> SearchText.Node {
        terms += 1
        guard terms <= SearchText.maximumTerms else { throw error("there are too many terms") }
        var name = String.UnicodeScalarView()
        while let next, Self.isOfName(next) {
            name.append(next)
            position += 1
        }
        guard !name.isEmpty, take(":") else { throw error("field:value is expected") }
        return .term(field: String(name), try value())
    }

    private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".": true
        default: false
        }
    }

    private mutating func value() throws(SearchError) -> SearchText.Value {
        if next == "\"" { return .text(try quoted()) }
        if take("[") {
            let from = try bound()
            skipSpace()
            guard take(word: "TO") else { throw error("TO is expected") }
            let to = try bound()
            skipSpace()
            guard take("]") else { throw error("] is expected") }
            return .range(from: from, to: to)
        }
        let (text, hasStar) = try bare(isBound: false)
        return hasStar ? .beginning(text) : .text(text)
    }

    /// An end of a range.
    private mutating func bound() throws(SearchError) -> String? {
        skipSpace()
        if next == "\"" { return try quoted() }
        let (text, hasStar) = try bare(isBound: true)
        guard hasStar else { return text }
        guard text.isEmpty else { throw error("an end of a range is a value or *") }
        return nil
    }

    private mutating func quoted() throws(SearchError) -> String {
        position += 1
        var text = String.UnicodeScalarView()
        while let scalar = next {
            position += 1
            switch scalar {
            case "\"": return String(text)
            case "\\":
                guard let escaped = next else { throw error("a character is expected") }
                text.append(escaped)
                position += 1
            default: text.append(scalar)
            }
        }
        throw error("\" is expected")
    }

    private mutating func bare(isBound: Bool) throws(SearchError) -> (String, hasStar: Bool) {
        let start = position
        var text = String.UnicodeScalarView()
        while let scalar = next, !Self.isSpace(scalar), scalar != ")", !(isBound && scalar == "]") {
            position += 1
            switch scalar {
            case "*":
                guard isAtEnd || next.map({ Self.isSpace($0) || $0 == ")" || $0 == "]" }) == true else {
                    throw error("* can only end a value")
                }
                return (String(text), true)
            case "\\":
                guard let escaped = next else { throw error("a character is expected") }
                text.append(escaped)
                position += 1
            case "(", "\"", "[", "]", "{", "}", "?", "~", "^", "/":
                throw error("\(scalar) needs a backslash or quotes")
            default: text.append(scalar)
            }
        }
        guard position > start else { throw error("a value is expected") }
        return (String(text), false)
    }
}
