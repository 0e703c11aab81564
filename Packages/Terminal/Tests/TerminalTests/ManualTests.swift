import Glibc
import Terminal
import Testing

@Suite("Man pages")
struct ManualTests {
    private static let isInstalled = unsafe access("/usr/bin/scdoc", X_OK) == 0

    @Test("The page has every command, flag, variable and exit code")
    func everything() {
        let page = keeper.manual()
        #expect(page.hasPrefix("keeper(1) \"keeper 1.2.3\"\n\n# NAME\n\nkeeper - for the keeper of the keys\n"))
        for part in [
            "## keeper tenant create NAME --domain HOST\\[:PORT\\] \\[flags\\]",
            "*--origin* _URL_\n\tAn origin that is related.",
            "*-o*, *--output* _FORMAT_", "*--kind* _jwt\\|cbor\\|attestation_",
            "*KEEPER\\_STORE*\n\tThe store, as --store.", "*130*\n\tInterrupted.",
            "```\nkeeper decode token.txt\n```", "# SYNOPSIS\n\n*keeper* _COMMAND_ [flags]",
        ] {
            #expect(page.contains(part), "\(part) is not in\n\(page)")
        }
    }

    @Test("scdoc accepts it", .enabled(if: Self.isInstalled, "scdoc is not installed"))
    func scdoc() throws {
        let page = try #require(Self.filtered(keeper.manual(), through: "scdoc"))
        #expect(page.contains(".TH \"keeper\" \"1\""))
        #expect(page.contains("KEEPER_STORE"))
        #expect(page.contains("HOST[:PORT]"))
        #expect(page.contains("jwt|cbor|attestation"))
    }

    /// What a program prints for some input, or `nil` when it fails.
    private static func filtered(_ text: String, through program: String) -> String? {
        var template = Array("/tmp/manual-XXXXXX".utf8CString)
        let descriptor = unsafe mkstemp(&template)
        guard descriptor >= 0 else { return nil }
        StandardOutput(descriptor: descriptor).write(text)
        close(descriptor)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unsafe unlink(path) }
        guard let pipe = unsafe popen("\(program) < \(path)", "r") else { return nil }
        var bytes: [UInt8] = []
        while case let byte = unsafe fgetc(pipe), byte >= 0 { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        guard unsafe pclose(pipe) == 0 else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
