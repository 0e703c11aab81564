import Encodings
import Terminal

/// A plan of the server's, for people.
struct PlanText {
    let plan: JSONObject
    let console: Console
    /// What to say for `latchkey-tenant plan FILE`.
    let file: String

    var changes: [JSONObject] { plan["changes"]?.array?.compactMap(\.object) ?? [] }
    var isEmpty: Bool { changes.isEmpty }

    func things(_ operation: String) -> [String] {
        var names: [String] = []
        for change in changes where change.text("op") == operation {
            let name = "\(change.text("resource"))/\(change.text("name"))"
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// The whole plan, the last line without its break.
    func rendered(host: String) -> String {
        let tenant = printable(plan.text("tenant"))
        if isEmpty { return "Nothing to change in \(tenant) (\(host))." }
        var lines = [
            "Plan for \(tenant) (\(host)), \(things("update").count) changed, \(things("create").count) added, "
                + "\(things("delete").count) removed",
            "",
        ]
        var last = ""
        for change in changes {
            let name = "\(change.text("resource"))/\(change.text("name"))"
            switch change.text("op") {
            case "create": lines.append("  " + styled("+", .green) + " " + printable(name))
            case "delete": lines.append("  " + styled("-", .red) + " " + printable(name))
            default:
                if name != last { lines.append("  " + styled("~", .yellow) + " " + printable(name)) }
                lines.append(
                    "      \(printable(change.text("path")))   \(shown(change["before"])) → \(shown(change["after"]))"
                )
            }
            last = name
        }
        lines += notes() + impacts()
        return lines.joined(separator: "\n")
    }

    private func notes() -> [String] {
        var lines: [String] = []
        for kept in plan["kept"]?.array?.compactMap(\.object) ?? [] {
            lines.append(
                "  = \(printable(kept.text("resource")))/\(printable(kept.text("name"))) stays. "
                    + printable(kept.text("reason"))
            )
        }
        for name in plan["new_secrets"]?.array?.compactMap(\.string) ?? [] {
            lines.append("  ! \(printable(name)) gets a secret: latchkey-tenant client rotate-secret \(quoted(name))")
        }
        return lines
    }

    private func impacts() -> [String] {
        let impacts = plan["impact"]?.array?.compactMap(\.object) ?? []
        guard !impacts.isEmpty else { return [] }
        var lines = [""]
        var isStranding = false
        for impact in impacts {
            let stranded = impact["no_other_way_in"]?.integer ?? 0
            isStranding = isStranding || stranded > 0
            lines.append("  \(printable(impact.text("change")))")
            lines.append(
                "    Affects \(count("passkeys", impact)) of \(count("all_passkeys", plan)) passkeys, "
                    + "\(count("users", impact)) of \(count("all_users", plan)) users."
            )
            lines.append(
                impact.text("effect") == "registration"
                    ? "    They go on signing in, and could not be made again."
                    : "    \(grouped(stranded)) \(stranded == 1 ? "user has" : "users have") no other way in."
            )
            for person in impact["who"]?.array?.compactMap(\.object) ?? [] {
                lines.append("      \(printable(person.text("user_id")))  \(printable(person.text("name")))")
            }
        }
        if isStranding, impacts.allSatisfy({ $0["who"] == nil }) {
            lines.append("  Their names:  latchkey-tenant plan \(file) --who")
        }
        return lines
    }

    private func count(_ name: String, _ object: JSONObject) -> String { grouped(object[name]?.integer ?? 0) }

    private func shown(_ value: JSONValue?) -> String {
        guard let value, !value.isNull else { return "(not set)" }
        let text = value.string ?? String(decoding: value.serialized(), as: UTF8.self)
        let line = printable(text)
        return line.count > 200 ? String(line.prefix(200)) + "…" : line.isEmpty ? "\"\"" : line
    }

    private func styled(_ sign: String, _ style: TextStyle) -> String {
        console.styled(sign, style, on: console.output)
    }

    /// `3,120`.
    private func grouped(_ number: Int64) -> String {
        var digits = Array(String(number))
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: place)
            place -= 3
        }
        return String(digits)
    }
}
