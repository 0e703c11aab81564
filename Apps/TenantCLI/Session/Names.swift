import Encodings
import Identity
import Tenancy
import Terminal

/// Finding things by what people call them. A miss suggests the nearest name.
extension Session {
    /// A client by id, or by its name when only one has it.
    func client(_ name: String) async throws(CommandFailure) -> JSONObject {
        try pick("client", name, id: "client_id", from: try await clients())
    }

    func clients() async throws(CommandFailure) -> [JSONObject] { try await all("clients", "clients") }

    /// A connection by id or name.
    func connection(_ name: String) async throws(CommandFailure) -> JSONObject {
        try pick("connection", name, id: "id", from: try await all("connections", "connections"))
    }

    /// An API by id, identifier or name.
    func resourceServer(_ name: String) async throws(CommandFailure) -> JSONObject {
        let servers = try await allByNumber("resource-servers")
        if let server = servers.first(where: { $0["identifier"]?.string.map { same($0, name) } ?? false }) {
            return server
        }
        return try pick("API", name, id: "id", from: servers)
    }

    /// One of `things` by its id, or by its name when only one has it.
    func pick(
        _ kind: String,
        _ name: String,
        id: String,
        from things: [JSONObject]
    ) throws(CommandFailure) -> JSONObject {
        if let thing = things.first(where: { $0[id]?.string.map { same($0, name) } ?? false }) { return thing }
        let named = things.filter { $0["name"]?.string.map { same($0, name) } ?? false }
        guard let thing = named.first else {
            throw .notFound(kind, name, among: things.compactMap { $0["name"]?.string }.sorted())
        }
        guard named.count == 1 else {
            let ids = named.compactMap { $0[id]?.string }.sorted().joined(separator: ", ")
            throw CommandFailure(
                .wrongUse,
                "\(quoted(name)) is the name of several: \(ids). Name one by its id."
            )
        }
        return thing
    }

    private func same(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }
}

extension JSONObject {
    /// A member that is text, or an empty text.
    func text(_ name: String) -> String { self[name]?.string ?? "" }
}

/// The words `member=JSON` of the `set` and `create` commands.
enum MemberWords {
    static func patch(_ words: [String]) throws(CommandFailure) -> DocumentPatch {
        var patch = DocumentPatch()
        for word in words {
            let word = try MemberWord(word)
            patch.set(word.path, word.value)
        }
        return patch
    }

    /// The body of a PATCH that makes these changes in `document`: the members that they touch, whole, since the server
    /// replaces objects whole (HTTP contract 11.1).
    static func body(_ words: [String], of document: JSONObject) throws(CommandFailure) -> JSONValue {
        let patch = try patch(words)
        let changed = patch.applied(to: document)
        var body = JSONObject()
        for change in patch.changes {
            if let name = change.path.first { body.set(name, changed[name] ?? .null) }
        }
        return .object(body)
    }
}

/// The values of `--grant` and of `grant set`: full names, and short ones that only the commands know.
enum GrantTypeNames {
    /// Reads the values, each a name or several with commas between.
    ///
    /// - Throws: `wrongUse` for a name that is none.
    static func read(_ values: [String], of flag: String = "--grant") throws(CommandFailure) -> [GrantType] {
        var grants: [GrantType] = []
        for name in values.flatMap({ $0.split(separator: ",").map(String.init) }) {
            guard let named = GrantType.named(name) else { throw unknown(name, flag) }
            for grant in named where !grants.contains(grant) { grants.append(grant) }
        }
        return grants
    }

    private static func unknown(_ name: String, _ flag: String) -> CommandFailure {
        let short = GrantType.shortNames.map(\.name)
        let nearest = nearestName(to: name, among: short + GrantType.known.map(\.rawValue))
        return CommandFailure(
            .wrongUse,
            "\(flag) is \(quoted(name)), which it cannot be. "
                + (nearest.map { "Did you mean \($0)?" }
                    ?? "Use \(short.joined(separator: ", ")), or a full grant type.")
        )
    }
}
