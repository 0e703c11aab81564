import Encodings
import Terminal
import Transfer

/// `user export` (HTTP contract 11.17).
enum UserExportCommand {
    static func command(_ tools: TenantTools) -> Command {
        Command(
            "export",
            "write all users, one a line, without password hashes",
            flags: [
                Flag("connection", "NAME", "of this connection only"),
                Flag("format", choices: ["json", "csv"], "json has the whole of each user; json unless given"),
                Flag("field", "NAME", isRepeated: true, "only this member, as email or user_metadata.plan"),
                Flag("out", "FILE", "where to; standard output unless given"),
            ],
            examples: [
                "latchkey-tenant user export > users.jsonl",
                "latchkey-tenant user export --format csv --field user_id --field email --out users.csv",
            ],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let text = try await export(invocation, console, session)
                if let path = invocation.value("out") {
                    try PrivateFile.write(path, text)
                } else {
                    console.output.write(text)
                }
                return .done
            }
        }
    }

    private static func export(
        _ invocation: Invocation,
        _ console: Console,
        _ session: Session
    ) async throws(CommandFailure) -> String {
        var body: JSONObject = ["format": .string(invocation.value("format") ?? "json")]
        if let name = invocation.value("connection") {
            body.set("connection_id", .string(try await session.connection(name).text("id")))
        }
        let fields = invocation.values("field")
        if !fields.isEmpty { body.set("fields", .array(fields.map { ["name": .string($0)] })) }
        let made = try await session.call("POST", "jobs/users-exports", body: .object(body)).json.object ?? [:]
        let job = try await session.finished(job: made.text("id")) { done in
            console.progress("exporting, \(done) %")
        }
        let address = job.text("location")
        let base = session.target.base + "/api/v2/"
        // The token goes to its own server alone.
        guard address.hasPrefix(base) else { throw session.strange("jobs") }
        let result = try await session.send("GET", String(address.dropFirst(base.count)))
        if let refusal = session.refusal(result) { throw refusal }
        return String(decoding: result.body, as: UTF8.self)
    }
}
