import Identity

/// Why an exchange with the server failed, by what may have come of it.
enum RedisFault: Error, Hashable {
    /// Nothing was sent.
    case notSent(String)
    /// Something was sent, and the answer did not come.
    case lost(String)

    var reason: String {
        switch self {
        case .notSent(let reason), .lost(let reason): reason
        }
    }
}
