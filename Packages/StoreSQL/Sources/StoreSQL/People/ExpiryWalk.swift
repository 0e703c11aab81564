internal import Synchronization

/// How far the walk through the tables has come that finds what is over.
///
/// No index says when a row is over, for every sign-in would pay for it. The tables are walked in the order of their
/// keys instead, a bounded number of rows at a time; each process walks for itself, and begins anew at its start.
final class ExpiryWalk: Sendable {
    enum Position: Sendable {
        case after(tenant: Int64, id: [UInt8])
        case end
        static let start = Position.after(tenant: .min, id: [])

        var isEnd: Bool {
            guard case .end = self else { return false }
            return true
        }
    }

    struct Place: Sendable {
        var sessions = Position.start
        var families = Position.start
        var tokens = Position.start

        var isAtEnd: Bool { sessions.isEnd && families.isEnd && tokens.isEnd }
    }

    private let current = Mutex(Place())

    /// Where the next call goes on; from the end it begins anew.
    var place: Place {
        get { current.withLock { $0.isAtEnd ? Place() : $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
