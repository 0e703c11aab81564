import Identity
import Settings
import Storage
import Synchronization
import Terminal
import Tokens

/// Whether the store opens, takes writes and is sealed by the master key that is there.
enum StoreCheck {
    /// - Returns: the open store, unless it cannot be opened; and what was found on the way.
    static func open(_ settings: Settings, _ tools: AdminTools) async -> ((any CredentialDatabase)?, [Finding]) {
        let subject = "\(settings.store.value)"
        do {
            let schema = try await StoreOpening.schema(settings)
            if let fault = schema.fault { return (nil, [Finding(.store, .failed, subject, fault)]) }
            guard schema.number > 0 else {
                return (
                    nil,
                    [
                        Finding(
                            .store,
                            .warning,
                            subject,
                            "there is nothing in it yet",
                            remedy: "Start the server, or make a tenant: either gives it its tables."
                        )
                    ]
                )
            }
            guard schema.pending.isEmpty else {
                return (
                    nil,
                    [
                        Finding(
                            .store,
                            .failed,
                            subject,
                            "its schema is \(schema.number), and this version's is \(schema.newest)",
                            remedy: "Bring it forward: \(AdminProgram.name) migrate up"
                        )
                    ]
                )
            }
            return (try await tools.openStore(settings), [])
        } catch {
            return (
                nil,
                [
                    Finding(
                        .store,
                        .failed,
                        subject,
                        CommandFailure(any: error).message,
                        remedy: "Until it opens, nobody signs in. Compare store with where the database is."
                    )
                ]
            )
        }
    }

    static func findings(_ store: any CredentialDatabase, _ settings: Settings) async -> [Finding] {
        [await answers(store, settings), await masterKey(store, settings)]
    }

    private static func answers(_ store: any CredentialDatabase, _ settings: Settings) async -> Finding {
        let subject = "\(settings.store.value)"
        do throws(StoreError) {
            try await store.check()
            return Finding(.store, .ok, subject, "it answers, and takes writes")
        } catch {
            return Finding(
                .store,
                .failed,
                subject,
                CommandFailure(error).message,
                remedy: "Make room on its disk, or let it write; servers go on by themselves then."
            )
        }
    }

    /// Nothing is made here: a store without a secret gets one from the first server.
    private static func masterKey(_ store: any CredentialDatabase, _ settings: Settings) async -> Finding {
        guard let file = settings.masterKeyFile.value else {
            return Finding(
                .masterKey,
                .failed,
                "master_key_file",
                "it is not set",
                remedy: "Set it to the file that \(AdminProgram.name) master-key create FILE makes."
            )
        }
        do {
            let keys = try MasterKeyFile.read(file)
            guard let secret = try await store.deploymentSecret() else {
                return Finding(.masterKey, .ok, file, "it can be read; the store is sealed by no key yet")
            }
            try DeploymentKeys.verify(secret, opensWith: keys)
            return Finding(.masterKey, .ok, file, "it opens the store, and nobody else may read it")
        } catch {
            return Finding(
                .masterKey,
                .failed,
                file,
                CommandFailure(any: error).message,
                remedy: "Without the key that sealed the store no server starts. If it is lost: \(AdminProgram.name) "
                    + "master-key replace-lost"
            )
        }
    }
}

/// Whether challenges have somewhere to wait.
enum ChallengeCheck {
    static func findings(_ store: any CredentialDatabase, _ settings: Settings) async -> [Finding] {
        let subject = "\(settings.challenges.value)"
        if settings.challenges.value == .memory {
            guard case .sqlite = settings.store.value else {
                return [
                    Finding(
                        .challenges,
                        .warning,
                        subject,
                        "each server keeps its own: of several behind one proxy, one does not know what another began",
                        remedy: "Set challenges: redis://HOST:PORT, or store."
                    )
                ]
            }
            return [Finding(.challenges, .ok, subject, "they lie in the one server's memory")]
        }
        let told = Told()
        do throws(StorageError) {
            let opened = try openChallenges(
                settings.challenges.value.url,
                in: store,
                prefix: "latchkey-doctor:",
                deadline: .seconds(1),
                report: { told.add($0) }
            )
            defer { opened.close() }
            return await findings(of: opened.cache, subject, told)
        } catch {
            return [Finding(.challenges, .failed, subject, "\(error)")]
        }
    }

    /// A server outside is connected to beside us: it gets five seconds.
    private static func findings(
        of cache: any ChallengeCache,
        _ subject: String,
        _ told: Told
    ) async -> [Finding] {
        var fault: StoreError?
        for _ in 0..<50 {
            do throws(StoreError) {
                try await cache.check()
                fault = nil
                break
            } catch {
                fault = error
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        if let fault {
            return [
                Finding(
                    .challenges,
                    .failed,
                    subject,
                    CommandFailure(fault).message,
                    remedy: "Without it nobody begins to sign in: start it, or compare challenges with where it is."
                )
            ]
        }
        let warnings = told.all
        guard warnings.isEmpty else { return warnings.map { Finding(.challenges, .warning, subject, $0) } }
        return [Finding(.challenges, .ok, subject, "it answers")]
    }

    /// What a cache reports, from threads of its own.
    private final class Told: Sendable {
        private let texts = Mutex<[String]>([])

        var all: [String] { texts.withLock { $0 } }

        func add(_ text: String) {
            texts.withLock { if !$0.contains(text) { $0.append(text) } }
        }
    }
}
