import Threads

/// Runs what blocks on a thread of its own, so that tests never hold one of Swift's.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    let mailbox = Mailbox<Void>()
    let result: Lock<Result<Value, any Error>?> = Lock(nil)
    let thread = try WorkerThread(name: "test-client") {
        let outcome = Result { try body() }
        result.withLock { $0 = outcome }
        try? mailbox.post(())
    }
    while mailbox.count == 0 { try await Task.sleep(for: .milliseconds(2)) }
    thread.join()
    guard let outcome = result.withLock({ $0 }) else { throw ClientError.noOutcome }
    return try outcome.get()
}

enum ClientError: Error {
    case noOutcome
    case cannotConnect(Int32)
    case noResponse(String)
    case tls(String)
}
