import Glibc
import Settings
import Testing

@Suite("The manual page latchkey.yaml(5)")
struct ManualTests {
    private static let isInstalled = unsafe access("/usr/bin/scdoc", X_OK) == 0

    @Test("Every setting, its twin and its default are in it")
    func everySetting() {
        let page = Settings.manual(version: "1.2.3")
        #expect(page.hasPrefix("latchkey.yaml(5) \"Latchkey 1.2.3\"\n"))
        for key in SettingKey.allCases {
            let name = key.name.split(separator: "_", omittingEmptySubsequences: false).joined(separator: "\\_")
            #expect(page.contains("\n*\(name)*"), "\(key.name)")
        }
        #expect(page.contains("\n*store*, *store\\_file*\n"))
        #expect(page.contains("Default: 60/minute."))
        #expect(page.contains("Default: 16KiB."))
    }

    @Test("The example in it is accepted")
    func example() throws {
        let parts = Settings.manual(version: "1").split(separator: "```\n", omittingEmptySubsequences: false)
        #expect(parts.count == 3)
        _ = try load(String(parts[1]), environment: [:])
    }

    @Test("scdoc accepts it", .enabled(if: Self.isInstalled, "scdoc is not installed"))
    func scdoc() throws {
        var template = Array("/tmp/manual-XXXXXX".utf8CString)
        let descriptor = unsafe mkstemp(&template)
        try #require(descriptor >= 0)
        let page = Array(Settings.manual(version: "1").utf8)
        #expect(unsafe page.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) } == page.count)
        close(descriptor)
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer { unsafe unlink(path) }
        let status = unsafe system("scdoc < \(path) > \(path).5")
        defer { unsafe unlink(path + ".5") }
        #expect(status == 0)
        let made = String(decoding: try PosixFileReader().read(path + ".5"), as: UTF8.self)
        #expect(made.contains(".TH \"latchkey.yaml\" \"5\""))
        #expect(made.contains("store_file"))
    }
}
