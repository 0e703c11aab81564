import Foundation
import Programs

/// The checkout that these tests look at.
enum Repository {
    /// The first folder above this file that has `docs/conformance.md`.
    static let path: String = {
        var folder = URL(fileURLWithPath: "\(#filePath)").deletingLastPathComponent()
        while folder.path != "/" {
            if FileManager.default.fileExists(atPath: folder.path + "/docs/conformance.md") { return folder.path }
            folder = folder.deletingLastPathComponent()
        }
        return FileManager.default.currentDirectoryPath
    }()

    static func text(_ file: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path + "/" + file)), as: UTF8.self)
    }

    /// The files below `folder` whose names end so, with their paths from the repository on.
    static func files(below folder: String, ending suffix: String) -> [String] {
        guard let all = FileManager.default.enumerator(atPath: path + "/" + folder) else { return [] }
        return all.compactMap { $0 as? String }.filter { $0.hasSuffix(suffix) && !$0.contains(".build/") }
            .map { folder + "/" + $0 }
    }

    // MARK: What was built

    static let server = product("latchkey-server", variable: "LATCHKEY_SERVER")
    static let admin = product("latchkey-admin", variable: "LATCHKEY_ADMIN")
    static let python = path + "/.venv/bin/python"

    static var hasProducts: Bool { isExecutable(server) && isExecutable(admin) }
    static var hasPeers: Bool { hasProducts && isExecutable(python) }

    static let noProducts = "needs the release build: swift build -c release"
    static let noPeers = "needs the release build and .venv: .ci/setup test"

    /// Starts a program that finds what was built in its environment, with a home of its own; `environment` is added.
    static func run(
        _ program: String,
        _ words: [String],
        environment: [String: String] = [:],
        in folder: String? = nil
    ) throws -> ChildProcess {
        let home = try TemporaryFolder()
        let plain = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
            "HOME": home.path, "LATCHKEY_SERVER": server, "LATCHKEY_ADMIN": admin,
        ]
        return try ChildProcess(program, words, environment: plain.merging(environment) { $1 }, folder: folder)
    }

    private static func product(_ name: String, variable: String) -> String {
        ProcessInfo.processInfo.environment[variable] ?? "\(path)/.build/release/\(name)"
    }

    private static func isExecutable(_ file: String) -> Bool { FileManager.default.isExecutableFile(atPath: file) }
}
