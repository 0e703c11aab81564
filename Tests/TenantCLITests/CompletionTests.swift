import Foundation
import Testing

@testable import TenantCLI

/// What the shells themselves make of the scripts.
@Suite("latchkey-tenant completion")
struct CompletionTests {
    /// Words that are there, and all that the last of them can become.
    private static let cases: [([String], [String])] = [
        (["cli"], ["client"]), (["client", "li"], ["list"]), (["client", "list", "-o", "c"], ["csv"]),
        (["--quiet", "grant", "c"], ["create"]), (["client", "create", "--ty"], ["--type"]),
        (["client", "create", "--type", "sp"], ["spa"]), (["client", "x"], []),
        (["policy", ""], ["set", "show", "test"]),
    ]

    @Test("bash completes commands, flags and their values", arguments: cases)
    func bash(_ words: [String], _ replies: [String]) async throws {
        let script = await ToolRun(["completion", "bash"]).output
        let quoted = (["latchkey-tenant"] + words).map { "'\($0)'" }.joined(separator: " ")
        let found = try answer(
            of: "/bin/bash",
            "\(script)\nCOMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count); _latchkey_tenant"
                + "; printf '%s\\n' \"${COMPREPLY[@]}\""
        )
        #expect(found == replies)
    }

    @Test(
        "zsh completes them too",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/zsh"), "needs zsh: .ci/setup test"),
        arguments: cases
    )
    func zsh(_ words: [String], _ replies: [String]) async throws {
        let script = await ToolRun(["completion", "zsh"]).output
        let quoted = (["latchkey-tenant"] + words).map { "'\($0)'" }.joined(separator: " ")
        // What zsh's own functions are told, which only run while a line is edited.
        let found = try answer(
            of: "/usr/bin/zsh",
            """
            compdef() { }
            _files() { }
            compadd() { shift; print -rl -- "$@" }
            _describe() { print -rl -- "${(@)${(P)2}%%:*}" }
            \(script)
            words=(\(quoted)); CURRENT=\(words.count + 1); _latchkey_tenant
            """,
            flags: ["-f"]
        )
        // zsh itself leaves out what does not begin so.
        #expect(found.filter { $0.hasPrefix(words.last ?? "") } == replies)
    }

    @Test(
        "fish completes them too",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish"), "needs fish: .ci/setup test"),
        arguments: cases
    )
    func fish(_ words: [String], _ replies: [String]) async throws {
        let script = await ToolRun(["completion", "fish"]).output
        let line = (["latchkey-tenant"] + words).joined(separator: " ")
        let found = try answer(of: "/usr/bin/fish", "\(script)\ncomplete -C '\(line)'", flags: ["--no-config"])
        // A tab and a description may follow.
        #expect(found.map { String($0.prefix { $0 != "\t" }) } == replies)
    }

    /// The lines that a shell's script prints, in order of the alphabet.
    private func answer(of shell: String, _ script: String, flags: [String] = []) throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: shell)
        process.arguments = flags + ["-c", script]
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8", "TERM": "dumb"]
        process.currentDirectoryURL = URL(filePath: "/proc/self/task")
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: answer, as: UTF8.self).split(separator: "\n").map(String.init).sorted()
    }
}
