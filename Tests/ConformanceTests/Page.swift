import Foundation

/// The blocks of a page that a test runs: a comment before the fence says what it is.
///
///     <!-- run: NAME -->          a block that is run
///     <!-- file: PATH -->         a file that is written first
struct Page {
    private(set) var blocks: [String: String] = [:]
    private(set) var files: [(path: String, text: String)] = []
    /// Fenced blocks that nothing was said about.
    private(set) var others: [String] = []

    init(_ text: String) {
        var marker: (kind: String, name: String)?
        var block: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                if let lines = block {
                    close(lines.joined(separator: "\n") + "\n", marker)
                    (block, marker) = (nil, nil)
                } else {
                    block = []
                }
            } else if block != nil {
                block?.append(line)
            } else if let found = line.firstMatch(of: /^<!-- (run|file): (.+) -->$/) {
                marker = (String(found.1), String(found.2))
            }
        }
    }

    private mutating func close(_ text: String, _ marker: (kind: String, name: String)?) {
        switch marker?.kind {
        case "run": blocks[marker?.name ?? ""] = text
        case "file": files.append((marker?.name ?? "", text))
        default: others.append(text)
        }
    }
}

extension String {
    func replacing(_ pairs: [(String, String)]) -> String {
        pairs.reduce(self) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }
}
