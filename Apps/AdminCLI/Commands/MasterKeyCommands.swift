import Encodings
import Identity
import Settings
import Storage
import Terminal
import Threads
import Tokens

/// `master-key create|rotate|replace-lost`.
enum MasterKeyCommands {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "master-key",
            "make, change and replace the key that seals the deployment's secrets",
            group: AdminProgram.Group.keys,
            commands: [create(tools), rotate(tools), replaceLost(tools)]
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

    private static func rotate(_ tools: AdminTools) -> Command {
        Command(
            "rotate",
            "seal the store under the newest key of the master key file, while servers run",
            flags: [
                Flag(
                    "add",
                    "put a new key above those of the file, and stop there: give it to every server, then rotate"
                ),
                .output(),
            ],
            examples: ["latchkey-admin master-key rotate --add", "latchkey-admin master-key rotate"],
            exits: [.conflict, .unavailable]
        ) { invocation, console in
            if invocation.isSet("add") { return try add(invocation, console, tools) }
            return try await Deployment.run(invocation, console, tools) { deployment in
                let keys = try deployment.masterKeys("it holds the key that seals the store, and the new one")
                let moved = try await MasterKeyRotation(store: deployment.store, random: tools.random)
                    .rotate(keys, now: deployment.now)
                console.answer(
                    Details(["old": .string(moved.old), "new": .string(moved.new)]),
                    as: invocation.format
                )
                console.note(
                    "The store is sealed by \(moved.new). Servers that run go on; one that starts needs this key."
                )
                console.note(
                    "When every server has the new file, take the line of \(moved.old) out. "
                        + "Keep it with the backups that were made before now: they are sealed by it."
                )
                return .done
            }
        }
    }

    private static func add(_ invocation: Invocation, _ console: Console, _ tools: AdminTools) throws -> ExitCode {
        do {
            let settings = try Deployment.readSettings(invocation, console)
            guard let file = settings.masterKeyFile.value else {
                throw CommandFailure(.wrongUse, "the configuration names no master_key_file.")
            }
            let id = try FileChange.alone(file) {
                try MasterKeyFile.addKey(file, now: tools.now(), random: tools.random)
            }
            console.answer(Details(["file": .string(file), "added": .string(id)]), as: invocation.format)
            console.note("Copy this file to a safe place and to every server of the deployment; none has to restart.")
            console.note("Then: \(AdminProgram.name) master-key rotate")
            return .done
        } catch {
            throw CommandFailure(any: error)
        }
    }

    private static func replaceLost(_ tools: AdminTools) -> Command {
        Command(
            "replace-lost",
            "begin anew when the master key is gone for good; passkeys and password hashes stay",
            flags: [.yes, .output()],
            examples: ["latchkey-admin master-key create", "latchkey-admin master-key replace-lost"],
            exits: [.conflict, .unavailable]
        ) { invocation, console in
            try await Deployment.run(
                invocation,
                console,
                tools,
                preparing: { settings in
                    // A server that runs would seal and derive by the old data key on and on.
                    try Deployment.becomeOwner(settings, tools)
                    try await refuseIfInUse(settings.store.value.url)
                }
            ) { deployment, _ in
                let keys = try deployment.masterKeys("it holds the key to begin anew with")
                let rotation = MasterKeyRotation(store: deployment.store, random: tools.random)
                let losses = try await rotation.losses(keys)
                try console.confirm(
                    typing: "replace",
                    what: [
                        "Lost with the master key: the private halves of \(losses.signingKeys) signing keys, "
                            + "and every secret that is derived from the data key (codes that were mailed, recovery codes).",
                        "Ended: \(losses.sessions) sessions and \(losses.refreshFamilies) refresh tokens; everybody signs "
                            + "in again. Access tokens that are out verify until they end.",
                        "Kept: users, passkeys, password hashes, and the whole configuration.",
                        "Every server must be stopped before, and started with the new file afterwards.",
                    ],
                    invocation.answers
                )
                let secret = try await rotation.replaceLost(keys, now: deployment.now)
                let made = await makeKeys(secret, deployment)
                console.answer(
                    Details([
                        "signing_keys_lost": .integer(Int64(losses.signingKeys)),
                        "sessions_ended": .integer(Int64(losses.sessions)),
                        "refresh_tokens_ended": .integer(Int64(losses.refreshFamilies)),
                        "tenants_with_new_keys": .integer(Int64(made)),
                    ]),
                    as: invocation.format
                )
                return .done
            }
        }
    }

    /// New keys for every tenant; one that fails gets them at its first sign-in.
    private static func makeKeys(_ secret: DeploymentKeys, _ deployment: Deployment) async -> Int {
        var made = 0
        do {
            let pool = try BlockingPool(name: "keys", threadCount: 2)
            defer { pool.stop() }
            let ring = KeyRing(
                store: deployment.store,
                deployment: secret,
                pool: pool,
                random: deployment.tools.random
            )
            for tenant in try await deployment.store.tenants() {
                try await ring.makeFirstKeys(
                    of: tenant.id,
                    named: tenant.name,
                    algorithms: deployment.tools.firstKeys,
                    now: deployment.now
                )
                await deployment.audit("master key", of: tenant.id)
                made += 1
            }
        } catch {
            deployment.console.warn(
                deployment.invocation.program,
                "not every tenant has its new signing keys yet; they are made at the first sign-in: \(error)"
            )
        }
        return made
    }
}
