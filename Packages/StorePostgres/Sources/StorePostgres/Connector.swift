import Identity
import Synchronization
import Threads

/// Makes connections on threads of its own: finding a host's address and the handshakes wait.
final class Connector: Sendable {
    private let threads: [MailboxThread<Void>]
    private let wishes = Atomic(0)

    /// Connections that are made at once.
    static let threadCount = 2

    /// - Parameters:
    ///   - string: where to.
    ///   - options: the limits.
    ///   - host: which one to begin with.
    ///   - inbox: where the connections go.
    /// - Throws: when the system has no thread left.
    init(_ string: ConnectionString, _ options: PostgresOptions, host: Int, to inbox: Inbox) throws(ThreadError) {
        var threads: [MailboxThread<Void>] = []
        do throws(ThreadError) {
            for _ in 0..<Self.threadCount { threads.append(try Self.thread(string, options, host: host, to: inbox)) }
        } catch {
            for thread in threads { thread.stop() }
            throw error
        }
        self.threads = threads
    }

    private static func thread(
        _ string: ConnectionString,
        _ options: PostgresOptions,
        host: Int,
        to inbox: Inbox
    ) throws(ThreadError) -> MailboxThread<Void> {
        try MailboxThread(name: "postgres-connect", capacity: options.connections) { mailbox in
            var preferred = host
            while mailbox.waitForOne() != nil {
                do throws(ConnectFault) {
                    let made = try PostgresConnection.connect(
                        string,
                        options,
                        preferring: preferred,
                        canRead: true
                    )
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
        let turn = wishes.wrappingAdd(1, ordering: .relaxed).oldValue & Int.max
        return (try? threads[turn % threads.count].mailbox.post(())) != nil
    }

    /// Ends the threads when they have worked off what they were asked for. Blocks the caller.
    func stop() {
        for thread in threads { thread.stop() }
    }
}
