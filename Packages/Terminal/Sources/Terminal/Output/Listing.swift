public import Encodings

/// How a column of a table shows a member of a JSON object.
public struct Column: Hashable, Sendable {
    /// The member's name in JSON and CSV.
    public var name: String
    /// The heading in the table.
    public var title: String
    public var kind: Kind

    public enum Kind: Hashable, Sendable {
        case text
        /// Aligned to the right.
        case number
        /// RFC 3339 in JSON and CSV, local in the table on a terminal.
        case time
    }

    /// `title` is the name in capitals, with blanks for `_`, unless given.
    public init(_ name: String, title: String? = nil, _ kind: Kind = .text) {
        self.name = name
        self.title = title ?? String(name.map { $0 == "_" ? " " : $0 }).uppercased()
        self.kind = kind
    }
}

/// An answer that is a list. JSON and CSV have the whole values; the table has the columns.
public struct Listing: Sendable {
    public var columns: [Column]
    public var rows: [JSONObject]

    public init(_ columns: [Column], rows: [JSONObject] = []) {
        self.columns = columns
        self.rows = rows
    }

    /// The list as text that ends in a line break. `localTime` is for a terminal.
    public func rendered(as format: OutputFormat, localTime: Bool = false) -> String {
        switch format {
        case .json: return json(.array(rows.map(JSONValue.object)))
        case .csv:
            let lines =
                [columns.map(\.name)]
                + rows.map { row in columns.map { $0.cell(row[$0.name], localTime: false) } }
            return lines.map { $0.map(csvField).joined(separator: ",") + "\r\n" }.joined()
        case .table:
            let right = columns.indices.filter { columns[$0].kind == .number }
            return TextTable(
                titles: columns.map(\.title),
                rightAligned: Set(right),
                rows: rows.map { row in columns.map { $0.cell(row[$0.name], localTime: localTime) } }
            ).rendered()
        }
    }
}

/// An answer that is one thing: a JSON object, or its members one a line.
public struct Details: Sendable {
    public var object: JSONObject
    /// The members that are times.
    public var times: Set<String>
    /// A heading for a member whose name does not say enough.
    public var titles: [String: String]

    public init(_ object: JSONObject, times: Set<String> = [], titles: [String: String] = [:]) {
        self.object = object
        self.times = times
        self.titles = titles
    }

    /// The object as text that ends in a line break. CSV has no form for it and is JSON.
    public func rendered(as format: OutputFormat, localTime: Bool = false) -> String {
        guard format == .table else { return json(.object(object)) }
        let rows = flattened(object, prefix: "").map { name, value in
            [
                titles[name] ?? name,
                Column(name, times.contains(name) ? .time : .text).cell(value, localTime: localTime),
            ]
        }
        return TextTable(titles: ["", ""], rows: rows).rendered(showingTitles: false)
    }

    /// Members of objects inside as `outer.inner`.
    private func flattened(_ object: JSONObject, prefix: String) -> [(String, JSONValue)] {
        object.members.flatMap { member -> [(String, JSONValue)] in
            let name = prefix + member.name
            guard let inner = member.value.object, !inner.isEmpty else { return [(name, member.value)] }
            return flattened(inner, prefix: name + ".")
        }
    }
}

extension Column {
    fileprivate func cell(_ value: JSONValue?, localTime: Bool) -> String {
        guard let value else { return "" }
        switch value {
        case .null: return ""
        case .bool(let bool): return bool ? "yes" : "no"
        case .integer(let integer): return String(integer)
        case .number, .object: return compact(value)
        case .string(let text):
            if kind == .time, localTime, let milliseconds = TimeText.milliseconds(of: text) {
                return TimeText.local(milliseconds)
            }
            return text
        case .array(let elements):
            return elements.map { $0.string ?? compact($0) }.joined(separator: ", ")
        }
    }

    private func compact(_ value: JSONValue) -> String {
        String(decoding: value.serialized(), as: UTF8.self)
    }
}

private func json(_ value: JSONValue) -> String {
    let text = String(decoding: value.serialized(pretty: true), as: UTF8.self)
    return text.hasSuffix("\n") ? text : text + "\n"
}

/// RFC 4180 §2: quotes around what has a comma, a quote or a line break in it. What a spreadsheet would take for a
/// formula gets an apostrophe in front.
private func csvField(_ text: String) -> String {
    var text = text
    if let first = text.utf8.first, "=+-@\t\r".utf8.contains(first), Double(text) == nil { text = "'" + text }
    guard text.utf8.contains(where: { ",\"\n\r".utf8.contains($0) }) else { return text }
    var quoted = "\""
    for scalar in text.unicodeScalars {
        if scalar == "\"" { quoted += "\"" }
        quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
}
