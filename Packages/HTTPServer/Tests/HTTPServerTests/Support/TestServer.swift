import HTTPServer
import Testing
import Threads

/// A server with the routes that the tests ask for, on a port of its own.
struct TestServer {
    let server: HTTPServer
    let address: ListenAddress
    /// How many handlers were cancelled.
    let cancelled: Lock<Int>
    private let isReleased = Lock(false)

    static let bigBody = (0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    var port: UInt16 {
        if case .ip(_, let port) = address { return port }
        return 0
    }

    init(
        loops: Int = 2,
        listener: ListenerConfiguration? = nil,
        _ change: (inout ServerConfiguration) -> Void = { _ in }
    ) throws {
        let loopback = try #require(IPAddress("127.0.0.1"))
        var configuration = ServerConfiguration(
            listeners: [listener ?? ListenerConfiguration(address: .ip(loopback, port: 0))],
            loopCount: loops
        )
        // A client waits for its turn on a machine on which all tests run at once.
        for phase in [\.handshake, \.head, \.request, \.writeProgress, \.idle]
            as [WritableKeyPath<ServerLimits, Duration>]
        {
            configuration.limits[keyPath: phase] = .seconds(900)
        }
        change(&configuration)
        cancelled = Lock(0)
        // Made here: it takes a debug build a second, and a loop must not wait.
        _ = Self.bigBody.count
        server = try HTTPServer(configuration)
        try server.start(Self.router(cancelled, isReleased))
        address = try #require(server.boundAddresses.first)
    }

    /// Lets the handlers of `/held` answer.
    func release() {
        isReleased.withLock { $0 = true }
    }

    private static func router(_ cancelled: Lock<Int>, _ isReleased: Lock<Bool>) -> Router {
        var router = Router()
        // Time enough for a machine on which all tests run at once.
        let patient = RequestLimits(deadline: .seconds(900))
        router.on(.get, "/", limits: patient) { _ in HTTPResponse(status: 200, body: Array("root".utf8)) }
        router.on(.post, "/echo", limits: patient) { request in HTTPResponse(status: 200, body: request.body) }
        router.on(.post, "/tiny", limits: RequestLimits(body: 4, deadline: .seconds(900))) {
            HTTPResponse(status: 200, body: $0.body)
        }
        router.on(.get, "/held", limits: patient) { _ in
            while !isReleased.withLock({ $0 }) { try? await Task.sleep(for: .milliseconds(5)) }
            return HTTPResponse(status: 200, body: Array("held".utf8))
        }
        router.on(.get, "/slow", limits: patient) { _ in
            try? await Task.sleep(for: .milliseconds(400))
            return HTTPResponse(status: 200, body: Array("slow".utf8))
        }
        // Until it is cancelled.
        router.on(.get, "/asleep", limits: patient) { _ in
            try? await Task.sleep(for: .seconds(600))
            return HTTPResponse(status: 200, body: Array("too late".utf8))
        }
        router.on(.get, "/stuck", limits: RequestLimits(deadline: .milliseconds(200))) { _ in
            do {
                try await Task.sleep(for: .seconds(30))
            } catch {
                cancelled.withLock { $0 += 1 }
            }
            return HTTPResponse(status: 200, body: Array("too late".utf8))
        }
        router.on(.get, "/big", limits: patient) { _ in HTTPResponse(status: 200, body: bigBody) }
        router.on(.get, "/items/{id}/parts/{part}", limits: patient) { request in
            let text = "\(request.parameters["id"] ?? "-") \(request.parameters["part"] ?? "-")"
            return HTTPResponse(status: 200, body: Array(text.utf8))
        }
        router.on(.get, "/items/last/parts/{part}", limits: patient) { _ in
            HTTPResponse(status: 200, body: Array("last".utf8))
        }
        router.on(.delete, "/items/{id}", limits: patient) { _ in HTTPResponse(status: 204) }
        router.on(.get, "/who", limits: patient) { request in
            let name = request.peer.ip?.description ?? "unix"
            let text = "\(name) \(request.isTLS) \(request.listener) \(request.head.authority)"
            return HTTPResponse(status: 200, body: Array(text.utf8))
        }
        return router
    }

    /// Runs a client against it, on a thread of its own.
    func client<Value: Sendable>(_ body: @escaping @Sendable (ListenAddress) throws -> Value) async throws -> Value {
        let address = address
        return try await onOwnThread { try body(address) }
    }

    /// Waits until the metrics say so, at most some minutes.
    func waits(until condition: (ServerMetrics) -> Bool) async throws -> Bool {
        for _ in 0..<60_000 {
            if condition(server.metrics) { return true }
            try await Task.sleep(for: .milliseconds(5))
        }
        return false
    }
}

func get(_ path: String, _ fields: String = "") -> String {
    "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
}

func post(_ path: String, _ body: String, _ fields: String = "") -> String {
    "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
}
