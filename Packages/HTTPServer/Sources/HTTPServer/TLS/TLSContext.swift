import CTLS

/// A certificate with its key, as libssl keeps it for all connections that use it.
@safe final class TLSContext: @unchecked Sendable {
    // Sendable: libssl counts references and locks inside, and nothing is changed after `init`.
    private let context: OpaquePointer

    /// Reads both files.
    init(_ files: TLSFiles) throws(ServerError) {
        guard let context = unsafe latchkey_tls_context() else {
            throw .outOfResources(reason: Self.lastError())
        }
        unsafe self.context = context
        switch unsafe latchkey_tls_use(context, files.certificate, files.key) {
        case 0: break
        case 1: throw .cannotUseCertificate(path: files.certificate, reason: Self.lastError())
        case 2: throw .cannotUseKey(path: files.key, reason: Self.lastError())
        default: throw .cannotUseKey(path: files.key, reason: "it does not belong to the certificate")
        }
    }

    deinit { unsafe SSL_CTX_free(context) }

    /// A session for a connection that was just accepted.
    func session(on descriptor: Int32) -> TLSSession? {
        guard let session = unsafe latchkey_tls_accept(context, descriptor) else { return nil }
        return unsafe TLSSession(session)
    }

    private static func lastError() -> String {
        var text = [CChar](repeating: 0, count: 256)
        unsafe latchkey_tls_last_error(&text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The TLS of one connection. Used by the connection's loop alone.
@safe final class TLSSession {
    private let session: OpaquePointer

    fileprivate init(_ session: OpaquePointer) {
        unsafe self.session = session
    }

    deinit { unsafe SSL_free(session) }

    /// Goes on with the handshake. `.bytes` means that it is done.
    func handshake() -> Transfer {
        Transfer(tls: unsafe latchkey_tls_handshake(session))
    }

    func read(into buffer: inout [UInt8]) -> Transfer {
        let count = Int32(clamping: buffer.count)
        return Transfer(tls: unsafe latchkey_tls_read(session, &buffer, count))
    }

    /// Writes at most one record.
    func write(_ bytes: [UInt8], from offset: Int, atMost limit: Int) -> Transfer {
        let count = min(bytes.count - offset, limit)
        guard count > 0 else { return .bytes(0) }
        return unsafe bytes.withUnsafeBytes { bytes in
            Transfer(
                tls: unsafe latchkey_tls_write(
                    session,
                    bytes.baseAddress.map { unsafe $0 + offset },
                    Int32(clamping: count)
                )
            )
        }
    }

    /// Says to the other side that nothing more comes.
    func closeNotify() {
        unsafe latchkey_tls_close_notify(session)
    }
}

/// What came of trying to move bytes.
enum Transfer: Equatable {
    case bytes(Int)
    /// The other side sends nothing more.
    case end
    /// Not now: an event will tell.
    case later
    case failed

    fileprivate init(tls outcome: Int32) {
        switch outcome {
        case 1...: self = .bytes(Int(outcome))
        case 0: self = .end
        case -1, -2: self = .later
        default: self = .failed
        }
    }
}
