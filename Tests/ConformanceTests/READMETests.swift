import Foundation
import Glibc
import Programs
import Testing

@Suite("README.md: what it says can be typed")
struct READMETests {
    private let page: Page

    init() throws {
        page = Page(try Repository.text("README.md"))
    }

    @Test("It is short, and what it links to is there")
    func links() throws {
        let text = try Repository.text("README.md")
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count < 200)
        let links = text.matches(of: /\]\(([\w\/.-]+)\)/).map { String($0.1) }
        #expect(links.count > 5)
        for link in links {
            #expect(FileManager.default.fileExists(atPath: Repository.path + "/" + link), "README.md links to \(link)")
        }
    }

    /// `make run` is the two builds and this command; its Makefile says so.
    @Test(
        "The first minute and the web page: the development server, a client, a passkey in a browser",
        .enabled(if: Repository.hasPeers, "\(Repository.noPeers)")
    )
    func firstMinute() async throws {
        #expect(try #require(page.blocks["dev"]) == "make run\n")
        let recipe = try Repository.text("Makefile")
        #expect(recipe.contains("/latchkey-server\" dev --listen $(LISTEN) $(ARGS)"))

        let folder = try Folder()
        let port = try freePort()
        let pagePort = try freePort()
        let server = try Repository.run(Repository.server, ["dev", "--listen", "localhost:\(port)"], in: folder.path)
        defer { server.send(SIGTERM) }
        let isListening = try await eventually(seconds: 90) {
            !server.isRunning || (server.output + server.errors).contains("listening on ")
        }
        let said = server.output + server.errors
        try #require(isListening && server.isRunning, "\(said)")
        let printed = try #require(page.others.first)
        #expect(Self.shape(said) == Self.shape(printed), "README.md shows what the server prints:\n\(said)")

        try folder.linkProducts()
        let ports = [("localhost:8080", "localhost:\(port)"), ("localhost:5173", "localhost:\(pagePort)")]
        let made = try await folder.shell(try #require(page.blocks["client"]).replacing(ports))
        let client = try #require(made.firstMatch(of: /client_id[": ]+([A-Za-z0-9_-]{16,})/)?.1, "\(made)")

        let snippet = try #require(page.blocks["web"]).replacing(ports + [("CLIENT_ID", String(client))])
        #expect(snippet.split(separator: "\n").count <= 14)
        try folder.write(snippet, to: "app.js")
        let script = Repository.path + "/Tests/ConformanceTests/README/web_snippet.py"
        let browser = try Repository.run(Repository.python, [script, folder.path + "/app.js", "\(pagePort)"])
        let exit = try await browser.wait(seconds: 900)
        #expect(exit == 0, "\(browser.output)\(browser.errors)\n\(server.errors.suffix(3000))")

        server.send(SIGTERM)
        #expect(try await server.wait(seconds: 120) == 0)
    }

    @Test(
        "For real: a key, a checked configuration, a tenant, and a server that answers for it",
        .enabled(if: Repository.hasProducts, "\(Repository.noProducts)")
    )
    func real() async throws {
        let folder = try Folder()
        let port = try freePort()
        let places = [
            ("/etc/latchkey", folder.path + "/etc"), ("/var/lib/latchkey", folder.path + "/var"),
            ("listen: localhost:8080", "listen: localhost:\(port)"), ("127.0.0.1:9090", "127.0.0.1:\(try freePort())"),
        ]
        for name in ["/etc", "/var"] {
            try FileManager.default.createDirectory(
                atPath: folder.path + name,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        }
        #expect(page.files.map(\.path) == ["/etc/latchkey/latchkey.yaml"])
        for file in page.files { try folder.write(file.text.replacing(places), to: "etc/latchkey.yaml") }
        try folder.linkProducts()
        let commands = "export PATH=\"$PWD/.build/release:$PATH\"\n" + (try #require(page.blocks["real"]))
        let said = try await folder.shell(commands.replacing(places))
        #expect(said.contains("login.acme.example"), "\(said)")

        let server = try Repository.run(Repository.server, ["--config", folder.path + "/etc/latchkey.yaml"])
        defer { server.send(SIGTERM) }
        let isListening = try await eventually(seconds: 90) {
            !server.isRunning || (server.output + server.errors).contains("listening on ")
        }
        try #require(isListening && server.isRunning, "\(server.errors)")
        // As the proxy of step 6 would ask.
        let discovery = try await folder.shell(
            """
            curl -sS --noproxy '*' -H 'X-Forwarded-Host: login.acme.example' -H 'X-Forwarded-Proto: https' \
                http://127.0.0.1:\(port)/.well-known/openid-configuration
            """
        )
        #expect(discovery.contains("\"issuer\":\"https://login.acme.example/\""), "\(discovery)")
        server.send(SIGTERM)
        #expect(try await server.wait(seconds: 120) == 0)
    }

    /// The lines without their ids and addresses: what the reader recognises.
    private static func shape(_ text: String) -> [String] {
        let lines = text.split(separator: "\n").map(String.init)
        guard let first = lines.firstIndex(where: { $0.hasPrefix("Latchkey ") }) else { return [] }
        return lines[first...].map { line in
            line.replacing(/client_id [A-Za-z0-9_-]+/) { _ in "client_id ID" }
                .replacing(/localhost:\d+/) { _ in "localhost:PORT" }
                .replacing(/\S*latchkey-admin/) { _ in "latchkey-admin" }
                .replacing(/^.*listening on ([a-z]+:\/\/localhost:PORT).*$/) { "listening on \($0.1)" }
        }
    }
}

/// A folder in place of a clone.
final class Folder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "/latchkey-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path + "/" + name))
    }

    /// The two programs where a build puts them.
    func linkProducts() throws {
        let bin = path + "/.build/release"
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        for (name, program) in [("latchkey-server", Repository.server), ("latchkey-admin", Repository.admin)] {
            try FileManager.default.createSymbolicLink(atPath: bin + "/" + name, withDestinationPath: program)
        }
    }

    /// Runs a block in this folder as it stands.
    ///
    /// - Returns: what it said, on both streams.
    func shell(_ text: String) async throws -> String {
        let shell = try Repository.run("/bin/bash", ["-euo", "pipefail", "-c", text], in: path)
        let exit = try await shell.wait(seconds: 900)
        try #require(exit == 0, "\(text)\n\(shell.output)\(shell.errors)")
        return shell.output + shell.errors
    }
}

/// A port that nothing listens on.
func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = unsafe withUnsafeMutablePointer(to: &name) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
            unsafe bind(descriptor, general, size) == 0 ? unsafe getsockname(descriptor, general, &size) : -1
        }
    }
    guard code == 0 else { throw CocoaError(.fileReadUnknown) }
    return Int(in_port_t(bigEndian: name.sin_port))
}
