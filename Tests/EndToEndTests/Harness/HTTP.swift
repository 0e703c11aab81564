import Encodings
import Foundation

/// A request as it goes over the wire: nothing is checked or put right.
struct Request: Sendable {
    var method = "GET"
    var target: String
    var headers: [(name: String, value: String)] = []
    var body: [UInt8]?
    /// The address to come from; the whole of 127.0.0.0/8 is this machine.
    var source = "127.0.0.1"
    /// Whether `Host`, `Content-Length` and `Connection` are added.
    var isComplete = true

    func with(_ name: String, _ value: String) -> Request {
        var copy = self
        copy.headers.append((name, value))
        return copy
    }

    func from(_ source: String) -> Request {
        var copy = self
        copy.source = source
        return copy
    }

    func bytes(host: String) -> [UInt8] {
        var text = "\(method) \(target) HTTP/1.1\r\n"
        if isComplete {
            if !headers.contains(where: { $0.name.lowercased() == "host" }) { text += "Host: \(host)\r\n" }
            if let body { text += "Content-Length: \(body.count)\r\n" }
            text += "Connection: close\r\n"
        }
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return Array((text + "\r\n").utf8) + (body ?? [])
    }

    static func get(_ target: String) -> Request { Request(target: target) }

    static func json(_ target: String, _ object: JSONObject) -> Request {
        raw(target, JSONValue.object(object).serialized(), type: "application/json")
    }

    static func form(_ target: String, _ fields: [(String, String)]) -> Request {
        let text = fields.map { "\(escaped($0.0))=\(escaped($0.1))" }.joined(separator: "&")
        return raw(target, Array(text.utf8), type: "application/x-www-form-urlencoded")
    }

    static func raw(_ target: String, _ body: [UInt8], type: String?) -> Request {
        var request = Request(method: "POST", target: target)
        if let type { request.headers = [("Content-Type", type)] }
        request.body = body
        return request
    }

    static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + Hex.encode([byte]).uppercased()
        }
        .joined()
    }
}

/// An answer as it came.
struct Response: Sendable, CustomStringConvertible {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    /// The first header of that name.
    func header(_ name: String) -> String? { values(of: name).first }

    func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONObject { (try? JSON.parse(body[...]).object) ?? JSONObject() }

    subscript(member: String) -> JSONValue? { json[member] }
    func string(_ member: String) -> String? { json[member]?.string }

    /// The value of the cookie `name` that the answer sets.
    func cookie(_ name: String) -> String? {
        for line in values(of: "set-cookie") where line.hasPrefix(name + "=") {
            return String(line.dropFirst(name.count + 1).prefix { $0 != ";" })
        }
        return nil
    }

    var description: String {
        "\(status) " + headers.map { "\($0.name): \($0.value)" }.joined(separator: " | ") + "\n" + text
    }
}

enum HTTPTestError: Error {
    case socket(String, errno: Int32)
    case noAnswer(String)
}
