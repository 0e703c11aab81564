import Encodings

/// The manual page `latchkey-tenant-file(5)` in scdoc's language, from the same table as the JSON Schema.
enum TenantFileManual {
    static func text(version: String) -> String {
        var page = """
            latchkey-tenant-file(5) "Latchkey \(version)"

            # NAME

            latchkey-tenant-file - a tenant of Latchkey as one file

            # DESCRIPTION

            A YAML file in the format of Auth0's deploy tool, which *latchkey-tenant*(1) exports, plans and applies. What it
            does not name keeps or gets its default; what is to go goes with \\-\\-allow-delete alone. Things are known by
            their names, so that the same file fits every deployment, and no secret stands in it.

            Values are read as YAML 1.2 does: no, on, 0123 and 1:30 are text. \\#\\#NAME\\#\\# and @@NAME@@ are replaced
            before the file is read, by the environment variable NAME: as it is, and as JSON. A name without a value is an
            error, and so is one that is left over.

            """
        for section in properties(of: TenantFileSchema.document) {
            page += "\n# \(escaped(section.name))\n"
            let description = section.schema["description"]?.string ?? ""
            if !description.isEmpty { page += "\n\(escaped(description))\n" }
            let entries = section.schema["items"]?.object ?? section.schema
            page += definitions(entries, prefix: "")
        }
        page += """

            # EXAMPLE

            ```
            tenant:
              friendly_name: Acme
            clients:
              - name: App
                app_type: spa
                grant_types: [urn:okta:params:oauth:grant-type:webauthn, refresh_token]
                web_origins: [https://app.acme.example]
            databases:
              - name: Username-Password-Authentication
                strategy: auth0
                enabled_clients: [App]
                options:
                  passkey_options:
                    webauthn: { user_verification: required }
            ```

            # SEE ALSO

            *latchkey-tenant*(1), *latchkey.yaml*(5)

            """
        return page
    }

    private static func properties(of schema: JSONObject) -> [(name: String, schema: JSONObject)] {
        (schema["properties"]?.object?.members ?? []).map { ($0.name, $0.value.object ?? [:]) }
    }

    /// A member each, those of objects inside as `outer.inner`.
    private static func definitions(_ schema: JSONObject, prefix: String) -> String {
        let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
        return properties(of: schema).map { name, member in
            let sentences = [
                member["description"]?.string ?? "", values(of: member), required.contains(name) ? "Required." : "",
            ]
            let text = sentences.filter { !$0.isEmpty }.joined(separator: " ")
            return "\n*\(escaped(prefix + name))*\n\t\(text.isEmpty ? "An object." : escaped(text))\n"
                + definitions(member["items"]?.object ?? member, prefix: prefix + name + ".")
        }
        .joined()
    }

    /// What a member may be, in words; nothing where that is any text or an object.
    private static func values(of schema: JSONObject) -> String {
        func words(_ values: [JSONValue]) -> String { values.compactMap(\.string).joined(separator: ", ") }
        if let values = schema["enum"]?.array { return "One of \(words(values))." }
        if let value = schema["const"]?.string { return "Always \(value)." }
        let examples = schema["examples"]?.array.map { " Such as \(words($0))." } ?? ""
        switch schema["type"]?.string {
        case "boolean": return "true or false." + examples
        case "integer", "number": return "A number." + examples
        case "array":
            let items = schema["items"]?.object ?? [:]
            if items["properties"] != nil { return "A list." }
            if let values = items["enum"]?.array { return "A list, each one of \(words(values))." }
            return items["type"]?.string == "integer" ? "A list of numbers." : "A list."
        default: return examples.isEmpty ? "" : String(examples.dropFirst())
        }
    }

    /// `text` with everything that scdoc would take for markup escaped.
    private static func escaped(_ text: String) -> String {
        text.map { "\\*_`#[]|<>".contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
