import Foundation
import Testing
import Transfer

/// OpenSSL's own server on a free port of the loopback, with a certificate for `localhost`, on the files of a folder.
final class FileServer {
    let folder: URL
    let address: String
    private let process = Process()

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "transfer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.run(
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
            "-addext",
            "subjectAltName=DNS:localhost",
            "-keyout",
            "key.pem",
            "-out",
            "certificate.pem",
            in: folder
        )
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.currentDirectoryURL = folder
        process.arguments = [
            "s_server", "-accept", "localhost:0", "-cert", "certificate.pem", "-key", "key.pem", "-WWW",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // "ACCEPT 127.0.0.1:34567" is the line that says where.
        var text = ""
        while !text.contains(/ACCEPT [^\n]*:\d+\n/) {
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty, "openssl ended: \(text)")
            text += String(decoding: more, as: UTF8.self)
        }
        let port = try #require(text.firstMatch(of: /ACCEPT [^\n]*:(\d+)\n/)?.1)
        address = "https://localhost:\(port)"
    }

    deinit {
        // The server has the signal mask of the thread that started it, in which SIGTERM may be blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    var certificate: String { folder.appending(path: "certificate.pem").path }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: folder.appending(path: name))
    }

    private static func run(_ arguments: String..., in folder: URL) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}

@Suite("Getting a document over HTTPS", .serialized)
struct DownloadTests {
    @Test("A document comes as it is, and no more of it than allowed")
    func fetches() throws {
        let server = try FileServer()
        let document = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try server.write("document", document)
        var download = Download(authorities: server.certificate)
        #expect(try download.fetch("\(server.address)/document") == document)
        download.maximumSize = 300_000
        #expect(try download.fetch("\(server.address)/document") == document)
        download.maximumSize = 299_999
        #expect(throws: TransferError.tooLarge(limit: 299_999)) { try download.fetch("\(server.address)/document") }
    }

    @Test("A server whose certificate nobody vouches for is not believed")
    func untrusted() throws {
        let server = try FileServer()
        try server.write("document", [1])
        let error = #expect(throws: TransferError.self) { try Download().fetch("\(server.address)/document") }
        guard case .unavailable(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!reason.isEmpty)
        // The same certificate, for another name.
        let other = server.address.replacingOccurrences(of: "localhost", with: "127.0.0.1")
        #expect(throws: TransferError.self) {
            try Download(authorities: server.certificate).fetch("\(other)/document")
        }
    }

    @Test(
        "Only https:// is an address",
        arguments: ["", "http://localhost/", "file:///etc/passwd", "ftp://x/", "https://", "https://[", "HTTPS://x/"]
    )
    func addresses(_ address: String) {
        #expect(throws: TransferError.badAddress) { try Download(timeout: 1000).fetch(address) }
    }

    @Test("Where nobody listens, it says so")
    func nobody() {
        let error = #expect(throws: TransferError.self) { try Download().fetch("https://localhost:1/") }
        guard case .unavailable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
