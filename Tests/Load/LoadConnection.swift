import Glibc

/// One keep-alive connection to 127.0.0.1 that has at most one request under way.
struct LoadConnection {
    private(set) var descriptor: Int32
    private var output: [UInt8] = []
    private var sent = 0
    private var input: [UInt8] = []
    /// Where the body begins and ends, once the head is there.
    private var body: Range<Int>?
    /// The passkey in hand.
    var passkey = 0
    var isAnswering = false
    var startedAt: Int64 = 0
    var answeredAt: Int64 = 0

    private let port: UInt16
    /// The server said that it takes no more here.
    private var isLast = false

    struct Answer {
        let status: Int
        let body: ArraySlice<UInt8>
    }

    init(port: UInt16) throws {
        self.port = port
        descriptor = try Self.connected(port)
        input.reserveCapacity(16384)
    }

    private static func connected(_ port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw LoadError.failed("no socket (\(errno))") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            Glibc.close(descriptor)
            throw LoadError.failed("nobody listens on port \(port) (\(errno))")
        }
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        return descriptor
    }

    func close() {
        Glibc.close(descriptor)
    }

    /// Whether it waits until more can be sent.
    var isSending: Bool { sent < output.count }

    mutating func post(_ path: StaticString, host: String, _ content: [UInt8]) throws {
        if isLast {
            close()
            descriptor = try Self.connected(port)
            isLast = false
        }
        output.removeAll(keepingCapacity: true)
        output += "POST ".utf8
        unsafe output.append(contentsOf: UnsafeBufferPointer(start: path.utf8Start, count: path.utf8CodeUnitCount))
        output += " HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/json\r\n".utf8
        output += "Content-Length: \(content.count)\r\n\r\n".utf8
        output += content
        sent = 0
        input.removeAll(keepingCapacity: true)
        body = nil
        send()
    }

    mutating func send() {
        while sent < output.count {
            let count = unsafe output.withUnsafeBytes { bytes in
                unsafe Glibc.send(
                    descriptor,
                    bytes.baseAddress?.advanced(by: sent),
                    bytes.count - sent,
                    Int32(MSG_NOSIGNAL)
                )
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Takes what came.
    ///
    /// - Returns: the answer, when all of it is there.
    mutating func receive() throws -> Answer? {
        var isClosed = false
        let old = input.count
        let room = 16384
        input.append(contentsOf: repeatElement(0, count: room))
        let count = unsafe input.withUnsafeMutableBytes { bytes in
            unsafe recv(descriptor, bytes.baseAddress?.advanced(by: old), room, 0)
        }
        if count < 0, errno != EAGAIN { isClosed = true }
        if count == 0 { isClosed = true }
        input.removeLast(room - max(0, count))
        guard !isClosed else { throw LoadError.failed("the server closed a connection") }
        if body == nil { try readHead() }
        guard let body, input.count >= body.upperBound else { return nil }
        // `HTTP/1.1 200 …`
        let status = input[9..<12].reduce(0) { $0 * 10 + Int($1) - 0x30 }
        return Answer(status: status, body: input[body])
    }

    private mutating func readHead() throws {
        var end = 0
        while end + 4 <= input.count {
            if input[end] == 0x0D, input[end + 2] == 0x0D, input[end + 1] == 0x0A, input[end + 3] == 0x0A { break }
            end += 1
        }
        guard end + 4 <= input.count, end > 12 else { return }
        let head = String(decoding: input[..<end], as: UTF8.self).lowercased()
        let field = head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
        guard let length = field?.split(separator: " ").last.flatMap({ Int($0) }) else {
            throw LoadError.failed("an answer without a length: \(head)")
        }
        isLast = head.contains("\r\nconnection: close")
        body = (end + 4)..<(end + 4 + length)
    }
}
