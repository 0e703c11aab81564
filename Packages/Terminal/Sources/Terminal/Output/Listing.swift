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

    /// The list with these members alone, in this order: those that rows have, or columns name.
    ///
    /// - Throws: `wrongUse` for a name that neither has.
    public func selecting(_ fields: [String]?) throws(CommandFailure) -> Listing {
        guard let fields else { return self }
        var known = columns.map(\.name)
        for row in rows { known += row.members.map(\.name).filter { !known.contains($0) } }
        for field in fields where !known.contains(field) { throw .noField(field, among: known) }
        let columns = fields.map { field in self.columns.first { $0.name == field } ?? Column(field) }
        let rows = rows.map { row in
            var selected = JSONObject()
            for field in fields { if let value = row[field] { selected.set(field, value) } }
            return selected
        }
        return Listing(columns, rows: rows)
    }

    /// The list as text that ends in a line break. `localTime` is for a terminal, of whose `width` a table keeps.
    public func rendered(as format: OutputFormat, localTime: Bool = false, width: Int? = nil) -> String {
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
            ).fitted(to: width).rendered()
        }
    }
}

extension CommandFailure {
    fileprivate static func noField(_ name: String, among names: [String]) -> CommandFailure {
        let nearest = nearestName(to: name, among: names).map { "Did you mean \($0)?" }
        return CommandFailure(
            .wrongUse,
            "--fields names \(quoted(name)), which is not in the answer. "
                + (nearest ?? "Use \(names.map(printable).joined(separator: ", ")).")
        )
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

    /// The thing with these members alone, in this order.
    ///
    /// - Throws: `wrongUse` for a member that it has not.
    public func selecting(_ fields: [String]?) throws(CommandFailure) -> Details {
        guard let fields else { return self }
        var selected = self
        selected.object = JSONObject()
        for field in fields {
            guard let value = object[field] else { throw .noField(field, among: object.members.map(\.name)) }
            selected.object.set(field, value)
        }
        return selected
    }

    /// The object as text that ends in a line break. CSV has no form for it and is JSON. A table keeps to `width`.
    public func rendered(as format: OutputFormat, localTime: Bool = false, width: Int? = nil) -> String {
        guard format == .table else { return json(.object(object)) }
        let rows = flattened(object, prefix: "").map { name, value in
            [
                titles[name] ?? name,
                Column(name, times.contains(name) ? .time : .text).cell(value, localTime: localTime),
            ]
        }
        return TextTable(titles: ["", ""], rows: rows).fitted(to: width).rendered(showingTitles: false)
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
