/// A connection and what goes on on it.
final class Channel {
    let connection: PostgresConnection
    /// What it works on; `nil` when it is free.
    var group: Group?
    /// Whether bytes wait for the system to take them.
    var hasUnsent = false

    init(_ connection: PostgresConnection) {
        self.connection = connection
    }
}
