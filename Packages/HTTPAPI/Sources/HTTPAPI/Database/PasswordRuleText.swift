import Accounts
import Encodings

/// A verdict over a password in the words that clients know (contract 2.4).
enum PasswordRuleText {
    /// `message`, `policy` and `description`.
    static func members(of verdict: PasswordRules.Verdict) -> JSONObject {
        [
            "message": "Password is too weak",
            "policy": .string(verdict.rules.map(line).joined(separator: "\n")),
            "description": [
                "rules": .array(verdict.rules.map { .object(rule($0)) }), "verified": .bool(verdict.isKept),
            ],
        ]
    }

    private static func rule(_ rule: PasswordRules.Rule) -> JSONObject {
        var members: JSONObject
        switch rule {
        case .lengthAtLeast(let count, _):
            members = [
                "code": "lengthAtLeast", "message": "At least %d characters in length",
                "format": [.integer(Int64(count))],
            ]
        case .shouldContain(let kinds, let missing):
            members = ["code": "shouldContain", "message": "Should contain:", "items": items(kinds, missing)]
        case .containsAtLeast(let count, let missing, _):
            let all = PasswordRules.CharacterKind.allCases
            members = [
                "code": "containsAtLeast",
                "message": "Contain at least %d of the following %d types of characters:",
                "format": [.integer(Int64(count)), .integer(Int64(all.count))], "items": items(all, missing),
            ]
        case .identicalCharacters(let count, _):
            members = [
                "code": "identicalChars",
                "message": "No more than %d identical characters in a row (e.g., \"%s\" not allowed)",
                "format": [.integer(Int64(count)), .string(String(repeating: "a", count: count + 1))],
            ]
        }
        members.set("verified", .bool(rule.isKept))
        return members
    }

    private static func items(
        _ kinds: [PasswordRules.CharacterKind],
        _ missing: Set<PasswordRules.CharacterKind>
    ) -> JSONValue {
        .array(
            kinds.map {
                ["code": .string($0.rawValue), "message": .string(words($0)), "verified": .bool(!missing.contains($0))]
            }
        )
    }

    /// The same for people, a line a rule.
    private static func line(_ rule: PasswordRules.Rule) -> String {
        switch rule {
        case .lengthAtLeast(let count, _): return "* At least \(count) characters in length"
        case .shouldContain(let kinds, _): return (["* Should contain:"] + kinds.map(item)).joined(separator: "\n")
        case .containsAtLeast(let count, _, _):
            let all = PasswordRules.CharacterKind.allCases
            let head = "* Contain at least \(count) of the following \(all.count) types of characters:"
            return ([head] + all.map(item)).joined(separator: "\n")
        case .identicalCharacters(let count, _):
            let example = String(repeating: "a", count: count + 1)
            return "* No more than \(count) identical characters in a row (e.g., \"\(example)\" not allowed)"
        }
    }

    private static func item(_ kind: PasswordRules.CharacterKind) -> String { " * \(words(kind))" }

    private static func words(_ kind: PasswordRules.CharacterKind) -> String {
        switch kind {
        case .lowerCase: "lower case letters (a-z)"
        case .upperCase: "upper case letters (A-Z)"
        case .numbers: "numbers (i.e. 0-9)"
        case .specialCharacters: "special characters (e.g. !@#$%^&*)"
        }
    }
}
