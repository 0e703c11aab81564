import Glibc
import Terminal
import Transfer

/// What the commands need from outside: the network, the clock, and a pause.
struct TenantTools: Sendable {
    /// Sends one request; `authorities` is a PEM file.
    var send: @Sendable (_ request: WebRequest, _ authorities: String?) throws(TransferError) -> WebResponse
    /// Milliseconds since 1970.
    var now: @Sendable () -> Int64
    var pause: @Sendable (_ seconds: Int) async -> Void

    static let live = TenantTools(
        send: { (request, authorities) throws(TransferError) in
            // The process does nothing else meanwhile, so that its thread may wait.
            try WebClient(authorities: authorities, agent: "\(TenantProgram.name)/\(TenantProgram.version)").send(
                request
            )
        },
        now: {
            var time = timespec()
            unsafe clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        },
        pause: { try? await Task.sleep(for: .seconds($0)) }
    )
}
