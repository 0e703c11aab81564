/// One line of `config check`.
public struct SettingEntry: Hashable, Sendable {
    public let key: SettingKey
    /// As the setting is written in the file, a password as `***`.
    public let value: String
    public let source: SettingSource
}

extension Settings {
    /// Every setting with its value and its source in three columns, one a line.
    public func report() -> String {
        let names = entries.map(\.key.name.count).max() ?? 0
        let values = min(40, entries.map(\.value.count).max() ?? 0)
        return entries.map { entry in
            let name = entry.key.name.padded(to: names)
            return "\(name)  \(entry.value.padded(to: values))  \(entry.source)\n"
        }.joined()
    }
}

extension String {
    private static let blank = " "

    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: Self.blank, count: max(0, width - count))
    }
}
