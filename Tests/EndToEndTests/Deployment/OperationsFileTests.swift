import Foundation
import Programs
import Testing

/// docs/operations.md names nothing that is not there.
@Suite("The operations manual", .enabled(if: Paths.hasProducts, "\(Paths.noProducts)"))
struct OperationsFileTests {
    private let text = contents(Paths.repository + "/docs/operations.md")

    @Test(
        "Every metric that it names is served, and every one that is served is named",
        .enabled(if: Redis.isInstalled, "\(Redis.missing)")
    )
    func metrics() async throws {
        let redis = try await Redis.start()
        let onRedis = try await LatchkeyServer.start([
            "LATCHKEY_STORE": try await PostgreSQL.shared.freshURL(), "LATCHKEY_CHALLENGES": redis.url,
        ])
        // Nothing listens there; what is counted is there all the same.
        let inMemory = try await LatchkeyServer.start([
            "LATCHKEY_CHALLENGES": "memory", "LATCHKEY_MAIL": "smtp://127.0.0.1:1",
            "LATCHKEY_MAIL_FROM": "Acme <no-reply@acme.example>",
        ])
        var served: Set<String> = []
        for server in [onRedis, inMemory] {
            let page = try await server.sendToAdmin(.get("/metrics")).text
            for line in page.split(separator: "\n") where line.hasPrefix("# TYPE ") {
                let words = line.split(separator: " ")
                try #require(words.count == 4)
                let name = String(words[2])
                served.insert(name)
                let isHistogram = words[3] == "histogram"
                for end in isHistogram ? ["_bucket", "_sum", "_count"] : [] { served.insert(name + end) }
            }
        }
        let start = try #require(text.range(of: "\n## Monitoring\n")?.upperBound)
        let section = text[start...].prefix(upTo: text[start...].range(of: "\n## ")?.lowerBound ?? text.endIndex)
        let named = Set(section.matches(of: /latchkey_[a-z_]+/).map { String($0.output) })
        #expect(named.subtracting(served).sorted() == [])
        let isNamed = { (name: String) in
            named.contains(name) || ["_bucket", "_sum", "_count"].contains { name.hasSuffix($0) }
        }
        #expect(served.filter { !isNamed($0) }.sorted() == [])
        try await onRedis.stop()
        try await inMemory.stop()
    }

    @Test("Every command that it shows is known to its program, flags too")
    func commands() async throws {
        let shown = Set(
            text.matches(of: /latchkey-(server|admin)( [a-z][a-z-]*)*( --?[a-z-]+)*/).map { String($0.output.0) }
        )
        #expect(shown.count > 15)
        for line in shown.sorted() {
            let words = line.split(separator: " ").map(String.init)
            let program = words[0] == "latchkey-server" ? Paths.server : Paths.admin
            let flags = words.filter { $0.hasPrefix("-") }
            var command = words.dropFirst().filter { !$0.hasPrefix("-") }
            // What follows the command is a word of the sentence or a value: the longest beginning that is known counts.
            // Without one it is what the server does when it is told nothing.
            if command.isEmpty, program == Paths.server { command = ["serve"] }
            var help = try await run(program, ["help"] + command)
            while help.exit != 0, command.count > 1 {
                command.removeLast()
                help = try await run(program, ["help"] + command)
            }
            if words.count > 1, !words[1].hasPrefix("-") { #expect(help.exit == 0, "\(line)") }
            for flag in flags { #expect(help.output.contains(flag), "\(line): \(flag)") }
        }
    }

    @Test("Every script and make target that it names is there")
    func scripts() throws {
        let makefile = contents(Paths.repository + "/Makefile")
        for match in text.matches(of: /`make ([a-z]+)/) {
            #expect(makefile.contains("\n\(match.output.1):"), "make \(match.output.1)")
        }
        for match in text.matches(of: /([A-Za-z.]+)\/[A-Za-z0-9_\/.-]*[A-Za-z0-9_]/)
        where ["Tests", "docs", ".ci"].contains(match.output.1) {
            let path = String(match.output.0)
            #expect(FileManager.default.fileExists(atPath: Paths.repository + "/" + path), "\(path)")
        }
    }
}
