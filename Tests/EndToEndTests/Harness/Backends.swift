import Foundation

/// Where the servers of these tests keep things, chosen by the environment alone, so that the same suite runs on all:
/// `LATCHKEY_TEST_CHALLENGES` is `memory` (the default), `store` or `redis`.
enum Backends {
    static let challenges = ProcessInfo.processInfo.environment["LATCHKEY_TEST_CHALLENGES"] ?? "memory"

    /// The setting `challenges`; one Redis serves all, for each server has keys of its own in it.
    static func challengesURL() async throws -> String {
        guard challenges == "redis" else { return challenges }
        return try await redis.value.url
    }

    private static let redis = Task { try await Redis.start() }
}

extension Backends {
    /// Whether times are judged: when a test runs by itself on a quiet machine, and whoever runs it says so.
    static let judgesTime = ProcessInfo.processInfo.environment["LATCHKEY_JUDGES_TIME"] == "1"
}
