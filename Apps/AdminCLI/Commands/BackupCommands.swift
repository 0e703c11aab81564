import Encodings
import Identity
import Settings
import Storage
import Terminal
import Tokens

/// `backup FILE` and `restore FILE`.
enum BackupCommands {
    static func backup(_ tools: AdminTools) -> Command {
        Command(
            "backup",
            "copy the embedded store into one file, while it is served",
            group: AdminProgram.Group.store,
            words: [Word("FILE", "the copy; a file that is there stays as it is")],
            flags: [.output()],
            examples: [
                "latchkey-admin backup /var/backups/latchkey-monday.db",
                "latchkey-admin backup /mnt/away/latchkey.db --store sqlite:/var/lib/latchkey/latchkey.db",
            ],
            exits: [.conflict, .notFound, .unavailable]
        ) { invocation, console in
            do {
                let settings = try Deployment.readSettings(invocation, console)
                let file = invocation.word("FILE") ?? ""
                let now = tools.now()
                try await backUp(try source(settings, tools), into: file, now: now)
                console.answer(
                    Details(["file": .string(file), "made_at": .string(now.rfc3339)]),
                    as: invocation.format
                )
                console.note("The master key is not in it. Keep a copy of that file too, in another place.")
                return .done
            } catch {
                throw CommandFailure(any: error)
            }
        }
    }

    static func restore(_ tools: AdminTools) -> Command {
        Command(
            "restore",
            "put a backup in the place of the embedded store, and revoke every session and refresh token in it",
            group: AdminProgram.Group.store,
            words: [Word("FILE", "what latchkey-admin backup made")],
            flags: [.yes, .output()],
            examples: [
                "latchkey-admin restore /var/backups/latchkey-monday.db",
                "latchkey-admin restore /var/backups/latchkey-monday.db --yes -o json",
            ],
            exits: [.conflict, .notFound, .unavailable]
        ) { invocation, console in
            do {
                let settings = try Deployment.readSettings(invocation, console)
                let file = invocation.word("FILE") ?? ""
                try console.confirm(
                    typing: "restore",
                    what: [
                        "The store becomes what it was when \(printable(file)) was made; stop the server first.",
                        "Every session and refresh token goes: what was revoked or used since is not in a backup.",
                        "The store that is there is kept beside it.",
                    ],
                    invocation.answers
                )
                let store = try source(settings, tools)
                let keys = try masterKeys(settings)
                let restored = try await Storage.restore(file, to: store, now: tools.now()) { secret in
                    keys.flatMap { reason(why: secret, isSealedFrom: $0) }
                }
                var answer: JSONObject = [
                    "file": .string(file),
                    "made_at": restored.madeAt.map { .string($0.rfc3339) } ?? .null,
                    "sessions_revoked": .integer(Int64(restored.sessions)),
                    "refresh_token_families_revoked": .integer(Int64(restored.refreshFamilies)),
                ]
                if let previous = restored.previous { answer["previous_store"] = .string(previous) }
                console.answer(Details(answer), as: invocation.format)
                if keys == nil {
                    console.note(
                        "Not checked: whether the master key opens it. There is no key file "
                            + (settings.masterKeyFile.value.map { "at \(printable($0))" } ?? "in the configuration")
                            + "; servers need the one that belongs to this backup."
                    )
                }
                console.note("Everybody signs in again. A passkey made since is signalled away when it is offered.")
                return .done
            } catch {
                throw CommandFailure(any: error)
            }
        }
    }

    /// The keys of the configured file; `nil` when none is configured, or it is not there (yet).
    private static func masterKeys(_ settings: Settings) throws -> MasterKeys? {
        guard let file = settings.masterKeyFile.value else { return nil }
        do throws(MasterKeyError) {
            return try MasterKeyFile.read(file)
        } catch .missing {
            return nil
        }
    }

    /// Why the keys do not open a backup; `nil` when they do.
    private static func reason(why secret: DeploymentSecret, isSealedFrom keys: MasterKeys) -> String? {
        do throws(MasterKeyError) {
            try DeploymentKeys.verify(secret, opensWith: keys)
            return nil
        } catch {
            return "\(error) A backup is opened by the master key of its time: put that line into the file again."
        }
    }

    /// The store's URL, with this process as the owner of its data.
    private static func source(_ settings: Settings, _ tools: AdminTools) throws -> String {
        try Deployment.becomeOwner(settings, tools)
        return settings.store.value.url
    }
}
