import Foundation
import Terminal
import Testing

@testable import TenantCLI

@Suite("latchkey-tenant policy test")
struct PolicyTestTests {
    private static let policy = """
        databases:
          - name: Staff
            strategy: auth0
            options:
              passkey_options:
                webauthn:
                  user_verification: required
                  algorithms: [-8, -7]
                  attestation: direct
                  denied_aaguids: [ee882879-721c-4913-9775-3dfcce97072a]
                  require_backup_eligible: true

        """

    private func run(_ cases: String, _ words: [String] = []) async throws -> ToolRun {
        let folder = FileManager.default.temporaryDirectory.appending(path: "policy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, tests) = (folder.appending(path: "t.yaml").path, folder.appending(path: "c.yaml").path)
        try Data(Self.policy.utf8).write(to: URL(filePath: file))
        try Data(cases.utf8).write(to: URL(filePath: tests))
        return await ToolRun(["policy", "test", tests, "--file", file] + words)
    }

    private func one(_ ceremony: String, _ facts: String, _ expect: String) -> String {
        "- { name: x, connection: Staff, ceremony: \(ceremony), facts: { \(facts) }, expect: \(expect) }\n"
    }

    @Test(
        "Each fact meets its rule",
        arguments: [
            ("registration", "", "accept"), ("registration", "uv: false", "user_verification_missing"),
            ("registration", "alg: -257", "algorithm_not_allowed"),
            ("registration", "aaguid: ee882879-721c-4913-9775-3dfcce97072a", "authenticator_not_allowed"),
            ("registration", "be: false, bs: false", "authenticator_not_allowed"),
            ("registration", "be: false, bs: true", "backup_flags_invalid"),
            ("registration", "fmt: unheard-of", "authenticator_not_allowed"),
            ("authentication", "uv: false", "user_verification_missing"), ("authentication", "alg: -257", "accept"),
        ]
    )
    func verdicts(_ ceremony: String, _ facts: String, _ expect: String) async throws {
        let right = try await run(one(ceremony, facts, expect))
        #expect(right.exit == .done, "\(right)")
        let other = expect == "accept" ? "user_verification_missing" : "accept"
        let wrong = try await run(one(ceremony, facts, other), ["-o", "json"])
        #expect(wrong.exit == .answerIsNo && wrong.output.contains("\"got\": \"\(expect)\""), "\(wrong)")
    }

    @Test("A wrong case is told with its place")
    func faults() async throws {
        for (cases, text) in [
            (one("registration", "nope: 1", "accept"), "there is no fact \"nope\""),
            (one("enrolment", "", "accept"), "ceremony is registration or authentication"),
            (one("registration", "", "user_verification_mising"), "Did you mean user_verification_missing?"),
            (one("registration", "uv: 1", "accept"), "uv is true or false"), ("a: b\n", "are a list of cases"),
            (one("registration", "", "accept").replacing("Staff", with: "Nobody"), "there is no connection \"Nobody\""),
        ] {
            let run = try await run(cases)
            #expect(run.exit == .wrongUse && run.errors.contains(text) && run.errors.contains("c.yaml:1:"), "\(run)")
        }
    }
}
