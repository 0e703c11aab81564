/// The settings that flags give, by name.
struct FlagLayer {
    private(set) var values: [String: RawValue] = [:]
    private(set) var problems: [SettingsProblem] = []

    init(_ flags: [String: [String]]) {
        for (name, texts) in flags.sorted(by: { $0.key < $1.key }) where !texts.isEmpty {
            guard let (key, isTwin) = SettingKey.names[name] else {
                let nearest = nearestName(to: name, among: SettingKey.sortedNames)
                problems.append(.unknownKey(name, nearest: nearest, source: .flag(SettingKey.flag(for: name))))
                continue
            }
            values[name] = RawValue(
                name: name,
                texts: texts,
                isList: key.isList && !isTwin,
                source: .flag(SettingKey.flag(for: name))
            )
        }
    }
}

/// The settings that `LATCHKEY_` variables give, by name. An empty variable counts as not set.
struct EnvironmentLayer {
    private(set) var values: [String: RawValue] = [:]
    private(set) var warnings: [SettingsWarning] = []

    init(_ environment: [String: String]) {
        for (variable, text) in environment.sorted(by: { $0.key < $1.key }) where variable.hasPrefix("LATCHKEY_") {
            if let name = SettingKey.variables[variable], let (key, isTwin) = SettingKey.names[name] {
                guard !text.isEmpty else { continue }
                values[name] = RawValue(
                    name: name,
                    texts: [text],
                    isList: key.isList && !isTwin,
                    source: .environment(variable)
                )
            } else if Self.isServiceVariable(variable) {
                warnings.append(.serviceVariable(variable))
            } else if !Self.others.contains(variable) {
                // The prefix is the same in all, and would make everything look near.
                let rests = SettingKey.variables.keys.map { String($0.dropFirst("LATCHKEY_".count)) }.sorted()
                let nearest = nearestName(to: String(variable.dropFirst("LATCHKEY_".count)), among: rests)
                warnings.append(.unknownVariable(variable, nearest: nearest.map { "LATCHKEY_" + $0 }))
            }
        }
    }

    /// Variables that are no settings but belong to the three commands and to this project's tests.
    private static let others: Set<String> = [
        "LATCHKEY_CONFIG", "LATCHKEY_URL", "LATCHKEY_CLIENT_ID", "LATCHKEY_CLIENT_SECRET",
        "LATCHKEY_CLIENT_SECRET_FILE",
        "LATCHKEY_CONTEXT", "LATCHKEY_VECTORS",
    ]

    /// `LATCHKEY_PORT`, `LATCHKEY_PORT_8080_TCP_ADDR`, `LATCHKEY_SERVICE_HOST`: what Kubernetes adds.
    private static func isServiceVariable(_ name: String) -> Bool {
        name == "LATCHKEY_PORT" || name.hasPrefix("LATCHKEY_PORT_") || name.hasPrefix("LATCHKEY_SERVICE_")
    }
}

extension RawValue {
    /// Text from a flag or a variable; a list is separated by commas.
    init(name: String, texts: [String], isList: Bool, source: SettingSource) {
        let parts = isList ? texts.flatMap { $0.split(separator: ",").map { Self.trimmed($0) } } : [texts.last ?? ""]
        self.init(
            name: name,
            items: parts.map { RawItem(text: $0, source: source, kind: .text) },
            source: source,
            isList: isList
        )
    }

    private static func trimmed(_ text: Substring) -> String {
        var rest = text
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
