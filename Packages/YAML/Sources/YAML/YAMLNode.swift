/// A place in a file. Both count from 1; a column counts code points, not bytes.
public struct YAMLPosition: Hashable, Sendable {
    public var line: Int
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}

/// One value of a YAML document, and where it begins.
public struct YAMLNode: Hashable, Sendable {
    public var content: Content
    public var position: YAMLPosition

    public init(_ content: Content, at position: YAMLPosition = YAMLPosition(line: 0, column: 0)) {
        self.content = content
        self.position = position
    }

    public enum Content: Hashable, Sendable {
        case scalar(YAMLScalar)
        case sequence([YAMLNode])
        /// In the file's order. No key stands twice.
        case mapping([YAMLMember])
    }
}

/// One `key: value` of a mapping.
public struct YAMLMember: Hashable, Sendable {
    public var key: String
    public var keyPosition: YAMLPosition
    public var value: YAMLNode

    public init(
        _ key: String,
        at keyPosition: YAMLPosition = YAMLPosition(line: 0, column: 0),
        _ value: YAMLNode
    ) {
        self.key = key
        self.keyPosition = keyPosition
        self.value = value
    }
}

extension YAMLNode {
    public var scalar: YAMLScalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    public var elements: [YAMLNode]? {
        if case .sequence(let elements) = content { elements } else { nil }
    }

    public var members: [YAMLMember]? {
        if case .mapping(let members) = content { members } else { nil }
    }

    public var isNull: Bool { scalar?.value == .null }

    /// The value of a member of a mapping; keys are compared byte for byte.
    public subscript(key: String) -> YAMLNode? {
        members?.first { $0.key.utf8.elementsEqual(key.utf8) }?.value
    }

    /// What the value is, for a message: `a list`, `a map`, `nothing`, `true or false`, `a number`, `text`.
    public var kind: String {
        switch content {
        case .sequence: "a list"
        case .mapping: "a map"
        case .scalar(let scalar):
            switch scalar.value {
            case .null: "nothing"
            case .bool: "true or false"
            case .integer, .number: "a number"
            case .string: "text"
            }
        }
    }

    public static func string(_ text: String) -> YAMLNode { YAMLNode(.scalar(YAMLScalar(string: text))) }
    public static func integer(_ value: Int64) -> YAMLNode { YAMLNode(.scalar(YAMLScalar(plain: String(value)))) }
    public static func bool(_ value: Bool) -> YAMLNode {
        YAMLNode(.scalar(YAMLScalar(plain: value ? "true" : "false")))
    }
    public static func sequence(_ elements: [YAMLNode]) -> YAMLNode { YAMLNode(.sequence(elements)) }
    public static func mapping(_ members: [YAMLMember]) -> YAMLNode { YAMLNode(.mapping(members)) }
    public static var null: YAMLNode { YAMLNode(.scalar(YAMLScalar(plain: "null"))) }
}
