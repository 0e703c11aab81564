import Encodings
import Terminal

/// What `show`, `set` and `delete` of one kind of thing have in common.
struct ThingCommands: Sendable {
    /// `client`, as in the commands.
    let name: String
    /// `clients`, below `/api/v2/`.
    let path: String
    /// The member that is its id.
    let id: String
    /// The word for it in the commands.
    let word: Word
    let find: @Sendable (Session, String) async throws(CommandFailure) -> JSONObject

    func show(_ tools: TenantTools, example: String) -> Command {
        Command(
            "show",
            "show one",
            words: [word],
            flags: [.output(), .fields],
            examples: ["\(TenantProgram.name) \(name) show \(example)"],
            exits: [.notFound, .notAllowed]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                try session.answer(try await find(session, invocation.word(word.name) ?? ""))
                return .done
            }
        }
    }

    func set(_ tools: TenantTools, examples: [String]) -> Command {
        Command(
            "set",
            "change one",
            words: [word, TenantProgram.memberWord],
            flags: [.output(), .fields],
            examples: examples.map { "\(TenantProgram.name) \(name) set \($0)" },
            exits: [.notFound, .notAllowed, .conflict]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let thing = try await find(session, invocation.word(word.name) ?? "")
                let body = try MemberWords.body(invocation.words("MEMBER=JSON"), of: thing)
                let path = "\(path)/" + Session.encoded(thing.text(id))
                let answer = try await session.call("PATCH", path, body: body)
                try session.answer(answer.json.object ?? [:])
                return .done
            }
        }
    }

    /// `consequences` are what goes with it, one line each.
    func delete(_ tools: TenantTools, example: String, consequences: [String]) -> Command {
        Command(
            "delete",
            "delete one",
            words: [word],
            flags: [.yes],
            examples: ["\(TenantProgram.name) \(name) delete \(example)"],
            exits: [.notFound, .notAllowed, .conflict]
        ) { invocation, console in
            try await Session.run(invocation, console, tools) { session in
                let thing = try await find(session, invocation.word(word.name) ?? "")
                let shown = thing["name"]?.string ?? thing.text(id)
                try console.confirm(
                    typing: shown,
                    what: ["This deletes \(name) \(quoted(shown))."] + consequences,
                    invocation.answers
                )
                _ = try await session.call("DELETE", "\(path)/" + Session.encoded(thing.text(id)))
                console.note("\(name.prefix(1).uppercased() + name.dropFirst()) \(quoted(shown)) is deleted.")
                return .done
            }
        }
    }
}
