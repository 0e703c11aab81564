import HTTPServer
import Testing
import Threads

@Suite("TLS: versions, ALPN, and certificates that change under way", .serialized)
struct TLSTests {
    /// A server with a certificate for `first.example`, and what it tells its operator.
    private struct Setting {
        let folder: CertificateFolder
        let test: TestServer
        let events: Lock<[ServerEvent]>

        init(checkEvery interval: Duration, _ change: (inout ServerConfiguration) -> Void = { _ in }) async throws {
            let folder = try CertificateFolder()
            try await onOwnThread { try folder.make("first.example") }
            let events = Lock<[ServerEvent]>([])
            let loopback = try #require(IPAddress("127.0.0.1"))
            let listener = ListenerConfiguration(address: .ip(loopback, port: 0), tls: folder.files, name: "tls")
            test = try TestServer(listener: listener) { configuration in
                configuration.certificateCheckInterval = interval
                configuration.onEvent = { event in events.withLock { $0.append(event) } }
                change(&configuration)
            }
            self.folder = folder
            self.events = events
        }

        func end() {
            test.server.stop()
            folder.remove()
        }
    }

    @Test("Requests over TLS are answered, a large answer too, and the handler knows of TLS")
    func serves() async throws {
        let setting = try await Setting(checkEvery: .zero)
        defer { setting.end() }
        let (who, echo, big, version) = try await setting.test.client { address in
            let client = try TLSClient(address)
            let who = try client.ask(get("/who"), body: 20)
            let echo = try client.bytes(post("/echo", String(repeating: "e", count: 40_000)), body: 40_000)
            let big = try client.bytes(get("/big", "Connection: close\r\n"), body: 5 << 20)
            return (who, echo.count, big.suffix(4 << 20) == TestServer.bigBody[...], client.version)
        }
        #expect(who.hasSuffix("127.0.0.1 true tls a"))
        #expect(echo > 40_000)
        #expect(big)
        #expect(version == "TLSv1.3")
    }

    @Test("TLS 1.2 is spoken, TLS 1.1 and plain HTTP are not")
    func versions() async throws {
        let setting = try await Setting(checkEvery: .zero)
        defer { setting.end() }
        let (version, text) = try await setting.test.client { address in
            let client = try TLSClient(address, latest: 0x0303)
            return (client.version, try client.ask(get("/"), body: 4))
        }
        #expect(version == "TLSv1.2")
        #expect(text.hasSuffix("root"))
        await #expect(throws: ClientError.self) {
            try await setting.test.client { address in _ = try TLSClient(address, latest: 0x0302) }
        }
        let plain = try await setting.test.client { address in
            let client = try Client(address)
            client.send(get("/"))
            return client.statuses().statuses
        }
        #expect(plain.isEmpty)
        #expect(try await setting.test.waits { $0.connectionsOpen == 0 })
    }

    @Test("ALPN settles on http/1.1, and fails when that is not offered")
    func alpn() async throws {
        let setting = try await Setting(checkEvery: .zero)
        defer { setting.end() }
        let chosen = try await setting.test.client { address in
            [
                try TLSClient(address, protocols: ["h2", "http/1.1"]).chosenProtocol,
                try TLSClient(address).chosenProtocol,
            ]
        }
        #expect(chosen == ["http/1.1", ""])
        await #expect(throws: ClientError.self) {
            try await setting.test.client { address in _ = try TLSClient(address, protocols: ["h2"]) }
        }
    }

    @Test("A handshake that does not come is given up")
    func slowHandshake() async throws {
        let setting = try await Setting(checkEvery: .zero) { $0.limits.handshake = .milliseconds(200) }
        defer { setting.end() }
        let ending = try await setting.test.client { address in try Client(address).rest().ending }
        #expect(ending == .closed)
        #expect(setting.test.server.metrics.timeouts == 1)
    }

    @Test("A drain closes TLS with a word")
    func drains() async throws {
        let setting = try await Setting(checkEvery: .zero)
        defer { setting.end() }
        let address = setting.test.address
        async let outcome = onOwnThread {
            let client = try TLSClient(address)
            let text = try client.ask(get("/held"), body: 4)
            return (text, client.isClosed())
        }
        #expect(try await setting.test.waits { $0.requestsInFlight == 1 })
        async let drained = setting.test.server.drain(timeout: .seconds(600))
        while !setting.test.server.isDraining { try await Task.sleep(for: .milliseconds(2)) }
        setting.test.release()
        #expect(await drained)
        let (text, closed) = try await outcome
        #expect(text.contains("Connection: close"))
        #expect(text.hasSuffix("held"))
        #expect(closed)
    }

    @Test("reloadTLS gives new connections the new certificate, leaves old ones alone, and keeps the old in a fault")
    func reloads() async throws {
        let setting = try await Setting(checkEvery: .zero)
        defer { setting.end() }
        let (test, folder) = (setting.test, setting.folder)
        let names = try await test.client { address in
            let old = try TLSClient(address)
            try folder.make("second.example")
            let untouched = try TLSClient(address).subject
            try test.server.reloadTLS()
            let new = try TLSClient(address)
            // The connection from before goes on.
            guard try old.ask(get("/"), body: 4).hasSuffix("root") else { throw ClientError.noOutcome }
            return [old.subject, untouched, new.subject]
        }
        #expect(names == ["/CN=first.example", "/CN=first.example", "/CN=second.example"])
        #expect(setting.events.withLock { $0 } == [.certificateReloaded(path: folder.files.certificate)])

        try await onOwnThread { try folder.spoil() }
        #expect(throws: ServerError.self) { try test.server.reloadTLS() }
        #expect(try await test.client { try TLSClient($0).subject } == "/CN=second.example")
    }

    @Test("Files that change are noticed by themselves, and a broken one is told to the operator")
    func notices() async throws {
        let setting = try await Setting(checkEvery: .milliseconds(20))
        defer { setting.end() }
        let (folder, events) = (setting.folder, setting.events)
        try await onOwnThread { try folder.make("third.example") }
        try await waitFor { events.withLock { $0.contains(.certificateReloaded(path: folder.files.certificate)) } }
        // Between the two files the pair may not match; a moment later it does.
        try await waitFor {
            (try? await setting.test.client { try TLSClient($0).subject }) == "/CN=third.example"
        }
        try await onOwnThread { try folder.spoil() }
        try await waitFor {
            events.withLock { events in
                events.contains { event in
                    guard case .certificateNotReloaded(.cannotUseCertificate(let path, _)) = event else { return false }
                    return path == folder.files.certificate
                }
            }
        }
        #expect(try await setting.test.client { try TLSClient($0).subject } == "/CN=third.example")
    }

    @Test("A certificate that is not there, or whose key is another's, stops the start")
    func badFiles() async throws {
        let (one, two) = (try CertificateFolder(), try CertificateFolder())
        defer {
            one.remove()
            two.remove()
        }
        try await onOwnThread {
            try one.make("one.example")
            try two.make("two.example")
        }
        let loopback = try #require(IPAddress("127.0.0.1"))
        let start = { (files: TLSFiles) throws in
            _ = try TestServer(listener: ListenerConfiguration(address: .ip(loopback, port: 0), tls: files))
        }
        let missing = TLSFiles(certificate: one.path + "/none.pem", key: one.files.key)
        #expect(throws: ServerError.self) { try start(missing) }
        let mixed = TLSFiles(certificate: one.files.certificate, key: two.files.key)
        #expect(throws: ServerError.self) { try start(mixed) }
    }

    private func waitFor(_ condition: () async throws -> Bool) async throws {
        for _ in 0..<500 {
            if try await condition() { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("it never came true")
    }
}
