/// Where a setting's value comes from.
public indirect enum SettingSource: Hashable, Sendable {
    case `default`
    /// The flag as typed, `--listen`.
    case flag(String)
    /// The variable's name.
    case environment(String)
    case file(String, line: Int, column: Int)
    /// The file that a `_file` setting names, and where that setting stands.
    case secretFile(String, namedBy: SettingSource)
}

extension SettingSource: CustomStringConvertible {
    public var description: String {
        switch self {
        case .default: "default"
        case .flag(let flag): flag
        case .environment(let name): name
        case .file(let path, let line, let column): "\(path):\(line):\(column)"
        case .secretFile(let path, let source): "\(path), named by \(source)"
        }
    }
}

/// A value and where it comes from.
public struct Setting<Value: Hashable & Sendable>: Hashable, Sendable {
    public let value: Value
    public let source: SettingSource

    public init(value: Value, source: SettingSource) {
        self.value = value
        self.source = source
    }
}
