import Foundation
import Terminal
import Testing

@testable import TenantCLI

@Suite("latchkey-tenant-file(5)")
struct ManualTests {
    @Test("It names every member of the schema, and what it may be")
    func members() async throws {
        let page = await ToolRun(["schema", "--manual"])
        #expect(page.exit == .done)
        for text in [
            "# clients", "*token\\_endpoint\\_auth\\_method*",
            "*options.passkey\\_options.webauthn.user\\_verification*",
            "One of required, preferred, discouraged.", "Required.", "# customDomains", "# policy\\_tests",
        ] {
            #expect(page.output.contains(text), "\(text)")
        }
        #expect(page.output.utf8.allSatisfy { $0 < 0x7F })
    }

    @Test(
        "scdoc takes it",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/scdoc"), "needs scdoc: .ci/setup test")
    )
    func scdoc() async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", "printf %s \"$1\" | scdoc", "sh", await ToolRun(["schema", "--manual"]).output]
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let page = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(page.contains("LATCHKEY-TENANT-FILE") || page.contains(".TH \"latchkey-tenant-file\" \"5\""), "\(page)")
    }
}
