import Encodings
import Terminal

/// `key list|rotate` (HTTP contract 11.12).
enum KeyCommands {
    private static let algorithm = Flag(
        "alg",
        choices: ["RS256", "ES256", "EdDSA", "PS256"],
        "the keys' algorithm; RS256 unless given"
    )

    static func command(_ tools: TenantTools) -> Command {
        Command(
            "key",
            "the keys that sign tokens",
            group: TenantProgram.Group.things,
            commands: [list(tools), rotate(tools)]
        )
    }

    private static func query(_ invocation: Invocation) -> [(String, String)] {
        invocation.value("alg").map { [("alg", $0)] } ?? []
    }

    private static func list(_ tools: TenantTools) -> Command {
        Command(
            "list",
            "list the signing keys",
            flags: [algorithm, .output(ofList: true), .fields],
            examples: ["latchkey-tenant key list --alg ES256"],
            exits: [.notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let keys = try await session.call("GET", "keys/signing", query: query(invocation)).json.array ?? []
                let columns = [
                    Column("kid", title: "KEY ID"), Column("current"), Column("next"), Column("previous"),
                    Column("current_since", title: "SINCE", .time), Column("revoked"),
                ]
                try session.answer(Listing(columns, rows: keys.compactMap(\.object)))
                return .done
            }
        }
    }

    private static func rotate(_ tools: TenantTools) -> Command {
        Command(
            "rotate",
            "let the next key sign from now on, and publish another next one",
            flags: [algorithm, .yes, .output(), .fields],
            examples: ["latchkey-tenant key rotate --yes"],
            exits: [.notAllowed, .conflict]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let name = invocation.value("alg") ?? "RS256"
                guard try console.agree("Rotate the \(name) keys?", invocation.answers) else { return .failed }
                let path = "keys/signing/rotate" + (invocation.value("alg").map { "?alg=\($0)" } ?? "")
                let answer = try await session.call("POST", path).json.object ?? [:]
                try session.answer(["kid": answer["kid"] ?? .null])
                return .done
            }
        }
    }
}
