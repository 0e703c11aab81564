import Encodings
import HTTPServer

extension HTTPResponse {
    static func json(_ body: [UInt8], status: Int = 200) -> HTTPResponse {
        var headers = HTTPHeaders()
        headers.add("Content-Type", "application/json; charset=utf-8")
        return HTTPResponse(status: status, headers: headers, body: body)
    }

    /// An answer that `write` composes.
    static func json(status: Int = 200, capacity: Int = 512, _ write: (inout JSONWriter) -> Void) -> HTTPResponse {
        var json = JSONWriter(capacity: capacity)
        write(&json)
        return .json(json.bytes, status: status)
    }
}
