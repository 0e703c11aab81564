import Foundation
import Testing

@testable import TenantCLI

@Suite("latchkey-tenant completion")
struct CompletionTests {
    @Test(
        "bash completes commands, flags and their values",
        arguments: [
            (["cli"], "client"), (["client", "li"], "list"), (["client", "list", "-o", "c"], "csv"),
            (["--quiet", "grant", "c"], "create"), (["client", "create", "--ty"], "--type"),
            (["client", "create", "--type", "sp"], "spa"), (["client", "x"], ""),
        ]
    )
    func bash(_ words: [String], _ reply: String) async throws {
        let script = await ToolRun(["completion", "bash"]).output
        let quoted = (["latchkey-tenant"] + words).map { "'\($0)'" }.joined(separator: " ")
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = [
            "-c",
            "\(script)\nCOMP_WORDS=(\(quoted)); COMP_CWORD=\(words.count); _latchkey_tenant; printf %s \"${COMPREPLY[*]}\"",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(String(decoding: answer, as: UTF8.self) == reply)
    }
}
