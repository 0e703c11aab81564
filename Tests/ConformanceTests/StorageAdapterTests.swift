import Foundation
import Programs
import Testing

@Suite("docs/storage-adapters.md")
struct StorageAdapterTests {
    @Test("The adapter that the page walks through is built as it stands there, and keeps the contract")
    func walkThrough() async throws {
        let root = URL(fileURLWithPath: Repository.path)
        let page = try String(contentsOf: root.appending(path: "docs/storage-adapters.md"), encoding: .utf8)
        let files = Self.files(in: page)
        #expect(
            Set(files.keys) == [
                "Package.swift", "Sources/CacheInActor/CacheInActor.swift",
                "Tests/CacheInActorTests/ContractTests.swift",
            ]
        )
        // Kept between runs, so that only the first one builds what the adapter imports.
        let folder = root.appending(path: ".build/storage-adapter")
        let package = folder.appending(path: "CacheInActor")
        for (name, text) in files {
            let file = package.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            let packages = root.appending(path: "Packages").path
            let content = text.replacingOccurrences(of: "path: \"../", with: "path: \"\(packages)/")
            if (try? String(contentsOf: file, encoding: .utf8)) == content { continue }
            try content.write(to: file, atomically: true, encoding: .utf8)
        }
        let test = try Repository.run(
            "/usr/bin/env",
            ["swift", "test", "--package-path", package.path, "--scratch-path", folder.appending(path: "build").path]
        )
        let status = try await test.wait(seconds: 1800)
        #expect(status == 0, "\(test.output.suffix(3000))\(test.errors.suffix(3000))")
        #expect(
            test.output.contains("with 10 test cases passed"),
            "every promise was tried\n\(test.output.suffix(3000))"
        )
    }

    /// The code blocks of the page that stand below a file's name.
    private static func files(in page: String) -> [String: String] {
        var files: [String: String] = [:]
        var name: String?
        var block: [Substring]?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if let lines = block {
                if line == "```" {
                    if let name { files[name] = lines.joined(separator: "\n") + "\n" }
                    (block, name) = (nil, nil)
                } else {
                    block?.append(line)
                }
            } else if line == "```swift" {
                block = []
            } else if line.hasPrefix("`"), line.hasSuffix(".swift`") {
                name = String(line.dropFirst().dropLast())
            }
        }
        return files
    }
}
