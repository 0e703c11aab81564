/// What stands in a place of a template.
public enum PageValue: Hashable, Sendable {
    /// Shown as it is: every character that HTML would read is escaped.
    case text(String)
    /// Whether a part of the page is there.
    case flag(Bool)
    /// A part that comes once for each.
    case list([[String: PageValue]])
    /// Made of a template already.
    case html(HTML)

    /// Whether a part that names it is there.
    var isPresent: Bool {
        switch self {
        case .text(let text): !text.isEmpty
        case .flag(let flag): flag
        case .list(let items): !items.isEmpty
        case .html: true
        }
    }
}

/// A piece of a page in which every value is escaped already; only templates make one.
public struct HTML: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    /// `text` with the characters that HTML reads written as references, for between tags and in quoted attributes.
    static func escaped(_ text: String) -> String {
        var output = ""
        output.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "\"": output += "&quot;"
            case "'": output += "&#39;"
            default: output.unicodeScalars.append(scalar)
            }
        }
        return output
    }
}
