/// Looks a setting up in the layers, gives it its type, and keeps what is wrong and what the report shows.
struct Resolver {
    private(set) var problems: [SettingsProblem] = []
    private(set) var entries: [SettingEntry] = []
    /// Highest first: flags, environment, file.
    private let layers: [[String: RawValue]]
    private let files: any SettingsFileReader

    init(layers: [[String: RawValue]], problems: [SettingsProblem], files: any SettingsFileReader) {
        self.layers = layers
        self.problems = problems
        self.files = files
    }

    mutating func report(_ problem: SettingsProblem) { problems.append(problem) }

    func isSet(_ key: SettingKey) -> Bool {
        layers.contains { layer in layer[key.name] != nil || key.fileTwin.map { layer[$0] != nil } ?? false }
    }

    /// The setting's one value, or its default when no source gives a right one.
    mutating func one<Value>(
        _ key: SettingKey,
        default standard: Value,
        from standardSource: SettingSource = .default,
        shownAs show: (Value) -> String,
        _ parse: (RawItem) throws(SettingFault) -> Value
    ) -> Setting<Value> {
        var setting = Setting(value: standard, source: standardSource)
        if let raw = raw(key), let item = raw.items.first, let value = parsed(key, raw, item, parse) {
            setting = Setting(value: value, source: item.source)
        }
        entries.append(SettingEntry(key: key, value: show(setting.value), source: setting.source))
        return setting
    }

    /// The setting's values. `off` in place of a list is an empty one where `mayBeOff` says so in its own word.
    mutating func list<Value: CustomStringConvertible>(
        _ key: SettingKey,
        default standard: [Value],
        emptyAs word: String?,
        _ parse: (RawItem) throws(SettingFault) -> Value
    ) -> Setting<[Value]> {
        var setting = Setting(value: standard, source: .default)
        if let raw = raw(key) {
            if raw.items.count == 1, let only = raw.items.first, let word, only.kind == .text,
                only.text == word || only.text == "off" || only.text == "none"
            {
                setting = Setting(value: [], source: raw.source)
            } else if raw.items.isEmpty, word == nil {
                problems.append(wrong(key, raw, shown: "an empty list", SettingFault()))
            } else {
                var values: [Value] = []
                for item in raw.items {
                    if let value = parsed(key, raw, item, parse) { values.append(value) }
                }
                setting = Setting(value: values, source: raw.source)
            }
        }
        let shown = setting.value.map(\.description).joined(separator: ", ")
        entries.append(SettingEntry(key: key, value: shown.isEmpty ? word ?? "" : shown, source: setting.source))
        return setting
    }

    /// One bucket of `rate_limits`, which may also be switched off as a whole.
    mutating func rate(_ key: SettingKey, default standard: RateLimit, isInARow: Bool = false) -> Setting<RateLimit> {
        var setting = Setting(value: standard, source: .default)
        for layer in layers {
            if let raw = layer[key.name], let item = raw.items.first {
                let parse = { (item: RawItem) throws(SettingFault) in try RateLimit(item, isInARow: isInARow) }
                if let value = parsed(key, raw, item, parse) { setting = Setting(value: value, source: item.source) }
                break
            }
            if let whole = layer[SettingKey.rateLimits.name], let item = whole.items.first {
                // Anything but off was reported when the setting itself was read.
                if item.isOff { setting = Setting(value: .off, source: item.source) }
                break
            }
        }
        entries.append(SettingEntry(key: key, value: setting.value.description, source: setting.source))
        return setting
    }

    /// Refuses what `rate_limits` may not be as a whole.
    mutating func checkRateLimits() {
        for layer in layers {
            if let raw = layer[SettingKey.rateLimits.name], let item = raw.items.first, !item.isOff {
                problems.append(wrong(.rateLimits, raw, shown: item.shown, SettingFault()))
            }
        }
    }

    /// The highest layer's value, read from the file that a `_file` twin names.
    private mutating func raw(_ key: SettingKey) -> RawValue? {
        for layer in layers {
            let own = layer[key.name]
            let twin = key.fileTwin.flatMap { layer[$0] }
            if let own, let twin {
                problems.append(
                    .setTwice(
                        first: own.shownName,
                        second: twin.shownName,
                        firstSource: own.source,
                        secondSource: twin.source
                    )
                )
                return nil
            }
            if let own { return own }
            if let twin { return secret(twin) }
        }
        return nil
    }

    private mutating func secret(_ twin: RawValue) -> RawValue? {
        guard let item = twin.items.first, item.kind == .text, !item.text.isEmpty else {
            let shown = twin.items.first?.shown ?? "nothing"
            problems.append(
                .wrongValue(name: twin.name, shown: shown, remedy: "Write the path of a file.", source: twin.source)
            )
            return nil
        }
        do throws(SettingsFileError) {
            let bytes = try files.read(item.text)
            guard let text = oneLine(bytes) else {
                problems.append(.badSecretFile(item.text, name: twin.name, source: item.source))
                return nil
            }
            let source = SettingSource.secretFile(item.text, namedBy: item.source)
            return RawValue(
                name: twin.name,
                items: [RawItem(text: text, source: source, kind: .text)],
                source: source,
                isList: false
            )
        } catch {
            problems.append(
                .unreadableFile(item.text, reason: error.reason, name: twin.name, source: item.source)
            )
            return nil
        }
    }

    private mutating func parsed<Value>(
        _ key: SettingKey,
        _ raw: RawValue,
        _ item: RawItem,
        _ parse: (RawItem) throws(SettingFault) -> Value
    ) -> Value? {
        do throws(SettingFault) {
            return try parse(item)
        } catch {
            problems.append(wrong(key, raw, shown: error.shown ?? item.shown, error, at: item.source))
            return nil
        }
    }

    private func wrong(
        _ key: SettingKey,
        _ raw: RawValue,
        shown: String,
        _ fault: SettingFault,
        at source: SettingSource? = nil
    ) -> SettingsProblem {
        var shown = shown
        // What a secret's file holds is not for a terminal, however wrong it is.
        if case .secretFile = raw.source { shown = "what the file holds" }
        let remedy = fault.remedy ?? fault.range.map { "\(key.remedy), \($0)." } ?? key.remedy.endingInAStop
        return .wrongValue(name: key.name, shown: shown, remedy: remedy, source: source ?? raw.source)
    }
}

extension SettingsFileError {
    /// In plain words.
    var reason: String {
        switch self {
        case .notFound: "there is no such file"
        case .unreadable(let reason): reason
        }
    }
}

extension RawValue {
    /// The name as the source spells it.
    fileprivate var shownName: String {
        switch source {
        case .flag(let flag): flag
        case .environment(let variable): variable
        default: name
        }
    }
}

extension String {
    fileprivate var endingInAStop: String { hasSuffix(".") ? self : self + "." }
}

/// The text of a secret's file, without the line break at its end. `nil` unless it is one line of text.
private func oneLine(_ bytes: [UInt8]) -> String? {
    var rest = bytes[...]
    while rest.last == UInt8(ascii: "\n") || rest.last == UInt8(ascii: "\r") { rest.removeLast() }
    guard !rest.isEmpty, !rest.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    return String(validating: rest, as: UTF8.self)
}
