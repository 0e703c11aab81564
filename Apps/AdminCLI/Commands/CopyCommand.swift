import Cryptography
import Encodings
import Identity
import Settings
import Storage
import Terminal
import Tokens

/// `copy --from CONFIG --to CONFIG`.
enum CopyCommand {
    static func command(_ tools: AdminTools) -> Command {
        Command(
            "copy",
            "move everything from one store to another, so that nobody has to enrol again",
            group: AdminProgram.Group.store,
            flags: [
                Flag("from", "CONFIG", "the configuration file of the deployment that is moved"),
                Flag("to", "CONFIG", "the configuration file of the one it moves to, whose store is empty"),
                Flag(
                    "online",
                    "copy ahead while servers run, and finish nothing: stop them, then run it again without this flag"
                ),
                .output(ofList: true),
            ],
            examples: [
                "latchkey-admin copy --from /etc/latchkey/latchkey.yaml --to /etc/latchkey/postgres.yaml --online",
                "latchkey-admin copy --from /etc/latchkey/latchkey.yaml --to /etc/latchkey/postgres.yaml",
                "latchkey-admin copy --from old.yaml --to new.yaml -o json",
            ],
            exits: [.conflict, .unavailable]
        ) { invocation, console in
            do {
                let source = try settings(invocation, "from", console)
                let target = try settings(invocation, "to", console)
                for settings in [source, target] { try Deployment.becomeOwner(settings, tools) }
                try await checkKeys(source, target, tools)
                let isAhead = invocation.isSet("online")
                let tables = try await copyStore(
                    from: source.store.value.url,
                    to: target.store.value.url,
                    preparing: (source.storePrepare.value, target.storePrepare.value),
                    isAhead: isAhead,
                    now: tools.now(),
                    digest: { SHA256.hash($0) },
                    progress: { table, rows in console.note("\(table): \(rows)") }
                )
                let sums = isAhead ? [] : [Column("sum", title: "SUM OF HASHES, THE SAME IN BOTH")]
                let rows: [JSONObject] = tables.map { table in
                    [
                        "table": .string(table.table), "rows": .integer(table.count),
                        "sum": table.sum.map { .string(Hex.encode($0)) } ?? .null,
                    ]
                }
                console.answer(Listing([Column("table"), Column("rows")] + sums, rows: rows), as: invocation.format)
                console.note(
                    isAhead
                        ? "Not finished: no server takes the new store yet. Stop the servers of the old one, and run the "
                            + "command again without --online."
                        : "All is there. Give the servers the new configuration; what the old store gets from now on is "
                            + "lost."
                )
                return .done
            } catch {
                throw CommandFailure(any: error)
            }
        }
    }

    /// A configuration by its file alone: what the environment says would hold for both.
    private static func settings(_ invocation: Invocation, _ flag: String, _ console: Console) throws -> Settings {
        guard let file = invocation.value(flag) else {
            throw CommandFailure(.wrongUse, "--\(flag) is missing: copy needs the configuration of both stores.")
        }
        let settings = try Settings(SettingsSources(mode: .admin, flags: [:], environment: [:], file: file))
        for warning in settings.warnings { console.warn(invocation.program, "\(warning)") }
        return settings
    }

    /// Looks whether the new deployment has the master key under which the data was sealed: without it no signing key
    /// that is moved could be opened.
    private static func checkKeys(_ source: Settings, _ target: Settings, _ tools: AdminTools) async throws {
        guard let file = target.masterKeyFile.value else {
            throw CommandFailure(.wrongUse, "the configuration that --to names has no master_key_file.")
        }
        let keys = try MasterKeyFile.read(file)
        let store = try await tools.openStore(source)
        do {
            if try await store.deploymentSecret() != nil {
                _ = try await DeploymentKeys.open(keys, store: store, now: tools.now(), random: tools.random)
            }
            await store.close()
        } catch {
            await store.close()
            throw error
        }
    }
}
