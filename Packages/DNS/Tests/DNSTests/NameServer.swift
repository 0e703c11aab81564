import Glibc
import Synchronization

/// A name server on loopback that answers each TXT query as it is told to, over UDP and TCP.
final class NameServer: Sendable {
    /// What it does with a query for a name.
    enum Answer: Sendable {
        /// Records, each of its strings (at most 255 bytes each).
        case texts([[[UInt8]]])
        /// A response code alone: 2 the server failed, 3 no such name.
        case code(UInt8)
        /// Nothing is sent.
        case silence
        /// These bytes after the query's own id.
        case raw([UInt8])
        /// Over UDP cut short, so that the client asks again over TCP.
        case overTCP([[[UInt8]]])
    }

    let port: UInt16
    private let zone: [String: Answer]
    private let asked = Mutex<[String]>([])
    private let udp: Int32
    private let tcp: Int32

    /// The names that were asked for, in order.
    var queries: [String] { asked.withLock { $0 } }

    init?(_ zone: [String: Answer]) {
        self.zone = zone
        guard let (udp, tcp, port) = Self.pair() else { return nil }
        self.udp = udp
        self.tcp = tcp
        self.port = port
        start { $0.serveDatagrams() }
        start { $0.serveStreams() }
    }

    /// Ends both threads.
    func stop() {
        shutdown(udp, Int32(SHUT_RDWR))
        shutdown(tcp, Int32(SHUT_RDWR))
    }

    /// A port that is free for datagrams may be taken for streams: then another is tried.
    private static func pair() -> (udp: Int32, tcp: Int32, port: UInt16)? {
        for _ in 0..<64 {
            guard let (udp, port) = bound(Int32(SOCK_DGRAM.rawValue), port: 0) else { return nil }
            if let (tcp, _) = bound(Int32(SOCK_STREAM.rawValue), port: port), listen(tcp, 8) == 0 {
                return (udp, tcp, port)
            }
            close(udp)
        }
        return nil
    }

    private static func bound(_ kind: Int32, port: UInt16) -> (Int32, UInt16)? {
        let descriptor = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, size) == 0 && getsockname(descriptor, pointer, &size) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private func start(_ body: @escaping @Sendable (NameServer) -> Void) {
        final class Job {
            let run: () -> Void
            init(_ run: @escaping () -> Void) { self.run = run }
        }
        var thread = pthread_t()
        let job = Job { body(self) }
        let code = unsafe pthread_create(
            &thread,
            nil,
            { context in
                if let context = unsafe context { unsafe Unmanaged<Job>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            },
            unsafe Unmanaged.passRetained(job).toOpaque()
        )
        if code == 0 { pthread_detach(thread) }
    }

    private func serveDatagrams() {
        while true {
            var query = [UInt8](repeating: 0, count: 2048)
            var from = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let count = unsafe withUnsafeMutablePointer(to: &from) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    unsafe query.withUnsafeMutableBytes { buffer in
                        unsafe recvfrom(udp, buffer.baseAddress, buffer.count, 0, pointer, &size)
                    }
                }
            }
            // Shut down.
            guard count > 0 else { return _ = close(udp) }
            guard let answer = answer(to: Array(query.prefix(count)), isDatagram: true) else { continue }
            _ = unsafe withUnsafePointer(to: &from) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    unsafe answer.withUnsafeBytes { unsafe sendto(udp, $0.baseAddress, $0.count, 0, pointer, size) }
                }
            }
        }
    }

    private func serveStreams() {
        while true {
            let connection = accept(tcp, nil, nil)
            guard connection >= 0 else { return _ = close(tcp) }
            if let head = Self.read(2, from: connection),
                let query = Self.read(Int(head[0]) << 8 | Int(head[1]), from: connection),
                let answer = answer(to: query, isDatagram: false)
            {
                let message = [UInt8(answer.count >> 8), UInt8(answer.count & 0xFF)] + answer
                _ = unsafe message.withUnsafeBytes { unsafe write(connection, $0.baseAddress, $0.count) }
            }
            close(connection)
        }
    }

    private static func read(_ count: Int, from connection: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var part = [UInt8](repeating: 0, count: count - bytes.count)
            let got = unsafe part.withUnsafeMutableBytes { unsafe recv(connection, $0.baseAddress, $0.count, 0) }
            guard got > 0 else { return nil }
            bytes += part.prefix(got)
        }
        return bytes
    }

    private func answer(to query: [UInt8], isDatagram: Bool) -> [UInt8]? {
        guard query.count > 16 else { return nil }
        var (labels, place) = ([String](), 12)
        while place < query.count, query[place] > 0 {
            let end = place + 1 + Int(query[place])
            guard end < query.count else { return nil }
            labels.append(String(decoding: query[(place + 1)..<end], as: UTF8.self))
            place = end
        }
        let name = labels.joined(separator: ".").lowercased()
        asked.withLock { $0.append(name) }
        let question = Array(query[12..<min(query.count, place + 5)])
        func message(_ flags: [UInt8], _ records: [[[UInt8]]]) -> [UInt8] {
            var message: [UInt8] = Array(query.prefix(2)) + flags
            message += [0, 1, 0, UInt8(records.count), 0, 0, 0, 0]
            message += question
            for strings in records {
                let data: [UInt8] = strings.flatMap { [UInt8($0.count)] + $0 }
                message += [0xC0, 12, 0, 16, 0, 1, 0, 0, 0, 60, UInt8(data.count >> 8), UInt8(data.count & 0xFF)]
                message += data
            }
            return message
        }
        switch zone[name] ?? .code(3) {
        case .texts(let records): return message([0x81, 0x80], records)
        case .code(let code): return message([0x81, 0x80 | code], [])
        case .silence: return nil
        case .raw(let bytes): return query.prefix(2) + bytes
        case .overTCP(let records): return isDatagram ? message([0x83, 0x80], []) : message([0x81, 0x80], records)
        }
    }
}
