import Foundation

/// Where the tests find what they run.
enum Paths {
    /// The repository: the first folder above this file that has `Packages/HTTPAPI`.
    static let repository: String = {
        var folder = URL(fileURLWithPath: "\(#filePath)").deletingLastPathComponent()
        while folder.path != "/" {
            let marker = folder.appendingPathComponent("Packages/HTTPAPI/Package.swift").path
            if FileManager.default.fileExists(atPath: marker) { return folder.path }
            folder = folder.deletingLastPathComponent()
        }
        return FileManager.default.currentDirectoryPath
    }()

    static let server = product("latchkey-server", variable: "LATCHKEY_SERVER")
    static let admin = product("latchkey-admin", variable: "LATCHKEY_ADMIN")
    static let tenant = product("latchkey-tenant", variable: "LATCHKEY_TENANT")
    static let python = repository + "/.venv/bin/python"
    static let chromium = "/usr/bin/chromium"
    static let peers = repository + "/Tests/EndToEndTests/Peers"

    static var hasProducts: Bool { isExecutable(server) && isExecutable(admin) && isExecutable(tenant) }
    static var hasPeers: Bool { hasProducts && isExecutable(python) }
    static var hasBrowser: Bool { hasPeers && isExecutable(chromium) }

    static let noProducts = "needs the release build: swift build -c release"
    static let noPeers = "needs the release build and .venv: .ci/setup test"
    static let noBrowser = "needs the release build, .venv and chromium: .ci/setup test"

    private static func product(_ name: String, variable: String) -> String {
        ProcessInfo.processInfo.environment[variable] ?? "\(repository)/.build/release/\(name)"
    }

    private static func isExecutable(_ path: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: path)
    }
}
