import Encodings

/// The query of a request to the Management API, parameter by parameter; what nobody asked for is refused.
struct ManagementQuery: Sendable {
    private let values: [String: String]
    private var known: Set<String> = []

    init(_ bytes: ArraySlice<UInt8>?) throws(APIError) {
        var values: [String: String] = [:]
        if let bytes, !bytes.isEmpty {
            let parameters: Parameters
            do throws(APIError) { parameters = try Parameters(form: bytes) } catch { throw .query("Invalid encoding") }
            if let name = parameters.repeated { throw .query("Repeated parameter: \(APIError.bounded(name))") }
            for member in parameters.object.members { values[member.name] = member.value.string }
        }
        self.values = values
    }

    /// The parameter; `nil` when it is absent or empty.
    mutating func text(_ name: String) -> String? {
        known.insert(name)
        return values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    mutating func bool(_ name: String) throws(APIError) -> Bool? {
        switch text(name) {
        case nil: return nil
        case "true": return true
        case "false": return false
        case let value?: throw invalid(name, value)
        }
    }

    mutating func integer(_ name: String, _ range: ClosedRange<Int>) throws(APIError) -> Int? {
        guard let value = text(name) else { return nil }
        guard value.utf8.count <= 18, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(value),
            range.contains(number)
        else { throw invalid(name, value) }
        return number
    }

    /// - Throws: `invalid_query_string` for a parameter that the call does not have.
    func end() throws(APIError) {
        if let name = values.keys.sorted().first(where: { !known.contains($0) }) {
            throw .query("Additional properties not allowed: \(APIError.bounded(name))")
        }
    }

    func invalid(_ name: String, _ value: String) -> APIError {
        .query("Invalid value \"\(APIError.bounded(value))\" on property \(name)")
    }

    /// `fields` and `include_fields`: which members of each thing are answered with.
    mutating func fields() throws(APIError) -> FieldSelection {
        let names = text("fields")
        let isIncluding = try bool("include_fields") ?? true
        guard let names else { return FieldSelection(names: nil, isIncluding: isIncluding) }
        let list = names.split(separator: ",").map(String.init)
        guard !list.isEmpty, list.count <= 200 else { throw invalid("fields", names) }
        return FieldSelection(names: Set(list), isIncluding: isIncluding)
    }
}

/// Keeps or drops top-level members.
struct FieldSelection: Sendable {
    /// `nil`: all.
    let names: Set<String>?
    let isIncluding: Bool

    func selected(from document: JSONObject) -> JSONObject {
        guard let names else { return document }
        var selected = JSONObject()
        for member in document.members where names.contains(member.name) == isIncluding {
            selected.set(member.name, member.value)
        }
        return selected
    }
}
