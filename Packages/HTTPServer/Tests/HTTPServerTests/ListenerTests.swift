import Glibc
import HTTPServer
import Testing

@Suite("Listeners: IPv4, IPv6, a socket file, several at once")
struct ListenerTests {
    static let hasIPv6: Bool = {
        guard let address = IPAddress("::1") else { return false }
        let configuration = ServerConfiguration(
            listeners: [ListenerConfiguration(address: .ip(address, port: 0))],
            loopCount: 1
        )
        guard let server = try? HTTPServer(configuration) else { return false }
        defer { server.stop() }
        return (try? server.start(Router())) != nil
    }()

    /// A path in a folder of its own.
    static func socketPath() -> String { "/tmp/latchkey-test-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock" }

    @Test("A request knows its peer, its listener and its authority")
    func ipv4() async throws {
        let test = try TestServer()
        defer { test.server.stop() }
        let texts = try await test.client { address in
            let client = try Client(address)
            return [
                try client.ask(get("/who")).text,
                try client.ask("GET http://b.example:81/who HTTP/1.1\r\nHost: a\r\n\r\n").text,
            ]
        }
        #expect(texts == ["127.0.0.1 false public a", "127.0.0.1 false public b.example:81"])
    }

    @Test("IPv6", .enabled(if: hasIPv6, "this machine has no ::1"))
    func ipv6() async throws {
        let loopback = try #require(IPAddress("::1"))
        let test = try TestServer(listener: ListenerConfiguration(address: .ip(loopback, port: 0), name: "six"))
        defer { test.server.stop() }
        #expect(try await test.client { try Client($0).ask(get("/who")).text } == "::1 false six a")
    }

    @Test("A socket file is served, replaced when it is left over, refused when in use, and gone afterwards")
    func socketFile() async throws {
        let path = Self.socketPath()
        let listener = ListenerConfiguration(address: .unix(path: path), name: "proxy")
        let test = try TestServer(listener: listener)
        #expect(try await test.client { try Client($0).ask(get("/who")).text } == "unix false proxy a")
        #expect(throws: ServerError.self) { try TestServer(listener: listener) }
        test.server.stop()
        #expect(!exists(path))

        // A process that was killed leaves the file.
        let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(left, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(bound == 0)
        close(left)
        #expect(exists(path))
        let again = try TestServer(listener: listener)
        #expect(try await again.client { try Client($0).ask(get("/")).status } == 200)
        again.server.stop()
    }

    @Test("Several listeners of one server, each under its name; an address in use stops the start and frees the rest")
    func several() async throws {
        let loopback = try #require(IPAddress("127.0.0.1"))
        let path = Self.socketPath()
        let test = try TestServer { configuration in
            configuration.listeners.append(ListenerConfiguration(address: .ip(loopback, port: 0), name: "admin"))
            configuration.listeners.append(ListenerConfiguration(address: .unix(path: path), name: "file"))
        }
        let addresses = test.server.boundAddresses
        #expect(addresses.count == 3)
        #expect(Set(addresses).count == 3)
        let texts = try await onOwnThread { try addresses.map { try Client($0).ask(get("/who")).text } }
        #expect(texts == ["127.0.0.1 false public a", "127.0.0.1 false admin a", "unix false file a"])

        let other = Self.socketPath()
        let clash = ServerConfiguration(
            listeners: [
                ListenerConfiguration(address: .unix(path: other)), ListenerConfiguration(address: addresses[0]),
            ],
            loopCount: 1
        )
        let server = try HTTPServer(clash)
        #expect(throws: ServerError.cannotListen(addresses[0], reason: "Address already in use")) {
            try server.start(Router())
        }
        #expect(!exists(other))
        server.stop()
        test.server.stop()
        #expect(!exists(path))
    }

    @Test("The health probe reads an answer")
    func probe() async throws {
        let test = try TestServer()
        defer { test.server.stop() }
        let answer = try await test.client { try HTTPProbe.get("/", at: $0, timeout: .seconds(120)) }
        #expect(answer.status == 200)
        #expect(answer.body == Array("root".utf8))
    }
}
