import Encodings
import Identity
import Settings
import Terminal
import Tokens

/// `master-key create`.
enum MasterKeyCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "master-key",
            "make the key that seals the deployment's secrets",
            group: AdminProgram.Group.keys,
            commands: [create(tools)]
        )
    }

    private static func create(_ tools: AdminTools) -> Command {
        Command(
            "create",
            "make a file with a new master key, for its owner alone; a file that is there stays as it is",
            words: [Word("FILE", isOptional: true, "the file; unless given, the one that the configuration names")],
            flags: [.output()],
            examples: [
                "latchkey-admin master-key create /etc/latchkey/master.key", "latchkey-admin master-key create",
            ],
            exits: [.conflict]
        ) { invocation, console in
            do {
                let settings = try? Deployment.readSettings(invocation, console)
                guard let file = invocation.word("FILE") ?? settings?.masterKeyFile.value else {
                    throw CommandFailure(.wrongUse, "FILE is missing: the configuration names no master_key_file.")
                }
                try MasterKeyFile.create(file, now: tools.now(), random: tools.random)
                if case .sqlite(let path)? = settings?.store.value { try DataOwner.give(file, toOwnerOf: path) }
                console.answer(Details(["file": .string(file)]), as: invocation.format)
                console.note("Copy this file to a safe place now, apart from the backups of the data.")
                return .done
            } catch {
                throw CommandFailure(any: error)
            }
        }
    }
}
