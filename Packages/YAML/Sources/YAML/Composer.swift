/// Makes the tree from the events: counts, resolves aliases, refuses what is not in the subset.
struct Composer {
    let file: String
    let limits: YAMLLimits
    private var anchors: [String: Anchor] = [:]
    private var values = 0
    private var aliases = 0

    /// A finished value that aliases may repeat, and what repeating it costs.
    private struct Anchor {
        var node: YAMLNode
        var values: Int
        var depth: Int
    }

    init(file: String, limits: YAMLLimits) {
        self.file = file
        self.limits = limits
    }

    /// The one document, or `nil` when there is none.
    mutating func document(_ reader: inout EventReader) throws(YAMLError) -> YAMLNode? {
        guard case .documentStart = try reader.next().event else { return nil }
        let (first, position) = try reader.next()
        let node = try compose(first, position, depth: 0, &reader).node
        _ = try reader.next()
        let (event, end) = try reader.next()
        guard case .streamEnd = event else { throw fault(.severalDocuments, end) }
        return node
    }

    /// The value that begins with `event`, and how many levels it has itself.
    private mutating func compose(
        _ event: Event,
        _ position: YAMLPosition,
        depth: Int,
        _ reader: inout EventReader
    ) throws(YAMLError) -> (node: YAMLNode, depth: Int) {
        let before = values
        try count(1, position)
        let content: YAMLNode.Content
        let name: String?
        var levels = 0
        switch event {
        case .alias(let anchor): return try repeated(anchor, position, depth)
        case .scalar(let text, let tag, let anchor, let isPlain):
            content = .scalar(try scalar(text, tag, isPlain, position))
            name = anchor
        case .sequenceStart(let tag, let anchor):
            try check(tag, isOneOf: "tag:yaml.org,2002:seq", position)
            (content, levels) = try sequence(position, depth + 1, &reader)
            name = anchor
        case .mappingStart(let tag, let anchor):
            try check(tag, isOneOf: "tag:yaml.org,2002:map", position)
            (content, levels) = try mapping(position, depth + 1, &reader)
            name = anchor
        case .documentStart, .documentEnd, .streamEnd, .sequenceEnd, .mappingEnd:
            throw fault(.syntax("a value was expected"), position)
        }
        let node = YAMLNode(content, at: position)
        if let name { anchors[name] = Anchor(node: node, values: values - before, depth: levels) }
        return (node, levels)
    }

    private mutating func sequence(
        _ position: YAMLPosition,
        _ depth: Int,
        _ reader: inout EventReader
    ) throws(YAMLError) -> (YAMLNode.Content, Int) {
        guard depth <= limits.depth else { throw fault(.tooDeep(limit: limits.depth), position) }
        var elements: [YAMLNode] = []
        var deepest = 0
        while true {
            let (event, place) = try reader.next()
            if case .sequenceEnd = event { return (.sequence(elements), deepest + 1) }
            let (node, levels) = try compose(event, place, depth: depth, &reader)
            elements.append(node)
            deepest = max(deepest, levels)
        }
    }

    private mutating func mapping(
        _ position: YAMLPosition,
        _ depth: Int,
        _ reader: inout EventReader
    ) throws(YAMLError) -> (YAMLNode.Content, Int) {
        guard depth <= limits.depth else { throw fault(.tooDeep(limit: limits.depth), position) }
        var members: [YAMLMember] = []
        // By bytes: two spellings of one character are two keys.
        var lines: [[UInt8]: Int] = [:]
        var deepest = 0
        while true {
            let (event, keyPosition) = try reader.next()
            if case .mappingEnd = event { return (.mapping(members), deepest + 1) }
            let key = try key(event, keyPosition)
            if let first = lines.updateValue(keyPosition.line, forKey: Array(key.utf8)) {
                throw fault(.duplicateKey(key, firstLine: first), keyPosition)
            }
            let (value, valuePosition) = try reader.next()
            let (node, levels) = try compose(value, valuePosition, depth: depth, &reader)
            members.append(YAMLMember(key, at: keyPosition, node))
            deepest = max(deepest, levels)
        }
    }

    private mutating func key(_ event: Event, _ position: YAMLPosition) throws(YAMLError) -> String {
        try count(1, position)
        guard case .scalar(let text, let tag, nil, let isPlain) = event else { throw fault(.keyNotText, position) }
        if isPlain, tag == nil, text == "<<" { throw fault(.mergeKey, position) }
        guard try scalar(text, tag, isPlain, position).value != .null else { throw fault(.keyNotText, position) }
        return text
    }

    private mutating func repeated(
        _ name: String,
        _ position: YAMLPosition,
        _ depth: Int
    ) throws(YAMLError) -> (node: YAMLNode, depth: Int) {
        aliases += 1
        guard aliases <= limits.aliases else { throw fault(.tooManyAliases(limit: limits.aliases), position) }
        guard let anchor = anchors[name] else { throw fault(.unknownAlias(name), position) }
        guard depth + anchor.depth <= limits.depth else { throw fault(.tooDeep(limit: limits.depth), position) }
        try count(anchor.values, position)
        return (anchor.node, anchor.depth)
    }

    private func scalar(
        _ text: String,
        _ tag: String?,
        _ isPlain: Bool,
        _ position: YAMLPosition
    ) throws(YAMLError) -> YAMLScalar {
        guard let tag else { return isPlain ? YAMLScalar(plain: text) : YAMLScalar(string: text) }
        let typed = YAMLScalar(plain: text)
        switch (tag, typed.value) {
        case ("!", _), ("tag:yaml.org,2002:str", _): return YAMLScalar(string: text)
        case ("tag:yaml.org,2002:int", .integer), ("tag:yaml.org,2002:float", .number),
            ("tag:yaml.org,2002:float", .integer), ("tag:yaml.org,2002:bool", .bool),
            ("tag:yaml.org,2002:null", .null):
            return typed
        case ("tag:yaml.org,2002:int", _): throw fault(.wrongTag("integer", text: text), position)
        case ("tag:yaml.org,2002:float", _): throw fault(.wrongTag("number", text: text), position)
        case ("tag:yaml.org,2002:bool", _): throw fault(.wrongTag("true or false", text: text), position)
        case ("tag:yaml.org,2002:null", _): throw fault(.wrongTag("null", text: text), position)
        default: throw fault(.unknownTag(tag), position)
        }
    }

    private func check(_ tag: String?, isOneOf known: String, _ position: YAMLPosition) throws(YAMLError) {
        if let tag, tag != known, tag != "!" { throw fault(.unknownTag(tag), position) }
    }

    private mutating func count(_ more: Int, _ position: YAMLPosition) throws(YAMLError) {
        values += more
        guard values <= limits.values else { throw fault(.tooManyValues(limit: limits.values), position) }
    }

    private func fault(_ problem: YAMLProblem, _ position: YAMLPosition) -> YAMLError {
        YAMLError(file: file, position: position, problem: problem)
    }
}
