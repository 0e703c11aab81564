import Identity
import Threads

/// Makes connections on a thread of its own: finding a host's address and the handshakes wait.
final class Connector: Sendable {
    private let thread: MailboxThread<Void>

    /// - Parameters:
    ///   - string: where to.
    ///   - options: the limits.
    ///   - host: which one to begin with.
    ///   - inbox: where the connections go.
    /// - Throws: when the system has no thread left.
    init(_ string: ConnectionString, _ options: PostgresOptions, host: Int, to inbox: Inbox) throws(ThreadError) {
        thread = try MailboxThread(name: "postgres-connect", capacity: options.connections) { mailbox in
            var preferred = host
            while mailbox.waitForOne() != nil {
                do throws(ConnectFault) {
                    let made = try PostgresConnection.connect(string, options, preferring: preferred)
                    preferred = made.host
                    inbox.post(.connected(made.connection))
                } catch {
                    inbox.post(.notConnected(error))
                }
            }
        }
    }

    /// Asks for one more connection; the inbox gets it, or why there is none.
    ///
    /// - Returns: false when it takes no more wishes.
    func connect() -> Bool {
        (try? thread.mailbox.post(())) != nil
    }

    /// Ends the thread when it has worked off what it was asked for. Blocks the caller.
    func stop() {
        thread.stop()
    }
}
