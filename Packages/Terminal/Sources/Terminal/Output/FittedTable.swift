extension TextTable {
    /// The table for `width` columns: where it is wider, the widest cells go on in further lines, broken after a comma or a
    /// blank where there is one. Nothing is cut off.
    func fitted(to width: Int?) -> TextTable {
        guard let width, !titles.isEmpty else { return self }
        var widths = titles.indices.map { column in
            ([titles[column]] + rows.map { $0.indices.contains(column) ? $0[column] : "" }).map(displayWidth).max() ?? 0
        }
        let gaps = 2 * (titles.count - 1)
        var over = widths.reduce(gaps, +) - width
        let narrowest = titles.map { max(12, displayWidth($0)) }
        while over > 0 {
            // The widest column that can still give way.
            let candidates = widths.indices.filter { widths[$0] > narrowest[$0] }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            over -= 1
        }
        var table = self
        table.rows = rows.flatMap { row -> [[String]] in
            let cells = titles.indices.map { column in
                row.indices.contains(column) ? broken(row[column], widths[column]) : [""]
            }
            let height = cells.map(\.count).max() ?? 1
            return (0..<height).map { line in cells.map { line < $0.count ? $0[line] : "" } }
        }
        return table
    }

    /// `text` in lines of at most `width` columns.
    private func broken(_ text: String, _ width: Int) -> [String] {
        guard displayWidth(text) > width else { return [text] }
        var lines: [String] = []
        var line: [Character] = []
        var used = 0
        for character in text {
            let more = displayWidth(String(character))
            if used + more > width, !line.isEmpty {
                let end = line.lastIndex { $0 == " " || $0 == "," }.map { $0 + 1 } ?? line.count
                lines.append(trimmed(line[..<end]))
                line = Array(line[end...])
                used = displayWidth(String(line))
            }
            line.append(character)
            used += more
        }
        if !line.isEmpty { lines.append(trimmed(line[...])) }
        return lines
    }

    private func trimmed(_ line: ArraySlice<Character>) -> String {
        var line = line.drop { $0 == " " }
        while line.last == " " { line.removeLast() }
        return String(line)
    }
}

/// How many columns of a terminal the text takes.
private func displayWidth(_ text: String) -> Int {
    text.unicodeScalars.reduce(0) { sum, scalar in
        switch scalar.value {
        case 0x20...0x7E: sum + 1
        // Wide and full-width blocks (Unicode UAX #11), and emoji.
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            sum + 2
        default:
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: sum
            // Shown as `\x1b`.
            case .control: sum + 4
            default: sum + 1
            }
        }
    }
}
