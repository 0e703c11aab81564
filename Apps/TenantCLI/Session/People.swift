import Encodings
import Identity
import Terminal

/// Finding people, of whom there are too many to list.
extension Session {
    /// A user by id, mail address, phone number, user name or name, when only one has it. A miss suggests the nearest.
    func user(_ name: String) async throws(CommandFailure) -> JSONObject {
        if UserID(name) != nil { return try await get("users/" + Self.encoded(name)) }
        let found = try await users(where: Self.names.map { "\($0):\(SearchWords.whole(name))" }, limit: 10)
        if found.count == 1 { return found[0] }
        guard found.isEmpty else {
            let ids = found.map { $0.text("user_id") }.sorted().joined(separator: ", ")
            throw CommandFailure(.wrongUse, "\(quoted(name)) is the name of several: \(ids). Name one by its id.")
        }
        let beginning = String(name.prefix(2))
        let near =
            beginning.isEmpty
            ? [] : try await users(where: Self.names.map { "\($0):\(SearchWords.beginning(beginning))" }, limit: 100)
        let known = near.flatMap { user in Self.names.map { user.text($0) } }.filter { !$0.isEmpty }
        throw .notFound("user", name, among: Array(Set(known)).sorted())
    }

    private static let names = ["email", "username", "phone_number", "name"]

    private func users(where alternatives: [String], limit: Int) async throws(CommandFailure) -> [JSONObject] {
        try await first(limit, of: "users", query: [("q", alternatives.joined(separator: " OR "))])
    }

    /// The first elements of a list that pages by number.
    func first(
        _ limit: Int,
        of path: String,
        query: [(String, String)] = []
    ) async throws(CommandFailure) -> [JSONObject] {
        var found: [JSONObject] = []
        let perPage = min(100, limit)
        for page in 0..<1000 where found.count < limit {
            let numbers = [("page", String(page)), ("per_page", String(perPage))]
            guard let elements = try await call("GET", path, query: query + numbers).json.array else {
                throw strange(path)
            }
            found += elements.compactMap(\.object)
            if elements.count < perPage { break }
        }
        return Array(found.prefix(limit))
    }

    /// The user directory of that name; with `nil` the only one that there is.
    func directory(_ name: String?) async throws(CommandFailure) -> JSONObject {
        if let name { return try await connection(name) }
        let all = try await all("connections", "connections")
        guard all.count == 1 else {
            let names = all.map { quoted($0.text("name")) }.sorted().joined(separator: ", ")
            throw CommandFailure(.wrongUse, "which connection? Add --connection with one of \(names).")
        }
        return all[0]
    }
}

/// Values in the language of searches (HTTP contract 11.9).
enum SearchWords {
    static func whole(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    static func beginning(_ text: String) -> String {
        var word = ""
        for scalar in text.unicodeScalars {
            let isPlain = scalar.value > 0x7F || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            word.unicodeScalars.append(contentsOf: isPlain ? [scalar] : ["\\", scalar])
        }
        return word + "*"
    }
}

/// The value of `--limit`.
enum Limit {
    static func read(_ invocation: Invocation, unlessGiven usual: Int = 50) throws(CommandFailure) -> Int {
        guard let text = invocation.value("limit") else { return usual }
        guard let limit = Int(text), (1...1000).contains(limit) else {
            throw CommandFailure(.wrongUse, "--limit is \(quoted(text)), which it cannot be. Use 1 to 1000.")
        }
        return limit
    }
}
