/// What is wrong with a YAML file, and where.
public struct YAMLError: Error, Hashable, Sendable {
    /// The name of the file, as the caller gave it.
    public var file: String
    public var position: YAMLPosition
    public var problem: YAMLProblem

    public init(file: String, position: YAMLPosition, problem: YAMLProblem) {
        self.file = file
        self.position = position
        self.problem = problem
    }
}

/// The faults of a YAML file.
public enum YAMLProblem: Hashable, Sendable {
    /// libyaml refused, in its words.
    case syntax(String)
    case notUTF8
    case tooLarge(limit: Int)
    case tooDeep(limit: Int)
    case tooManyValues(limit: Int)
    case tooManyAliases(limit: Int)
    case unknownAlias(String)
    case duplicateKey(String, firstLine: Int)
    case severalDocuments
    case unknownTag(String)
    /// A tag that its value does not fit: `!!int blue`.
    case wrongTag(String, text: String)
    case keyNotText
    case mergeKey
}

extension YAMLError: CustomStringConvertible {
    /// `latchkey.yaml:3:5: what is wrong.`
    public var description: String { "\(file):\(position.line):\(position.column): \(problem)" }
}

extension YAMLProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .syntax(let reason): "not YAML: \(reason).\(Self.advice(reason))"
        case .notUTF8: "the file is not UTF-8. Save it as UTF-8."
        case .tooLarge(let limit): "the file is larger than \(limit) bytes."
        case .tooDeep(let limit): "nested deeper than \(limit) levels."
        case .tooManyValues(let limit): "more than \(limit) values, aliases counted as what they stand for."
        case .tooManyAliases(let limit): "more than \(limit) aliases."
        case .unknownAlias(let name): "*\(name) names no anchor before it. Write &\(name) at the value that it means."
        case .duplicateKey(let key, let line): "the key \"\(key)\" stands twice, first on line \(line). Keep one."
        case .severalDocuments: "a second document begins here. Keep one, without \"---\" lines between."
        case .unknownTag(let tag): "the tag \(tag) means nothing here. Remove it."
        case .wrongTag(let tag, let text): "\"\(text)\" is no \(tag)."
        case .keyNotText: "a key must be text. Write it in quotes."
        case .mergeKey: "\"<<\" is not in YAML 1.2. Write the members out."
        }
    }
}

extension YAMLProblem {
    /// What to do about the mistakes that people make most, after libyaml's own words.
    private static func advice(_ reason: String) -> String {
        if reason.hasPrefix("mapping values are not allowed") {
            return " Put quotes around text that has \": \" in it or ends in \":\"."
        }
        if reason.hasSuffix("found character that cannot start any token") {
            return " Indent with spaces, not tabs, and put quotes around text that begins with a sign."
        }
        return ""
    }
}
