import Encodings
import Storage
import Terminal

/// `migrate status` and `migrate up`.
enum MigrateCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "migrate",
            "look at the store's schema, and bring it forward",
            group: AdminProgram.Group.store,
            commands: [status(tools), up(tools)]
        )
    }

    private static func status(_ tools: AdminTools) -> Command {
        Command(
            "status",
            "show the store's schema and what is to come; 10 when this version has something to add, or is shut out",
            flags: [.output()],
            examples: ["latchkey-admin migrate status", "latchkey-admin migrate status -o json"],
            exits: [.answerIsNo, .unavailable]
        ) { invocation, console in
            do {
                let settings = try Deployment.readSettings(invocation, console)
                try Deployment.becomeOwner(settings, tools)
                let state = try await StoreOpening.schema(settings)
                console.answer(details(state), as: invocation.format)
                if let fault = state.fault { console.warn(invocation.program, fault) }
                return state.pending.isEmpty && state.fault == nil ? .done : .answerIsNo
            } catch {
                throw CommandFailure(any: error)
            }
        }
    }

    private static func up(_ tools: AdminTools) -> Command {
        Command(
            "up",
            "bring the store's schema forward, in one transaction; does nothing when it is current",
            flags: [.output()],
            examples: [
                "latchkey-admin migrate up", "latchkey-admin migrate up --store sqlite:/var/lib/latchkey/latchkey.db",
            ],
            exits: [.unavailable]
        ) { invocation, console in
            do {
                let settings = try Deployment.readSettings(invocation, console)
                try Deployment.becomeOwner(settings, tools)
                let before = try await StoreOpening.schema(settings)
                try await StoreOpening.upgrade(settings)
                let after = try await StoreOpening.schema(settings)
                console.answer(details(after), as: invocation.format)
                console.note(
                    before.number == after.number
                        ? "The schema was current; nothing was changed."
                        : "The schema went from \(before.number) to \(after.number)."
                )
                return .done
            } catch {
                throw CommandFailure(any: error)
            }
        }
    }

    private static func details(_ state: SchemaState) -> Details {
        Details([
            "schema": .integer(state.number), "newest_known": .integer(state.newest),
            "pending": .array(state.pending.map { .integer($0) }), "usable": .bool(state.fault == nil),
        ])
    }
}
