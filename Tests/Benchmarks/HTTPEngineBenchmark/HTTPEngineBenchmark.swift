import CRawLoop
import Glibc
import HTTPServer

/// Measures the engine against a raw epoll loop in C, in one run and by turns: server CPU per request, and the memory of
/// idle connections. Exits with 1 when a target is missed.
@main
struct HTTPEngineBenchmark {
    static let connections: Int32 = 64
    static let bodyLength: Int32 = 1_400
    static let ratioTarget = 1.3
    static let idleCount: Int32 = 5_000
    static let idleTarget = 5.0 * 1_024

    static func main() {
        do {
            try measure()
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }

    static func measure() throws {
        rawloop_raise_descriptors()
        let arguments = CommandLine.arguments
        let rounds = arguments.count > 1 ? Int(arguments[1]) ?? 15 : 15
        let requests = arguments.count > 2 ? Int64(arguments[2]) ?? 20_000 : 20_000

        rawloop_spread_servers()
        let raw = rawloop_start()
        guard raw > 0 else { throw Failure.cannotStart }
        defer { rawloop_stop() }
        let (plain, plainPort) = try started(Answers())
        defer { plain.stop() }
        let (routed, routedPort) = try started(Routes.router)
        defer { routed.stop() }
        rawloop_pin_load()

        print(
            "POST of \(bodyLength) B, answer of 600 B, \(connections) connections: server CPU per request, microseconds"
        )
        var ratios: [Double] = []
        for round in 0..<(rounds + 1) {
            let floor = try cpuPerRequest(raw, requests)
            let engine = try cpuPerRequest(plainPort, requests)
            let router = try cpuPerRequest(routedPort, requests)
            // The first round warms them up.
            guard round > 0 else { continue }
            ratios.append(engine / floor)
            print(
                "  raw loop \(shown(floor))   engine \(shown(engine))   with router and fields \(shown(router))"
                    + "   engine to raw loop \(shown(engine / floor))"
            )
        }
        ratios.sort()
        let ratio = ratios.isEmpty ? 0 : ratios[ratios.count / 2]
        print("median ratio \(shown(ratio)), target \(shown(ratioTarget))")

        let idle = try idleMemory(plainPort)
        print("\(idleCount) idle connections: \(shown(idle / 1_024)) KiB each, target \(shown(idleTarget / 1_024))")
        guard ratio <= ratioTarget, idle <= idleTarget else { throw Failure.missedTarget }
    }

    static func started(_ handler: any HTTPHandler) throws -> (HTTPServer, Int32) {
        guard let loopback = IPAddress("127.0.0.1") else { throw Failure.cannotStart }
        var configuration = ServerConfiguration(
            listeners: [ListenerConfiguration(address: .ip(loopback, port: 0))],
            loopCount: 1
        )
        configuration.limits.requestsPerConnection = .max
        let server = try HTTPServer(configuration)
        try server.start(handler)
        guard case .ip(_, let port)? = server.boundAddresses.first else { throw Failure.cannotStart }
        return (server, Int32(port))
    }

    enum Failure: Error {
        case cannotStart
        case load(Int32)
        case missedTarget
    }

    /// Microseconds of CPU that all but the load took.
    static func cpuPerRequest(_ port: Int32, _ requests: Int64) throws -> Double {
        let before = rawloop_process_cpu()
        let load = unsafe rawloop_post(port, "/echo", connections, requests, bodyLength)
        let spent = rawloop_process_cpu() - before - load.cpu
        guard load.error == 0, load.answered == requests else { throw Failure.load(load.error) }
        return Double(spent) / Double(requests) / 1_000
    }

    /// Bytes that one idle connection adds to the process, after one request on it.
    static func idleMemory(_ port: Int32) throws -> Double {
        var descriptors = [Int32](repeating: -1, count: Int(idleCount))
        let before = rawloop_resident()
        let opened = unsafe rawloop_open_idle(port, "/echo", idleCount, &descriptors)
        guard opened == idleCount else { throw Failure.load(opened) }
        let after = rawloop_resident()
        unsafe rawloop_close_all(descriptors, opened)
        return Double(after - before) / Double(opened)
    }

    static func shown(_ number: Double) -> String {
        let hundredths = Int((number * 100).rounded())
        let fraction = abs(hundredths % 100)
        return "\(hundredths / 100).\(fraction < 10 ? "0" : "")\(fraction)"
    }
}

/// The same answer that the raw loop gives.
struct Answers: HTTPHandler {
    static let body = [UInt8](repeating: 0x72, count: 600)
    private let response = HTTPResponse(status: 200, headers: fields, body: body)

    static var fields: HTTPHeaders {
        [
            "Content-Type": "application/json; charset=utf-8",
            "Cache-Control": "no-store",
            "Pragma": "no-cache",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
        ]
    }

    func limits(for head: HTTPRequestHead) -> RequestLimits { RequestLimits() }

    nonisolated(nonsending) func handle(_ request: HTTPRequest) async -> HTTPResponse {
        request.body.count == 1_400 ? response : HTTPResponse(status: 400)
    }
}

/// The answer as an API gives it: through the router, with fields that are made for it.
enum Routes {
    static var router: Router {
        var router = Router()
        router.on(.post, "/echo") { request in
            guard request.body.count == 1_400 else { return HTTPResponse(status: 400) }
            return HTTPResponse(status: 200, headers: Answers.fields, body: Answers.body)
        }
        return router
    }
}
