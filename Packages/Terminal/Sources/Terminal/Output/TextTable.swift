internal import CSmartcols

/// Rows of text in columns that line up, wide characters too. Nothing is cut off.
public struct TextTable: Hashable, Sendable {
    public var titles: [String]
    /// Which columns are aligned to the right; the others to the left.
    public var rightAligned: Set<Int>
    /// Each as long as `titles`; missing cells are empty.
    public var rows: [[String]]

    public init(titles: [String], rightAligned: Set<Int> = [], rows: [[String]] = []) {
        self.titles = titles
        self.rightAligned = rightAligned
        self.rows = rows
    }

    /// The table as lines, the last one ended too. Control characters in cells come out as `\x1b`.
    public func rendered(showingTitles: Bool = true) -> String {
        // libsmartcols measures by the locale of the thread.
        let locale = unsafe latchkey_utf8_locale()
        let before = unsafe locale.map { unsafe uselocale($0) }
        defer {
            if let locale = unsafe locale {
                if let before = unsafe before { _ = unsafe uselocale(before) }
                unsafe freelocale(locale)
            }
        }
        guard let table = unsafe scols_new_table() else { return plain(showingTitles) }
        defer { unsafe scols_unref_table(table) }
        unsafe scols_table_set_termforce(table, Int32(SCOLS_TERMFORCE_NEVER))
        unsafe scols_table_set_column_separator(table, "  ")
        unsafe scols_table_enable_noheadings(table, showingTitles ? 0 : 1)
        for (index, title) in titles.enumerated() {
            let flags = rightAligned.contains(index) ? Int32(SCOLS_FL_RIGHT) : 0
            guard unsafe scols_table_new_column(table, title, 0, flags) != nil else {
                return plain(showingTitles)
            }
        }
        for row in rows {
            guard let line = unsafe scols_table_new_line(table, nil) else { return plain(showingTitles) }
            for (index, cell) in row.prefix(titles.count).enumerated() {
                // A C string ends at the first NUL, so it must not be one.
                let text = cell.utf8.contains(0) ? printable(cell) : cell
                unsafe scols_line_set_data(line, index, text)
            }
        }
        if rows.isEmpty { return showingTitles ? titles.joined(separator: "  ") + "\n" : "" }
        var output: UnsafeMutablePointer<CChar>?
        guard unsafe scols_print_table_to_string(table, &output) == 0, let start = unsafe output else {
            return plain(showingTitles)
        }
        defer { unsafe free(start) }
        let text = unsafe String(cString: start)
        return text.hasSuffix("\n") ? text : text + "\n"
    }

    /// What is shown when there is no memory for better.
    private func plain(_ showingTitles: Bool) -> String {
        ((showingTitles ? [titles] : []) + rows).map { $0.map(printable).joined(separator: "  ") + "\n" }.joined()
    }
}
