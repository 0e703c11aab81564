import CRedisTLS

/// What all TLS connections to one server share: the roots that its certificate must lead to.
@safe final class RedisTLSContext: @unchecked Sendable {
    // Sendable: a context is set up here and not changed after; OpenSSL lets many threads use it.
    private let context: OpaquePointer

    /// Roots from a PEM file, or the system's when `authorities` is `nil`; `nil` when there are none.
    init?(authorities: String?) {
        let made: OpaquePointer?
        if let authorities {
            unsafe made = latchkey_client_context(authorities)
        } else {
            unsafe made = latchkey_client_context(nil)
        }
        guard let made = unsafe made else { return nil }
        unsafe context = made
    }

    deinit { unsafe SSL_CTX_free(context) }

    /// The TLS side of a connected socket; the caller frees it.
    func connection(_ descriptor: Int32, to location: RedisLocation) -> OpaquePointer? {
        guard case .tcp(let host, _) = location.endpoint else { return nil }
        let isAddress =
            host.contains(":") || host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
        return unsafe latchkey_client_connection(context, descriptor, host, isAddress ? 1 : 0)
    }
}
