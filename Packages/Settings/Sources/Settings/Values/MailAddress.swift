/// A sender: a name, which may be empty, and an address.
public struct MailAddress: Hashable, Sendable {
    public let name: String
    public let address: String
}

extension MailAddress: CustomStringConvertible {
    public var description: String { name.isEmpty ? address : "\(name) <\(address)>" }
}

extension MailAddress {
    init(_ item: RawItem) throws(SettingFault) {
        let text = item.text
        guard item.kind == .text, !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { throw SettingFault() }
        var name = ""
        var address = text[...]
        if let start = text.lastIndex(of: "<") {
            guard text.last == ">" else { throw SettingFault() }
            name = String(text[..<start])
            while name.last == " " { name.removeLast() }
            if name.count >= 2, name.first == "\"", name.last == "\"" { name = String(name.dropFirst().dropLast()) }
            address = text[text.index(after: start)...].dropLast()
        }
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, address.utf8.count <= 254,
            !address.contains(where: { $0 == " " || $0 == "<" || $0 == ">" || $0 == "," }),
            !name.contains(where: { $0 == "<" || $0 == ">" || $0 == "\"" })
        else { throw SettingFault() }
        self.init(name: name, address: String(address))
    }
}

public enum LogFormat: String, Hashable, Sendable, CaseIterable {
    case text, json
}

/// From the most lines to the fewest.
public enum LogLevel: String, Hashable, Sendable, CaseIterable, Comparable {
    case debug, info, warning, error

    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }
}
