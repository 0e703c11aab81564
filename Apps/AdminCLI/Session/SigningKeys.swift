import Identity
import Settings
import Terminal
import Threads
import Tokens

extension Deployment {
    /// The keys that are sealed by the file the settings name, read before anything is changed.
    func masterKeys(_ use: String) throws -> MasterKeys {
        guard let path = settings.masterKeyFile.value else {
            throw CommandFailure(
                .wrongUse,
                "--master-key-file is missing: \(use). Make one with: \(AdminProgram.name) master-key create FILE"
            )
        }
        return try MasterKeyFile.read(path)
    }

    /// The store's data key, opened.
    func deploymentKeys(_ use: String) async throws -> DeploymentKeys {
        try await DeploymentKeys.open(try masterKeys(use), store: store, now: now, random: tools.random)
    }

    /// Runs `body` with what moves signing keys on.
    func withKeyRotation<Value>(_ body: (KeyRotation) async throws -> Value) async throws -> Value {
        let keys = try await deploymentKeys("new signing keys are sealed by it")
        let pool = try BlockingPool(name: "keys", threadCount: 1)
        defer { pool.stop() }
        return try await body(KeyRotation(store: store, deployment: keys, pool: pool, random: tools.random))
    }
}
