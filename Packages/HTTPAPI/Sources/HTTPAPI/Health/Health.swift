import Encodings
import HTTPServer
import Synchronization

/// What `/healthz` and `/readyz` answer (contract 15). They need no tenant.
public final class Health: Sendable {
    /// Whether each part answers, by its name (`store`, `cache`).
    public typealias Check = @Sendable () async -> [(name: String, isWell: Bool)]

    private let check: Check
    private let isDraining = Atomic<Bool>(false)

    public init(check: @escaping Check) {
        self.check = check
    }

    /// From now on not ready: the server is about to end.
    public func drain() {
        isDraining.store(true, ordering: .relaxed)
    }

    /// The answer, if the request is for one of the two.
    func answer(_ request: HTTPRequest) async -> HTTPResponse? {
        let path = request.head.pathBytes
        guard path.elementsEqual("/healthz".utf8) || path.elementsEqual("/readyz".utf8) else { return nil }
        guard request.method == .get || request.method == .head else {
            var response = APIError.methodNotAllowed.response()
            response.headers.add("Allow", "GET, HEAD")
            return response
        }
        if path.elementsEqual("/healthz".utf8) { return Self.status("ok", 200, []) }
        if isDraining.load(ordering: .relaxed) { return Self.status("unavailable", 503, [("server", false)]) }
        let parts = await check()
        let isReady = parts.allSatisfy(\.isWell)
        return Self.status(isReady ? "ok" : "unavailable", isReady ? 200 : 503, isReady ? [] : parts)
    }

    private static func status(_ word: String, _ status: Int, _ parts: [(name: String, isWell: Bool)]) -> HTTPResponse {
        var response = HTTPResponse.json(status: status) { json in
            json.beginObject()
            json.member("status", word)
            if !parts.isEmpty {
                json.name("checks")
                json.beginObject()
                for part in parts { json.member(part.name, part.isWell ? "ok" : "failed") }
                json.endObject()
            }
            json.endObject()
        }
        response.headers.add("Cache-Control", "no-store")
        return response
    }
}
