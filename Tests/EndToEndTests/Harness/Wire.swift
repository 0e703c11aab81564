import Dispatch
import Foundation
import Glibc

/// Sends requests over sockets of its own and reads the answers, on threads of its own.
enum Wire {
    private static let threads = DispatchQueue(label: "wire", attributes: .concurrent)

    /// Sends each request over a connection of its own. Every one is there but for its last byte before the first last
    /// byte is sent, so that the server has them all at once.
    static func exchange(_ requests: [(bytes: [UInt8], source: String)], port: Int) async throws -> [Response] {
        raiseDescriptorLimit
        return try await withCheckedThrowingContinuation { continuation in
            threads.async { continuation.resume(with: Result { try together(requests, port: port) }) }
        }
    }

    private static let raiseDescriptorLimit: Void = {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }()

    private static func together(_ requests: [(bytes: [UInt8], source: String)], port: Int) throws -> [Response] {
        var sockets: [Socket] = []
        for request in requests {
            let socket = try Socket(port: port, source: request.source)
            try socket.write(request.bytes.dropLast())
            sockets.append(socket)
        }
        for (socket, request) in zip(sockets, requests) { try socket.write(request.bytes.suffix(1)) }
        return try zip(sockets, requests).map { socket, request in
            try socket.readResponse(isHead: request.bytes.starts(with: Array("HEAD ".utf8)))
        }
    }
}

/// One connection to the server; it closes with this value.
private final class Socket {
    private let descriptor: Int32

    init(port: Int, source: String) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw HTTPTestError.socket("socket", errno: errno) }
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        try unsafe Self.call("bind", descriptor, source, port: 0) { unsafe bind($0, $1, $2) }
        try unsafe Self.call("connect", descriptor, "127.0.0.1", port: port) { unsafe connect($0, $1, $2) }
    }

    deinit { close(descriptor) }

    private static func call(
        _ name: String,
        _ descriptor: Int32,
        _ address: String,
        port: Int,
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws {
        var name4 = sockaddr_in()
        name4.sin_family = sa_family_t(AF_INET)
        name4.sin_port = in_port_t(UInt16(truncatingIfNeeded: port)).bigEndian
        _ = unsafe inet_pton(AF_INET, address, &name4.sin_addr)
        let code = unsafe withUnsafePointer(to: &name4) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                unsafe function(descriptor, general, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw HTTPTestError.socket(name, errno: errno) }
    }

    func write(_ bytes: ArraySlice<UInt8>) throws {
        var rest = bytes
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // A server that refuses a large body may stop reading: its answer is there all the same.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads one answer; interim ones are left out.
    func readResponse(isHead: Bool) throws -> Response {
        var received: [UInt8] = []
        while true {
            while let head = Head(received) {
                if head.status == 100 {
                    received.removeFirst(head.count)
                    continue
                }
                let length = isHead || head.status == 204 || head.status == 304 ? 0 : head.contentLength
                if let length, received.count >= head.count + length {
                    let body = Array(received[head.count..<(head.count + length)])
                    return Response(status: head.status, headers: head.headers, body: body)
                }
                break
            }
            guard try more(&received) else {
                guard let head = Head(received) else {
                    throw HTTPTestError.noAnswer(String(decoding: received, as: UTF8.self))
                }
                return Response(
                    status: head.status,
                    headers: head.headers,
                    body: isHead ? [] : Array(received.dropFirst(head.count))
                )
            }
        }
    }

    private func more(_ received: inout [UInt8]) throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count > 0 { received += buffer.prefix(count) }
        return count > 0
    }
}

/// The head of an answer.
private struct Head {
    let status: Int
    let headers: [(name: String, value: String)]
    /// With the empty line after it.
    let count: Int

    var contentLength: Int? {
        headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) }
    }

    init?(_ bytes: [UInt8]) {
        let end = Array("\r\n\r\n".utf8)
        guard let index = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return nil }
        count = index + 4
        let lines = String(decoding: bytes[..<index], as: UTF8.self).components(separatedBy: "\r\n")
        let first = lines.first?.split(separator: " ") ?? []
        guard first.count > 1, let status = Int(first[1]) else { return nil }
        self.status = status
        headers = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
        }
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
    guard code == 0 else { throw HTTPTestError.socket("bind", errno: errno) }
    return Int(in_port_t(bigEndian: name.sin_port))
}
