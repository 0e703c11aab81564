import Identity

/// Why an exchange with the server failed, by what may have come of it.
enum RedisFault: Error, Hashable {
    /// Nothing was sent.
    case notSent(String)
    /// Nothing was sent: it answers, and does not want us.
    case refused(String)
    /// Nothing was sent: its name is still being looked up.
    case notFound
    /// Something was sent, and the answer did not come.
    case lost(String)

    var reason: String {
        switch self {
        case .notSent(let reason), .lost(let reason): reason
        case .refused(let reason): "it refuses us: \(reason)"
        case .notFound: "its name is still being looked up"
        }
    }
}
