import Encodings
import Tenancy
import Terminal
import Transfer

/// `api list|show|create|set|delete` (HTTP contract 11.7), and `api METHOD PATH`: any call as it is.
enum APICommands {
    private static let things = ThingCommands(
        name: "api",
        path: "resource-servers",
        id: "id",
        word: Word("API", "its identifier, name or id"),
        find: { (session, name) throws(CommandFailure) in try await session.resourceServer(name) }
    )

    static func command(_ tools: TenantTools) -> Command {
        Command(
            "api",
            "the APIs that access tokens are for; and any call of the Management API",
            group: TenantProgram.Group.things,
            commands: [
                list(tools), things.show(tools, example: "https://api.acme.example/"), create(tools),
                things.set(tools, examples: ["https://api.acme.example/ token_lifetime=3600"]),
                things.delete(
                    tools,
                    example: "https://api.acme.example/",
                    consequences: ["The client grants for it go with it."]
                ),
            ] + ["GET", "POST", "PATCH", "PUT", "DELETE"].map { raw($0, tools) }
        )
    }

    private static func list(_ tools: TenantTools) -> Command {
        Command(
            "list",
            "list the APIs",
            flags: [.output(ofList: true), .fields],
            examples: ["latchkey-tenant api list"],
            exits: [.notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let columns = [Column("identifier"), Column("name"), Column("signing_alg", title: "ALG"), Column("id")]
                try session.answer(Listing(columns, rows: try await session.allByNumber("resource-servers")))
                return .done
            }
        }
    }

    private static func create(_ tools: TenantTools) -> Command {
        Command(
            "create",
            "make an API",
            words: [
                Word("MEMBER=JSON", isOptional: true, isRepeated: true, "more of it; names as in the Management API")
            ],
            flags: [
                Flag("identifier", "URL", isRequired: true, "the audience of its tokens; it cannot change later"),
                Flag("name", "TEXT", "what people call it"),
                Flag("scope", "SCOPE", isRepeated: true, "what a token may be for, as read:things"), .output(), .fields,
            ],
            examples: [
                "latchkey-tenant api create --identifier https://api.acme.example/ --name \"Acme API\" --scope read:things"
            ],
            exits: [.notAllowed, .conflict]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                var document: JSONObject = ["identifier": .string(invocation.value("identifier") ?? "")]
                if let name = invocation.value("name") { document.set("name", .string(name)) }
                if invocation.isSet("scope") {
                    document.set("scopes", .array(invocation.values("scope").map { ["value": .string($0)] }))
                }
                document = try MemberWords.patch(invocation.words("MEMBER=JSON")).applied(to: document)
                let made = try await session.call("POST", "resource-servers", body: .object(document)).json.object
                try session.answer(["id": made?["id"] ?? .null, "identifier": made?["identifier"] ?? .null])
                return .done
            }
        }
    }

    /// A call as it is: the answer's body goes out unchanged, and the status decides the exit code.
    private static func raw(_ method: String, _ tools: TenantTools) -> Command {
        let hasBody = method != "GET" && method != "DELETE"
        return Command(
            method,
            "make a \(method) call of the Management API, and print the answer as it comes",
            words: [Word("PATH", "below /api/v2, with its query")],
            flags: hasBody ? [Flag("data", "JSON", "the body; @FILE reads it from a file, - from standard input")] : [],
            examples: [
                "latchkey-tenant api \(method) "
                    + (hasBody ? "/tenants/settings --data '{\"friendly_name\":\"Acme\"}'" : "/clients?per_page=5")
            ],
            exits: [.notFound, .notAllowed, .conflict]
        ) { invocation, console in
            let path = try below(invocation.word("PATH") ?? "")
            let body = try invocation.value("data").map { (data) throws(CommandFailure) in try read(data, console) }
            return try await Session.run(invocation, console, tools) { session in
                let response = try await session.send(method, path, body: body)
                let text = String(decoding: response.body, as: UTF8.self)
                if !text.isEmpty { console.output.write(text.hasSuffix("\n") ? text : text + "\n") }
                if let refusal = session.refusal(response) { throw refusal }
                return .done
            }
        }
    }

    private static func below(_ path: String) throws(CommandFailure) -> String {
        var rest = path[...]
        for prefix in ["/api/v2/", "api/v2/", "/"] where rest.hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.count)
            break
        }
        let isPath = rest.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"#\\\"<>^`{}|".utf8.contains($0) }
        // `..` would lead out of the Management API, and its token with it.
        let steps = rest.prefix { $0 != "?" }.split(separator: "/")
        guard !rest.isEmpty, isPath, !steps.contains(where: { $0 == ".." || $0 == "." }) else {
            throw CommandFailure(.wrongUse, "\(quoted(path)) is no path: write it as /clients, percent-encoded.")
        }
        return String(rest)
    }

    private static func read(_ data: String, _ console: Console) throws(CommandFailure) -> [UInt8] {
        if data == "-" { return try console.input.readAll() }
        if data.hasPrefix("@") { return try TextFile.read(String(data.dropFirst()), limit: 1 << 20) }
        return Array(data.utf8)
    }
}
