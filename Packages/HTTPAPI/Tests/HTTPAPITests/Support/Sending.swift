import Encodings
import HTTPServer
import Testing

@testable import HTTPAPI

/// A request as a test writes it.
struct Ask {
    var method: String
    var target: String
    var fields: [(String, String)]
    var body: [UInt8]
    var host: String? = House.host
    var peer = Ask.somewhere
    var isTLS = true

    /// A client on the network.
    static let somewhere = Ask.peer("198.51.100.7")
    /// A client on this machine.
    static let here = Ask.peer("127.0.0.1")

    static func peer(_ address: String) -> PeerAddress {
        IPAddress(address).map { .ip($0, port: 4711) } ?? .unixSocket
    }

    static func get(_ target: String) -> Ask { Ask(method: "GET", target: target, fields: [], body: []) }

    static func json(_ target: String, _ body: JSONObject) -> Ask {
        raw(target, JSONValue.object(body).serialized(), type: "application/json")
    }

    static func form(_ target: String, _ body: String) -> Ask {
        raw(target, Array(body.utf8), type: "application/x-www-form-urlencoded")
    }

    static func raw(_ target: String, _ body: [UInt8], type: String?) -> Ask {
        Ask(method: "POST", target: target, fields: type.map { [("Content-Type", $0)] } ?? [], body: body)
    }

    func with(_ name: String, _ value: String?) -> Ask {
        var ask = self
        if let value { ask.fields.append((name, value)) }
        return ask
    }

    func set<Value>(_ path: WritableKeyPath<Ask, Value>, _ value: Value) -> Ask {
        var ask = self
        ask[keyPath: path] = value
        return ask
    }

    /// The request, read by the engine's own parser.
    func request() throws -> HTTPRequest {
        var head = "\(method) \(target) HTTP/1.\(host == nil ? 0 : 1)\r\n"
        if let host { head += "Host: \(host)\r\n" }
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
        let bytes = Array((head + "\r\n").utf8)
        var parser = RequestParser()
        var offset = 0
        guard case .head(let parsed) = parser.advance(bytes.span, from: &offset) else { throw NotHTTP(head: head) }
        return HTTPRequest(head: parsed, body: body, peer: peer, isTLS: isTLS)
    }

    struct NotHTTP: Error {
        let head: String
    }
}

/// An answer with its body read as JSON.
struct Answer: CustomStringConvertible {
    let response: HTTPResponse

    var status: Int { response.status }
    var json: JSONObject { (try? JSON.parse(response.body))?.object ?? JSONObject() }
    subscript(name: String) -> JSONValue? { json[name] }
    func string(_ name: String) -> String? { json[name]?.string }
    func header(_ name: String) -> String? { response.headers[name] }
    func values(_ name: String) -> [String] { response.headers.values(of: name) }
    var reason: String? { string("reason") }

    var body: [UInt8] { response.body }
    /// The names of all fields, in order.
    var fields: [String] { response.headers.all.map(\.name) }

    /// The `name=value` of a cookie that is set, with its attributes.
    func cookie(_ name: String) -> String? { values("set-cookie").first { $0.hasPrefix(name + "=") } }

    /// The value of a cookie that is set.
    func cookieValue(_ name: String) -> String? {
        cookie(name).map { String($0.dropFirst(name.count + 1).prefix { $0 != ";" }) }
    }

    var description: String {
        let fields = response.headers.all.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
        return "\(status)\n\(fields)\n\n" + String(decoding: response.body, as: UTF8.self)
    }
}

extension House {
    func send(_ ask: Ask) async throws -> Answer { Answer(response: await api.handle(try ask.request())) }
}

/// The row of the contract that an answer must be.
func expect(
    _ answer: Answer,
    _ status: Int,
    _ error: String,
    _ description: String,
    _ reason: String,
    at location: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == status, "\(answer)", sourceLocation: location)
    #expect(answer.string("error") == error, "\(answer)", sourceLocation: location)
    #expect(answer.string("error_description") == description, "\(answer)", sourceLocation: location)
    #expect(answer.reason == reason, "\(answer)", sourceLocation: location)
    #expect(answer.header("content-type") == "application/json; charset=utf-8", sourceLocation: location)
}
