/// A setting's value as one source gives it, before it has a type.
struct RawValue {
    /// The setting's own name or its `_file` twin.
    var name: String
    var items: [RawItem]
    var source: SettingSource
    /// Whether the source wrote a list, be it of one.
    var isList: Bool
}

/// One scalar of a value.
struct RawItem {
    var text: String
    var source: SettingSource
    /// What the file holds, when it is no text: `a map`, `nothing`. Flags and variables are always text.
    var kind: Kind

    enum Kind {
        case text, number, bool
        /// A list, a map or nothing, named so in messages.
        case other(String)
    }

    var isOff: Bool { kind == .text && (text == "off" || text == "none") }

    /// The value as a message shows it: text in quotes, the rest bare.
    var shown: String {
        switch kind {
        case .text: quoted(text)
        case .number, .bool: text
        case .other(let kind): kind
        }
    }
}

extension RawItem.Kind: Equatable {}

/// Why an item has not the form of its setting. What is `nil` comes from the setting itself.
struct SettingFault: Error {
    var shown: String?
    var remedy: String?
    /// Ends the setting's own remedy: `from 1s to 5m`.
    var range: String?

    init(shown: String? = nil, remedy: String? = nil, range: String? = nil) {
        self.shown = shown
        self.remedy = remedy
        self.range = range
    }
}

/// `text` in quotes on one line, cut after 80 characters; what would disturb a terminal is `?`.
func quoted(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars.prefix(80) {
        let isControl = scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
        line.unicodeScalars.append(isControl ? "?" : scalar)
    }
    return "\"" + line + (text.unicodeScalars.count > 80 ? "…" : "") + "\""
}
