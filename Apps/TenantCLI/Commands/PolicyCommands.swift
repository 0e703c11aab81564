import Encodings
import Identity
import Tenancy
import Terminal

/// `policy show|set|test`: the passkey policy of a connection, `options.passkey_options.webauthn` (HTTP contract 11.5).
enum PolicyCommands {
    static func command(_ tools: TenantTools) -> Command {
        Command(
            "policy",
            "the passkey policy of a connection",
            group: TenantProgram.Group.policy,
            commands: [show(tools), set(tools), test(tools)]
        )
    }

    private static let connection = Word("CONNECTION", "its name or id")

    private static func show(_ tools: TenantTools) -> Command {
        Command(
            "show",
            "show the policy",
            words: [connection],
            flags: [.output(), .fields],
            examples: ["latchkey-tenant policy show Username-Password-Authentication"],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let connection = try await session.connection(invocation.word("CONNECTION") ?? "")
                try session.answer(policy(of: connection))
                return .done
            }
        }
    }

    private static func set(_ tools: TenantTools) -> Command {
        Command(
            "set",
            "change the policy; plan shows whom a change touches",
            words: [connection, TenantProgram.memberWord],
            flags: [.output(), .fields],
            examples: ["latchkey-tenant policy set Staff user_verification=required algorithms=[-8,-7]"],
            exits: [.notFound, .notAllowed, .conflict]
        ) { invocation, console in
            let patch = try MemberWords.patch(invocation.words("MEMBER=JSON"))
            return try await Session.run(invocation, console, tools) { session in
                let connection = try await session.connection(invocation.word("CONNECTION") ?? "")
                var inner = DocumentPatch()
                for change in patch.changes {
                    inner.set(["options", "passkey_options", "webauthn"] + change.path, change.value)
                }
                let body: JSONValue = ["options": inner.applied(to: connection)["options"] ?? .null]
                let path = "connections/" + Session.encoded(connection.text("id"))
                let changed = try await session.call("PATCH", path, body: body).json.object ?? [:]
                try session.answer(policy(of: changed))
                return .done
            }
        }
    }

    private static func policy(of connection: JSONObject) -> JSONObject {
        connection["options"]?.object?["passkey_options"]?.object?["webauthn"]?.object ?? [:]
    }

    private static func test(_ tools: TenantTools) -> Command {
        Command(
            "test",
            "run cases against the policy, by the rules of sign-up and sign-in",
            words: [Word("CASES", "a YAML list of name, connection, ceremony, facts, expect")],
            flags: [
                Flag("file", "FILE", "the policies of this tenant file, without asking the server"),
                .output(ofList: true), .fields,
            ],
            examples: [
                "latchkey-tenant policy test cases.yaml", "latchkey-tenant policy test cases.yaml --file tenant.yaml",
            ],
            exits: [.notAllowed, .answerIsNo]
        ) { invocation, console in
            let tests = try PolicyTests(invocation.word("CASES") ?? "")
            if let path = invocation.value("file") {
                let desired = try DesiredFile.read(path, console.environment)
                let rows = try tests.run(on: try PolicyTests.connections(of: desired.document))
                return try tell(rows, invocation, console)
            }
            return try await Session.run(invocation, console, tools) { session in
                var connections: [(name: String, options: ConnectionOptions)] = []
                for connection in try await session.all("connections", "connections") {
                    connections.append((connection.text("name"), try PolicyTests.options(connection)))
                }
                return try tell(try tests.run(on: connections), invocation, console)
            }
        }
    }

    /// Tells the verdicts; no when one is another than expected.
    static func tell(
        _ rows: [JSONObject],
        _ invocation: Invocation,
        _ console: Console
    ) throws(CommandFailure) -> ExitCode {
        let columns = [
            Column("passed"), Column("name"), Column("connection"), Column("expected"), Column("got"), Column("rule"),
        ]
        console.answer(try Listing(columns, rows: rows).selecting(invocation.fields), as: invocation.format)
        return rows.allSatisfy { $0["passed"] == true } ? .done : .answerIsNo
    }
}
