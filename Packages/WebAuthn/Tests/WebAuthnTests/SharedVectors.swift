import Encodings
import Foundation
import Testing
import WebAuthn

/// The vector files beside the checkout, or where `LATCHKEY_VECTORS` says.
enum SharedVectors {
    static let skipped: Comment = "the test vectors are not there (LATCHKEY_VECTORS, or ../shared/vectors)"

    static let directory: String? = {
        if let override = ProcessInfo.processInfo.environment["LATCHKEY_VECTORS"] { return override }
        var path = URL(fileURLWithPath: #filePath)
        while path.path != "/" {
            path.deleteLastPathComponent()
            let folder = path.path + "/../shared/vectors"
            if FileManager.default.fileExists(atPath: folder + "/README.md") { return folder }
        }
        return nil
    }()

    static var areThere: Bool { directory != nil }

    /// The whole of a file.
    static func file(_ name: String) throws -> JSONObject {
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(directory ?? "")/\(name).json"))
        return try #require(try JSON.parse([UInt8](data), allowingNUL: true).object)
    }

    /// The cases of a file.
    static func cases(_ name: String) throws -> [JSONObject] {
        try #require(try file(name)["cases"]?.array).map { try #require($0.object) }
    }
}

extension VectorRunner {
    /// Sends one case through the runner as a line, and reads the answer.
    func answer(_ operation: String, _ id: String, _ input: JSONObject, requires: JSONValue? = nil) throws -> JSONObject
    {
        var line: JSONObject = ["id": .string(id), "op": .string(operation), "input": .object(input)]
        if let requires { line["requires"] = requires }
        let answer = answer(line: JSONValue.object(line).serialized()[...])
        #expect(!answer.contains(UInt8(ascii: "\n")))
        let object = try #require(try JSON.parse(answer).object)
        #expect(object["id"]?.string == id)
        return object
    }
}

extension JSONObject {
    func text(_ name: String) throws -> String {
        try #require(self[name]?.string, "\(name)")
    }

    func object(_ name: String) throws -> JSONObject {
        try #require(self[name]?.object, "\(name)")
    }

    /// Fails when there is a member that the tests do not know.
    func expectOnly(_ names: Set<String>, _ id: String) {
        for member in members where !names.contains(member.name) {
            Issue.record("\(id): unknown member \(member.name)")
        }
    }
}
