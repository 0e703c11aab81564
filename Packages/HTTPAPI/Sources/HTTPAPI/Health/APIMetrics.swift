import Synchronization

/// Counts of what was answered, by endpoint, status and reason: words from our own tables, so that there are never many.
public final class APIMetrics: Sendable {
    private struct Key: Hashable {
        let endpoint: String
        let status: Int
        let reason: String
    }

    private let counts = Mutex<[Key: Int]>([:])

    public init() {}

    func count(endpoint: String, status: Int, reason: String?) {
        counts.withLock { $0[Key(endpoint: endpoint, status: status, reason: reason ?? ""), default: 0] += 1 }
    }

    /// The ceremony funnel and all answers, in the Prometheus text format.
    func text() -> String {
        let counts = counts.withLock { $0 }
        var text = "# HELP latchkey_requests_total Answers by endpoint, status and reason.\n"
        text += "# TYPE latchkey_requests_total counter\n"
        let rows = counts.sorted {
            ($0.key.endpoint, $0.key.status, $0.key.reason) < ($1.key.endpoint, $1.key.status, $1.key.reason)
        }
        for (key, count) in rows {
            text +=
                "latchkey_requests_total{endpoint=\"\(key.endpoint)\",status=\"\(key.status)\",reason=\"\(key.reason)\"} \(count)\n"
        }
        text += "# HELP latchkey_ceremonies_total Ceremonies by stage.\n# TYPE latchkey_ceremonies_total counter\n"
        for stage in Stage.allCases {
            let total = counts.reduce(0) { $0 + (stage.holds($1.key.endpoint, $1.key.status) ? $1.value : 0) }
            text += "latchkey_ceremonies_total{stage=\"\(stage.rawValue)\"} \(total)\n"
        }
        return text
    }

    /// How far ceremonies came.
    private enum Stage: String, CaseIterable {
        case startedRegistration = "started_registration"
        case startedLogin = "started_login"
        case finished

        func holds(_ endpoint: String, _ status: Int) -> Bool {
            guard status == 200 else { return false }
            switch self {
            case .startedRegistration: return endpoint == "/passkey/register" || endpoint == "/register/options"
            case .startedLogin: return endpoint == "/passkey/challenge" || endpoint == "/login/options"
            case .finished:
                return endpoint == "/oauth/token" || endpoint == "/register/verify" || endpoint == "/login/verify"
            }
        }
    }
}
