internal import Encodings
internal import Identity

/// Writes users out, one a line, as JSON or CSV (HTTP contract 11.17); never hashes, codes or keys.
struct UserExport {
    /// A member and what the file calls it.
    struct Field: Sendable {
        let name: String
        let title: String
    }

    let isCSV: Bool
    let fields: [Field]
    /// Whether passkeys stand with their users.
    let hasPasskeys: Bool
    /// The name of each user directory.
    let connections: [ConnectionID: String]

    /// - Parameters:
    ///   - parameters: of the job: `format`, `fields` and `passkeys`.
    ///   - configuration: of the tenant.
    init(_ parameters: JSONObject, _ configuration: TenantConfiguration) {
        isCSV = parameters["format"]?.string == "csv"
        let asked = (parameters["fields"]?.array ?? []).compactMap(\.object).compactMap { field in
            field["name"]?.string.map { Field(name: $0, title: field["export_as"]?.string ?? $0) }
        }
        hasPasskeys = parameters["passkeys"]?.bool == true
        fields = asked.isEmpty && isCSV ? Self.usual.map { Field(name: $0, title: $0) } : asked
        connections = Dictionary(configuration.connections.map { ($0.id, $0.name) }) { first, _ in first }
    }

    /// What a CSV has where nothing else is asked for.
    private static let usual = [
        "user_id", "email", "email_verified", "phone_number", "username", "name", "nickname", "given_name",
        "family_name",
        "connection", "blocked", "created_at", "updated_at", "last_login", "logins_count",
    ]

    /// What stands before the users.
    var head: [UInt8] {
        isCSV ? Self.line(fields.map(\.title)) : []
    }

    func line(_ user: User, passkeys: [Passkey] = []) -> [UInt8] {
        var document = document(user)
        if hasPasskeys {
            document.set("passkeys", .array(passkeys.map { .object(BroughtPasskey.document(of: $0)) }))
        }
        guard isCSV else {
            guard !fields.isEmpty else { return JSONValue.object(document).serialized() + [0x0A] }
            var chosen = JSONObject()
            for field in fields {
                if let value = Self.value(field.name, in: document) { chosen.set(field.title, value) }
            }
            return JSONValue.object(chosen).serialized() + [0x0A]
        }
        return Self.line(fields.map { Self.text(Self.value($0.name, in: document)) })
    }

    /// `user_metadata.plan` reaches into an object.
    private static func value(_ name: String, in document: JSONObject) -> JSONValue? {
        var value: JSONValue? = .object(document)
        for part in name.split(separator: ".") { value = value?.object?[String(part)] }
        return value
    }

    private static func text(_ value: JSONValue?) -> String {
        guard let value, !value.isNull else { return "" }
        return value.string ?? String(decoding: value.serialized(), as: UTF8.self)
    }

    /// RFC 4180; a value that a spreadsheet would take for a formula gets an apostrophe before it.
    private static func line(_ values: [String]) -> [UInt8] {
        let cells = values.map { value -> String in
            let isFormula = value.utf8.first.map { "=+-@\t\r".utf8.contains($0) } ?? false
            let text = isFormula && Int64(value) == nil && !isPhone(value) ? "'" + value : value
            guard text.utf8.contains(where: { ",\"\n\r".utf8.contains($0) }) else { return text }
            return "\"" + text.replacing("\"", with: "\"\"") + "\""
        }
        return Array((cells.joined(separator: ",") + "\r\n").utf8)
    }

    private static func isPhone(_ value: String) -> Bool {
        value.utf8.first == UInt8(ascii: "+") && value.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    private func document(_ user: User) -> JSONObject {
        var document: JSONObject = ["user_id": .string(user.id.subject)]
        user.writeIdentifiers(to: &document)
        user.writeProfile(to: &document)
        if let connection = connections[user.connection] { document.set("connection", .string(connection)) }
        user.writeHistory(to: &document)
        user.writeMetadata(to: &document)
        return document
    }
}
