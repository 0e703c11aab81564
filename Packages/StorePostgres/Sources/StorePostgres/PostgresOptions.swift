/// How a PostgreSQL store is used: its connections and the limits of every wait.
public struct PostgresOptions: Hashable, Sendable {
    /// Connections at most; those beyond ``readyConnections`` are made when they are needed.
    public var connections = 8
    /// Connections that are made before anybody needs them, and again when they are lost: a handshake costs more time
    /// than many a transaction may wait.
    public var readyConnections: Int
    /// Whether each connection keeps its statements prepared. Not behind a PgBouncer in transaction mode, which gives
    /// each transaction another connection.
    public var prepares = true
    /// How long a call waits for a connection.
    public var poolWait = Duration.milliseconds(250)
    /// How long a call takes at most, its wait included.
    public var deadline = Duration.seconds(1)
    /// How long one host may take until a connection to it can be used.
    public var connectTimeout = Duration.seconds(1)
    /// When the database gives a statement up, in milliseconds.
    public var statementTimeout = 800
    /// When the database gives up waiting for a row that another transaction holds, in milliseconds.
    public var lockTimeout = 500

    public init(prepares: Bool = true, readyConnections: Int = 1) {
        self.prepares = prepares
        self.readyConnections = readyConnections
    }
}
