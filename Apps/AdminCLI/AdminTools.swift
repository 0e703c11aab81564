import Cryptography
import Glibc
import Identity
import Settings
import Terminal
import Transfer

/// What the commands need from outside: the clock, chance, the store, the process and its standard input.
struct AdminTools: Sendable {
    var now: @Sendable () -> UnixTime
    var random: RandomSource
    var openStore: @Sendable (Settings) async throws -> any CredentialDatabase
    /// Makes the process the owner of what the path names, when it is root beside SQLite.
    var becomeOwner: @Sendable (_ path: String) throws(CommandFailure) -> Void
    /// The algorithms that a new tenant has keys of from the start; others get theirs when they come into use.
    var firstKeys: [TokenAlgorithm] = [.rs256, .es256]
    /// Gets the document at an `https://` address.
    var download: @Sendable (String) async throws(CommandFailure) -> [UInt8]
    /// Sends one request as somebody outside would.
    var ask: @Sendable (WebRequest, WebClient) throws(TransferError) -> WebResponse
    var greetMailServer: @Sendable (MailRelay) throws(MailRelayError) -> Void
    var pause: @Sendable (_ seconds: Int) async -> Void
    /// Bytes of standard input, as many as come at once; empty at the end.
    var readInput: @Sendable () -> [UInt8]

    static let live = AdminTools(
        now: {
            var time = timespec()
            unsafe clock_gettime(CLOCK_REALTIME, &time)
            return UnixTime(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
        },
        random: { Random.bytes($0) },
        openStore: { try await StoreOpening.open($0) },
        becomeOwner: { (path) throws(CommandFailure) in try DataOwner.become(ownerOf: path) },
        download: { (address) throws(CommandFailure) in
            do throws(TransferError) {
                // The process does nothing else meanwhile, so that its thread may wait.
                return try Download().fetch(address)
            } catch {
                throw CommandFailure(.unavailable, "\(quoted(address)) cannot be fetched: \(error).")
            }
        },
        ask: { (request, client) throws(TransferError) in try client.send(request) },
        greetMailServer: { (relay) throws(MailRelayError) in try relay.greet() },
        pause: { try? await Task.sleep(for: .seconds($0)) },
        readInput: {
            unsafe [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
                repeat {
                    count = unsafe read(0, buffer.baseAddress, buffer.count)
                } while count < 0 && errno == EINTR
                count = max(0, count)
            }
        }
    )
}

/// The process's environment.
enum ProcessEnvironment {
    static var all: [String: String] {
        var all: [String: String] = [:]
        var entry = unsafe environ
        while let text = unsafe entry.pointee {
            let pair = unsafe String(cString: text)
            if let equals = pair.utf8.firstIndex(of: UInt8(ascii: "=")) {
                all[String(pair[..<equals])] = String(pair[pair.utf8.index(after: equals)...])
            }
            unsafe entry += 1
        }
        return all
    }
}
