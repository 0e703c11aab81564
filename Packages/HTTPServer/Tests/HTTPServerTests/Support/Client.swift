import CLinux
import HTTPServer

/// A client that says byte for byte what it is told. Blocking: use it on a thread of one's own.
final class Client {
    /// How the stream ended.
    enum Ending: Equatable {
        case closed
        case reset
        /// Still open after the time.
        case open
    }

    struct Response: Equatable {
        var status: Int
        var fields: [(name: String, value: String)]
        var body: [UInt8]

        subscript(name: String) -> String? { fields.first { $0.name == name.lowercased() }?.value }
        var text: String { String(decoding: body, as: UTF8.self) }

        static func == (one: Response, other: Response) -> Bool {
            one.status == other.status && one.body == other.body
        }
    }

    let descriptor: Int32
    private var received: [UInt8] = []

    init(_ address: ListenAddress, seconds: Int32 = 300) throws {
        switch address {
        case .ip(let ip, let port):
            descriptor =
                ip.isIPv4
                ? latchkey_connect_ip(4, 0x7F00_0001, 0, 0, port, seconds * 1_000)
                : latchkey_connect_ip(6, 0, 0, 1, port, seconds * 1_000)
        case .unix(let path):
            descriptor = unsafe latchkey_connect_unix(path, seconds * 1_000)
        }
        guard descriptor >= 0 else { throw ClientError.cannotConnect(-descriptor) }
    }

    deinit { latchkey_close(descriptor) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var offset = 0
        while offset < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe latchkey_send(descriptor, bytes.baseAddress.map { unsafe $0 + offset }, bytes.count - offset)
            }
            if count <= 0 { return }
            offset += count
        }
    }

    /// Lets the system keep only so much of what was sent to it, instead of tens of megabytes.
    func limitBuffer() {
        var size: Int32 = 65_536
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    func finishSending() { latchkey_shut_writing(descriptor) }

    /// One answer, with its body. `100 Continue` is an answer by itself.
    func response(toHEAD: Bool = false) throws -> Response {
        var end: Int?
        while true {
            end = Self.headEnd(received)
            if end != nil { break }
            guard receive() else { break }
        }
        guard let end else { throw ClientError.noResponse(String(decoding: received, as: UTF8.self)) }
        let lines = String(decoding: received[..<(end - 4)], as: UTF8.self).split(separator: "\r\n")
        guard let first = lines.first, first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3))
        else {
            throw ClientError.noResponse(String(decoding: received, as: UTF8.self))
        }
        let fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return (name: parts[0].lowercased(), value: parts.count < 2 ? "" : String(parts[1].drop { $0 == " " }))
        }
        let length = fields.first { $0.name == "content-length" }.flatMap { Int($0.value) } ?? 0
        let hasBody = !toHEAD && status >= 200 && status != 204 && status != 304
        let total = end + (hasBody ? length : 0)
        while received.count < total { guard receive() else { break } }
        guard received.count >= total else {
            throw ClientError.noResponse("cut short at \(received.count) of \(total)")
        }
        let body = Array(received[end..<total])
        received.removeFirst(total)
        return Response(status: status, fields: fields, body: body)
    }

    /// Sends a request and reads its answer.
    func ask(_ text: String) throws -> Response {
        send(text)
        return try response(toHEAD: text.hasPrefix("HEAD "))
    }

    /// Everything up to the end, and how that came about. The time is the one the client was made with.
    func rest() -> (bytes: [UInt8], ending: Ending) {
        while true {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = unsafe latchkey_receive(descriptor, &buffer, buffer.count)
            switch count {
            case 1...: received += buffer[..<count]
            case 0: return (received, .closed)
            case -Int(EAGAIN): return (received, .open)
            default: return (received, .reset)
            }
        }
    }

    /// The status of every answer up to the end of the stream.
    func statuses() -> (statuses: [Int], ending: Ending) {
        let (_, ending) = rest()
        var statuses: [Int] = []
        while let answer = try? response() { statuses.append(answer.status) }
        return (statuses, ending)
    }

    private func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe latchkey_receive(descriptor, &buffer, buffer.count)
        guard count > 0 else { return false }
        received += buffer[..<count]
        return true
    }

    /// Where the first empty line ends.
    static func headEnd(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 0...(bytes.count - 4)
        where bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13 && bytes[index + 3] == 10 {
            return index + 4
        }
        return nil
    }
}

/// Waits, on a thread of one's own.
func pause(milliseconds: UInt32) { usleep(milliseconds * 1_000) }

/// Milliseconds on a clock that only goes forward.
func milliseconds() -> Int { Int(latchkey_monotonic_nanoseconds() / 1_000_000) }

/// How many descriptors of this process are sockets with this local port: the server's side of connections.
func descriptors(onPort port: UInt16) -> Int {
    (3..<4_096).count { descriptor in
        var address = latchkey_peer()
        unsafe latchkey_bound(Int32(descriptor), &address)
        return address.port == port
    }
}

/// Whether there is a file at this path.
func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
