import CTLS
import Glibc
import HTTPServer

/// A client over TLS, which trusts whatever certificate it meets and can say which that was. Blocking.
@safe final class TLSClient {
    private let context: OpaquePointer
    private let session: OpaquePointer
    private let transport: Client

    /// Connects and shakes hands.
    ///
    /// - Parameters:
    ///   - address: where.
    ///   - protocols: what ALPN offers; nothing when empty.
    ///   - latest: the last version that is offered, as OpenSSL numbers them.
    /// - Throws: when nobody is there, or the two find nothing in common.
    init(_ address: ListenAddress, protocols: [String] = [], latest: Int = 0) throws {
        transport = try Client(address)
        guard let context = unsafe SSL_CTX_new(TLS_client_method()), let session = unsafe SSL_new(context) else {
            throw ClientError.tls("no session")
        }
        unsafe self.context = context
        unsafe self.session = session
        // SSL_CTRL_SET_MIN_PROTO_VERSION and its twin, which are macros.
        unsafe SSL_ctrl(session, 123, latest == 0 ? 0 : 0x0301, nil)
        unsafe SSL_ctrl(session, 124, latest, nil)
        unsafe SSL_set_cipher_list(session, "ALL:@SECLEVEL=0")
        let offered = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        if !offered.isEmpty { unsafe SSL_set_alpn_protos(session, offered, UInt32(offered.count)) }
        unsafe SSL_set_fd(session, transport.descriptor)
        guard unsafe SSL_connect(session) == 1 else { throw ClientError.tls("no handshake") }
    }

    deinit {
        unsafe SSL_free(session)
        unsafe SSL_CTX_free(context)
    }

    /// The name in the server's certificate.
    var subject: String {
        guard let certificate = unsafe SSL_get1_peer_certificate(session) else { return "" }
        defer { unsafe X509_free(certificate) }
        var text = [CChar](repeating: 0, count: 256)
        unsafe X509_NAME_oneline(X509_get_subject_name(certificate), &text, Int32(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// What ALPN settled on.
    var chosenProtocol: String {
        var bytes: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(session, &bytes, &count)
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
    }

    var version: String { unsafe String(cString: SSL_get_version(session)) }

    /// Sends a request and reads until `count` bytes of body are there, or the end.
    func ask(_ text: String, body count: Int) throws -> String {
        String(decoding: try bytes(text, body: count), as: UTF8.self)
    }

    /// The same, as bytes.
    func bytes(_ text: String, body count: Int) throws -> [UInt8] {
        let bytes = Array(text.utf8)
        guard unsafe SSL_write(session, bytes, Int32(bytes.count)) == Int32(bytes.count) else {
            throw ClientError.tls("no write")
        }
        var answer: [UInt8] = []
        var bodyStart: Int?
        while true {
            if bodyStart == nil { bodyStart = Client.headEnd(answer) }
            if let bodyStart, answer.count - bodyStart >= count { break }
            var buffer = [UInt8](repeating: 0, count: 16_384)
            let got = unsafe SSL_read(session, &buffer, Int32(buffer.count))
            guard got > 0 else { break }
            answer += buffer[..<Int(got)]
        }
        return answer
    }

    /// Whether the server has said that it closes.
    func isClosed() -> Bool {
        var byte: UInt8 = 0
        return unsafe SSL_read(session, &byte, 1) == 0
    }
}

/// A certificate and key in a folder of their own, made by the `openssl` command.
struct CertificateFolder {
    let path: String
    var files: TLSFiles { TLSFiles(certificate: "\(path)/certificate.pem", key: "\(path)/key.pem") }

    init() throws {
        path = "/tmp/latchkey-test-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        guard unsafe mkdir(path, 0o700) == 0 else { throw ClientError.tls("no folder") }
    }

    /// Puts a new pair there, for this name. Both files are replaced whole.
    func make(_ name: String) throws {
        try run(
            """
            cd '\(path)' && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
            -subj '/CN=\(name)' -keyout new-key.pem -out new-certificate.pem 2>/dev/null \
            && mv new-key.pem key.pem && mv new-certificate.pem certificate.pem
            """
        )
    }

    /// Writes something that is no certificate.
    func spoil() throws {
        try run("echo nonsense > '\(path)/certificate.pem'")
    }

    func remove() {
        try? run("rm -rf '\(path)'")
    }

    private func run(_ command: String) throws {
        guard unsafe system(command) == 0 else { throw ClientError.tls(command) }
    }
}
