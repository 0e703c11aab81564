import Foundation
import Programs
import Testing

@Suite("docs/api/openapi.yaml describes what the server serves")
struct OpenAPITests {
    @Test("Every endpoint of the sources is described, and no other")
    func endpoints() throws {
        var served: Set<String> = ["get /healthz", "get /readyz", "get /metrics", "get /tls/allowed"]
        for file in Repository.files(below: "Packages/HTTPAPI/Sources/HTTPAPI", ending: "Routes.swift") {
            for match in try Repository.text(file).matches(of: /Endpoint\(\s*\.(\w+),\s*"(\/[^"]*)"/) {
                served.insert("\(match.1) \(match.2)")
            }
        }
        #expect(served.count > 10)
        #expect(try described() == served)
    }

    @Test("Every reason in the file is one that the sources know, and every one of theirs is in the file")
    func reasons() throws {
        let text = try Repository.text("docs/api/openapi.yaml")
        let list = try #require(
            text.firstMatch(of: /\n    Reason:\n(?:      .*\n)*?      enum:\n((?:        .*\n)+)/)?.1
        )
        let described = Set(list.matches(of: /- (\w+)\n/).map { String($0.1) })
        var known: Set<String> = []
        for file in Repository.files(below: "Packages/HTTPAPI/Sources/HTTPAPI/Responses", ending: ".swift")
            + ["Packages/HTTPAPI/Sources/HTTPAPI/Passkey/PasskeyRoutes.swift"]
        {
            // The last word of a row of the contract; headers are none.
            let rows = try Repository.text(file).replacing(/headers\.add\(.*\)/, with: "")
            known.formUnion(rows.matches(of: /,\s*"(\w+)"\s*\)/).map { String($0.1) })
        }
        let ceremony = "Packages/WebAuthn/Sources/WebAuthn/Ceremony/CeremonyReason.swift"
        known.formUnion(try Repository.text(ceremony).matches(of: /case \w+ = "(\w+)"/).map { String($0.1) })
        #expect(described == known)
    }

    /// Journeys and schemathesis, over TLS, on a server of the release build.
    @Test(
        "A running server answers as it is described, to what is allowed and to what is not",
        .enabled(if: Repository.hasPeers, "\(Repository.noPeers)")
    )
    func describesWhatIsServed() async throws {
        let script = Repository.path + "/Tests/ConformanceTests/OpenAPI/conformance.py"
        let run = try Repository.run(Repository.python, [script])
        let exit = try await run.wait(seconds: 3600)
        #expect(exit == 0, "\(run.output)\n\(run.errors)")
    }

    /// `method path` of each operation in the file. It is our own file, two columns a level.
    private func described() throws -> Set<String> {
        var path = ""
        var isInPaths = false
        var operations: Set<String> = []
        for line in try Repository.text("docs/api/openapi.yaml").split(separator: "\n") {
            if let section = line.firstMatch(of: /^(\w+):/) { isInPaths = section.1 == "paths" }
            guard isInPaths else { continue }
            if let found = line.firstMatch(of: /^  (\/[^:]*):$/) { path = String(found.1) }
            if let method = line.firstMatch(of: /^    (get|post|put|patch|delete):/) {
                operations.insert("\(method.1) \(path)")
            }
        }
        return operations
    }
}
