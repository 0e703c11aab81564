/// Writes answers as bytes (RFC 9112 §4 to §6).
public enum ResponseWriter {
    /// What becomes of the connection after an answer, and whether that must be said.
    public enum Persistence: Hashable, Sendable {
        /// It stays open, as HTTP/1.1 does unasked.
        case keepAlive
        /// It stays open, and an HTTP/1.0 client must be told.
        case keepAliveSaid
        case close
    }

    /// `HTTP/1.1 100 Continue` with its empty line.
    public static let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Appends status line, fields and the empty line.
    ///
    /// - Parameters:
    ///   - response: the answer. Its body is counted, not appended.
    ///   - persistence: what becomes of the connection.
    ///   - date: a whole `Date` field with its CRLF, as ``HTTPDate/field(_:)`` makes it.
    ///   - output: what is appended to.
    public static func appendHead(
        of response: HTTPResponse,
        _ persistence: Persistence,
        date: [UInt8],
        to output: inout [UInt8]
    ) {
        let status = 200...599 ~= response.status ? response.status : 500
        output.append(contentsOf: statusLines[status - 200])
        output.append(contentsOf: date)
        if hasLength(status) {
            output.append(contentsOf: contentLength)
            append(response.body.count, to: &output)
            output.append(0x0D)
            output.append(0x0A)
        }
        switch persistence {
        case .keepAlive: break
        case .keepAliveSaid: output.append(contentsOf: "Connection: keep-alive\r\n".utf8)
        case .close: output.append(contentsOf: "Connection: close\r\n".utf8)
        }
        append(response.headers, to: &output)
        output.append(0x0D)
        output.append(0x0A)
    }

    private static let contentLength = Array("Content-Length: ".utf8)

    /// For 200 to 599.
    private static let statusLines = (200...599).map { status in
        Array("HTTP/1.1 \(status) \(HTTPResponse.reason(for: status))\r\n".utf8)
    }

    /// Whether the body follows the head.
    public static func sendsBody(of response: HTTPResponse, to method: HTTPMethod) -> Bool {
        method != .head && hasLength(response.status)
    }

    private static func hasLength(_ status: Int) -> Bool { status != 204 && status != 304 }

    private static func append(_ headers: HTTPHeaders, to output: inout [UInt8]) {
        if headers.isWireBlock {
            output.append(contentsOf: headers.bytes)
            return
        }
        for field in headers.fields where !headers.isReserved(field) {
            output.append(contentsOf: headers.bytes[field.name])
            output.append(contentsOf: ": ".utf8)
            output.append(contentsOf: headers.bytes[field.value])
            output.append(contentsOf: "\r\n".utf8)
        }
    }

    private static func append(_ number: Int, to output: inout [UInt8]) {
        var divisor = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            output.append(UInt8(truncatingIfNeeded: 0x30 + number / divisor % 10))
            divisor /= 10
        }
    }
}
