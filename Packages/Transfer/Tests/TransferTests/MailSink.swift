import Foundation
import Testing

/// The mail server of `Peers/smtp_sink.py`, as it is told to answer, until this value goes.
final class MailSink {
    private(set) var port: UInt16
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()
    private var text = ""

    /// A mail as the server has it.
    struct Mail: Decodable {
        let hello: String
        let sender: String
        let recipients: [String]
        let message: String
        let tls: Bool
        let user: String?
    }

    private struct Start: Decodable { let port: UInt16 }

    init(_ options: String = "{}") throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers/smtp_sink.py").path
        process.arguments = ["python3", "-B", script, options]
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        port = 0
        port = try JSONDecoder().decode(Start.self, from: Data(try line().utf8)).port
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The next mail that it has taken.
    func mail() throws -> Mail { try JSONDecoder().decode(Mail.self, from: Data(try line().utf8)) }

    private func line() throws -> String {
        while !text.contains("\n") {
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty, "the mail server ended: \(text)")
            text += String(decoding: more, as: UTF8.self)
        }
        let end = try #require(text.firstIndex(of: "\n"))
        defer { text = String(text[text.index(after: end)...]) }
        return String(text[..<end])
    }
}
